from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest

from mrwtd import DataError, RelationalData
from mrwtd.data import negatives as unlisted
from mrwtd.data.build import build
from mrwtd.data.limits import ENTRIES
from mrwtd.data.table import Table

NAMES = ("a", "b", "c", "d")


def data(rows, values=None, **options):
    source, target = zip(*rows, strict=True)
    table = Table.from_names(source, ["r"] * len(rows), target, values, objects=NAMES)
    return build(table, **options)


def pairs(result):
    return {(result.objects[i], result.objects[j]): y for i, j, y in zip(result.i, result.j, result.y, strict=True)}


def test_a_closed_world_lists_every_pair_once():
    directed = pairs(data([("a", "b")], directed=True, absent="negative"))
    assert set(directed) == set(permutations(NAMES, 2))
    assert [pair for pair, y in directed.items() if y > 0] == [("a", "b")]
    undirected = pairs(data([("b", "a")], directed=False, absent="negative"))
    assert set(undirected) == set(combinations(NAMES, 2))
    assert undirected[("a", "b")] == 1


def test_self_pairs_are_possible_if_one_is_listed():
    assert set(pairs(data([("a", "a")], directed=True, absent="negative"))) == set(product(NAMES, NAMES))
    assert len(data([("a", "a"), ("a", "b")], directed=False, absent="negative")) == 10


def test_an_unobserved_pair_is_not_filled_in():
    result = pairs(data([("a", "b"), ("b", "c")], [1, np.nan], directed=True, absent="negative"))
    assert ("b", "c") not in result
    assert len(result) == 11


@pytest.mark.parametrize(
    ("values", "kind", "negative", "levels"),
    [
        ([1, 1], "binary", -1, ()),
        ([7, 90], "count", 0, ()),
        ([1.5, -2], "real", 0, ()),
        ([1, 3], "ordinal", 0, (0, 1, 3)),
        ([0, 2], "ordinal", 0, (0, 2)),
        ([-1, 0], "ordinal", 1, (-1, 0)),
        ([-2, -1], "ordinal", 0, (-2, -1)),
    ],
)
def test_the_negative_value_depends_on_the_kind(values, kind, negative, levels):
    result = data([("a", "b"), ("b", "c")], values, kinds={"r": kind}, directed=True, absent="negative")
    assert result.relations[0].levels == levels
    y = pairs(result)
    assert {value for pair, value in y.items() if pair not in (("a", "b"), ("b", "c"))} == {negative}


def test_sampled_negatives_have_the_requested_number_and_are_new():
    rows = [("a", "b"), ("b", "c"), ("c", "d")]
    result = data(rows, directed=True, absent=2, seed=3)
    y = pairs(result)
    assert sum(value < 0 for value in y.values()) == 6
    assert all(y[row] == 1 for row in rows)
    assert result == data(rows, directed=True, absent=2, seed=3)
    assert result != data(rows, directed=True, absent=2, seed=4)


def test_no_more_negatives_than_there_are_pairs():
    assert len(data([("a", "b"), ("b", "c")], directed=True, absent=50)) == 12


def test_negatives_are_sampled_evenly_without_forming_all_pairs():
    n, times = 400, 40
    table = Table.from_names([str(i) for i in range(times)], ["r"] * times, [str(i + 1) for i in range(times)],
                             objects=[str(i) for i in range(n)])  # fmt: skip
    result = build(table, directed=False, absent=500)
    negatives = result.y < 0
    assert negatives.sum() == 500 * times
    assert (result.i < result.j).all()
    # Object 0 is in one of 200 pairs: 100 negatives, with a deviation of 10.
    degree = np.bincount(np.concatenate([result.i[negatives], result.j[negatives]]), minlength=n)
    assert degree.min() > 50
    assert degree.max() < 150


def test_self_pairs_have_the_same_probability_as_others():
    rows = [(str(i), str(i)) for i in range(30)]
    source, target = zip(*rows, strict=True)
    table = Table.from_names(source, ["r"] * 30, target, objects=[str(i) for i in range(300)])
    for directed, possible in ((True, 300 * 300), (False, 300 * 301 // 2)):
        result = build(table, directed=directed, absent=400)
        negatives = result.y < 0
        share = np.mean(result.i[negatives] == result.j[negatives])
        assert 0.5 < share / (270 / possible) < 1.5


def test_too_many_negatives_raise_an_error(monkeypatch):
    monkeypatch.setattr(unlisted, "ENTRIES", replace(ENTRIES, most=11))
    with pytest.raises(DataError, match=r"12 entries .* sample negatives instead"):
        data([("a", "b")], directed=True, absent="negative")
    with pytest.raises(DataError, match=r"sample fewer"):
        data([("a", "b")], directed=True, absent=12)


def test_filled_entries_have_weight_one():
    table = Table.from_names(["a"], ["r"], ["b"], [1], [0.5], objects=NAMES)
    result = build(table, directed=True, absent="negative")
    assert sorted(result.w)[:2] == [0.5, 1]


def test_each_relation_can_have_a_different_meaning() -> None:
    frame = pd.DataFrame(
        {"source": ["a", "a", "a", "b"], "relation": ["r", "s", "t", "t"], "target": ["b", "b", "b", "c"], "value": 1}
    )
    result = RelationalData.from_frame(frame, directed=True, absent={"s": "negative", "t": 1})
    r, s, t = (result.y[result.slice(k)] for k in range(3))
    assert r.tolist() == [1]
    assert (s > 0).sum() == 1
    assert s.size == 6
    assert sorted(t) == [-1, -1, 1, 1]


@pytest.mark.parametrize("absent", [{"zzz": "negative"}, {"r": "maybe"}, {"r": 0}])
def test_invalid_values_of_absent_raise_an_error(absent: dict[str, object]) -> None:
    with pytest.raises(DataError, match=r"zzz|maybe|0"):
        data([("a", "b")], directed=True, absent=absent)
