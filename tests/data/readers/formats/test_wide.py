import io

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import read_table


def file(text, name="ties.csv"):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


def cells(result):
    names = (
        [result.objects[i] for i in result.i],
        [result.relations[k] for k in result.k],
        [result.objects[j] for j in result.j],
    )
    return dict(zip(zip(*names, strict=True), result.values.tolist(), strict=True))


TEXT = "source,target,advice,calls\na,b,1,250\nb,c,,3\nc,a,0,\n"


def test_every_column_is_a_relation():
    result = read_table(file(TEXT))
    assert result.format == "wide"
    assert result.relations == ("advice", "calls")
    known = {cell: value for cell, value in cells(result).items() if not np.isnan(value)}
    assert known == {
        ("a", "advice", "b"): 1, ("c", "advice", "a"): 0, ("a", "calls", "b"): 250, ("b", "calls", "c"): 3,
    }  # fmt: skip


def test_an_empty_cell_stays_unknown_in_a_closed_world():
    data = mrwtd.read(file(TEXT), directed=True, absent="negative")
    assert len(data) == 2 * 6 - 2
    assert [relation.kind for relation in data.relations] == ["binary", "count"]


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("source,target,friendship", "wide"),
        ("source,target,date,friendship", "wide"),
        ("source,target,count,score", "wide"),
        ("source,target,value", "long"),
        ("source,target,strength", "long"),
        ("source,target,value,duration", "long"),
        ("source,target,value,weight", "long"),
        ("source,target,relation,friendship", "long"),
        ("source,target,timestamp", "long"),
    ],
)
def test_long_and_wide_lists_are_detected_by_their_columns(header, form):
    row = ",".join(["a", "b", "1", "1"][: header.count(",") + 1])
    assert read_table(file(f"{header}\n{row}\n")).format == form


def test_a_column_of_words_does_not_make_a_list_wide():
    assert read_table(file("source,target,remark\na,b,good\nb,c,bad\n")).format == "long"


def test_a_time_column_is_not_a_relation():
    result = read_table(file("source,target,Date,advice\na,b,2020,1\n"))
    assert result.relations == ("advice",)
    assert any("'Date'" in note and "not used" in note for note in result.notes)


def test_with_a_given_format_any_column_names_are_read():
    result = read_table(file("monk,other,liking\nx,y,3\n"), format="wide")
    assert cells(result) == {("x", "liking", "y"): 3}


def test_every_problem_has_its_line_and_column():
    text = "source,target,advice,calls\na,b,1,250\n# so\nb,,x,z\nc,a\n"
    with pytest.raises(DataError) as caught:
        mrwtd.read(file(text))
    assert [(p.line, p.where) for p in caught.value.problems] == [
        (4, ""), (4, "column 'advice'"), (4, "column 'calls'"), (5, ""),
    ]  # fmt: skip


def test_contradicting_rows_name_both_lines():
    with pytest.raises(DataError, match=r"line 3: found 3 and 4 for 'a' – 'b' in 'calls' \(lines 2 and 3\)"):
        mrwtd.read(file("source,target,advice,calls\na,b,1,3\na,b,1,4\n"))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("source,target,a,a\nx,y,1,2\n", "the columns"),
        ("source,target,a,b\n", "only a header"),
        ("x,y\n1,2\n", "2 columns"),
    ],
)
def test_invalid_wide_lists_raise_an_error(text, result):
    with pytest.raises(DataError, match=result):
        read_table(file(text), format="wide")
