import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.plots import ordering
from mrwtd.plots.ordering import attribute_order, similarity_order, sortable_attributes


def planted(n: int, groups: int, seed: int = 0) -> tuple[mrwtd.RelationalData, np.ndarray]:
    """Members of group g tie to those of group g + 1: similar, but without ties to each other."""
    rng = np.random.default_rng(seed)
    group = rng.integers(groups, size=n)
    i, j = rng.integers(n, size=(2, 60 * n))
    keep = group[j] == (group[i] + 1) % groups
    pairs = np.unique(np.stack([i[keep], j[keep]], axis=1), axis=0)
    entries = np.zeros(len(pairs), dtype=int)
    relation = mrwtd.Relation("feeds", "binary", True)
    return (
        mrwtd.RelationalData(map(str, range(n)), [relation], pairs[:, 0], pairs[:, 1], entries, entries + 1),
        group,
    )


@pytest.mark.parametrize("n", [60, 300, 1500])
def test_objects_with_similar_ties_are_adjacent(n: int) -> None:
    data, group = planted(n, groups=4)
    order = similarity_order(data)
    assert np.array_equal(np.sort(order), np.arange(n))
    assert np.count_nonzero(np.diff(group[order])) == 3


def test_the_order_is_deterministic() -> None:
    data, _ = planted(1200, groups=3)
    assert np.array_equal(similarity_order(data), similarity_order(data))


def test_large_data_forms_no_square_array(monkeypatch: pytest.MonkeyPatch) -> None:
    clustered = []
    leaves = ordering._leaves
    monkeypatch.setattr(ordering, "_leaves", lambda points: clustered.append(len(points)) or leaves(points))
    data, _ = planted(3000, groups=2)
    similarity_order(data)
    assert clustered == [ordering.MAX_CLUSTERED]


@pytest.mark.parametrize("name", ["florentine", "monastery", "airports", "bankwiring", "aucs", "nations"])
def test_every_kind_of_relation_can_be_ordered(name: str) -> None:
    data = mrwtd.load_dataset(name)
    assert np.array_equal(np.sort(similarity_order(data)), np.arange(data.n_objects))


def test_without_ties_there_is_still_an_order() -> None:
    data = mrwtd.RelationalData("abcd", [mrwtd.Relation("r", "real", True)], [], [], [], [])
    assert np.array_equal(np.sort(similarity_order(data)), np.arange(4))


def test_attribute_order_sorts_values_with_unknown_last() -> None:
    data = mrwtd.load_dataset("aucs")
    for name in sortable_attributes(data):
        values = data.attributes[name].iloc[attribute_order(data, name)]
        known = values.dropna()
        assert values.iloc[: len(known)].equals(known)
        assert known.is_monotonic_increasing


def test_distinct_numbers_can_be_sorted_by_and_distinct_names_cannot() -> None:
    relation = mrwtd.Relation("knows", "binary", True)
    people = {"age": [30.0, 10.0, 20.0], "name": ["x", "y", "z"], "group": ["u", "u", "v"], "same": [1, 1, 1]}
    frame = pd.DataFrame(people, index=list("abc"))
    data = mrwtd.RelationalData("abc", [relation], [0, 1, 2], [1, 2, 0], [0, 0, 0], [1, 1, 1], attributes=frame)
    assert sortable_attributes(data) == ("age", "group")
    assert "".join(data.objects[index] for index in attribute_order(data, "age")) == "bca"


def test_the_unit_of_values_does_not_change_the_order() -> None:
    i, j = np.divmod(np.arange(30), 5)
    values = np.random.default_rng(0).normal(size=30)
    relation, names = mrwtd.Relation("near", "real", True), list("abcdef")
    small, huge = (
        mrwtd.RelationalData(names, [relation], i, j, np.zeros(30, dtype=int), unit * values) for unit in (1.0, 1e149)
    )
    assert np.array_equal(similarity_order(small), similarity_order(huge))
