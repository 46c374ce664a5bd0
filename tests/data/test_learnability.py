"""Data that cannot be learned from is recognized before training."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import mrwtd
from mrwtd.data.build import build
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.data.learnability import MAX_FILLED, find_obstacles
from mrwtd.data.table import Table

NAMES = ["ann", "bob", "cat", "dan"]
PAIRS = [(a, b) for a, b in product(NAMES, NAMES) if a != b]
RANKS = [1, 2, 3, 3, 1, 2, 2, 3, 1, 1, 3, 2]


def obstacles(pairs: list[tuple[str, str]], values: Any, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    source, target = zip(*pairs, strict=True)
    data = build(Table.from_names(source, ["r"] * len(pairs), target, values=values), **options)
    return [(obstacle.code, dict(obstacle.change)) for obstacle in find_obstacles(data)]


def test_only_ties() -> None:
    assert obstacles(PAIRS[:5], None) == [("only_ties", {"absent": "negative"})]
    assert obstacles(PAIRS[:5], None, absent="negative") == []
    assert obstacles(PAIRS[:5], [4, 9, 9, 30, 20]) == [("only_counted", {"absent": "negative"})]
    assert obstacles(PAIRS[:5], [4, 4, 4, 4, 4]) == [("only_ties", {"absent": "negative"})]


def test_only_ties_in_large_data_are_sampled() -> None:
    n = int(MAX_FILLED**0.5) + 2
    chain = [str(number) for number in range(n)]
    assert obstacles(list(pairwise(chain)), None) == [("only_ties", {"absent": 5})]


@pytest.mark.parametrize(("value", "kind"), [(0, "binary"), (1, "binary"), (7, "count"), (2.5, "real"), (3, "ordinal")])
def test_one_value(value: float, kind: str) -> None:
    assert obstacles(PAIRS, [value] * len(PAIRS), kinds={"r": kind}) == [("one_value", {})]


def test_ranks_read_as_counts() -> None:
    expected = [("ranks_as_counts", {"kinds": "ordinal"})]
    assert obstacles(PAIRS, RANKS, kinds={"r": "count"}) == expected
    with_self = [*PAIRS, *((name, name) for name in NAMES)]
    assert obstacles(with_self, [*RANKS, 0, 0, 0, 0], kinds={"r": "count"}) == expected
    assert obstacles(PAIRS, RANKS, kinds={"r": "ordinal"}) == []


def test_other_counts_are_no_ranks() -> None:
    assert obstacles(PAIRS, [2, *RANKS[1:]], kinds={"r": "count"}) == []
    assert obstacles(PAIRS, [0, 5, 9, *RANKS[3:]], kinds={"r": "count"}) == []


def test_heavy_tails() -> None:
    trade = [0, 0, 1, 2, 2, 3, 3, 3, 4, 5, 6, 1e6]
    assert obstacles(PAIRS, trade) == [("heavy_tail", {"transform": "log1p"})]
    assert obstacles(PAIRS, trade, transform={"r": "log1p"}) == []
    assert obstacles(PAIRS, [*trade[:-1], 300]) == []  # exactly 100 times the median of 3
    assert obstacles(PAIRS, [*trade[:-1], 301]) == [("heavy_tail", {"transform": "log1p"})]


def test_the_logarithm_is_not_offered_where_it_does_not_help() -> None:
    assert obstacles(PAIRS, [1e-4] * 11 + [0.5]) == []
    assert obstacles(PAIRS, [-1.0] * 2 + [1.0] * 9 + [900.0]) == []


@pytest.mark.parametrize("name", [name for name in mrwtd.list_datasets() if not dataset_info(name).needs_folder])
def test_samples_can_be_learned(name: str) -> None:
    assert find_obstacles(mrwtd.load_dataset(name)) == ()


def test_unobserved_entries_do_not_count() -> None:
    data = mrwtd.load_dataset("florentine")
    only_ties = mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, data.y > 0)
    assert [obstacle.code for obstacle in find_obstacles(only_ties)] == ["only_ties", "only_ties"]
    assert not find_obstacles(only_ties.subset(np.zeros(len(data), dtype=bool)))
