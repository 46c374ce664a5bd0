"""The components of a stacked ensemble, and their predictions for held-out training entries.

Components are ensembles of MrWTD, one for each loss that suits the data, MrWTD-B and BPTF. Each is fitted to the same
validation splits, on which λ is searched too. Its held-out predictions are those of smaller ensembles: what matters is
how components compare.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ..bayesian.bptf import BPTF
from ..bayesian.mrwtd_b import MrWTDB
from ..bayesian.sampler import Sampler
from ..data.relational import RelationalData
from ..errors import DataError
from ..model.cancellation import Cancelled
from ..model.lambda_search import search
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..model.parameters import losses_of
from ..model.progress import Callback, Iteration, Stage, StageKind
from ..model.validation_splits import Scorer, ValidationSplit
from ..typing import Array

SAMPLERS: tuple[type[Sampler], ...] = (MrWTDB, BPTF)
"""BPTF has another model, and so other errors: it improves the mean even where it is behind."""

LOSSES_OF: Mapping[str, Mapping[str, str]] = {
    "MrWTD-L": {"binary": "logistic"},
    "MrWTD-H": {"binary": "smooth-hinge", "real": "huber", "count": "huber"},
    "MrWTD-Q": {"binary": "quadratic", "ordinal": "quadratic", "count": "quadratic", "real": "quadratic"},
}
"""The loss of each kind in each component; the default of its kind where there is none."""

HELD_OUT_MEMBERS, HELD_OUT_TOL = 20, 5e-4
"""The largest number of refits of an ensemble that is fitted to a validation split, and their tolerance. Many refits,
because an average of fewer would look worse than MrWTD-B than it is in the end."""


def candidates(train: RelationalData, ensemble: Method) -> dict[str, Method]:
    """The unfitted components that suit the data, by name: no two of them with the same losses.

    >>> import mrwtd
    >>> from mrwtd.stacking.mrwtd_e import MrWTDE
    >>> list(candidates(mrwtd.load_dataset("florentine"), MrWTDE(rank=2)))
    ['MrWTD-L', 'MrWTD-H', 'MrWTD-Q', 'MrWTD-B', 'BPTF']
    """
    params = ensemble.get_params()
    shared = {"rank": ensemble.rank_for(train.n_objects), "lam": params["lam"], "seed": params["seed"]}
    fits = {name: params[name] for name in ("ensemble", "max_iter", "n_jobs")}
    chosen: dict[tuple[str, ...], str] = {}
    for name, losses in LOSSES_OF.items():
        chosen.setdefault(tuple(loss.name for loss in losses_of(losses, train.relations)), name)
    methods: dict[str, Method] = {
        name: MrWTD(loss=_of_kinds(LOSSES_OF[name], train), **shared, **fits) for name in chosen.values()
    }
    for sampler in SAMPLERS:
        method = sampler(sweeps=params["sweeps"], burn_in=params["burn_in"], **shared)
        with suppress(DataError):  # of a rank that is too high for it
            method.check(train)
            methods[sampler.name] = method
    return methods


def _of_kinds(losses: Mapping[str, str], train: RelationalData) -> dict[str, str]:
    kinds = {relation.kind for relation in train.relations}
    return {kind: loss for kind, loss in losses.items() if kind in kinds}


class Progress:
    """The callback of all fits of a stacked ensemble: it numbers them, and remembers that the user has stopped."""

    def __init__(self, callback: Callback | None, total: int):
        self.stopped, self.start = False, time.perf_counter()
        self.stage = Stage("component", number=0, total=total)
        self._callback = callback

    def begin(self, name: str, kind: StageKind = "component") -> None:
        """Begin the next fit of a component, on a validation split or (component) on all entries."""
        number = (self.stage.number or 0) + 1
        self.stage = replace(self.stage, kind=kind, option=name, number=number)

    def __call__(self, iteration: Iteration) -> bool:
        """Report an iteration of the current fit; whether to stop."""
        if not self.stopped and self._callback is not None:
            # Of a search the stage has λ, which the user sees.
            stage = replace(self.stage, kind="search", lam=iteration.stage.lam) if iteration.stage.lam else self.stage
            self.stopped = bool(self._callback(replace(iteration, stage=stage, score=None)))
        return self.stopped


@dataclass(frozen=True)
class Candidate:
    """A component with its λ and its held-out predictions.

    Attributes:
        name: such as "MrWTD-L".
        method: unfitted, at the λ of its search.
        predictions: of each split: x of binary relations, φ(x) of others. None if the user stopped before.
        fitted: the best fit of the search, for users who stop; None if there is none.
    """

    name: str
    method: Method
    predictions: tuple[Array, ...] | None
    fitted: Method | None


def evaluate_candidate(
    name: str, method: Method, train: RelationalData, splits: Sequence[ValidationSplit], progress: Progress
) -> Candidate:
    """Search λ of a component if it has one, and predict the held-out entries of the usable splits."""
    params, predictions = method.get_params(), list[Array]()
    fitted: Method | None = None
    try:
        if isinstance(method, MrWTD) and params["lam"] == "auto":
            progress.begin(name)
            fitted = single = MrWTD(**{**params, "ensemble": 1})
            single.begin(train)
            result = search([single._trial(split, progress) for split in splits], Scorer(splits, params["seed"]))
            result.best.store()
            single.lam_path_ = result.path
            params["lam"] = result.lam
        smaller: dict[str, float] = {}
        if isinstance(method, MrWTD):
            smaller = {"ensemble": min(params["ensemble"], HELD_OUT_MEMBERS), "tol": HELD_OUT_TOL}
        usable = [split for split in splits if split.is_usable]
        for split in usable:
            if progress.stopped:
                break
            progress.begin(name, "held-out")
            model = type(method)(**{**params, **smaller}).fit(split.fitted, progress)
            fitted = fitted or model
            predictions.append(model._scored_values(split.held))
    except Cancelled:
        progress.stopped = True
        if fitted is None or not hasattr(fitted, "trace_"):
            raise
    complete = tuple(predictions) if len(predictions) == len(usable) and not progress.stopped else None
    return Candidate(name, type(method)(**params), complete, fitted)
