import io

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers.attributes import read_attributes

OBJECTS = ("ann", "bob", "cat")


def file(text, name="people.csv"):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


def test_attributes_go_with_the_objects():
    ties = file("ann,bob\nbob,cat\n", "ties.csv")
    data = mrwtd.read(ties, attributes=file("name;group;age;height\nbob;red;20;1.8\nann;blue;;1.7\n"))
    frame = data.attributes
    assert frame.columns.tolist() == ["group", "age", "height"]
    assert frame.loc["bob"].tolist() == ["red", 20, 1.8]
    assert frame.loc["ann", "group"] == "blue"
    assert np.isnan(frame.loc["ann", "age"])
    assert frame.loc["cat"].isna().all()


def test_columns_of_numbers_become_numbers_and_others_stay_text():
    frame = read_attributes(file("id,a,b,c,d\nann,1,1.5,x,yes\nbob,2,,7,no\n"), OBJECTS)
    assert [str(dtype) for dtype in frame.dtypes] == ["int64", "float64", "str", "str"]


def test_whatever_the_first_column_is_called_it_holds_the_objects():
    assert read_attributes(file("monk\tfaction\nann\t1\n"), OBJECTS).index.tolist() == ["ann"]


def test_every_problem_has_its_line():
    text = "# about\nname,group\nann,x\ndan,y\n\neve,z\nann,w\nbob\n,q\n"
    with pytest.raises(DataError) as caught:
        read_attributes(file(text), OBJECTS)
    found = [(problem.line, problem.found) for problem in caught.value.problems]
    assert found == [
        (4, "the object 'dan'"),
        (6, "the object 'eve'"),
        (7, "the object 'ann' twice (lines 3 and 7)"),
        (8, "1 column ('bob')"),
        (9, "no name"),
    ]
    assert caught.value.file == "people.csv"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ann,red\nbob,blue\n", "the first row 'ann', 'red'"),
        ("name,group\n", "the first row"),
        ("name,group,group\nann,x,y\n", "the columns 'name', 'group', 'group'"),
        ("name,\nann,x\n", "the columns"),
        ("name\nann\n", "one column"),
    ],
)
def test_a_sidecar_without_names_of_columns_is_refused(text, found):
    with pytest.raises(DataError, match=found):
        read_attributes(file(text), OBJECTS)
