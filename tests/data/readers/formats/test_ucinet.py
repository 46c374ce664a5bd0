import numpy as np
import pytest

from mrwtd import DataError
from mrwtd.data.build import build
from mrwtd.data.readers import Source
from mrwtd.data.readers.formats import ucinet


def read(text, name="camp.dl"):
    return ucinet.read(Source(name, text.encode()))


def rows(table, relation=None):
    k = table.relations.index(relation or table.relations[0])
    return [
        (table.objects[i], table.objects[j], float(value))
        for i, j, value in zip(table.i[table.k == k], table.j[table.k == k], table.values[table.k == k], strict=True)
    ]


def test_several_matrices_with_labels():
    table = read(
        """DL
N=3 NM=2
FORMAT = FULLMATRIX DIAGONAL PRESENT
ROW LABELS:
"Ann Lee"
BOB
CAT
COLUMN LABELS:
"Ann Lee", BOB, CAT
LEVEL LABELS:
ADVICE
KIN
DATA:
0 1 2
3 0 NA
5 6 0
0 1 0 1 0 0
0 0 0
"""
    )
    assert table.objects == ("Ann Lee", "BOB", "CAT")
    assert table.relations == ("ADVICE", "KIN")
    assert ("CAT", "BOB", 6) in rows(table, "ADVICE")
    assert np.isnan(table.values[5])
    assert len(rows(table, "KIN")) == 9
    assert table.declared == {}


def test_the_smallest_header():
    table = read("dl n = 2\ndata:\n0 1\n0 0\n")
    assert table.objects == ("1", "2")
    assert table.relations == ("camp",)
    assert rows(table) == [("1", "1", 0), ("1", "2", 1), ("2", "1", 0), ("2", "2", 0)]


def test_data_can_start_in_the_same_line():
    assert rows(read("dl n=2 format=edgelist1 data: 1 2 7\n2 1\n")) == [("1", "2", 7), ("2", "1", 1)]


@pytest.mark.parametrize(
    ("form", "data", "expected"),
    [
        ("fullmatrix diagonal absent", "1 2\n3 4\n5 6", "ab1 ac2 ba3 bc4 ca5 cb6"),
        ("lowerhalf diagonal absent", "1\n2 3", "ba1 ca2 cb3"),
        ("lowerhalf", "0\n1 0\n2 3 0", "aa0 ba1 bb0 ca2 cb3 cc0"),
        ("upperhalf diagonal absent", "1 2\n3", "ab1 ac2 bc3"),
        ("nodelist1", "1 2 3\n3 1", "ab1 ac1 ca1"),
        ("edgelist1", "1 2\na c 4", "ab1 ac4"),
    ],
)
def test_every_format(form, data, expected):
    table = read(f"dl n=3\nformat = {form}\nlabels:\na,b,c\ndata:\n{data}\n")
    assert " ".join(f"{i}{j}{value:g}" for i, j, value in rows(table)) == expected


def test_half_a_matrix_is_undirected():
    assert not build(read("dl n=3 format=lowerhalf diagonal absent\ndata:\n1\n0 1\n")).relations[0].directed


def test_embedded_labels():
    table = read("dl n=2 nm=2\nlabels embedded\ndata:\n  ann bob\nann 0 1\nbob 2 0\n  ann bob\nann 0 3\nbob 4 0\n")
    assert table.objects == ("ann", "bob")
    assert rows(table, "relation 2")[2] == ("bob", "ann", 4)


def test_embedded_labels_in_a_list():
    table = read('dl n=3 format=edgelist1\nlabels embedded:\ndata:\nann bob\n"bob" cat 2\n')
    assert rows(table) == [("ann", "bob", 1), ("bob", "cat", 2)]


def test_an_exclamation_mark_starts_the_next_relation():
    table = read("dl n=3 nm=2 format=edgelist1\nmatrix labels: a b\ndata:\n1 2\n!\n2 3 5\n")
    assert rows(table, "a") == [("1", "2", 1)]
    assert rows(table, "b") == [("2", "3", 5)]


