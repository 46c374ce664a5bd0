"""Fits that cannot succeed raise an error with the reason."""

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, MrWTD, RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model.losses import LOSSES, Loss, register


@pytest.fixture(scope="module")
def parts() -> tuple[RelationalData, ...]:
    return mrwtd.load_dataset("synth-binary", n_objects=60, n_relations=3, rank=3, seed=1).split(train=0.4, seed=0)


def test_a_loss_whose_slope_is_wrong_is_named(parts):
    @register
    class Upside(Loss):
        name, kinds = "upside-down", ("binary",)

        def value_and_slope(self, y, x):
            value, slope = LOSSES["logistic"].value_and_slope(y, x)
            return value, -slope

    try:
        model = MrWTD(rank=3, lam=0.3, loss="upside-down").fit(parts[0])
    finally:
        LOSSES.unregister("upside-down")
    assert not model.converged_
    assert "wrong_slope" in [fact.code for fact in model.diagnostics_]
    assert "'upside-down'" in model.messages_[-1]


@pytest.mark.parametrize("name", ["MrWTD", "RESCAL", "MMMF", "MMMF+"])
def test_constant_data_is_reported(name):
    i, j = np.triu_indices(8, 1)
    ties = RelationalData(map(str, range(8)), [Relation("r", "binary", False)], i, j, np.zeros_like(i), np.ones(i.size))
    collapsed = mrwtd.make_method(name, rank=2, lam=100.0).fit(ties).diagnostics_[0]
    assert (collapsed.code, collapsed.values["cause"]) == ("collapsed", "constant")
    assert "the same" in collapsed.message()


def test_a_callback_that_cannot_be_called_is_refused(parts):
    with pytest.raises(DataError, match="callback"):
        MrWTD(rank=2, lam=1.0).fit(parts[0], callback=3)


@pytest.fixture
def faulty():
    """Registers a logistic loss whose value and slope are multiplied by these factors."""

    def make(value_factor: float, slope_factor: float) -> None:
        def value_and_slope(self, y, x):
            value, slope = LOSSES["logistic"].value_and_slope(y, x)
            return value * value_factor, slope * slope_factor

        register(type("Mine", (Loss,), {"name": "mine", "kinds": ("binary",), "value_and_slope": value_and_slope}))

    yield make
    LOSSES.unregister("mine")


METHODS = pytest.mark.parametrize("method", ["MrWTD", "MMMF", "MMMF+"])
LAMS = pytest.mark.parametrize("lam", [0.3, "auto"])


@METHODS
@LAMS
@pytest.mark.parametrize("factor", [-1.0, 2.0])
def test_a_loss_with_a_wrong_slope_is_named_for_every_outcome_of_the_fit(parts, faulty, method, lam, factor):
    faulty(1.0, factor)
    model = mrwtd.make_method(method, rank=3, lam=lam, loss="mine", max_iter=30).fit(parts[0])
    assert {fact.values["loss"] for fact in model.diagnostics_ if fact.code == "wrong_slope"} == {"mine"}


@METHODS
@LAMS
@pytest.mark.parametrize("factor", [np.nan, np.inf])
def test_a_loss_that_is_not_finite_is_refused(parts, faulty, method, lam, factor):
    faulty(factor, 1.0)
    with pytest.raises(DataError, match="'mine'"):
        mrwtd.make_method(method, rank=3, lam=lam, loss="mine", max_iter=30).fit(parts[0])


def test_a_relation_that_no_fit_can_score_does_not_stop_the_search():
    rng = np.random.default_rng(0)
    i, j = np.nonzero(~np.eye(14, dtype=bool))
    noise = rng.normal(scale=1e-8, size=i.size)
    noise[:4] = 1e150
    ties = np.where(rng.random(i.size) < 0.3, 1.0, -1.0)
    relations = [Relation("noise", "real", True), Relation("ties", "binary", True)]
    k = np.repeat([0, 1], i.size)
    data = RelationalData(map(str, range(14)), relations, np.tile(i, 2), np.tile(j, 2), k, np.append(noise, ties))
    for name in ("MrWTD", "RESCAL", "MMMF", "MMMF+"):
        model = mrwtd.make_method(name, rank=2, max_iter=20).fit(data)
        assert np.isfinite(model.decision_function(data)).all()


def test_mmmf_plus_knows_that_lambda_was_searched(parts):
    model = mrwtd.make_method("MMMF+", rank=3, max_iter=1, tol=1e-12).fit(parts[0])
    assert {fact.values["searched"] for fact in model.diagnostics_ if fact.code == "not_converged"} == {True}
