import numpy as np
import pytest

from mrwtd import Relation, RelationalData
from mrwtd.data.symmetrize import symmetrize

PEOPLE = ["ann", "bob", "cat"]


def pair(kind, values, weights=None, levels=()):
    """One directed relation with values for ann → bob, and bob → ann where there are two."""
    i, j = [0, 1][: len(values)], [1, 0][: len(values)]
    return RelationalData(PEOPLE, [Relation("r", kind, True, levels)], i, j, [0] * len(values), values, weights)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("binary", [1, -1], 1),
        ("binary", [-1, 1], 1),
        ("binary", [-1, -1], -1),
        ("binary", [-1], -1),
        ("count", [2, 7], 7),
        ("real", [-4, 1], -1.5),
        ("real", [-4], -4),
    ],
)
def test_two_directions_become_one_entry(kind, values, expected):
    both = symmetrize(pair(kind, values))
    assert both.y.tolist() == [expected]
    assert (both.i.tolist(), both.j.tolist()) == ([0], [1])
    assert both.relations[0] == Relation("r", kind, False)


def test_the_higher_level_is_used():
    both = symmetrize(pair("ordinal", [2, 1], levels=(0, 1, 5)))
    assert both.original_values().tolist() == [5]


def test_weights_are_averaged_and_zero_weight_is_not_known():
    assert symmetrize(pair("binary", [1, -1], [1.0, 0.5])).w.tolist() == [0.75]
    unknown = symmetrize(pair("binary", [1, -1], [0.0, 0.5]))
    assert (unknown.y.tolist(), unknown.w.tolist()) == ([-1], [0.5])


def test_self_pairs_and_undirected_relations_stay():
    relations = [Relation("a", "real", True), Relation("b", "real", False)]
    data = RelationalData(PEOPLE, relations, [0, 2, 0], [0, 1, 2], [0, 0, 1], [3, 4, 5])
    both = symmetrize(data)
    assert list(zip(both.i.tolist(), both.j.tolist(), both.k.tolist(), both.y.tolist(), strict=True)) == [
        (0, 0, 0, 3.0),
        (1, 2, 0, 4.0),
        (0, 2, 1, 5.0),
    ]
    assert symmetrize(both) is both


def test_an_empty_relation_is_accepted():
    data = RelationalData(PEOPLE, [Relation("r", "real", True)], [], [], [], [])
    both = symmetrize(data)
    assert len(both) == 0
    assert not both.relations[0].directed


def test_swapping_the_directions_changes_nothing():
    rng = np.random.default_rng(0)
    i, j = np.divmod(rng.permutation(400)[:150], 20)
    names = [str(number) for number in range(20)]
    relations, k, y = [Relation("r", "count", True)], np.zeros(150, dtype=int), rng.integers(9, size=150)
    data, swapped = (RelationalData(names, relations, a, b, k, y) for a, b in ((i, j), (j, i)))
    assert symmetrize(data) == symmetrize(swapped)


def test_a_pair_with_a_published_test_entry_is_a_test_entry():
    likes = Relation("likes", "binary", True)
    i, j, parts = [0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1], [0, 1, 2, 0, 0, 0]
    data = RelationalData(PEOPLE, [likes], i, j, [0] * 6, [1] * 6, part=parts)
    train, test, valid = symmetrize(data).published_split()
    assert [(part.i.tolist(), part.j.tolist()) for part in (train, test, valid)] == [
        ([1], [2]), ([0], [1]), ([0], [2]),
    ]  # fmt: skip
