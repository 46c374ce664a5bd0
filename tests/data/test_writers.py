import io

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mrwtd
from mrwtd import DataError, Relation, RelationalData
from mrwtd.data.writers import WRITERS, write

FORMATS = tuple(WRITERS)
# All characters that XML allows, with those that are special in some format more often than by chance.
CHARACTERS = st.one_of(
    st.sampled_from(list(" ,;\t\n\r\"'#%<>&|\\=:é−𝔸‮\u2028")),
    st.characters(codec="utf-8", categories=("L", "M", "N", "P", "S", "Zs"), exclude_characters="\ufffe\uffff"),
)
NAMES = st.one_of(
    st.text(CHARACTERS, min_size=1, max_size=6),
    st.sampled_from(
        ["NA", "nan", "null", "1", "1.0", "-", "true", "#a", "% a", "<b>", "a\n#EDGES", "# mrwtd {", "source"]
    ),
)
NUMBERS = st.floats(-1e150, 1e150)


@st.composite
def relations(draw, name):
    kind = draw(st.sampled_from(["binary", "ordinal", "count", "real"]))
    levels = draw(st.lists(NUMBERS, min_size=0, max_size=4, unique=True)) if kind == "ordinal" else []
    return Relation(name, kind, draw(st.booleans()), tuple(sorted(set(levels))))


@st.composite
def columns(draw, n):
    cells = draw(
        st.sampled_from(
            [
                st.booleans(),
                st.integers(-(2**53), 2**53),
                NUMBERS,
                st.one_of(st.none(), NUMBERS),
                st.one_of(st.none(), NAMES),
                NAMES,
            ]
        )
    )
    return pd.Series(draw(st.lists(cells, min_size=n, max_size=n)))


@st.composite
def datasets(draw):
    objects = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    kinds = [draw(relations(name)) for name in names]
    n = len(objects)
    entries = {}
    for k, relation in enumerate(kinds):
        values = {
            "binary": st.sampled_from([-1.0, 1.0]),
            "ordinal": st.sampled_from(range(len(relation.levels))) if relation.levels else None,
            "count": st.integers(0, 2**53).map(float),
            "real": NUMBERS,
        }[relation.kind]
        if values is None:
            continue
        for i, j in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=6)):
            pair = (i, j) if relation.directed else (min(i, j), max(i, j))
            entries[(*pair, k)] = (draw(values), draw(st.floats(0, 1)))
    weighted = draw(st.booleans())
    attributes = None
    if draw(st.booleans()):
        titles = draw(st.lists(NAMES, max_size=3, unique=True))
        attributes = pd.DataFrame({title: draw(columns(n)) for title in titles})
        attributes.index = pd.Index(objects)
    i, j, k = (np.array([key[c] for key in entries], dtype=int) for c in range(3))
    y, w = (np.array([entry[c] for entry in entries.values()], dtype=float) for c in range(2))
    return RelationalData(objects, kinds, i, j, k, y, w if weighted else None, attributes)


def back(data, name):
    file = io.BytesIO()
    write(data, file, name)
    file.seek(0)
    file.name = f"data.{name}"
    return mrwtd.read(file)


EMPTY = RelationalData(
    ["a", "b"],
    [Relation("r", "real", directed=True), Relation("o", "ordinal", directed=False, levels=(1, 2))],
    [], [], [], [],
)  # fmt: skip
ODD_NAMES = ['a,"b"', "a\r\nb", "#c", "<b>&amp;", " d ", "NA", ""]
ODD = RelationalData(
    ODD_NAMES,
    [Relation("x\n#EDGES", "binary", directed=True), Relation("", "real", directed=False)],
    i=[0, 1, 2, 3, 6, 5], j=[1, 2, 3, 4, 5, 5], k=[0, 0, 0, 0, 1, 1], y=[1, -1, 1, 1, 5e-324, 0.1 + 0.2],
    w=[1, 0, 0.1, 1, 1, 1 / 3],
    attributes=pd.DataFrame({"at, tribute": ["é", None, "", "x", "y", "z", "\r"], "n": range(7)}, index=ODD_NAMES),
)  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@example(EMPTY)
@example(ODD)
@given(datasets())
@settings(derandomize=True, max_examples=50, deadline=None)
def test_written_data_are_read_back_exactly(name, data):
    assert back(data, name) == data


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("sample", ["bankwiring", "airports", "aucs"])
def test_samples_are_read_back_exactly(name, sample):
    data = mrwtd.load_dataset(sample)
    assert back(data, name) == data


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["x", "y"], "object"), (["x", None], "category"), ([1, None], "Int64"), ([True, None], "boolean"),
        ([np.nan, np.nan], "float64"), ([None, None], "str"), ([1, 2], "int8"), ([0.5, 1], "float32"),
        ([1, "x"], "object"), ([np.inf, 2**60], "float64"),
    ],
)  # fmt: skip
def test_attributes_of_any_type_are_read_back(name, cells, kind):
    data = two("a", attributes=pd.DataFrame({"c": pd.Series(cells, index=["a", "b"], dtype=kind)}))
    assert back(data, name) == data


