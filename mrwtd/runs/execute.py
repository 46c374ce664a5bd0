"""`execute`: split, fit each method and score it. It turns a `RunSpec` into a `Run` for all callers."""

import time
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..baselines import make_method
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..data.splitting import sample_entries
from ..errors import DataError
from ..evaluation.evaluate import COLUMNS, evaluate, summarize_scores
from ..model import MrWTD
from ..model.cancellation import Cancelled
from ..model.diagnostics import Diagnostic, without_warnings
from ..model.method import Method
from ..model.progress import Iteration
from .run import Memory, Run
from .spec import MethodSpec, RunSpec

SNAPSHOTS, SNAPSHOT_NUMBERS = 40, 4_000_000
"""The largest number of snapshots of a fit, and of the numbers in all of them: 32 MB."""

WARM_RANKS = range(1, 1001)


@dataclass
class Fit:
    """The fit of one method.

    Attributes:
        label: the method's name in the results.
        state: "done", "stopped" or "failed".
        model: the fitted method; None if it failed, or was stopped before its first iteration.
        scores: the rows of `mrwtd.evaluate`; None if it was not tested.
        seconds: the duration of the fit, without the scoring of watched entries.
        error: the error of a failed fit.
    """

    label: str
    state: str = "stopped"
    model: Method | None = None
    scores: pd.DataFrame | None = None
    seconds: float = np.nan
    error: Exception | None = None


class Hooks:
    """Callbacks of a run. A subclass overrides those it needs.

    Attributes:
        max_watched: at most this many test entries are scored at each iteration, for the trace.
        snapshots: whether the first method takes snapshots, if it is a MrWTD.
        max_scored: a cancelled run is scored on a sample of at most this many test entries, to be quick.
    """

    max_watched = 0
    snapshots = False
    max_scored = 500_000

    def split(self, train: RelationalData, test: RelationalData) -> None:
        """Called after the split; if nothing is held out, the test part is empty."""

    def start(self, label: str, model: Method) -> None:
        """Called at the start of a fit."""

    def iteration(self, label: str, step: Iteration) -> object:
        """Called at each iteration of a fit; True stops the fit, and the best result so far is used."""

    def fitted(self, fit: Fit) -> None:
        """Called when a fit has ended, or is skipped because the run is cancelled; scores come later."""

    def cancelled(self) -> bool:
        """Whether the run should stop; checked between fits."""
        return False

    def final_state(self) -> str:
        """The final state of the run: one of `STATES`."""
        return "stopped" if self.cancelled() else "finished"


def execute(spec: RunSpec, data: RelationalData, hooks: Hooks | None = None) -> Run:
    """Split the data, fit every method, and score them on the test entries.

    A failed method has one row of scores with the reason, and the others continue. A cancelled run has the fits up to
    then, including the best so far of the stopped one, and its `state` is "stopped". If nothing is held out, scores are
    NaN, with the reason.

    >>> import mrwtd
    >>> from mrwtd.runs import DataRef, MethodSpec, RunSpec, SplitSpec
    >>> spec = RunSpec(DataRef("florentine", sample=True), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> run = execute(spec, mrwtd.load_dataset("florentine"))
    >>> run.state, run.methods, run.scores["relation"].unique().tolist()
    ('finished', ('CP',), ['business', 'marriage'])
    """
    hooks, began = hooks or Hooks(), time.perf_counter()
    # One thread for linear algebra, here and in every worker, so that sums are rounded in the same way.
    with threadpool_limits(1), without_warnings():
        train, test = spec.split.parts(data)
        hooks.split(train, test)
        fitted = spec.split.fitted_entries(data, train)
        watched = sample_entries(test, hooks.max_watched, spec.split.seed) if len(test) and hooks.max_watched else None
        tested = test.observed()
        fits = []
        for number, method in enumerate(spec.methods):
            fit = Fit(method.label)
            if not hooks.cancelled():
                _fit(fit, method, fitted, watched, hooks, snapshots=hooks.snapshots and number == 0)
            hooks.fitted(fit)
            if not hooks.cancelled():
                _score(fit, tested)
            fits.append(fit)
        if hooks.cancelled():
            part = sample_entries(tested, hooks.max_scored, spec.split.seed)
            for fit in fits:  # all methods on the same entries, so that their scores can be compared
                if part is not tested or fit.scores is None:
                    _score(fit, part)
    models = {fit.label: fit.model for fit in fits if fit.model is not None}
    skipped = [fit.label for fit in fits if fit.state == "stopped" and fit.model is None]
    if skipped and models:
        next(iter(models.values())).diagnostics_ += (Diagnostic("methods_skipped", values={"methods": skipped}),)
    scores = _table(fits, len(tested))
    return Run(
        spec=spec, state=hooks.final_state(), seconds=time.perf_counter() - began, methods=tuple(models),
        summary=summarize_scores(scores), memory=Memory(models, scores),
    )  # fmt: skip


