"""Settings into a run: split, fit each method, score, keep. No Streamlit in it.

The same steps as a few lines of Python or of the command line, which `recipes` writes out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..baselines import METHODS, make_method
from ..baselines.sampling import Sampler
from ..data.observed import observed
from ..data.relational import RelationalData
from ..data.splitting import sample
from ..errors import DataError, Problem
from ..evaluation import evaluate
from ..evaluation.evaluate import summarize_scores
from ..metrics import selection_metric
from ..model import MrWTD
from ..model.cost import FITS_OF_A_SEARCH, Size
from ..model.diagnostics import Diagnostic
from ..model.lambda_grid import GRID
from ..model.method import Method
from ..model.solver import Iteration
from ..model.stopping import Stopped
from ..runs import Run, Workspace
from .jobs import Job
from .settings import Settings
from .words import joined, number

SNAPSHOTS = 40
SNAPSHOT_NUMBERS = 4_000_000
"""Snapshots together hold at most so many numbers: 32 MB."""

WATCHED = 20_000
"""At most this many held-out entries are scored at each iteration."""

SCORED = 500_000
"""A cancelled training is scored on a sample of at most this many test entries: who cancels does not want to wait."""


@dataclass
class Fit:
    """How far the fit of one method is.

    Attributes:
        method: its label.
        state: "waiting", "running", "done", "stopped" or "failed".
        stage: what it does now, such as "λ = 3.16" or "fit".
        share: how much of it is done, as far as can be told.
        objective, score: by iteration of the final fit.
        seconds: how long it has taken.
        error: why it failed.
    """

    method: str
    state: str = "waiting"
    stage: str = ""
    share: float = 0.0
    objective: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    seconds: float = 0.0
    error: DataError | None = None


def parameters(method: str, settings: Settings, data: RelationalData) -> dict[str, Any]:
    """What a method is made with: rank, λ and seed for all, losses, weights and the rest where it takes them.

    >>> import mrwtd
    >>> parameters("RESCAL", Settings("florentine", rank=3), mrwtd.load_dataset("florentine"))
    {'rank': 3, 'lam': 'auto', 'seed': 0}
    """
    takes = METHODS[method].parameter_names()
    found: dict[str, Any] = {"rank": settings.rank, "lam": settings.lam, "seed": settings.seed}
    if method != "MrWTD":  # its variants and the baselines are what their names say, whatever is chosen for ours
        return found
    names = {relation.name for relation in data.relations}
    own = {
        "loss": {name: loss for name, loss in settings.loss.items() if name in names},
        "positive_weight": {name: weight for name, weight in settings.weight.items() if name in names},
        "start": "" if settings.start == "spectral" else settings.start,
        "ensemble": 0 if settings.ensemble == 1 else settings.ensemble,
    }
    return found | {name: value for name, value in own.items() if value and name in takes}


def check(settings: Settings, data: RelationalData) -> None:
    """Refuse a training of which no method can be fitted, before it waits for its turn.

    >>> import mrwtd
    >>> check(Settings("florentine", rank=80, methods=("BTF",)), mrwtd.load_dataset("florentine"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: BTF: found rank = 80, where each relation is a system of 3,240 unknowns; expected ...
    """
    refused: list[Problem] = []
    for method in settings.methods:
        try:
            make_method(method, **parameters(method, settings, data)).check(data)
        except DataError as error:
            refused += [replace(one, where=method) for one in error.problems]
        else:
            return
    raise DataError(refused)


def train(
    settings: Settings, data: RelationalData, title: str, space: Workspace, name: str = ""
) -> Callable[[Job], Run | None]:
    """The work of a job that trains: it fits every method, and keeps what came out in the workspace."""

    def work(job: Job) -> Run | None:
        fits = [Fit(method) for method in settings.methods]
        job.detail = fits
        began = time.perf_counter()
        part, test = data.split(train=settings.train, seed=settings.seed, by=settings.by)
        size = Size.of(part)
        watched, tested = sample(test, WATCHED, settings.seed), observed(test)
        models: dict[str, Method] = {}
        scores: dict[str, pd.DataFrame] = {}
        costs = np.array(
            [make_method(fit.method, **parameters(fit.method, settings, data)).cost(size).seconds for fit in fits]
        )
        ends = np.cumsum(costs) / costs.sum()
        for fit, end, share in zip(fits, ends.tolist(), (costs / costs.sum()).tolist(), strict=True):
            if job.cancelled:
                fit.state = "stopped"
                continue
            model = _fit(fit, settings, part, watched, job, end - share, share)
            if model is not None:
                models[fit.method] = model
                if not job.cancelled:
                    scores[fit.method] = _scores(fit, model, tested)
        if not models:
            if job.cancelled:
                return None
            raise DataError([replace(one, where=fit.method) for fit in fits if fit.error for one in fit.error.problems])
        part_scored = sample(tested, SCORED, settings.seed) if job.cancelled else tested
        for fit in fits:  # all methods on the same entries, or their scores could not be compared
            if fit.method in models and (part_scored is not tested or fit.method not in scores):
                scores[fit.method] = _scores(fit, models[fit.method], part_scored)
        missed = [fit.method for fit in fits if fit.state == "stopped" and fit.method not in models]
        if missed:
            next(iter(models.values())).diagnostics_ += (Diagnostic("methods_skipped", values={"methods": missed}),)
        failures = [
            {
                "method": fit.method, "metric": "", "reason": str(fit.error),
                "largest_rank": getattr(fit.error, "largest_rank", None),
            }
            for fit in fits if fit.error is not None
        ]  # fmt: skip
        tables = [scores[method].assign(test_entries=len(tested)) for method in models]
        table = pd.concat([*tables, *([pd.DataFrame(failures)] if failures else [])], ignore_index=True)
        job.status = "keeping the run"
        return space.keep(
            models, table,
            id=job.id, name=name or name_of(settings), title=title, settings=settings.asked(), digest=data.digest(),
            seconds=time.perf_counter() - began, state=job.ending(), summary=summarize_scores(table),
        )  # fmt: skip

    return work


def sampled(scores: pd.DataFrame) -> tuple[int, int] | None:
    """How many test entries the scores of a run are of, and how many there are, where these are not the same.

    >>> rows = pd.DataFrame({"method": "CP", "relation": ["likes", "knows"], "entries": [20, 30], "test_entries": 400})
    >>> sampled(rows), sampled(rows.assign(test_entries=50))
    ((50, 400), None)
    """
    if "test_entries" not in scores:
        return None  # a run of an older version
    rows = scores.dropna(subset=["entries", "test_entries"])
    if rows.empty:
        return None
    first = rows[rows["method"] == rows["method"].iloc[0]].drop_duplicates("relation")
    scored, tested = int(first["entries"].sum()), int(first["test_entries"].iloc[0])
    return (scored, tested) if scored < tested else None


def sample_note(scores: pd.DataFrame) -> str:
    """A sentence where the scores of a run are of a sample of its test entries, else nothing.

    >>> sample_note(pd.DataFrame({"method": "CP", "relation": ["likes"], "entries": [20], "test_entries": 4000}))
    'Stopped before its end: the scores are of 20 of its 4,000 test entries, a random sample.'
    """
    counts = sampled(scores)
    if counts is None:
        return ""
    scored, tested = counts
    return f"Stopped before its end: the scores are of {scored:,} of its {tested:,} test entries, a random sample."


def score_of(data: RelationalData) -> str:
    """The label of the score that fits to this data are watched by: see `metrics.selection_score`.

    >>> import mrwtd
    >>> score_of(mrwtd.load_dataset("florentine")), score_of(mrwtd.load_dataset("airports"))
    ('AUPRC', 'score')
    """
    labels = {selection_metric(relation.kind).label for relation in data.relations}
    return labels.pop() if len(labels) == 1 else "score"


def score_means(data: RelationalData) -> str:
    """What that score is, in words.

    >>> import mrwtd
    >>> score_means(mrwtd.load_dataset("florentine"))
    'the mean AUPRC: 1 is perfect'
    """
    kinds = dict.fromkeys(relation.kind for relation in data.relations)
    if len(kinds) == 1:
        return f"the mean {score_of(data)}: 1 is perfect"
    each = joined(f"{selection_metric(kind).label} for {kind} relations" for kind in kinds)
    return f"{each}, in one mean: 1 is perfect"


def scored(scores: Iterable[float]) -> list[float]:
    """Scores by iteration, or none where they have no meaning, as of held-out entries that are all alike.

    >>> scored([0.1, 0.2]), scored([math.nan, math.nan])
    ([0.1, 0.2], [])
    """
    found = [float(score) for score in scores]
    return [] if all(map(math.isnan, found)) else found


def name_of(settings: Settings) -> str:
    """What a run is called until its visitor says otherwise: what tells it from others, as far as it is not the usual.

    >>> name_of(Settings("aucs")), name_of(Settings("aucs", lam=1.0, seed=3, loss={"work": "quadratic"}))
    ('30% · rank 10 · λ auto', '30% · rank 10 · λ 1 · seed 3 · work quadratic')
    """
    usual = Settings(settings.data)
    parts = {
        "": f"{settings.train:.0%} · rank {settings.rank} · λ {_said(settings.lam)}",
        "seed": f"seed {settings.seed}",
        "by": f"by {settings.by}",
        "start": f"start {settings.start}",
        "ensemble": f"ensemble {settings.ensemble}",
        "loss": _first(f"{name} {loss}" for name, loss in settings.loss.items()),
        "weight": _first(f"{name} × {_said(weight)}" for name, weight in settings.weight.items()),
        "methods": _first(settings.methods),
    }
    return " · ".join(text for name, text in parts.items() if not name or settings.get(name) != usual.get(name))


def _said(number: float | str) -> str:
    return number if isinstance(number, str) else f"{number:g}"


def _first(texts: Iterable[str]) -> str:
    first, *more = [*texts, ""]
    return f"{first} and {len(more) - 1} more" if len(more) > 1 else first


def _fit(
    fit: Fit, settings: Settings, part: RelationalData, watched: RelationalData, job: Job, before: float, share: float
) -> Method | None:
    """One method, fitted; None where it fails, with the reason in `fit`."""
    model = make_method(fit.method, **parameters(fit.method, settings, part))
    if isinstance(model, MrWTD) and fit.method == settings.methods[0]:
        numbers = part.n_objects * settings.rank + part.n_relations * settings.rank**2
        model.set_params(snapshots=int(np.clip(SNAPSHOT_NUMBERS // numbers, 0, SNAPSHOTS)))
    fit.state, began = "running", time.perf_counter()
    searches = getattr(model, "lam", None) == "auto"
    stages: list[str] = []

    def see(seen: Iteration) -> bool:
        if seen.stage not in stages:
            stages.append(seen.stage)
        fit.stage, fit.seconds = seen.stage, time.perf_counter() - began
        if seen.stage in ("fit", "Gibbs"):
            fit.objective.append(seen.objective)
            if seen.score is not None:
                fit.score.append(seen.score)
        fit.share = max(fit.share, _share(seen, stages, searches, model))
        stage = "sampling" if seen.stage == "Gibbs" else seen.stage
        status = f"{fit.method}: {stage}, iteration {seen.number}, objective {number(seen.objective)}"
        return job.report(before + share * fit.share, status)

    try:
        model.fit(part, callback=see, held_out=watched)
    except Stopped:
        fit.state = "stopped"
        return None
    except DataError as error:
        fit.state, fit.error = "failed", error
        return None
    fit.state, fit.share = "stopped" if job.cancelled else "done", 1.0
    fit.seconds = time.perf_counter() - began - model.watched_  # which is the page's doing, not the method's
    job.progress = before + share
    return model


def _share(seen: Iteration, stages: list[str], searches: bool, model: Method) -> float:
    """How far a fit is: in the search by its steps, then by iterations, which are mostly fewer than allowed."""
    if isinstance(model, Sampler):
        return seen.number / model.sweeps if seen.stage == "Gibbs" else 0.0
    most = float(getattr(model, "max_iter", 100))
    within = 1 - math.exp(-3 * seen.number / most)
    refits = float(getattr(model, "ensemble", 1))
    search, fits = float(FITS_OF_A_SEARCH) if searches else 0.0, 1 + (refits if refits > 1 else 0)
    if seen.stage.startswith(("fit", "refit")):
        turn = sum(stage.startswith(("fit", "refit")) for stage in stages)
        return (search + turn - 1 + within) / (search + fits)
    return search * min((len(stages) - 1 + within) / len(GRID), 1.0) / (search + fits)


def _scores(fit: Fit, model: Method, test: RelationalData) -> pd.DataFrame:
    rows = evaluate(model, test)
    rows.insert(0, "method", fit.method)
    return rows.assign(lam=getattr(model, "lam_", np.nan), seconds=fit.seconds, messages=" ".join(model.messages_))
