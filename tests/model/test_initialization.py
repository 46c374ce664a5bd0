"""Where fits begin."""

import pytest

import mrwtd
from mrwtd.model.initialization import STARTS


@pytest.mark.parametrize("init", STARTS)
def test_counts_are_fitted_from_every_start(init: str) -> None:
    train, test = mrwtd.load_dataset("airports").split(train=0.6, seed=0)
    model = mrwtd.MrWTD(rank=4, lam=3.0, init=init, seed=0).fit(train)
    scores = mrwtd.evaluate(model, test)
    errors = scores[scores["metric"] == "nmse"].set_index("relation")["value"]
    assert errors["flights"] < 0.5
    assert errors["distance (km)"] < 0.2
