"""Values whose square overflows are refused on reading, with the line or the pair and the allowed range."""

import io

import numpy as np
import openpyxl
import pandas as pd
import pytest

import mrwtd
from mrwtd.data.readers import FORMATS
from mrwtd.data.relations import Relation
from mrwtd.errors import DataError
from tests.data.readers.example_files import saved, ucinet_header, zipped
from tests.data.readers.test_fuzz import file

HUGE = "2e+150"

MATRIX = np.array([[0.5, 1.5], [float(HUGE), 0.5]])


def workbook():
    book = openpyxl.Workbook()
    for row in (["", "ann", "bob"], ["ann", 0.5, 1.5], ["bob", float(HUGE), 0.5]):
        book.active.append(row)
    return saved(lambda stream: book.save(stream))


GRAPH = f"""<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="e" for="edge" attr.name="weight" attr.type="double"/><graph id="g" edgedefault="directed">
<node id="ann"/><node id="bob"/><edge source="ann" target="bob"><data key="e">0.5</data></edge>
<edge source="bob" target="ann"><data key="e">{HUGE}</data></edge></graph></graphml>"""

FRAME = pd.DataFrame(
    {"source": ["ann", "bob"], "relation": "far", "target": ["bob", "ann"], "value": [0.5, float(HUGE)]}
)

EXAMPLES = {
    "long": ("a.csv", b"source,relation,target,value\nann,far,bob,0.5\nbob,far,ann,2e+150\n", "line 3"),
    "wide": ("a.csv", b"source;target;far;near\nann;bob;0.5;1\nbob;ann;2e+150;2\n", "line 3"),
    "matrices": ("a.csv", b",ann,bob\nann,0.5,1.5\nbob,2e+150,0.5\n", "line 3"),
    "lists": ("a.zip", zipped({"far.csv": b"from,to,value\nann,bob,2e+150\n", "near.csv": b"from,to\na,b\n"}), "'ann'"),
    "splits": (
        "a.zip",
        zipped({"train.csv": b"from,to,value\nann,bob,2e+150\n", "test.csv": b"from,to,value\na,b,0.5\n"}),
        "'ann'",
    ),
    "multinet": (
        "a.mpx",
        b"#VERSION\n3.0\n#TYPE\nmultiplex\n#LAYERS\nfar,DIRECTED\n#EDGE ATTRIBUTES\nfar,km,NUMERIC\n#EDGES\n"
        b"ann,bob,far,0.5\nbob,ann,far,2e+150\n",
        "line 11",
    ),
    "text graphs": ("a.ncol", b"ann bob 0.5\nbob ann 2e+150\n", "line 2"),
    "matrix market": (
        "a.mtx",
        b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.5\n2 1 2e+150\n",
        "line 4",
    ),
    "network tables": ("a.vna", b"*tie data\nfrom to km\nann bob 0.5\nbob ann 2e+150\n", "line 4"),
    "pajek": ("a.net", b"*Vertices 2\n1 ann\n2 bob\n*Arcs\n1 2 0.5\n2 1 2e+150\n", "line 6"),
    "ucinet": ("a.dl", b"dl n=2\nlabels embedded\ndata:\nann bob\nann 0.5 1.5\nbob 2e+150 0.5\n", "'bob' – 'ann'"),
    "ucinet-pair": (
        "a.zip",
        zipped({"a.##h": ucinet_header(("ann", "bob"), dtype=9), "a.##d": MATRIX.astype("<f8").tobytes()}),
        "pair",
    ),
    "ratings": ("a.csv", b"userId,movieId,rating,timestamp\n1,31,0.5,1260759144\n2,31,2e+150,1260759179\n", "line 3"),
    "multilayer": ("a.edges", b"1 1 2 0.5\n1 2 1 2e+150\n", "line 2"),
    "graphs": ("a.graphml", GRAPH.encode(), "'bob' – 'ann'"),
    "arrays": ("a.npy", saved(np.save, MATRIX), "pair"),
    "parquet": ("a.parquet", saved(lambda stream: FRAME.to_parquet(stream)), "'bob' – 'ann'"),
}


WITHOUT_VALUES = {"contacts", "triples"}
"""Formats that list ties only, or count them."""


def test_there_is_an_example_for_every_reader():
    assert set(EXAMPLES) | WITHOUT_VALUES == set(FORMATS)


@pytest.mark.parametrize("reader", EXAMPLES)
@pytest.mark.parametrize("kind", ["real", "count"])
def test_a_value_beyond_1e150_raises_an_error_with_place_and_range(reader, kind):
    name, data, place = EXAMPLES[reader]
    relations = mrwtd.data.readers.read_table(file(name, data), reader).relations
    with pytest.raises(DataError) as refused:
        mrwtd.read(file(name, data), reader, kinds=dict.fromkeys(relations, kind))
    (problem,) = (candidate for candidate in refused.value.problems if HUGE in candidate.found)
    assert "1e150" in problem.expected
    assert place in str(problem)


def test_workbooks_and_frames_with_large_values_raise_an_error():
    with pytest.raises(DataError, match=r"2e\+150.*1e150"):
        mrwtd.read(file("a.xlsx", workbook()))
    with pytest.raises(DataError, match=r"2e\+150.*1e150"):
        mrwtd.RelationalData.from_frame(FRAME)


@pytest.mark.parametrize("value", [2e150, -2e150, 1e300, -1.7e308])
def test_it_is_reported_once(value):
    table = io.StringIO(f"source,relation,target,value\na,r,b,{value}\na,r,b,{value}\nb,r,a,{-value}\na,r,c,0.5\n")
    for duplicates in ("error", "mean", "max", "last"):
        table.seek(0)
        with pytest.raises(DataError) as refused:
            mrwtd.read(table, duplicates=duplicates)
        assert [problem.line for problem in refused.value.problems] == [2, 3, 4]


@pytest.mark.parametrize("kind", ["real", "count"])
def test_data_in_memory_raise_the_same_error(kind):
    relation = [Relation("far", kind, directed=True)]
    with pytest.raises(DataError, match=r"'far'.*2e\+150.*1e150"):
        mrwtd.RelationalData(["a", "b"], relation, [0, 1], [1, 0], [0, 0], [1, 2e150])


@pytest.mark.parametrize("method", mrwtd.METHODS)
@pytest.mark.parametrize("kind", ["real", "count"])
def test_every_method_predicts_numbers_from_the_largest_values(method, kind):
    n = 6
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    y = np.where(np.arange(i.size) == 0, 1e150, np.arange(i.size) % 3)
    data = mrwtd.RelationalData(
        [f"o{index}" for index in range(n)], [Relation("far", kind, directed=True)], i, j, 0 * i, y
    )
    parameters = mrwtd.make_method(method).get_params()
    quick = {name: value for name, value in (("sweeps", 20), ("burn_in", 10)) if name in parameters}
    model = mrwtd.make_method(method, rank=2, lam=1.0, **quick).fit(data)
    assert np.isfinite(model.predict(data)).all()
