"""The published part of each entry."""

import io
import pickle

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, Relation, RelationalData
from mrwtd.data.build import build
from mrwtd.data.table import Table
from mrwtd.data.writers import WRITERS, write

LIKES, KIN = Relation("likes", "binary", directed=True), Relation("kin", "binary", directed=False)


@pytest.fixture
def data():
    # Not in the order of entries, and kin with i > j: both are sorted with their parts.
    i, j, k, part = [2, 0, 2, 1], [0, 1, 1, 2], [0, 0, 1, 0], [1, 0, 2, 0]
    return RelationalData("abc", [LIKES, KIN], i, j, k, [1, 1, 1, -1], [1, 0.5, 1, 1], part=part)


def table(rows, **rest):
    sources, relations, targets, parts = zip(*rows, strict=True)
    codes = np.array([("train", "test", "valid").index(part) for part in parts], dtype=np.int8)
    return Table.from_names(list(sources), list(relations), list(targets), part=codes, **rest)


def test_parts_are_sorted_with_their_entries(data):
    assert data.part.tolist() == [0, 0, 1, 2]  # a→b, b→c, c→a of likes, and b–c of kin
    train, test, valid = data.published_split()
    assert (train.i.tolist(), test.i.tolist(), valid.j.tolist()) == ([0, 1], [2], [2])
    assert train.w.tolist() == [0.5, 1]


def test_parts_survive_what_keeps_entries(data):
    assert data.subset([1, 2]).part.tolist() == [0, 1]
    assert data.select_relations(["kin", "likes"]).part.tolist() == [2, 0, 0, 1]
    hidden = RelationalData("abc", [LIKES], [0, 1, 2], [1, 2, 0], [0] * 3, [1] * 3, [1, 0, 1], part=[0, 1, 2])
    assert hidden.observed().part.tolist() == [0, 2]
    assert [len(part) for part in hidden.published_split()] == [1, 0, 1]  # an entry of weight 0 is in no part
    assert pickle.loads(pickle.dumps(data)) == data
    assert RelationalData.from_frame(data.to_frame()) == data


@pytest.mark.parametrize("name", list(WRITERS))
def test_parts_survive_writing_and_reading(data, name):
    file = io.BytesIO()
    write(data, file, name)
    file.seek(0)
    file.name = f"data.{name}"
    result = mrwtd.read(file)
    assert result == data
    assert result.part.tolist() == [0, 0, 1, 2]


def test_parts_are_a_part_of_the_content(data):
    other = RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, data.w)
    assert other != data
    assert other.digest() != data.digest()
    assert other.to_frame().columns.tolist() == ["source", "relation", "target", "value", "weight"]


def test_data_without_parts_has_no_published_split():
    with pytest.raises(DataError, match="without a published split"):
        mrwtd.load_dataset("florentine").published_split()


@pytest.mark.parametrize("part", [[0, 1], [0, 1, 3], [0, 1, -1]])
def test_wrong_parts_are_refused(part):
    with pytest.raises(DataError, match="0, 1 or 2"):
        RelationalData("abc", [LIKES], [0, 1, 2], [1, 2, 0], [0] * 3, [1] * 3, part=part)


@pytest.mark.parametrize("absent", ["negative", 1])
def test_unlisted_pairs_are_training_entries(absent):
    rows = [("a", "r", "b", "train"), ("b", "r", "c", "test"), ("c", "r", "d", "valid")]
    train, test, valid = build(table(rows), directed=True, absent=absent).published_split()
    assert (test.y.tolist(), valid.y.tolist()) == ([1], [1])
    assert train.y.tolist().count(-1) == (11 if absent == "negative" else 3)


def test_where_unlisted_is_negative_train_is_what_the_train_file_alone_gives():
    rows = [("a", "r", "b", "train"), ("b", "r", "c", "test"), ("c", "s", "d", "valid"), ("d", "s", "a", "train")]
    data = build(table(rows), directed=True, absent="negative")
    alone = RelationalData(data.objects, data.relations, [0, 3], [1, 0], [0, 1], [1, 1]).to_frame()
    alone = RelationalData.from_frame(alone, directed=True, absent="negative")
    train, test, valid = data.published_split()
    assert train.to_frame().iloc[:, :4].equals(alone.to_frame().iloc[:, :4])
    assert (train.part == 0).all()
    assert [(part.i.tolist(), part.y.tolist()) for part in (test, valid)] == [([1], [1]), ([2], [1])]
    both, _, none = data.published_split(train_on_valid=True)
    assert (len(none), (both.y > 0).sum()) == (0, 3)
    assert [len(part) for part in data.published_split(held_out="unobserved")] == [22, 1, 1]


def test_negatives_are_held_out_too_where_a_part_of_all_pairs_is():
    i, j = np.nonzero(~np.eye(4, dtype=bool))
    part = np.resize([0, 1, 2], i.size)
    data = RelationalData("abcd", [LIKES], i, j, 0 * i, np.where(i < j, 1, -1), part=part)
    assert [len(part) for part in data.published_split()] == [4, 4, 4]
    assert [len(part) for part in data.published_split(held_out="negative")] == [12, 4, 4]
    with pytest.raises(DataError, match="'unobserved'"):
        data.published_split(held_out="positive")


def test_ranks_of_random_ties_are_those_of_guessing():
    rng, n = np.random.default_rng(0), 30
    pairs = rng.permutation([(a, b) for a in range(n) for b in range(n) if a != b])[:120]
    rows = [(f"o{a}", "r", f"o{b}", "test" if row < 30 else "train") for row, (a, b) in enumerate(pairs.tolist())]
    data = build(table(rows), directed=True, absent="negative")

    def mrr(held_out):
        train, test, _ = data.published_split(held_out)
        model = mrwtd.MrWTD(rank=15, lam=0.03, loss="logistic", seed=0).fit(train)
        scores = mrwtd.evaluate_ranking(model, test, known=data)
        return scores.query("side == 'both' and metric == 'mrr' and relation == ''")["value"].iloc[0]

    guessing = np.mean(1 / np.arange(1, n - 3))  # about four other ties of an object are removed
    assert mrr("auto") < 1.2 * guessing
    assert mrr("unobserved") > 1.6 * guessing  # only the ties were never seen without a tie


def test_an_entry_of_several_parts_is_never_trained_on():
    rows = [("a", "r", "b", "test"), ("a", "r", "b", "train"), ("b", "r", "c", "train"), ("b", "r", "c", "valid")]
    data = build(table([*rows, ("c", "r", "a", "train")]), directed=True)
    assert [len(part) for part in data.published_split()] == [1, 1, 1]
    assert any(note.startswith("2 entries are listed in several parts") for note in data.notes)


def test_both_directions_of_an_undirected_pair_are_one_entry():
    rows = [("a", "r", "b", "train"), ("b", "r", "a", "test"), ("b", "r", "c", "train")]
    train, test, _ = build(table(rows), directed=False).published_split()
    assert (train.i.tolist(), test.i.tolist()) == ([1], [0])


def test_pairs_that_are_unobserved_in_the_file_have_no_part():
    rows = [("a", "r", "b", "train"), ("b", "r", "c", "test"), ("c", "r", "a", "test")]
    data = build(table(rows, values=np.array([1, np.nan, 0])), directed=True)
    assert [len(part) for part in data.published_split()] == [1, 1, 0]