@pytest.mark.parametrize("ending", [*FORMATS, "csv.gz"])
def test_the_format_follows_from_the_file_name(tmp_path, ending):
    path = tmp_path / f"florentine.{ending}"
    data = mrwtd.load_dataset("florentine")
    write(data, path)
    assert mrwtd.read(path) == data
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == ending.endswith("gz")


@pytest.mark.parametrize("name", FORMATS)
def test_equal_data_makes_equal_files(name):
    first, second = io.BytesIO(), io.BytesIO()
    write(ODD, first, name)
    write(ODD, second, name)
    assert first.getvalue() == second.getvalue()


def test_text_may_be_written_to_a_file_opened_for_text():
    file = io.StringIO()
    write(ODD, file, "graphml")
    assert mrwtd.read(io.StringIO(file.getvalue())) == ODD


def test_a_lone_surrogate_is_not_a_valid_name():
    with pytest.raises(DataError, match="valid Unicode"):
        two("a\ud800")


def test_parquet_is_not_text():
    with pytest.raises(DataError, match="open for text"):
        write(ODD, io.StringIO(), "parquet")


@pytest.mark.parametrize("directed", [True, False, None])
def test_networkx_opens_graphml(directed):
    ways = (True, False) if directed is None else (directed, directed)
    kinds = [Relation(name, "count", directed=way) for name, way in zip("rs", ways, strict=True)]
    groups = pd.DataFrame({"group": ["G1", None, "G2"]}, index=["a", "b", "c"])
    data = RelationalData(["a", "b", "c"], kinds, [0, 1], [1, 2], [0, 1], [4, 9], attributes=groups)
    file = io.BytesIO()
    write(data, file, "graphml")
    graph = nx.read_graphml(io.BytesIO(file.getvalue()), force_multigraph=True)
    assert graph.is_directed() == (directed is not False)
    assert dict(graph.nodes(data="group")) == {"a": "G1", "b": None, "c": "G2"}
    assert list(graph.edges(data="relation")) == [("a", "b", "r"), ("b", "c", "s")]
    assert list(graph.edges(data="value")) == [("a", "b", 4.0), ("b", "c", 9.0)]


def test_networkx_opens_gexf_of_one_direction():
    data = mrwtd.load_dataset("monastery")
    file = io.BytesIO()
    write(data, file, "gexf")
    graph = nx.read_gexf(io.BytesIO(file.getvalue()))
    assert graph.number_of_edges() == len(data)


def test_gexf_has_a_type_and_a_kind_for_each_edge():
    file = io.BytesIO()
    write(ODD, file, "gexf")
    edges = [line for line in file.getvalue().decode().splitlines() if line.startswith("<edge ")]
    assert [f'type="{way}"' in edge for edge, way in zip(edges, ["directed"] * 4 + ["undirected"] * 2, strict=True)]
    assert all(" kind=" in edge for edge in edges)


def two(name, **more):
    return RelationalData([name, "b"], [Relation("r", "binary", directed=True)], [0], [1], [0], [1], **more)


@pytest.mark.parametrize("name", ["graphml", "gexf"])
def test_invalid_xml_characters_raise_an_error(name):
    with pytest.raises(DataError, match=r"object 'a\\x01'"):
        write(two("a\x01"), io.BytesIO(), name)
    with pytest.raises(DataError, match="attribute 'note'"):
        write(two("a", attributes=pd.DataFrame({"note": ["\x07"]}, index=["a"])), io.BytesIO(), name)


def test_xml_invalid_characters_can_be_written_to_other_formats():
    assert back(two("a\x01"), "csv") == two("a\x01")
    assert back(two("a\0"), "parquet") == two("a\0")


def test_a_zero_byte_in_csv_raises_an_error():
    with pytest.raises(DataError, match="zero byte"):
        write(two("a\0"), io.BytesIO(), "csv")


def test_attributes_that_cannot_be_written_raise_an_error():
    when = pd.DataFrame({"born": pd.to_datetime(["2001-02-03"])}, index=["a"])
    with pytest.raises(DataError, match="attributes that cannot be written"):
        write(two("a", attributes=when), io.BytesIO(), "csv")


def test_nothing_is_written_if_there_is_an_error(tmp_path):
    with pytest.raises(DataError):
        write(two("a\0"), tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.parametrize(("file", "name"), [("a.xls", None), ("a", None), ("a.csv", "xls")])
def test_an_unknown_format_raises_an_error(tmp_path, file, name):
    with pytest.raises(DataError, match="'csv', 'parquet', 'graphml', 'gexf'"):
        write(EMPTY, tmp_path / file, name)


def test_a_missing_folder_raises_an_error(tmp_path):
    with pytest.raises(DataError, match="No such file"):
        write(EMPTY, tmp_path / "nowhere" / "a.csv")
