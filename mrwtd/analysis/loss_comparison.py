"""The same split and the same parameters with one loss after another: what the choice of the loss does.

Only the loss of the binary relations changes. Everything else, the losses of other kinds included, stays as in the
model that is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..model.losses import LOSSES
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..model.progress import Callback
from ..typing import Array

PAPER_LOSSES = ("quadratic", "smooth-hinge", "logistic")
"""The losses of the paper, in its order."""


def refit_with_loss(
    model: MrWTD, train: RelationalData, loss: str, lam: float | str | None = None, callback: Callback | None = None
) -> MrWTD:
    """A model like another in everything but the loss of the binary relations. λ is the other's unless it is given.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    >>> refit_with_loss(model, train, "quadratic").losses_
    {'business': 'quadratic', 'marriage': 'quadratic'}
    """
    losses = {r.name: loss if r.kind == "binary" else model.losses_[r.name] for r in train.relations}
    return with_parameters_of(model, loss=losses, lam=model.lam_ if lam is None else lam).fit(train, callback)


def with_parameters_of(model: MrWTD, **changes: object) -> MrWTD:
    """An unfitted MrWTD with the parameters of another but for the changes, and without snapshots.

    >>> with_parameters_of(MrWTD(rank=3, snapshots=5), lam=2.0)
    MrWTD(rank=3, loss='auto', lam=2.0, init='spectral', positive_weight=1.0, standardize=True, ensemble=1, ...)
    """
    known = {name: value for name, value in model.get_params().items() if name in MrWTD().get_params()}
    return MrWTD(**(known | {"snapshots": 0} | changes))


def binary_losses() -> tuple[str, ...]:
    """The losses to put side by side: the paper's, then whatever else was registered for binary relations.

    >>> binary_losses()
    ('quadratic', 'smooth-hinge', 'logistic')
    """
    others = [name for name, loss in LOSSES.items() if "binary" in loss.kinds and name not in PAPER_LOSSES]
    return (*PAPER_LOSSES, *others)


def margin_fractions(models: Mapping[str, Method], test: RelationalData, relation: str) -> pd.DataFrame:
    """On which side of 0 and of the margin ±1 the test entries of a binary relation lie, by method and class.

    Columns: method, truth ("true" or "false"), entries, and the shares `wrong` (beyond 0 on the other side),
    `inside` (on the right side, with a margin yx below 1) and `beyond` (with one of 1 or more), and the mean of x.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> found = margin_fractions({"ours": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}, test, "marriage")
    >>> found[["truth", "entries"]].to_dict("list")
    {'truth': ['true', 'false'], 'entries': [9, 33]}
    """
    own = observed(test.select_relations([relation]))
    rows = []
    for label, model in models.items():
        x = model.decision_function(own)
        rows += [
            {
                "method": label,
                "truth": word,
                **_shares(sign * x[own.y == sign]),
                "mean": float(np.mean(x[own.y == sign])),
            }
            for word, sign in (("true", 1.0), ("false", -1.0))
            if (own.y == sign).any()
        ]
    return pd.DataFrame(rows, columns=["method", "truth", "entries", "wrong", "inside", "beyond", "mean"])


def _shares(margin: Array) -> dict[str, float]:
    return {
        "entries": margin.size,
        "wrong": float(np.mean(margin < 0)),
        "inside": float(np.mean((margin >= 0) & (margin < 1))),
        "beyond": float(np.mean(margin >= 1)),
    }
