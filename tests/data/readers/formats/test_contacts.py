"""Lists of contacts: time, two people, and perhaps their groups."""

import io

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import detect_format
from mrwtd.data.readers.formats import contacts
from mrwtd.data.readers.source import Source

UNIX = "1240913019\t78\t77\n1240913019\t78\t96\n1240913039\t77\t96\n1240913059\t96\t78\n"
STEPS = "31220 1558 1567 3B 3A\n31220 1567 1560 3A 3B\n31240 1558 1567 3B 3A\n31300 1560 1574 3B teacher\n"


def file(text, name="school.txt"):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNIX, "contacts"),
        (STEPS, "contacts"),
        (UNIX.replace("\t", ","), "contacts"),
        ("t\ti\tj\n1\t7\t8\n1\t8\t9\n2\t7\t9\n", "contacts"),
        # integer triples sorted by source, whose objects are in both columns
        ("0 1 2\n0 2 4\n2 1 0\n4 2 2\n", "long"),
        ("10 1 20\n10 2 30\n20 1 30\n30 2 10\n", "long"),
        # source, target, value: the value is no person
        ("1 2 5\n1 3 4\n2 3 5\n4 5 5\n", "long"),
        ("100000001 2 5\n100000001 3 4\n100000002 3 5\n", "long"),
        # times that are not ascending, and pairs of the same person
        ("40 7 8\n20 8 9\n40 7 9\n", "long"),
        ("20 7 7\n20 8 7\n40 7 8\n", "long"),
        # a person in two groups: four columns of something else
        ("20 7 8 A B\n20 8 9 A B\n40 7 8 A B\n", "long"),
    ],
)
def test_detection(text, expected):
    assert detect_format(file(text)) == expected


def test_contacts_are_undirected_counts():
    data = mrwtd.read(file(UNIX))
    assert data.objects == ("78", "77", "96")
    assert [(r.name, r.kind, r.directed) for r in data.relations] == [("school", "count", False)]
    assert dict(zip(zip(data.i.tolist(), data.j.tolist(), strict=True), data.y, strict=True)) == {
        (0, 1): 1, (0, 2): 2, (1, 2): 1,
    }  # fmt: skip


def test_groups_are_an_attribute():
    data = mrwtd.read(file(STEPS))
    assert data.attributes["group"].to_dict() == {"1558": "3B", "1567": "3A", "1560": "3B", "1574": "teacher"}


def test_periods_are_relations():
    data = mrwtd.read(file(STEPS), periods=2)
    assert [relation.name for relation in data.relations] == ["school, period 1", "school, period 2"]
    assert data.y[data.k == 0].sum() == 3
    assert data.y[data.k == 1].tolist() == [1]


def test_a_person_in_two_groups_is_in_the_first():
    table = contacts.read(Source("a.txt", b"20 7 8 A B\n40 8 7 B C\n"))
    assert table.attributes["group"].tolist() == ["A", "B"]
    assert any("several groups ('7')" in note for note in table.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("20 7\n40 8\n", "2 columns.*3 columns"),
        ("20 7 8\nsoon 7 9\n", "line 2.*'soon'"),
        ("20 7 8\n1e300 7 9\n", "line 2.*1e\\+300"),
        ("20 7 8\n,7,9\n", "line 2"),
    ],
)
def test_problems(text, message):
    with pytest.raises(DataError, match=message):
        mrwtd.read(file(text), "contacts")
