"""What the worker process of a training does: fit the methods, report progress, and write the run."""

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ...analysis.interpretation import format_number
from ...bayesian.sampler import Sampler
from ...data.relational import RelationalData
from ...errors import DataError
from ...hosting.worker import cancelled, send_message
from ...model.cancellation import Cancelled, cancel_when
from ...model.cost import FITS_OF_A_SEARCH
from ...model.lambda_grid import GRID
from ...model.method import Method
from ...model.progress import Iteration, Stage
from ...model.regularized import RegularizedMethod
from ...runs import Fit, Hooks, Run, RunSpec, execute, write_run
from ...stacking.mrwtd_e import MrWTDE

log = logging.getLogger(__name__)

REPORT_SECONDS = 0.1
"""The least time between two reports of a fit."""

WATCHED = 20_000
"""The largest number of held-out entries that are scored at each iteration."""


@dataclass
class FitProgress:
    """Progress of the fit of one method.

    Attributes:
        method: its label.
        state: "waiting", "running", "done", "stopped" or "failed".
        stage: its current stage, None before the first iteration.
        progress: estimated progress, between 0 and 1.
        objective, score: values by iteration of the final fit.
        seconds: time taken so far.
        error: the reason of a failure.
    """

    method: str
    state: str = "waiting"
    stage: Stage | None = None
    progress: float = 0.0
    objective: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    seconds: float = 0.0
    error: Exception | None = None


@dataclass(frozen=True)
class TrainingProgress:
    """The progress of a training: between 0 and 1, in words, and for each method."""

    progress: float
    status: str
    fits: list[FitProgress]


def fit_run(
    spec: RunSpec, data: RelationalData, costs: Sequence[float], folder: Path | None
) -> tuple[Run | None, list[FitProgress]]:
    """Execute a run and write it to a folder; None if no method could be fitted.

    If the folder cannot be written, the run that is returned has its models in memory.
    """
    hooks = _Training([method.label for method in spec.methods], costs)
    try:
        with cancel_when(lambda: bool(cancelled())):
            run = execute(spec, data, hooks)
    except Cancelled:
        return None, hooks.fits
    if not run.methods:
        return None, hooks.fits
    try:
        return run if folder is None else write_run(folder, run), hooks.fits
    except OSError as error:
        log.warning("A run cannot be written: %s", error)
        return run, hooks.fits


class _Training(Hooks):
    """Reports the progress of a run to the server."""

    max_watched = WATCHED
    snapshots = True

    def __init__(self, methods: Sequence[str], costs: Sequence[float]):
        self._fits = {method: FitProgress(method) for method in methods}
        fractions = np.array(costs) / sum(costs)
        self._parts = dict(zip(methods, zip(np.cumsum(fractions) - fractions, fractions, strict=True), strict=True))
        self._model: Method | None = None
        self._started, self._stages = 0.0, list[Stage]()
        self._sent = self._progress = 0.0

    @property
    def fits(self) -> list[FitProgress]:
        """The progress of each fit."""
        return list(self._fits.values())

    def start(self, label: str, model: Method) -> None:
        self._fits[label].state = "running"
        self._model, self._started, self._stages = model, time.perf_counter(), []
        self._send(float(self._parts[label][0]), f"{label}: starting")

    def iteration(self, label: str, step: Iteration) -> bool:
        assert self._model is not None
        fit, (before, fraction) = self._fits[label], self._parts[label]
        if step.stage not in self._stages:
            self._stages.append(step.stage)
        fit.stage, fit.seconds = step.stage, time.perf_counter() - self._started
        if step.stage.is_final:
            fit.objective.append(step.objective)
            if step.score is not None:
                fit.score.append(step.score)
        fit.progress = max(fit.progress, _fit_progress(step, self._stages, self._model))
        status = f"{label}: {step.stage}, iteration {step.number}, objective {format_number(step.objective)}"
        if time.monotonic() - self._sent >= REPORT_SECONDS:
            self._send(float(before + fraction * fit.progress), status)
        return self.cancelled()

    def fitted(self, fit: Fit) -> None:
        progress, (before, fraction) = self._fits[fit.label], self._parts[fit.label]
        progress.state, progress.error = fit.state, fit.error
        if fit.error is not None and not isinstance(fit.error, DataError):
            log.warning("%s failed", fit.label, exc_info=fit.error)
            progress.error = RuntimeError(f"{type(fit.error).__name__}: {fit.error}")  # can be sent in any case
        if fit.model is not None:
            progress.progress, progress.seconds = 1.0, fit.seconds
            self._send(float(before + fraction), fit.label)

    def _send(self, progress: float, status: str) -> None:
        self._sent = time.monotonic()
        self._progress = max(self._progress, progress)  # the sums of fractions are rounded
        send_message(TrainingProgress(self._progress, status, self.fits))

    def cancelled(self) -> bool:
        return bool(cancelled())

    def final_state(self) -> str:
        return cancelled() or "finished"


def _fit_progress(step: Iteration, stages: list[Stage], model: Method) -> float:
    """Estimated progress of a fit: by steps in the search, then by iterations, which are mostly fewer than allowed."""
    if isinstance(model, Sampler):
        return step.number / model.sweeps if step.stage.kind == "sampling" else 0.0
    if isinstance(model, MrWTDE):
        return 1.0 if step.stage.is_final else ((step.stage.number or 1) - 1) / (step.stage.total or 1)
    most = float(getattr(model, "max_iter", 100))
    within = 1 - math.exp(-3 * step.number / most)
    refits = float(getattr(model, "ensemble", 1))
    search = float(model.fits_of_search()) if isinstance(model, RegularizedMethod) else 0.0
    fits = 1 + (refits if refits > 1 else 0)
    if step.stage.kind in ("fit", "refit"):
        turn = sum(stage.kind in ("fit", "refit") for stage in stages)
        return (search + turn - 1 + within) / (search + fits)
    searches = search / FITS_OF_A_SEARCH  # one for each option of a parameter that is searched with λ
    return search * min((len(stages) - 1 + within) / max(searches * len(GRID), 1.0), 1.0) / (search + fits)
