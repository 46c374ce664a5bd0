import io

import numpy as np
import openpyxl
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers.parsing.attributes import read_nodes

OBJECTS = ("ann", "bob", "cat")


def file(text, name="people.csv"):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


def read_attributes(*arguments):
    return read_nodes(*arguments).attributes


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
    frame = read_attributes(file("id,a,b,c,d\nann,1,1.5,x,yes\nbob,2,,7,no\n"), OBJECTS)
    assert [str(dtype) for dtype in frame.dtypes] == ["int64", "float64", "str", "str"]


def test_an_object_can_start_like_a_comment():
    frame = read_attributes(file("# about\nname,group\n#1,red\n# no object\nann,blue\n"), ("#1", "ann"))
    assert frame["group"].to_dict() == {"#1": "red", "ann": "blue"}


def test_the_first_column_has_the_objects_whatever_its_name():
    assert read_attributes(file("monk\tfaction\nann\t1\n"), OBJECTS).index.tolist() == ["ann"]


def test_every_problem_has_its_line():
    text = "# about\nname,group\nann,x\ndan,y\n\neve,z\nann,w\nbob\n,q\n"
    with pytest.raises(DataError) as caught:
        read_nodes(file(text), OBJECTS)
    result = [(problem.line, problem.found) for problem in caught.value.problems]
    assert result == [
        (7, "the object 'ann' twice (lines 3 and 7)"),
        (8, "1 column ('bob')"),
        (9, "no name"),
    ]
    assert caught.value.file == "people.csv"


def test_isolates_are_kept_if_most_objects_of_the_file_have_entries():
    people = "name,group\nann,red\nnobody,blue\nbob,blue\n"
    data = mrwtd.read(file("ann,bob\nbob,cat\n", "ties.csv"), attributes=file(people))
    assert data.objects == ("ann", "bob", "cat", "nobody")
    assert data.attributes["group"].dropna().to_dict() == {"ann": "red", "bob": "blue", "nobody": "blue"}
    assert any(note.startswith("1 object of people.csv ") and note.endswith(" kept: nobody") for note in data.notes)
    assert any(note.startswith("1 object of the data ") and note.endswith(" not in people.csv.") for note in data.notes)


def test_objects_without_an_entry_are_left_out_of_a_file_that_describes_more():
    longer = "name,group\nann,red\nnobody,blue\nbob,blue\n" + "".join(f"more{i},red\n" for i in range(9))
    nodes = read_nodes(file(longer), OBJECTS)
    assert nodes.isolates == ()
    assert nodes.attributes.index.tolist() == ["ann", "bob"]
    (note,) = [note for note in nodes.notes if "left out" in note]
    assert note.startswith("10 objects of people.csv ")
    assert note.endswith(": nobody, more0, more1, more2, more3, …")


@pytest.mark.parametrize("column", ["name", "Label", "nodeLabel", "full_name"])
def test_a_column_of_names_names_the_objects(column):
    people = f"nodeID,{column},age\n1,ann lee,20\n3,cat,40\n2,bob,30\n"
    data = mrwtd.read(file("source,target\n1,2\n2,1\n", "ties.csv"), attributes=file(people))
    assert data.objects == ("ann lee", "bob", "cat")
    assert data.attributes["nodeID"].to_dict() == {"ann lee": 1, "bob": 2, "cat": 3}
    assert data.attributes["age"].tolist() == [20, 30, 40]
    assert data.to_frame()[["source", "target"]].values.tolist() == [["ann lee", "bob"]]


@pytest.mark.parametrize(
    ("people", "columns"),
    [
        ("id,label\n1,x\n2,x\n", ["label"]),  # not different
        ("id,label,age\n1,x,3\n2,,4\n", ["label", "age"]),  # not complete
        ("id,label\n1,3\n2,4\n", ["label"]),  # object 3 is not in the file and would be confused
        ("name,label\n1,x\n2,y\n", ["label"]),  # the objects are names already
        ("Id,Label,timeset\n1,1,\n2,2,\n", []),  # the names are the same
    ],
)
def test_objects_keep_their_names_otherwise(people, columns):
    data = mrwtd.read(file("source,target\n1,2\n2,3\n", "ties.csv"), attributes=file(people))
    assert data.objects == ("1", "2", "3")
    assert list(data.attributes.columns) == columns


def test_without_known_objects_every_row_is_a_problem():
    with pytest.raises(DataError) as caught:
        read_nodes(file("name,group\ndan,x\n\neve,y\n"), OBJECTS)
    assert [(p.line, p.found) for p in caught.value.problems] == [(2, "the object 'dan'"), (4, "the object 'eve'")]


def test_the_only_sheet_of_a_workbook_describes_objects():
    book = openpyxl.Workbook()
    for row in (["name", "group", "age"], ["ann", "red", 20], ["bob", "blue", None]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    frame = read_attributes(io.BytesIO(stream.getvalue()), OBJECTS)
    assert frame["group"].to_dict() == {"ann": "red", "bob": "blue"}
    book.create_sheet("more").append(["x", "y"])
    stream = io.BytesIO()
    book.save(stream)
    with pytest.raises(DataError, match="several sheets"):
        read_nodes(io.BytesIO(stream.getvalue()), OBJECTS)


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
        read_nodes(file(text), OBJECTS)