def test_the_format_is_detected_by_content():
    assert ucinet.matches(Source("camp.txt", b"DL n=5\ndata:"))
    assert not ucinet.matches(Source("a.csv", b"dl,ul\n1,2\n"))


def test_words_among_the_numbers_are_listed_with_their_lines():
    with pytest.raises(DataError) as caught:
        read("dl n=2\ndata:\n0 x\nq 0\n")
    assert [(problem.line, problem.found) for problem in caught.value.problems] == [(3, "'x'"), (4, "'q'")]


def test_bad_ties_are_listed_with_their_lines():
    with pytest.raises(DataError) as caught:
        read("dl n=2 format=edgelist1\ndata:\n1 9\n1\n1 2 z\n1 2 3 4\n")
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dl n=2\n0 1\n0 0\n", "expected dl, n ="),
        ("dl n=2\n", "no data"),
        ("dl\ndata:\n0 1\n", "no number of objects"),
        ("dl n=x\ndata:\n", "n = 'x'"),
        ("dl n=2\ndata:\n0 1 0\n", "3 numbers; expected 4"),
        ("dl n=99999\ndata:\n0 1 0\n", "9,999,800,001 cells"),
        ("dl n=999999999 format=edgelist1\ndata:\n1 2\n", "at most 100,0"),
        ("dl nr=2 nc=3\ndata:\n0 1 0\n", "3 numbers; expected 6"),
        ("dl nr=2 nc=3 format=edgelist1\ndata:\n1 2\n", "2 rows and 3 columns"),
        ("dl n=2 format=blockmatrix\ndata:\n1 2\n", "format 'blockmatrix'"),
        ("dl n=3\nlabels: a b\ndata:\n", "2 object labels; expected 3"),
        ("dl n=2\nlabels: a a\ndata:\n", "'a' twice"),
        ("dl n=2\nrow labels: a b\ncolumn labels: b a\ndata:\n", "differ"),
        ("dl n=2\nlabels embedded\ndata:\na b\na 0 1\nc 1 0\n", "expected 'b': all labels are the same"),
        ("dl n=2\nlabels embedded\ndata:\na b\na 0 1 2\nb 1 0\n", "line 5: found 3 numbers"),
        ("dl n=2 nm=2\nmatrix labels: a a\ndata:\n", "'a' twice"),
        ("dl n=2 format=edgelist1\ndata:\n1 2\n!\n2 1\n", "nm = 1"),
        ("dl n=2 diagonal maybe\ndata:\n", "present or absent"),
        ("dl labels: a b\n n=2 data:\n", "n = … before"),
    ],
)
def test_invalid_files_raise_an_error(text, message):
    with pytest.raises(DataError, match=message):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "dl nr=3 nc=2 format=edgelist2\nrow labels: a b c\ncolumn labels: x y\ndata:\n1 1\n2 y\nc 2\na y\n",
        "dl nr=3 nc=2 format=nodelist2 labels embedded\ndata:\na x y\nb y\nc y\n",
    ],
)
def test_lists_of_ties_between_two_types(text):
    table = read(text)
    ties = {(table.objects[i], table.objects[j]) for i, j in zip(table.i, table.j, strict=True)}
    assert ties == {("a", "x"), ("a", "y"), ("b", "y"), ("c", "y")}
    assert table.object_types == {"a": "row", "b": "row", "c": "row", "x": "column", "y": "column"}


def test_equal_numbers_of_both_types_are_different_objects():
    assert read("dl nr=2 nc=2 format=edgelist2\ndata:\n1 1\n2 1\n").objects == (
        "1 (row)", "2 (row)", "1 (column)", "2 (column)",
    )  # fmt: skip
    with pytest.raises(DataError, match="3 rows; expected 2 rows"):
        read("dl nr=2 nc=2 format=edgelist2 labels embedded\ndata:\na x\nb x\nc y\n")
