"""Fits that cannot succeed say why."""

from __future__ import annotations

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, MrWTD, RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model.losses import LOSSES, Loss, loss_named, register


@pytest.fixture(scope="module")
def parts() -> tuple[RelationalData, ...]:
    return mrwtd.load_dataset("synth-binary", n_objects=60, n_relations=3, rank=3, seed=1).split(train=0.4, seed=0)


def test_a_loss_whose_slope_is_wrong_is_named(parts):
    @register
    class Upside(Loss):
        name, kinds = "upside-down", ("binary",)

        def value_and_slope(self, y, x):
            value, slope = loss_named("logistic").value_and_slope(y, x)
            return value, -slope

    try:
        model = MrWTD(rank=3, lam=0.3, loss="upside-down").fit(parts[0])
    finally:
        del LOSSES["upside-down"]
    assert not model.converged_
    assert [(fact.code, fact.values["losses"]) for fact in model.diagnostics_] == [("failed", ["upside-down"])]
    assert "'upside-down'" in model.messages_[0]


@pytest.mark.parametrize("name", ["MrWTD", "RESCAL", "MMMF", "MMMF+"])
def test_data_in_which_nothing_varies_is_said_to_be_so(name):
    i, j = np.triu_indices(8, 1)
    ties = RelationalData(map(str, range(8)), [Relation("r", "binary", False)], i, j, np.zeros_like(i), np.ones(i.size))
    collapsed = mrwtd.make_method(name, rank=2, lam=100.0).fit(ties).diagnostics_[0]
    assert (collapsed.code, collapsed.values["cause"]) == ("collapsed", "constant")
    assert "the same" in collapsed.message()


def test_a_callback_that_cannot_be_called_is_refused(parts):
    with pytest.raises(DataError, match="callback"):
        MrWTD(rank=2, lam=1.0).fit(parts[0], callback=3)
