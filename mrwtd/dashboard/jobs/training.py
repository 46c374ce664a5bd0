"""Settings into a run and back: the spec, the work of a job that trains, and names for people. No Streamlit in it."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ...analysis.interpretation import format_number
from ...baselines import METHODS, make_method
from ...bayesian.sampler import Sampler
from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...metrics import selection_metric
from ...model.cost import FITS_OF_A_SEARCH, Size
from ...model.lambda_grid import GRID
from ...model.method import Method
from ...model.parameters import COMMON
from ...model.progress import Iteration, Stage
from ...runs import DataRef, Fit, Hooks, MethodSpec, Run, RunSpec, SplitSpec, Workspace, execute, sampled_entries
from ..state.settings import DEFAULTS, PARAMETERS, PER_RELATION, UPLOAD_PREFIX, Settings
from ..widgets.formatting import join_names
from . import Job

log = logging.getLogger(__name__)

WATCHED = 20_000
"""At most this many held-out entries are scored at each iteration."""


@dataclass
class FitProgress:
    """How far the fit of one method is.

    Attributes:
        method: its label.
        state: "waiting", "running", "done", "stopped" or "failed".
        stage: its current stage, None before the first iteration.
        progress: how much of it is done, by estimate.
        objective, score: by iteration of the final fit.
        seconds: how long it has taken.
        error: why it failed.
    """

    method: str
    state: str = "waiting"
    stage: Stage | None = None
    progress: float = 0.0
    objective: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    seconds: float = 0.0
    error: Exception | None = None


def parameters(method: str, settings: Settings, data: RelationalData) -> dict[str, Any]:
    """What a method is made with: rank, λ and seed for all, losses, weights and the rest where it takes them.

    >>> import mrwtd
    >>> parameters("RESCAL", Settings("florentine", rank=3), mrwtd.load_dataset("florentine"))
    {'rank': 3, 'lam': 'auto', 'seed': 0}
    """
    settings = settings.resolved(data.n_objects)
    relations = {relation.name for relation in data.relations}
    chosen: dict[str, Any] = {}
    for name, parameter in METHODS[method].all_parameters().items():
        if not (parameter.offered and parameter.key in DEFAULTS):
            continue
        value = settings.get(parameter.key)
        if name in COMMON:
            chosen[name] = value
        elif method == "MrWTD" and value != DEFAULTS[parameter.key]:
            # Its variants and the baselines are what their names say, whatever is chosen for ours.
            of_some = isinstance(value, Mapping)
            chosen[name] = {one: value[one] for one in value if one in relations} if of_some else value
    return chosen


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


def spec_of(
    settings: Settings, data: RelationalData, title: str = "", about: Mapping[str, Any] | None = None
) -> RunSpec:
    """The run that these settings ask for; `about` says what is known of an uploaded data set.

    >>> import mrwtd
    >>> spec = spec_of(Settings("florentine", rank=3, methods=("RESCAL",)), mrwtd.load_dataset("florentine"))
    >>> spec.split.train, spec.methods
    (0.8, (MethodSpec(label='RESCAL', method='RESCAL', parameters={'rank': 3, 'lam': 'auto', 'seed': 0}),))
    """
    uploaded, about = settings.data.startswith(UPLOAD_PREFIX), about or {}
    name, how = about.get("file", settings.data), about.get("how", {})
    return RunSpec(
        DataRef(name, title, data.digest(), sample=not uploaded, options=how),
        SplitSpec(settings.train, settings.seed, settings.by),
        tuple(MethodSpec(method, method, parameters(method, settings, data)) for method in settings.methods),
    )


def dataset_name(spec: RunSpec) -> str:
    """What the dashboard calls the data of a run: a sample by its name, other data by its digest.

    >>> dataset_name(RunSpec(DataRef("ties.csv", digest="4f2a"), SplitSpec(0.5), ()))
    'own-4f2a'
    """
    return spec.data.name if spec.data.plain_sample else UPLOAD_PREFIX + spec.data.digest


def settings_of(spec: RunSpec, relations: Sequence[str] = ()) -> Settings:
    """The settings that ask for a run, as far as the dashboard has them. They are not checked: see `from_query`.

    `relations` are those of the data: a loss or a weight for all of them is one for each.

    >>> import mrwtd
    >>> settings = Settings("florentine", rank=3, seed=2, methods=("MrWTD", "CP"), weight={"marriage": 2.0})
    >>> settings_of(spec_of(settings, mrwtd.load_dataset("florentine"))) == settings
    True
    """
    chosen: dict[str, Any] = {}
    for method in reversed(spec.methods):
        chosen |= {name: method.parameters[name] for name in COMMON if name in method.parameters}
    ours = next((method.parameters for method in spec.methods if method.method == "MrWTD"), {})
    chosen |= {key: ours[parameter.name] for key, parameter in PARAMETERS.items() if parameter.name in ours}
    for key, parameter in PER_RELATION.items():
        value = ours.get(parameter.name, {})
        chosen[key] = value if isinstance(value, Mapping) else dict.fromkeys(relations, value)
    chosen |= {"train": spec.split.train, "seed": spec.split.seed, "by": spec.split.by}
    return Settings(dataset_name(spec), methods=tuple(method.method for method in spec.methods), **chosen)


def unsettable(spec: RunSpec) -> list[str]:
    """A sentence for each method whose parameters the dashboard cannot set: those of other methods than MrWTD.

    >>> spec = RunSpec(DataRef("aucs"), SplitSpec(0.8), (MethodSpec("CP", "CP", {"rank": 3, "tol": 0.1}),))
    >>> unsettable(spec)
    ['CP was trained with tol = 0.1, which the dashboard does not set: another training uses the default.']
    """
    sentences = []
    for method in spec.methods:
        others = {name: value for name, value in method.parameters.items() if name not in COMMON}
        if others and method.method != "MrWTD":
            values = ", ".join(f"{name} = {value}" for name, value in others.items())
            sentences.append(
                f"{method.label} was trained with {values}, which the dashboard does not set: another training uses "
                "the default."
            )
    return sentences


def train(
    settings: Settings, data: RelationalData, title: str, space: Workspace, name: str = ""
) -> Callable[[Job], Run | None]:
    """The work of a job that trains: it fits every method, and saves the run in the workspace."""

    def work(job: Job) -> Run | None:
        about = (
            space.datasets().get(settings.data.removeprefix(UPLOAD_PREFIX))
            if settings.data.startswith(UPLOAD_PREFIX)
            else None
        )
        spec = spec_of(settings, data, title, about)
        size = Size.of(data, settings.train)
        costs = [
            make_method(method, **parameters(method, settings, data)).cost(size).seconds for method in settings.methods
        ]
        run = execute(spec, data, _Training(job, settings.methods, costs))
        if not run.methods:
            if job.cancelled:
                return None
            raise _refusal(job.detail)
        job.status = "saving the run"
        return space.save_run(run, id=job.id, name=name or default_name(settings.resolved(data.n_objects)))

    return work


def _refusal(fits: Sequence[FitProgress]) -> Exception:
    """Why no method could be fitted."""
    faults = [fit.error for fit in fits if fit.error is not None and not isinstance(fit.error, DataError)]
    refused = ((fit.method, fit.error.problems) for fit in fits if isinstance(fit.error, DataError))
    return faults[0] if faults else DataError([replace(one, where=label) for label, all_ in refused for one in all_])


class _Training(Hooks):
    """A run as a job: `detail` of the job says how far each fit is."""

    max_watched = WATCHED
    snapshots = True

    def __init__(self, job: Job, methods: Sequence[str], costs: Sequence[float]):
        self._job, self._fits = job, {method: FitProgress(method) for method in methods}
        fractions = np.array(costs) / sum(costs)
        self._parts = dict(zip(methods, zip(np.cumsum(fractions) - fractions, fractions, strict=True), strict=True))
        self._model: Method | None = None
        self._began, self._stages = 0.0, list[Stage]()
        job.detail = list(self._fits.values())

    def start(self, label: str, model: Method) -> None:
        self._fits[label].state = "running"
        self._model, self._began, self._stages = model, time.perf_counter(), []

    def iteration(self, label: str, step: Iteration) -> bool:
        assert self._model is not None
        fit, (before, fraction) = self._fits[label], self._parts[label]
        if step.stage not in self._stages:
            self._stages.append(step.stage)
        fit.stage, fit.seconds = step.stage, time.perf_counter() - self._began
        if step.stage.is_final:
            fit.objective.append(step.objective)
            if step.score is not None:
                fit.score.append(step.score)
        fit.progress = max(fit.progress, _share(step, self._stages, self._model))
        status = f"{label}: {step.stage}, iteration {step.number}, objective {format_number(step.objective)}"
        return self._job.report(float(before + fraction * fit.progress), status)

    def fitted(self, fit: Fit) -> None:
        progress, (before, fraction) = self._fits[fit.label], self._parts[fit.label]
        progress.state, progress.error = fit.state, fit.error
        if fit.error is not None and not isinstance(fit.error, DataError):
            log.warning("%s failed", fit.label, exc_info=fit.error)
        if fit.model is not None:
            progress.progress, progress.seconds = 1.0, fit.seconds
            self._job.progress = float(before + fraction)

    def cancelled(self) -> bool:
        return self._job.cancelled

    def final_state(self) -> str:
        return self._job.final_state()


def sample_note(scores: pd.DataFrame) -> str:
    """A sentence where the scores of a run are of a sample of its test entries, else nothing.

    >>> sample_note(pd.DataFrame({"method": "CP", "relation": ["likes"], "entries": [20], "test_entries": 4000}))
    'Stopped before its end: the scores are of 20 of its 4,000 test entries, a random sample.'
    """
    counts = sampled_entries(scores)
    if counts is None:
        return ""
    scored, tested = counts
    return f"Stopped before its end: the scores are of {scored:,} of its {tested:,} test entries, a random sample."


def score_label(data: RelationalData) -> str:
    """The label of the score that fits to this data are watched by: see `metrics.selection_score`.

    >>> import mrwtd
    >>> score_label(mrwtd.load_dataset("florentine")), score_label(mrwtd.load_dataset("airports"))
    ('AUPRC', 'score')
    """
    labels = {selection_metric(relation.kind).label for relation in data.relations}
    return labels.pop() if len(labels) == 1 else "score"


def score_description(data: RelationalData) -> str:
    """What that score is, in words.

    >>> import mrwtd
    >>> score_description(mrwtd.load_dataset("florentine"))
    'the mean AUPRC: 1 is perfect'
    """
    kinds = dict.fromkeys(relation.kind for relation in data.relations)
    if len(kinds) == 1:
        return f"the mean {score_label(data)}: 1 is perfect"
    each = join_names(f"{selection_metric(kind).label} for {kind} relations" for kind in kinds)
    return f"{each}, in one mean: 1 is perfect"


def meaningful_scores(scores: Iterable[float]) -> list[float]:
    """Scores by iteration, or none where they have no meaning, as of held-out entries that are all alike.

    >>> meaningful_scores([0.1, 0.2]), meaningful_scores([math.nan, math.nan])
    ([0.1, 0.2], [])
    """
    values = [float(score) for score in scores]
    return [] if all(map(math.isnan, values)) else values


def default_name(settings: Settings) -> str:
    """What a run is called until its user changes it: what tells it from others, as far as it is not the usual.

    >>> chosen = Settings("aucs", lam=1.0, seed=3, loss={"work": "quadratic"})
    >>> default_name(Settings("aucs", rank=12)), default_name(chosen)
    ('80% · rank 12 · λ auto', '80% · λ 1 · seed 3 · work quadratic')
    """
    usual = Settings(settings.data)
    always = [PARAMETERS[key] for key in ("rank", "lam") if settings.get(key) is not None]
    parts = [f"{settings.train:.0%}", *(f"{one.short} {one.text(settings.get(one.key))}" for one in always)]
    for key, parameter in PARAMETERS.items():
        if parameter not in always and settings.get(key) != usual.get(key):
            parts.append(f"{parameter.short} {parameter.text(settings.get(key))}")
    parts += [f"by {settings.by}"] if settings.by != usual.by else []
    parts += [_first(f"{name} {loss}" for name, loss in settings.loss.items())] if settings.loss else []
    parts += [_first(f"{name} × {weight:g}" for name, weight in settings.weight.items())] if settings.weight else []
    parts += [_first(settings.methods)] if settings.methods != usual.methods else []
    return " · ".join(parts)


def _first(texts: Iterable[str]) -> str:
    first, *more = [*texts, ""]
    return f"{first} and {len(more) - 1} more" if len(more) > 1 else first


def _share(step: Iteration, stages: list[Stage], model: Method) -> float:
    """How far a fit is: in the search by its steps, then by iterations, which are mostly fewer than allowed."""
    if isinstance(model, Sampler):
        return step.number / model.sweeps if step.stage.kind == "sampling" else 0.0
    most = float(getattr(model, "max_iter", 100))
    within = 1 - math.exp(-3 * step.number / most)
    refits = float(getattr(model, "ensemble", 1))
    searches = getattr(model, "lam", None) == "auto"
    search, fits = float(FITS_OF_A_SEARCH) if searches else 0.0, 1 + (refits if refits > 1 else 0)
    if step.stage.kind in ("fit", "refit"):
        turn = sum(stage.kind in ("fit", "refit") for stage in stages)
        return (search + turn - 1 + within) / (search + fits)
    return search * min((len(stages) - 1 + within) / len(GRID), 1.0) / (search + fits)
