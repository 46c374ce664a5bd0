"""Initializations of fits."""

import numpy as np
import pytest

import mrwtd
from mrwtd import Relation, RelationalData
from mrwtd.model import initialization
from mrwtd.model.initialization import STARTS
from mrwtd.model.losses import LOSSES
from mrwtd.model.objective import Objective


@pytest.mark.parametrize("init", STARTS)
def test_counts_are_fitted_from_every_start(init: str) -> None:
    train, test = mrwtd.load_dataset("airports").split(train=0.6, seed=0)
    model = mrwtd.MrWTD(rank=4, lam=3.0, init=init, seed=0).fit(train)
    scores = mrwtd.evaluate(model, test)
    errors = scores[scores["metric"] == "nmse"].set_index("relation")["value"]
    assert errors["flights"] < 0.5
    assert errors["distance (km)"] < 0.2


@pytest.mark.parametrize("slope", [lambda b: -b, lambda b: float("nan"), lambda b: 1.0])
def test_a_slope_that_never_rises_through_zero_gives_no_bias(slope):
    assert initialization.find_root(slope) == 0.0


def test_weights_of_zero_are_ignored_by_the_best_bias():
    n = 700
    i, j = np.triu_indices(n, 1)
    w = (np.arange(i.size) % 2).astype(float)  # every second entry, because every second one is sampled
    data = RelationalData(
        map(str, range(n)), [Relation("r", "binary", False)], i, j, np.zeros_like(i), np.ones(i.size), w
    )
    objective = Objective(data, [LOSSES["logistic"]], 1, 1.0)
    assert initialization.best_constants(objective, 0)[0] > 3  # all known entries are positive
