"""Pajek projects: several networks, partitions and vectors."""

import io

import pytest

import mrwtd
from mrwtd import DataError

NETWORKS = """*Network Trade
*Vertices 3
1 "ann"
2 "bob"
3 "cat"
*Arcs
1 2 12.5
2 3 3

*Network Kin
*Vertices 2
1 "bob"
2 "dan"
*Edges
1 2
"""
PARTITIONS = """*Partition Town
*Vertices 3
1
2
9999998

*Vector Age
*Vertices 2
30.5
41

*Permutation Order
*Vertices 2
2
1
"""
TIMES = """*Network Club
*Vertices 3
*Arcs
1 2 2 [3]
1 2 -2 [4]
2 3 1 [3]
"""


def read(text, **options):
    stream = io.BytesIO(text.encode())
    stream.name = "project.paj"
    return mrwtd.read(stream, **options)


def ties(data):
    names = [relation.name for relation in data.relations]
    rows = zip(data.i, data.j, data.k, data.y, strict=True)
    return {(data.objects[i], names[k], data.objects[j]): y for i, j, k, y in rows}


def test_networks_are_relations_of_one_set_of_objects():
    data = read(NETWORKS)
    assert data.objects == ("ann", "bob", "cat", "dan")
    assert [(r.name, r.directed) for r in data.relations] == [("Trade", True), ("Kin", False)]
    assert ties(data) == {("ann", "Trade", "bob"): 12.5, ("bob", "Trade", "cat"): 3, ("bob", "Kin", "dan"): 1}


def test_partitions_and_vectors_belong_to_the_network_with_as_many_vertices():
    data = read(NETWORKS + PARTITIONS)
    town, age = data.attributes["Town"], data.attributes["Age"]
    assert town.dropna().to_dict() == {"ann": 1, "bob": 2}
    assert age.dropna().to_dict() == {"bob": 30.5, "dan": 41}
    assert any("*permutation Order" in note for note in data.notes)


def test_partitions_of_fractions_or_large_numbers_stay_as_they_are():
    data = read(NETWORKS + "*Partition Town\n*Vertices 3\n1e300\n0.5\n2\n")
    assert data.attributes["Town"].dropna().to_dict() == {"ann": 1e300, "bob": 0.5, "cat": 2}


def test_a_partition_of_another_size_is_not_used():
    data = read(NETWORKS.partition("*Network Kin")[0] + PARTITIONS)
    assert list(data.attributes) == ["Town"]
    assert any("'Age'" in note and "Not used" in note for note in data.notes)


def test_networks_with_the_same_title_have_numbers():
    assert [r.name for r in read(NETWORKS.replace("Kin", "Trade")).relations] == ["Trade", "Trade (2)"]


def test_a_tie_can_have_several_times():
    data = read(
        "*Vertices 2\n*Arcs\n1 2 5 [1,3-4]\n2 1 7 [3]\n", kinds={f"project, time {t}": "count" for t in (1, 3, 4)}
    )
    assert ties(data) == {
        ("1", "project, time 1", "2"): 5, ("1", "project, time 3", "2"): 5, ("1", "project, time 4", "2"): 5,
        ("2", "project, time 3", "1"): 7,
    }  # fmt: skip


def test_times_are_relations_if_all_ties_have_one():
    data = read(TIMES, kinds={"project, time 3": "real", "project, time 4": "real"})
    assert ties(data) == {
        ("1", "project, time 3", "2"): 2, ("2", "project, time 3", "3"): 1, ("1", "project, time 4", "2"): -2,
    }  # fmt: skip
    assert [r.name for r in read(TIMES + "1 3 1\n", duplicates="last").relations] == ["project"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("9999998\n", ""), "partition 'Town'.*2 lines.*3, one per vertex"),
        (("30.5", "old"), "'old'.*a finite number"),
        (("*Vector Age\n*Vertices 2", "*Vector Age"), "vector 'Age'"),
        (("1 2 12.5", "1 4 12.5"), "line 7.*from 1 to 3"),
    ],
)
def test_problems(change, message):
    with pytest.raises(DataError, match=message):
        read((NETWORKS + PARTITIONS).replace(*change))


def test_announced_vertices_of_all_networks_are_limited():
    with pytest.raises(DataError, match="objects without labels"):
        read("*Network a\n*Vertices 90000\n*Arcs\n1 2\n" * 20)