def _fit(
    fit: Fit, method: MethodSpec, train: RelationalData, watched: RelationalData | None, hooks: Hooks, snapshots: bool
) -> None:
    try:
        model = make_method(method.method, **method.parameters)
        if snapshots and isinstance(model, MrWTD):
            r = model.rank_for(train.n_objects)
            numbers = train.n_objects * r + train.n_relations * r**2
            model.set_params(snapshots=int(np.clip(SNAPSHOT_NUMBERS // numbers, 0, SNAPSHOTS)))
        hooks.start(fit.label, model)
        rank = method.parameters.get("rank")
        warm_up(rank if isinstance(rank, int) and rank in WARM_RANKS else 10)
        callback = None if type(hooks).iteration is Hooks.iteration else partial(hooks.iteration, fit.label)
        began = time.perf_counter()
        model.fit(train, callback, watched)
    except Cancelled:
        return
    except Exception as error:  # the other methods continue, and a row gives the reason
        _fail(fit, error)
        return
    fit.seconds = time.perf_counter() - began - model.watched_  # scoring watched entries is not part of the fit
    fit.model, fit.state = model, "stopped" if hooks.cancelled() else "done"


def _score(fit: Fit, test: RelationalData) -> None:
    if fit.model is None:
        return
    try:
        fit.scores = evaluate(fit.model, test)
    except Cancelled:
        raise
    except Exception as error:
        _fail(fit, error)


def _fail(fit: Fit, error: Exception) -> None:
    fit.state, fit.model, fit.scores, fit.error = "failed", None, None, error


def _table(fits: list[Fit], test_entries: int) -> pd.DataFrame:
    """The scores of all methods, with one row and the reason for each failed method."""
    tables = []
    for fit in fits:
        if fit.error is not None:
            rows = failure_row(fit.error).assign(largest_rank=getattr(fit.error, "largest_rank", None))
        elif fit.model is not None and fit.scores is not None:
            rows = fit.scores.assign(
                lam=getattr(fit.model, "lam_", np.nan), seconds=fit.seconds, evaluations=evaluations(fit.model),
                messages=" ".join(fit.model.messages_), test_entries=test_entries,
            )  # fmt: skip
        else:
            continue
        rows.insert(0, "method", fit.label)
        tables.append(rows)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["method", *COLUMNS])


def failure_row(error: BaseException) -> pd.DataFrame:
    """The row of a failed method: no metric, and the reason.

    >>> from mrwtd.errors import Problem
    >>> failure_row(DataError(Problem("a", "b")))["reason"].item()
    'found a; expected b'
    """
    text = " ".join(str(error).split())
    reason = text if isinstance(error, DataError) else f"{type(error).__name__}: {text}".rstrip(": ")
    row: dict[str, Any] = dict.fromkeys(COLUMNS, "") | {"reason": reason}
    numbers = {name: np.nan if kind == "float64" else None for name, kind in COLUMNS.items() if kind != "str"}
    return pd.DataFrame([row | numbers]).astype(COLUMNS)


def evaluations(model: Method) -> int:
    """The number of evaluations or sweeps of a fit, including the search for λ and the rank.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> evaluations(mrwtd.MrWTD(rank=2).fit(data)) > evaluations(mrwtd.MrWTD(rank=2, lam=1.0).fit(data)) > 0
    True
    """
    final = getattr(model, "evaluations_", len(model.trace_))
    path = getattr(model, "lam_path_", None) if (ranks := getattr(model, "rank_path_", None)) is None else ranks
    searched = 0 if path is None or "evaluations" not in path else int(path["evaluations"].sum())
    return int(final) + searched


@cache
def warm_up(rank: int) -> None:
    """Load the compiled code before the clock starts; otherwise the first fit of a process seems slow."""
    tiny = RelationalData(["a", "b"], [Relation("r", "binary", True)], [0], [1], [0], [1.0])
    MrWTD(rank=rank, lam=1.0, max_iter=1).fit(tiny)
