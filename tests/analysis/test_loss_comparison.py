import numpy as np
import pytest

import mrwtd
from mrwtd.analysis.loss_comparison import (
    PAPER_LOSSES,
    binary_losses,
    margin_fractions,
    refit_with_loss,
    with_parameters_of,
)
from mrwtd.analysis.missing_as_zero import fill_missing, tie_fractions
from mrwtd.comparison.repeats import plan_repeats
from mrwtd.model.losses import LOSSES, Loss, register


@pytest.fixture(scope="module")
def kinds():
    data = mrwtd.load_dataset("synth-kinds", n_objects=25, seed=1)
    train, test = data.split(train=0.5, seed=0)
    return mrwtd.MrWTD(rank=2, lam=1.0, positive_weight=2.0, snapshots=4).fit(train), train, test


@pytest.mark.parametrize("loss", PAPER_LOSSES)
def test_only_the_loss_of_binary_relations_changes(kinds, loss):
    model, train, _ = kinds
    other = refit_with_loss(model, train, loss)
    for relation in train.relations:
        assert other.losses_[relation.name] == (loss if relation.kind == "binary" else model.losses_[relation.name])
    changed = {"loss", "snapshots"}
    kept = {name: value for name, value in model.get_params().items() if name not in changed}
    assert {name: value for name, value in other.get_params().items() if name not in changed} == kept


def test_a_refit_uses_one_process_whatever_the_model_used():
    """The model may be from a run that somebody else made."""
    model = mrwtd.MrWTD(rank=2, ensemble=3, n_jobs=1_000)
    assert with_parameters_of(model).get_params() == model.get_params() | {"n_jobs": 1}
    (copied,) = plan_repeats({"MrWTD": model}, train=0.5).methods.values()
    assert "n_jobs" not in copied
    assert copied["ensemble"] == 3


def test_the_original_loss_gives_the_same_model(kinds):
    model, train, test = kinds
    again = refit_with_loss(model, train, "logistic")
    assert again.decision_function(test) == pytest.approx(model.decision_function(test))


def test_a_registered_loss_is_listed_with_those_of_the_paper():
    @register
    class Mine(Loss):
        name = "mine"

        def value_and_slope(self, y, x):
            return (x - y) ** 2, 2 * (x - y)

    try:
        assert binary_losses() == (*PAPER_LOSSES, "mine")
    finally:
        LOSSES.unregister("mine")


def test_sides_of_the_margin(with_scores):
    model, data = with_scores([1, 1, 1, 1, -1, -1], [-0.5, 0.5, 1.0, 3.0, -2.0, 0.1])
    true, false = margin_fractions({"it": model}, data, "r").to_dict("records")
    assert (true["wrong"], true["inside"], true["beyond"], true["mean"]) == (0.25, 0.25, 0.5, 1.0)
    assert (false["wrong"], false["inside"], false["beyond"]) == (0.5, 0.0, 0.5)


def pairs(data: mrwtd.RelationalData) -> set[tuple[int, int, int]]:
    return set(zip(data.i.tolist(), data.j.tolist(), data.k.tolist(), strict=True))


@pytest.mark.parametrize("name", ["florentine", "bankwiring", "monastery"])
def test_every_pair_that_is_not_known_becomes_a_zero(name):
    data = mrwtd.load_dataset(name)
    train, test = data.split(train=0.3, seed=0)
    filled = fill_missing(train, test)
    assert filled.zeros == filled.missing
    assert len(filled.data) == len(train) + filled.zeros
    assert pairs(test) <= pairs(filled.data)
    known = dict(zip(zip(train.i, train.j, train.k, strict=True), train.y, strict=True))
    for cell, y in zip(zip(filled.data.i, filled.data.j, filled.data.k, strict=True), filled.data.y, strict=True):
        kind = data.relations[cell[2]].kind
        assert y == known.get(cell, -1.0 if kind == "binary" else 0.0)


def test_zeros_are_sampled_if_there_are_too_many():
    data = mrwtd.load_dataset("aucs")
    train, test = data.split(train=0.3, seed=0)
    filled = fill_missing(train, test, max_zeros=700, seed=3)
    assert filled.zeros < filled.missing
    assert 680 <= filled.zeros <= 700
    assert filled.missing == sum(61 * 60 // 2 for _ in data.relations) - len(train)
    assert pairs(train) < pairs(filled.data)
    assert 0 < filled.false_zeros < filled.zeros / 2
    assert fill_missing(train, test, max_zeros=700, seed=3).data == filled.data


def test_many_objects_never_make_a_matrix():
    ends = np.arange(200_000)
    data = mrwtd.RelationalData(
        [f"o{index}" for index in ends],
        [mrwtd.Relation("next", "binary", True)],
        ends,
        (ends + 1) % 200_000,
        0 * ends,
        0 * ends + 1,
    )
    filled = fill_missing(data, data.subset([]), max_zeros=1_000)
    assert (filled.zeros, filled.missing) == (1_000, 200_000 * 199_999 - 200_000)


def test_fractions_of_ties_by_relation(with_scores):
    model, data = with_scores([1, -1, -1, -1], [1.0, 1.0, -1.0, -1.0])
    row = tie_fractions({"it": model}, data).iloc[0]
    assert (row["truth"], row["it"], row["entries"]) == (0.25, 0.5, 4)
