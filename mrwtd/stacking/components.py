"""The components of a stacked ensemble, and their predictions for held-out training entries.

Components are ensembles of MrWTD, one for each loss that suits the data, MrWTD-B, BPTF and Degree; in small data also
BTF; and for relations that are not binary their mean or median. All are fitted to the same validation splits, which are
among those on which λ is searched.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ..baselines.heuristics import Degree
from ..bayesian.bptf import BPTF
from ..bayesian.btf import BTF
from ..bayesian.mrwtd_b import MrWTDB
from ..bayesian.sampler import Sampler
from ..data.relational import RelationalData
from ..errors import DataError
from ..model.cancellation import Cancelled
from ..model.lambda_search import MORE_ITERATIONS, search
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..model.parameters import losses_of
from ..model.progress import Callback, Iteration, Stage, StageKind
from ..model.validation_splits import FOLDS, TINY, Scorer, ValidationSplit
from ..typing import Array
from .constant import Constant

SAMPLERS: tuple[type[Sampler], ...] = (MrWTDB, BPTF, BTF)
"""BPTF has another model, and so other errors: it improves the mean even where it is behind."""

OTHERS: tuple[type[Method], ...] = (Degree, Constant)
"""What is best where there are too few entries to learn factors."""

PRIOR: Mapping[str, float] = {MrWTDB.name: 2.0, Degree.name: 0.5}
"""How much each component counts before anything is known; 1 if it is not listed."""

LOSSES_OF: Mapping[str, Mapping[str, str]] = {
    "MrWTD-L": {"binary": "logistic"},
    "MrWTD-H": {"binary": "smooth-hinge", "real": "huber", "count": "huber"},
    "MrWTD-Q": {"binary": "quadratic", "ordinal": "quadratic", "count": "quadratic", "real": "quadratic"},
}
"""The loss of each kind in each component; the default of its kind where there is none."""

HELD_OUT_TOL = 5e-4
"""The tolerance of the refits of an ensemble that is fitted to a validation split."""


def n_predicted(n_entries: int) -> int:
    """The number of validation splits whose held-out entries determine the weights.

    λ is searched on more of them in middle-sized data, but a fit of all components to another split takes long.

    >>> n_predicted(1_000), n_predicted(10_000)
    (4, 1)
    """
    return FOLDS if n_entries < TINY else 1


def samplers_for(n_entries: int) -> tuple[type[Sampler], ...]:
    """The samplers that are components of data with this many training entries.

    With many entries, BTF takes as long as MrWTD-B, and is close to the ensemble with quadratic loss.
    """
    return SAMPLERS if n_entries < TINY else tuple(sampler for sampler in SAMPLERS if sampler is not BTF)


def prior_weights(names: Sequence[str], kind: str) -> Array:
    """The weights of components for relations of a kind of which nothing is known.

    >>> prior_weights(["MrWTD-L", "MrWTD-B", "Constant"], "binary").round(2)
    array([0.33, 0.67, 0.  ])
    """
    constant = 0.0 if kind == "binary" else 1.0  # it does not rank
    weights = np.array([constant if name == Constant.name else PRIOR.get(name, 1.0) for name in names])
    return np.asarray(weights / weights.sum() if weights.any() else np.full(len(names), 1 / len(names)))


def candidates(train: RelationalData, ensemble: Method) -> dict[str, Method]:
    """The unfitted components that suit the data, by name: no two of them with the same losses.

    >>> import mrwtd
    >>> from mrwtd.stacking.mrwtd_e import MrWTDE
    >>> list(candidates(mrwtd.load_dataset("florentine"), MrWTDE(rank=2)))
    ['MrWTD-L', 'MrWTD-H', 'MrWTD-Q', 'MrWTD-B', 'BPTF', 'BTF', 'Degree']
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
    for sampler in samplers_for(len(train)):
        method = sampler(sweeps=params["sweeps"], burn_in=params["burn_in"], **shared)
        with suppress(DataError):  # of a rank that is too high for it
            method.check(train)
            methods[sampler.name] = method
    methods |= {other.name: other(**shared) for other in OTHERS}
    if all(relation.kind == "binary" for relation in train.relations):
        del methods[Constant.name]
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
    name: str,
    method: Method,
    train: RelationalData,
    splits: Sequence[ValidationSplit],
    predicted: Sequence[ValidationSplit],
    progress: Progress,
) -> Candidate:
    """Search λ of a component on splits if it has one, and predict the held-out entries of some of them."""
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
            params["lam"], params["max_iter"] = result.lam, MORE_ITERATIONS * params["max_iter"]
        coarser: dict[str, float] = {}
        if isinstance(method, MrWTD):
            coarser = {"tol": HELD_OUT_TOL}
        for split in predicted:
            if progress.stopped:
                break
            progress.begin(name, "held-out")
            model = type(method)(**{**params, **coarser}).fit(split.fitted, progress)
            fitted = fitted or model
            predictions.append(model._scored_values(split.held))
    except Cancelled:
        progress.stopped = True
        if fitted is None or not hasattr(fitted, "trace_"):
            raise
    complete = tuple(predictions) if len(predictions) == len(predicted) and not progress.stopped else None
    return Candidate(name, type(method)(**params), complete, fitted)
