"""Folds: disjoint test parts that cover all entries, by pair where ties are mutual, equal classes if stratified."""

import numpy as np
import pytest

import mrwtd
from mrwtd.data.folds import assign_folds, fold_parts

AIRPORTS, FLORENTINE = mrwtd.load_dataset("airports"), mrwtd.load_dataset("florentine")


def entries(data: mrwtd.RelationalData) -> set[tuple[int, int, int]]:
    return set(zip(data.k.tolist(), data.i.tolist(), data.j.tolist(), strict=True))


@pytest.mark.parametrize("stratify", [False, True])
@pytest.mark.parametrize("by", ["auto", "entry", "pair"])
@pytest.mark.parametrize("data", [AIRPORTS, FLORENTINE], ids=["airports", "florentine"])
def test_test_parts_are_disjoint_and_cover_all_entries(data: mrwtd.RelationalData, by: str, stratify: bool) -> None:
    parts = [fold_parts(data, fold, 5, seed=3, stratify=stratify, by=by) for fold in range(5)]
    tested = [entries(test) for _, test in parts]
    assert sum(map(len, tested)) == len(data)
    assert set().union(*tested) == entries(data)
    for train, test in parts:
        assert entries(train) | entries(test) == entries(data)
        assert not entries(train) & entries(test)


def test_folds_of_each_relation_have_the_same_size() -> None:
    fold = assign_folds(FLORENTINE, 5, seed=1)
    for k in range(FLORENTINE.n_relations):
        assert np.bincount(fold[FLORENTINE.slice(k)], minlength=5).tolist() == [21] * 5


@pytest.mark.parametrize("by", ["auto", "pair"])
def test_both_directions_of_a_mutual_pair_are_in_one_fold(by: str) -> None:
    _, test = fold_parts(AIRPORTS, 0, 5, by=by)
    flights = test.select_relations(["flights"])
    known = {(i, j) for _, i, j in entries(AIRPORTS.select_relations(["flights"]))}
    held_out = {(i, j) for _, i, j in entries(flights)}
    assert all((j, i) in held_out for i, j in held_out if (j, i) in known)
    assert test.drawn_by["flights"] == "pair"


def test_stratified_folds_divide_each_class_equally() -> None:
    fold = assign_folds(FLORENTINE, 5, seed=0, stratify=True)
    for k, ties in ((0, 15), (1, 20)):  # of 105 pairs each
        rows = FLORENTINE.slice(k)
        counts = np.bincount(fold[rows][FLORENTINE.y[rows] > 0], minlength=5)
        assert counts.tolist() == [ties // 5] * 5
        assert np.bincount(fold[rows], minlength=5).tolist() == [21] * 5


def test_a_seed_reproduces_the_folds() -> None:
    first, again, other = (fold_parts(FLORENTINE, 1, 4, seed=seed)[1] for seed in (7, 7, 8))
    assert first.digest() == again.digest() != other.digest()


def test_the_only_entry_of_a_relation_is_never_held_out() -> None:
    relations = [mrwtd.Relation("a", "binary", directed=True), mrwtd.Relation("b", "binary", directed=True)]
    data = mrwtd.RelationalData("xyz", relations, i=[0, 0, 1, 0], j=[1, 2, 2, 1], k=[0, 0, 0, 1], y=[1, -1, 1, 1])
    parts = [fold_parts(data, fold, 3) for fold in range(3)]
    assert [len(test) for _, test in parts] == [1, 1, 1]
    assert all((1, 0, 1) in entries(train) for train, _ in parts)


@pytest.mark.parametrize(("folds", "fold"), [(1, 0), (2.5, 0), (True, 0), ("5", 0), (211, 0), (5, 5), (5, -1)])
def test_other_numbers_are_refused(folds: object, fold: int) -> None:
    with pytest.raises(mrwtd.DataError, match="fold"):
        fold_parts(FLORENTINE, fold, folds)  # type: ignore[arg-type]
