import numpy as np
import pytest

from mrwtd import DataError
from mrwtd.data.build import build
from mrwtd.data.readers import Source
from mrwtd.data.readers.formats import pajek

NETWORK = """\
% a small network
*Network office
*Vertices 4
1 "Ann Lee" 0.1 0.2 0.5 ic Red
2 bob
3 "cat"
*Arcs :1 "advice"
1 2 3
2 1 1 c Blue
*Edges :2 "kin"
3 2
1 4 0.5
*Arcslist :3 "calls"
1 2 3
*Edgeslist :4 "meets"
4 1 2
*Matrix :5 "distance"
0 1 2 3
1 0 1 2
2 1 0 1.5
3 2 1.5 0
"""


def read(text, name="office.net"):
    return pajek.read(Source(name, text.encode()))


def rows(table, relation):
    positions = np.flatnonzero(table.k == table.relations.index(relation))
    return [(table.objects[table.i[row]], table.objects[table.j[row]], float(table.values[row])) for row in positions]


def test_every_kind_of_list():
    table = read(NETWORK)
    assert table.objects == ("Ann Lee", "bob", "cat", "4")
    assert table.relations == ("advice", "kin", "calls", "meets", "distance")
    assert rows(table, "advice") == [("Ann Lee", "bob", 3), ("bob", "Ann Lee", 1)]
    assert rows(table, "kin") == [("cat", "bob", 1), ("Ann Lee", "4", 0.5)]
    assert rows(table, "calls") == [("Ann Lee", "bob", 1), ("Ann Lee", "cat", 1)]
    assert rows(table, "meets") == [("4", "Ann Lee", 1), ("4", "bob", 1)]
    assert len(rows(table, "distance")) == 16
    assert ("cat", "4", 1.5) in rows(table, "distance")


def test_arcs_are_directed_edges_are_not_and_a_matrix_does_not_say():
    table = read(NETWORK)
    assert {name: properties["directed"] for name, properties in table.declared.items()} == {
        "advice": True, "kin": False, "calls": True, "meets": False,
    }  # fmt: skip
    assert not build(table).relations[4].directed


def test_rows_have_line_numbers():
    table = read(NETWORK)
    assert table.lines[0] == 8


def test_a_relation_of_arcs_and_edges_is_directed():
    data = build(read("*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n"))
    assert data.relations[0].name == "office"
    assert data.relations[0].directed
    assert list(zip(data.i.tolist(), data.j.tolist(), strict=True)) == [(0, 1), (1, 2), (2, 1)]


def test_lines_can_name_their_relation():
    table = read('*Vertices 3\n*Arcs :1 "a"\n*Arcs :2 "b"\n*Arcs\n1: 1 2 1\n2: 2 3 7\n')
    assert rows(table, "a") == [("1", "2", 1)]
    assert rows(table, "b") == [("2", "3", 7)]


def test_a_network_of_two_sets():
    table = read("*Vertices 3 1\n*Matrix\n4 5\n")
    assert rows(table, "office") == [("1", "2", 4), ("1", "3", 5)]


def test_repeated_labels_are_replaced_by_numbers():
    table = read('*Vertices 2\n1 "a"\n2 "a"\n*Arcs\n1 2\n')
    assert table.objects == ("1", "2")
    assert "labels are not unique" in table.notes[0]


def test_relations_without_names_are_numbered():
    assert read("*Vertices 2\n*Arcs :1\n1 2\n*Arcs :2\n2 1\n").relations == ("relation 1", "relation 2")


def test_the_format_is_detected_by_content():
    assert pajek.matches(Source("data", b"% hello\r\n*Vertices 2\n"))
    assert not pajek.matches(Source("data.csv", b"source,target\n*Vertices,2\n"))


def test_all_bad_lines_are_listed_with_their_numbers():
    with pytest.raises(DataError) as caught:
        read("*Vertices 3\n9 x\n*Arcs\n1 2\n1 7\n1\n1 2 strong\n*Party\n")
    assert [(problem.line, problem.found) for problem in caught.value.problems] == [
        (2, "'9 x'"), (5, "'1 7'"), (6, "'1'"), (7, "'strong'"), (8, "'*Party'"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "line 1: found 'hello'"),
        ("*Vertices 999999999\n*Arcs\n1 2\n", "at most 100,030"),
        ("*Vertices many\n", "the number of vertices"),
        ("*Vertices 2\n*Vertices 2\n", "one network per file"),
        ("*Vertices 2\n1 a\n1 b\n", "a second vertex 1"),
        ("*Vertices 2\n*Matrix\n1 2\n", "1 rows"),
        ("*Vertices 2\n*Matrix\n1 2\n1\n", "line 4: found 1 numbers; expected 2"),
        ('*Vertices 2\n*Arcs :1 "a"\n*Arcs :1 "b"\n', "as above"),
        ('*Vertices 2\n*Arcs :1 "a"\n*Arcs :2 "a"\n', "a different name"),
    ],
)
def test_invalid_files_raise_an_error(text, message):
    with pytest.raises(DataError, match=message):
        read(text)


def test_contradicting_ties_name_both_lines():
    with pytest.raises(DataError, match="lines 3 and 4"):
        build(read("*Vertices 2\n*Arcs\n1 2 1\n1 2 5\n"))


def test_an_infinite_value_names_its_line():
    with pytest.raises(DataError, match="line 3"):
        build(read("*Vertices 2\n*Arcs\n1 2 inf\n"))
