import io

import numpy as np
import openpyxl
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers.parsing.attributes import read_attributes

OBJECTS = ("ann", "bob", "cat")


def file(text, name="people.csv"):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


def test_attributes_are_assigned_to_the_objects():
    ties = file("ann,bob\nbob,cat\n", "ties.csv")
    data = mrwtd.read(ties, attributes=file("name;group;age;height\nbob;red;20;1.8\nann;blue;;1.7\n"))
    frame = data.attributes
    assert frame.columns.tolist() == ["group", "age", "height"]
    assert frame.loc["bob"].tolist() == ["red", 20, 1.8]
    assert frame.loc["ann", "group"] == "blue"
    assert np.isnan(frame.loc["ann", "age"])
    assert frame.loc["cat"].isna().all()


def test_columns_of_numbers_become_numbers():
    frame, _ = read_attributes(file("id,a,b,c,d\nann,1,1.5,x,yes\nbob,2,,7,no\n"), OBJECTS)
    assert [str(dtype) for dtype in frame.dtypes] == ["int64", "float64", "str", "str"]


def test_an_object_can_start_like_a_comment():
    frame, _ = read_attributes(file("# about\nname,group\n#1,red\n# no object\nann,blue\n"), ("#1", "ann"))
    assert frame["group"].to_dict() == {"#1": "red", "ann": "blue"}


def test_the_first_column_has_the_objects_whatever_its_name():
    assert read_attributes(file("monk\tfaction\nann\t1\n"), OBJECTS)[0].index.tolist() == ["ann"]


def test_every_problem_has_its_line():
    text = "# about\nname,group\nann,x\ndan,y\n\neve,z\nann,w\nbob\n,q\n"
    with pytest.raises(DataError) as caught:
        read_attributes(file(text), OBJECTS)
    result = [(problem.line, problem.found) for problem in caught.value.problems]
    assert result == [
        (7, "the object 'ann' twice (lines 3 and 7)"),
        (8, "1 column ('bob')"),
        (9, "no name"),
    ]
    assert caught.value.file == "people.csv"


def test_objects_without_an_entry_are_left_out_with_a_note():
    people = "name,group\nann,red\nnobody,blue\nbob,blue\n"
    data = mrwtd.read(file("ann,bob\nbob,cat\n", "ties.csv"), attributes=file(people))
    assert data.attributes["group"].dropna().to_dict() == {"ann": "red", "bob": "blue"}
    assert any(note.startswith("1 object of people.csv ") and note.endswith(" left out: nobody") for note in data.notes)
    longer = people + "".join(f"more{i},red\n" for i in range(9))
    (note,) = [note for note in read_attributes(file(longer), OBJECTS)[1] if "left out" in note]
    assert note.startswith("10 objects of people.csv ")
    assert note.endswith(": nobody, more0, more1, more2, more3, …")


def test_without_known_objects_every_row_is_a_problem():
    with pytest.raises(DataError) as caught:
        read_attributes(file("name,group\ndan,x\n\neve,y\n"), OBJECTS)
    assert [(p.line, p.found) for p in caught.value.problems] == [(2, "the object 'dan'"), (4, "the object 'eve'")]


def test_the_only_sheet_of_a_workbook_describes_objects():
    book = openpyxl.Workbook()
    for row in (["name", "group", "age"], ["ann", "red", 20], ["bob", "blue", None]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    frame, _ = read_attributes(io.BytesIO(stream.getvalue()), OBJECTS)
    assert frame["group"].to_dict() == {"ann": "red", "bob": "blue"}
    book.create_sheet("more").append(["x", "y"])
    stream = io.BytesIO()
    book.save(stream)
    with pytest.raises(DataError, match="several sheets"):
        read_attributes(io.BytesIO(stream.getvalue()), OBJECTS)


def test_a_note_names_the_file_of_attributes():
    notes = mrwtd.read(file("ann,bob\n", "ties.csv"), attributes=file("name,group,age\nann,red,1\n")).notes
    assert any(note.startswith("people.csv ") and note.endswith(": group, age.") for note in notes)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("ann,red\nbob,blue\n", "the first row 'ann', 'red'"),
        ("name,group\n", "the first row"),
        ("name,group,group\nann,x,y\n", "the columns 'name', 'group', 'group'"),
        ("name,\nann,x\n", "the columns"),
        ("name\nann\n", "one column"),
    ],
)
def test_attributes_without_column_names_raise_an_error(text, result):
    with pytest.raises(DataError, match=result):
        read_attributes(file(text), OBJECTS)
