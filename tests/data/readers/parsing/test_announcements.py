"""Comments of KONECT and SNAP that describe a list."""

import io

import pytest

import mrwtd


def read(text, name="out.club", **options):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return mrwtd.read(stream, **options)


def relation(data):
    (only,) = data.relations
    return only.name, only.kind, only.directed


@pytest.mark.parametrize(("word", "directed"), [("sym", False), ("asym", True)])
def test_konect_declares_the_direction_and_the_name(word, directed):
    data = read(f"% {word} unweighted\n% 2 3 3\n1 2\n1 3\n")
    assert relation(data) == ("club", "binary", directed)
    assert len(data) == 2


def test_konect_values_and_times():
    assert read("% asym weighted\n1 2 0.5 100\n2 1 -3 120\n").y.tolist() == [0.5, -3]
    assert relation(read("% asym signed\n1 2 -1\n2 1 1\n")) == ("club", "binary", True)
    # the third column of an unweighted network is 1 in every row
    assert relation(read("% sym unweighted\n1 2 1 100\n1 3 1 120\n")) == ("club", "binary", False)


def test_ties_of_konect_that_occur_several_times_are_summed():
    text = "% sym positive\n1 2 1 100\n2 1 1 120\n1 3 25 160\n"
    assert read(text).y.tolist() == [2, 25]
    assert [r.name for r in read(text, periods=2).relations] == ["club, period 1", "club, period 2"]
    assert relation(read(text)) == ("club", "count", False)
    assert read("% sym positive\n1 2\n2 1\n1 3\n").y.tolist() == [2, 1]


def test_equal_numbers_in_both_sets_of_a_two_mode_network_are_different_objects():
    data = read("% bip unweighted\n1 1\n1 2\n3 1\n", absent="negative")
    assert data.objects == ("1 (source)", "3", "1 (target)", "2")
    assert data.object_types == ("source", "source", "target", "target")
    assert data.relations[0].types == ("source", "target")
    assert data.y.tolist() == [1, 1, 1, -1]
    assert any("Two-mode data: 2 objects" in note for note in data.notes)


def test_repeated_ties_of_a_two_mode_network_are_summed():
    data = read("% bip positive\n1 1 1 5\n2 1 4 6\n1 1 2 7\n")
    assert relation(data) == ("club", "count", True)
    assert data.y.tolist() == [3, 4]
    assert data.n_objects == 3


@pytest.mark.parametrize(("word", "directed"), [("Undirected", False), ("Directed", True)])
def test_snap_declares_the_direction(word, directed):
    text = f"# {word} graph: games.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n0\t2\n"
    assert relation(read(text, "games.txt")) == ("games", "binary", directed)


def test_signs_of_snap_are_values():
    data = read("# Directed graph: votes.txt\n# FromNodeId\tToNodeId\tSign\n0\t1\t-1\n0\t2\t1\n", "votes.txt")
    assert data.y.tolist() == [-1, 1]
