"""A model as it was at one of the snapshots of its fit."""

from __future__ import annotations

from typing import TypeVar

from .factor_model import FactorModel, has_cuts
from .losses import LOSSES
from .snapshots import Snapshot

Model = TypeVar("Model", bound=FactorModel)


def at_snapshot(model: Model, snapshot: Snapshot) -> Model:
    """The model with the factors that its fit had at a snapshot. The model itself stays as it is.

    >>> import numpy as np
    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0, snapshots=5).fit(train)
    >>> last = at_snapshot(model, model.snapshots_[-1])
    >>> np.array_equal(last.decision_function(test), model.decision_function(test))
    True
    """
    losses = [LOSSES[name] for name in model.losses_.values()]
    factors = snapshot.factors.copy()
    for loss, extra in zip(losses, factors.extras, strict=True):
        if has_cuts(loss):
            extra.sort()
    return model._with_factors(factors)
