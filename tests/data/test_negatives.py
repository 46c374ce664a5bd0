import pickle
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest

from mrwtd import DataError, Relation, RelationalData, read, write
from mrwtd.data import negatives as unlisted
from mrwtd.data.build import build
from mrwtd.data.limits import ENTRIES
from mrwtd.data.negatives import sampled_pairs
from mrwtd.data.symmetrize import symmetrize
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


def sampled_ties(**options) -> RelationalData:
    """Ten directed ties of 11 objects, one listed negative, and two sampled negatives per tie."""
    rows = [(f"o{i}", "likes", f"o{i + 1}", 1) for i in range(10)] + [("o5", "likes", "o0", 0)]
    frame = pd.DataFrame(rows, columns=["source", "relation", "target", "value"])
    return RelationalData.from_frame(frame, directed=True, **({"absent": 2} | options))


def test_sampled_negatives_represent_all_unlisted_pairs():
    data = sampled_ties()
    listed = (data.y > 0) | ((data.i == 5) & (data.j == 0))
    assert data.represents[listed].tolist() == [1.0] * 11  # a listed negative represents itself
    assert data.represents[~listed].tolist() == [99 / 20] * 20  # 110 pairs, 11 of them listed
    assert sampled_pairs(data) == sampled_pairs(data, 0) == 20
    assert data.represents.sum() == pytest.approx(110)


@pytest.mark.parametrize("absent", ["unobserved", "negative", 50])
def test_without_sampling_every_entry_represents_itself(absent):
    data = sampled_ties(absent=absent)
    assert (data.represents == 1).all()
    assert sampled_pairs(data) == 0


def test_represented_pairs_survive_splits_selection_and_pickling():
    data = sampled_ties()
    train, test = data.split(train=0.5, seed=1)
    for part in (train, test, data.select_relations(["likes"]), data.observed(), pickle.loads(pickle.dumps(data))):
        is_sampled = part.represents > 1
        assert set(part.represents[is_sampled]) == {99 / 20}
        assert is_sampled.sum() == sampled_pairs(part)
    assert sampled_pairs(train) + sampled_pairs(test) == 20


def test_data_with_other_represented_pairs_are_other_data():
    data = sampled_ties()
    plain = RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y)
    assert plain != data
    assert plain.digest() != data.digest()


@pytest.mark.parametrize("format", ["csv", "parquet", "graphml", "gexf"])
def test_represented_pairs_are_written_and_read(format, tmp_path):
    data = sampled_ties()
    path = tmp_path / f"ties.{format}"
    write(data, path)
    assert read(path) == data
    # If unlisted pairs become entries of their own, nothing is represented any more.
    assert sampled_pairs(read(path, absent="negative")) == 0


def test_an_entry_represents_at_least_itself():
    frame = sampled_ties().to_frame()
    frame.loc[3, "represents"] = 0.5
    with pytest.raises(DataError, match=r"0\.5 represented pairs"):
        RelationalData.from_frame(frame)


def test_a_symmetrized_pair_has_two_chances_to_be_sampled():
    rng = np.random.default_rng(0)
    names = [f"o{i}" for i in range(60)]
    pairs = rng.permutation([(a, b) for a in range(60) for b in range(60) if a != b])[:150]
    frame = pd.DataFrame(
        {"source": [names[a] for a, _ in pairs], "relation": "r", "target": [names[b] for _, b in pairs]}
    )
    frame.attrs["mrwtd"] = {"objects": names, "relations": []}
    both = symmetrize(RelationalData.from_frame(frame, directed=True, absent=4))
    assert both.represents.sum() == pytest.approx(60 * 59 / 2, rel=0.05)


def test_reading_as_undirected_represents_what_symmetrizing_does(tmp_path):
    """a – b is a tie in one direction and a sampled negative in the other; c – d was sampled in both."""
    likes = Relation("likes", "binary", directed=True)
    data = RelationalData(
        NAMES, [likes], [0, 1, 2, 3, 0], [1, 0, 3, 2, 3], [0] * 5, [-1, 1, -1, -1, 1], represents=[4, 1, 4, 4, 1]
    )
    write(data, tmp_path / "ties.csv")
    again = read(tmp_path / "ties.csv", directed=False, duplicates="max")
    assert again.represents.tolist() == pytest.approx([1, 1, 16 / 7])
    assert again == symmetrize(data)


def test_entries_without_sampled_ones_have_the_digest_of_plain_data():
    sampled = sampled_ties()
    listed = sampled.subset(sampled.represents == 1)
    plain = RelationalData(listed.objects, listed.relations, listed.i, listed.j, listed.k, listed.y)
    assert listed == plain
    assert listed.digest() == plain.digest()
    assert "represents" not in listed.to_frame()


@pytest.mark.parametrize("kind", ["binary", "count"])
def test_ties_are_as_mutual_as_with_all_negatives(kind):
    """Only the reverse of a tie that is itself a tie is always known. Otherwise it may not be sampled."""
    rng = np.random.default_rng(0)
    ties = rng.random((100, 100)) < 0.03
    ties |= ties.T & (rng.random((100, 100)) < 0.3)
    i, j = np.nonzero(ties & ~np.eye(100, dtype=bool))
    values = {} if kind == "binary" else {"value": 5 + (i + j) % 9 + rng.integers(3, size=i.size)}
    frame = pd.DataFrame({"source": i.astype(str), "relation": "r", "target": j.astype(str)} | values)

    def reciprocity(absent, seed=0):
        data = RelationalData.from_frame(frame, kinds={"r": kind}, directed=True, absent=absent, seed=seed)
        return data.describe().loc["r", "reciprocity"]

    sampled = [reciprocity(4, seed) for seed in range(10)]
    assert np.mean(sampled) == pytest.approx(reciprocity("negative"), abs=0.04)
