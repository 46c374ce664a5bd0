"""`columns=`: the columns of a list as the user chose them."""

import io
from typing import Any

import pandas as pd
import pytest

import mrwtd


def _read(text: str, name: str = "ties.txt", **columns: Any) -> mrwtd.RelationalData:
    stream = io.StringIO(text)
    stream.name = name
    return mrwtd.read(stream, columns=columns)


def _rows(data: mrwtd.RelationalData) -> list[tuple[Any, ...]]:
    return list(data.to_frame()[["source", "relation", "target", "value"]].itertuples(index=False, name=None))


MULTILAYER = "1 1 2 3\n1 2 3 40\n2 1 2 15\n"


def test_columns_by_position() -> None:
    data = _read(MULTILAYER, relation=0, source=1, target=2, value=3)
    assert sorted(_rows(data)) == [("1", "1", "2", 3.0), ("1", "2", "2", 15.0), ("2", "1", "3", 40.0)]


def test_columns_by_name_imply_a_header() -> None:
    data = _read("x;y;z\nann;bob;1,5\nbob;cat;2,25\n", source="y", target="x", value="z")
    assert sorted(_rows(data)) == [("bob", "ties", "ann", 1.5), ("cat", "ties", "bob", 2.25)]


@pytest.mark.parametrize(("header", "n"), [(True, 2), (False, 3)])
def test_the_header_can_be_set(header: bool, n: int) -> None:
    assert len(_read("a,b\nb,c\nc,d\n", source=0, target=1, header=header)) == n


def test_words_above_numbers_are_a_header() -> None:
    assert _read("x,y,n\na,b,7\nb,c,90\n", source=0, target=1, value=2).objects == ("a", "b", "c")


@pytest.mark.parametrize("separator", [";", "semicolon"])
def test_the_separator_can_be_set(separator: str) -> None:
    data = _read("de,ann;bob\nde,cat;bob\n", source=0, target=1, separator=separator)
    assert data.objects == ("de,ann", "de,cat", "bob")


def test_each_of_several_value_columns_is_a_relation() -> None:
    data = _read("who,whom,advice,trust\nann,bob,3,1.5\nbob,ann,4,\n", source=0, target=1, value=[2, 3])
    assert _rows(data) == [("ann", "advice", "bob", 3.0), ("bob", "advice", "ann", 4.0), ("ann", "trust", "bob", 1.5)]


def test_rows_of_a_pair_are_counted_over_time() -> None:
    data = _read("20 7 8\n20 8 9\n40 7 8\n", time=0, source=1, target=2)
    assert _rows(data) == [("7", "ties", "8", 2.0), ("8", "ties", "9", 1.0)]
    assert data.relations[0].kind == "count"


def test_times_can_be_dates_and_values_are_summed() -> None:
    text = "when,a,b,n\n2024-01-01,ann,bob,2\n2024-03-01,ann,bob,50\n2024-12-31,bob,ann,7\n"
    data = mrwtd.read(io.StringIO(text), columns={"time": 0, "source": 1, "target": 2, "value": 3}, periods=2)
    assert _rows(data) == [("ann", "data, period 1", "bob", 52.0), ("bob", "data, period 2", "ann", 7.0)]


def test_attributes_of_both_ends_are_joined() -> None:
    text = "a,b,a_age,to_age,from_role\nann,bob,20,30,chief\nbob,cat,30,,\n"
    data = _read(text, source=0, target=1, source_attributes=["from_role"], target_attributes="to_age")
    assert list(data.attributes.columns) == ["role", "age"]
    assert data.attributes["role"].tolist()[0] == "chief"
    assert data.attributes.loc["bob", "age"] == 30
    assert data.attributes["age"].isna().tolist() == [True, False, True]


def test_an_object_with_two_values_of_an_attribute_is_a_problem() -> None:
    with pytest.raises(mrwtd.DataError, match=r"line 2: found 'B' as attribute 1 of '8'; .* 'A'"):
        _read("7 8 A\n9 8 B\n", source=0, target=1, target_attributes=2)


def test_a_weight_column() -> None:
    data = _read("a,b,0.5,7\nb,c,1,9\n", source=0, target=1, weight=2, value=3)
    assert data.w.tolist() == [0.5, 1.0]


def test_a_sheet_of_a_workbook() -> None:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        pd.DataFrame([["note"]]).to_excel(writer, sheet_name="About", index=False, header=False)
        pd.DataFrame([["likes", "ann", "bob"]]).to_excel(writer, sheet_name="Ties", index=False, header=False)
    buffer.name = "book.xlsx"
    buffer.seek(0)
    data = mrwtd.read(buffer, columns={"relation": 0, "source": 1, "target": 2, "sheet": "Ties"})
    assert _rows(data) == [("ann", "likes", "bob", 1.0)]
    buffer.seek(0)
    with pytest.raises(mrwtd.DataError, match="no sheet 'Edges'; expected one of 'About', 'Ties'"):
        mrwtd.read(buffer, columns={"source": 1, "target": 2, "sheet": "Edges"})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": 0}, "no target in columns"),
        (
            {"source": 0, "target": 5},
            "no column 5 for target; expected a position from 0 to 2, or one of 'x', 'y', 'n'",
        ),
        ({"source": "x", "target": "w"}, "no column 'w' for target"),
        ({"source": -1, "target": 1}, "no column -1 for source"),
        ({"source": 0, "target": 0}, "column 'x' as source and target"),
        ({"source": 0, "target": 1, "color": 2}, "'color' in columns; expected one of source, target"),
        ({"source": [0, 1], "target": 2}, "2 columns as source"),
        ({"source": 0, "target": 1, "value": []}, "0 columns as value"),
        ({"source": 0, "target": True}, "True as target"),
        ({"source": 0, "target": 1, "header": "yes"}, "header 'yes'"),
        ({"source": 0, "target": 1, "separator": 3}, "separator 3"),
        ({"source": 0, "target": 1, "relation": 2, "value": [2, 2]}, "a relation and several values"),
        ({"source": 0, "target": 1, "weight": 2, "time": 2}, "a weight and a time"),
        ({"source": 2, "target": 1, "value": 0}, r"line 2: column 'x': found 'a'|line 2, column 'x'"),
        ({"source": 0, "target": 1, "time": 1}, "column 'y' as target and time|column 1"),
        ([("source", 0)], "columns ="),
    ],
)
def test_errors_name_the_column_and_what_exists(columns: Any, message: str) -> None:
    with pytest.raises(mrwtd.DataError, match=message):
        mrwtd.read(io.StringIO("x,y,n\na,b,7\nb,c,90\n"), columns=columns)


def test_columns_are_for_lists_only() -> None:
    with pytest.raises(mrwtd.DataError, match="columns and the format 'matrices'"):
        mrwtd.read(io.StringIO(MULTILAYER), "matrices", columns={"source": 0, "target": 1})
    with pytest.raises(mrwtd.DataError, match="a file without columns"):
        mrwtd.read(io.BytesIO(b"\0\1\2"), columns={"source": 0, "target": 1})


def test_a_wrong_time_is_named_with_its_line() -> None:
    with pytest.raises(mrwtd.DataError, match=r"line 2.*'soon'"):
        _read("2024-01-01 a b\nsoon b c\n", time=0, source=1, target=2)
