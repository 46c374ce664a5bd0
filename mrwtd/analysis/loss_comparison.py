"""Fits with the same split and parameters but another loss, to compare losses.

Only the loss of the binary relations changes. Everything else, including the losses of other kinds, is that of the
given model.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..model.losses import LOSSES
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..model.progress import Callback

PAPER_LOSSES = ("quadratic", "smooth-hinge", "logistic")
"""The losses of the paper, in its order."""


def refit_with_loss(
    model: MrWTD, train: RelationalData, loss: str, lam: float | str | None = None, callback: Callback | None = None
) -> MrWTD:
    """Refit a model with another loss for the binary relations. λ is that of the model unless it is given.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    >>> refit_with_loss(model, train, "quadratic").losses_
    {'business': 'quadratic', 'marriage': 'quadratic'}
    """
    losses = {r.name: loss if r.kind == "binary" else model.losses_[r.name] for r in train.relations}
    return with_parameters_of(model, loss=losses, lam=model.lam_ if lam is None else lam).fit(train, callback)


def with_parameters_of(model: MrWTD, **changes: object) -> MrWTD:
    """An unfitted MrWTD with the parameters of another model except for the changes, without snapshots, in one process.

    >>> with_parameters_of(MrWTD(rank=3, snapshots=5), lam=2.0)
    MrWTD(rank=3, loss='auto', lam=2.0, init='spectral', positive_weight=1.0, standardize=True, ensemble=1, ...)
    """
    known = {name: value for name, value in model.get_params().items() if name in MrWTD().get_params()}
    return MrWTD(**(known | {"snapshots": 0, "n_jobs": 1} | changes))


def binary_losses() -> tuple[str, ...]:
    """The losses to compare: the paper's, then all others that are registered for binary relations.

    >>> binary_losses()
    ('quadratic', 'smooth-hinge', 'logistic')
    """
    others = [name for name, loss in LOSSES.items() if "binary" in loss.kinds and name not in PAPER_LOSSES]
    return (*PAPER_LOSSES, *others)


def margin_fractions(models: Mapping[str, Method], test: RelationalData, relation: str) -> pd.DataFrame:
    """The fractions of the test entries of a binary relation by their margin yx, for each method and class.

    Columns: method, truth ("true" or "false"), entries, the fractions `wrong` (margin below 0), `inside` (from 0 to 1)
    and `beyond` (1 or more), and the mean of x.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> table = margin_fractions({"ours": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}, test, "marriage")
    >>> table[["truth", "entries"]].to_dict("list")
    {'truth': ['true', 'false'], 'entries': [9, 33]}
    """
    entries = test.select_relations([relation]).observed()
    rows: list[tuple[object, ...]] = []
    for label, model in models.items():
        x = model.decision_function(entries)
        for truth, sign in (("true", 1.0), ("false", -1.0)):
            margin = sign * x[entries.y == sign]
            if margin.size:
                parts = (margin < 0, (margin >= 0) & (margin < 1), margin >= 1)
                rows.append((label, truth, margin.size, *map(np.mean, parts), np.mean(sign * margin)))
    return pd.DataFrame(rows, columns=["method", "truth", "entries", "wrong", "inside", "beyond", "mean"])
