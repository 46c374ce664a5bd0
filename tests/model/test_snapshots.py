"""Models at the snapshots of their fit."""

import numpy as np

import mrwtd


def test_the_objective_of_the_snapshots_decreases_and_the_model_is_unchanged() -> None:
    train, test = mrwtd.load_dataset("synth-kinds").split(train=0.2, seed=0)
    model = mrwtd.MrWTD(rank=3, lam=1.0, snapshots=6, max_iter=40).fit(train)
    before = model.decision_function(test)
    errors = []
    for snapshot in model.snapshots_:
        past = model.at_snapshot(snapshot)
        assert all((np.diff(cuts) >= 0).all() for cuts in past.cuts_.values())
        assert past.cuts_.keys() == model.cuts_.keys()
        errors.append(np.mean((past.predict(train) - train.y) ** 2))
    assert errors[-1] < errors[0]
    assert np.array_equal(model.decision_function(test), before)
    assert np.array_equal(model.at_snapshot(model.snapshots_[-1]).predict(test), model.predict(test))
