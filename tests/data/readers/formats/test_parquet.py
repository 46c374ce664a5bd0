import io
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import mrwtd
from mrwtd import DataError, Relation, RelationalData
from mrwtd.data.limits import Limit
from mrwtd.data.readers import read_table
from mrwtd.data.readers.formats import parquet
from mrwtd.data.readers.source import Source


def stored(frame, name="ties.parquet"):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    stream = io.BytesIO(stream.getvalue())
    stream.name = name
    return stream


def test_data_are_restored():
    relations = [Relation("trust", "ordinal", True, (1, 2, 5)), Relation("meets", "binary", False)]
    attributes = pd.DataFrame({"group": ["x", "y"], "age": [20, 30]}, index=["a", "c"])
    data = RelationalData(
        ["a", "b", "c"], relations, [0, 1, 2], [1, 2, 2], [0, 0, 1], [2, 0, -1], [1, 0.5, 1], attributes
    )
    assert mrwtd.read(stored(data.to_frame())) == data


def test_lists_with_any_column_names_are_read():
    frame = pd.DataFrame({"to": ["b", "c"], "from": ["a", "b"], "weight": [3, 4], "predicate": ["r", "s"]})
    result = read_table(stored(frame))
    assert (result.format, result.objects, result.relations) == ("parquet", ("a", "b", "c"), ("r", "s"))
    assert result.values.tolist() == [3, 4]
    assert any("'weight' is read as the value" in note for note in result.notes)


def test_pairs_are_a_relation_with_the_name_of_the_file():
    assert read_table(stored(pd.DataFrame({"head": [1, 2], "tail": [2, 3]}), "advice.parquet")).relations == ("advice",)


def test_a_wide_list_is_read():
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "trust": [1.0, np.nan], "calls": [7, 8]})
    result = read_table(stored(frame))
    assert result.relations == ("trust", "calls")
    assert np.isnan(result.values).tolist() == [False, True, False, False]


def test_an_index_is_read_as_columns():
    frame = pd.DataFrame({"source": ["a"], "target": ["b"], "relation": ["r"]}).set_index("source")
    assert read_table(stored(frame)).objects == ("a", "b")


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        ({"x": ["a"], "y": ["b"]}, "the columns 'x', 'y'"),
        ({"source": ["a", None], "target": ["b", "c"]}, "row 1, column 'source': found no name"),
        ({"source": ["a"], "target": ["b"], "value": ["much"]}, "row 0, column 'value': found 'much'"),
        ({"source": ["a"], "relation": ["r"], "target": ["b"], "value": ["much"]}, "row 0, column 'value'"),
        ({"source": [["a"]], "target": [["b"]]}, "column 'source': found cells of type list"),
        ({"source": [], "target": []}, "no row"),
    ],
)
def test_invalid_lists_raise_an_error(frame, text):
    with pytest.raises(DataError, match=text) as caught:
        read_table(stored(pd.DataFrame(frame)))
    assert caught.value.file == "ties.parquet"


def test_a_damaged_file_is_a_data_error():
    data = stored(pd.DataFrame({"source": ["a"], "target": ["b"]})).getvalue()
    for damaged in (data[:50], b"PAR1" + data[200:], b"PAR1"):
        with pytest.raises(DataError, match=r"a damaged Parquet file"):
            read_table(io.BytesIO(damaged))


@pytest.mark.parametrize(
    ("columns", "most", "text"),
    [(2, 999, "1,000 rows; expected at most 999"), (20, 1000, "1,000 rows of 20 columns"), (2, 1000, "")],
)
def test_rows_and_bytes_are_limited(monkeypatch, columns, most, text):
    # A file of a few hundred bytes: what it may expand to does not depend on how well it is compressed.
    monkeypatch.setattr(parquet, "ENTRIES", Limit("cells", most, 0, most, ""))
    names = ["source", "target", *map(str, range(columns - 2))]
    frame = pd.DataFrame(dict.fromkeys(names, "a"), index=range(1000))
    with pytest.raises(DataError, match=text) if text else nullcontext():
        parquet.read(Source("a.parquet", stored(frame).getvalue(), limit=1000))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_texts_of_all_types_are_names(kind):
    columns = {"source": pa.array(["a", "b", "a"]).cast(kind), "target": pa.array(["b", "c", "c"]).cast(kind)}
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), stream)
    table = parquet.read(Source("ties.parquet", stream.getvalue()))
    assert (table.objects, table.i.tolist()) == (("a", "b", "c"), [0, 1, 0])
