"""Training: settings to a run and back, the work of a training job, and names for runs. No Streamlit here."""

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
from ...model.cost import FITS_OF_A_SEARCH, Cost, Size
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


def parameters(method: str, settings: Settings, data: RelationalData) -> dict[str, Any]:
    """Parameters of a method: rank, λ and seed for all methods, and everything else that was changed for MrWTD.

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
            # Its variants and the baselines are fixed by their names.
            if isinstance(value, Mapping):
                value = {relation: value[relation] for relation in value if relation in relations}
            chosen[name] = value
    return chosen


def method_costs(settings: Settings, data: RelationalData) -> list[Cost]:
    """The estimated cost of each method."""
    size = Size.of(data, settings.train)
    return [make_method(method, **parameters(method, settings, data)).cost(size) for method in settings.methods]


def check(settings: Settings, data: RelationalData) -> None:
    """Raise `DataError` if no method can be fitted, before the training is queued.

    >>> import mrwtd
    >>> check(Settings("florentine", rank=80, methods=("BTF",)), mrwtd.load_dataset("florentine"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: BTF: found rank = 80, where each relation is a system of 3,240 unknowns; expected ...
    """
    problems: list[Problem] = []
    for method in settings.methods:
        try:
            make_method(method, **parameters(method, settings, data)).check(data)
        except DataError as error:
            problems += [replace(problem, where=method) for problem in error.problems]
        else:
            return
    raise DataError(problems)


def spec_of(
    settings: Settings, data: RelationalData, title: str = "", info: Mapping[str, Any] | None = None
) -> RunSpec:
    """The specification of a run with these settings. `info` is what is stored with an upload.

    >>> import mrwtd
    >>> spec = spec_of(Settings("florentine", rank=3, methods=("RESCAL",)), mrwtd.load_dataset("florentine"))
    >>> spec.split.train, spec.methods
    (0.8, (MethodSpec(label='RESCAL', method='RESCAL', parameters={'rank': 3, 'lam': 'auto', 'seed': 0}),))
    """
    uploaded, info = settings.data.startswith(UPLOAD_PREFIX), info or {}
    name, options = info.get("file", settings.data), info.get("how", {})
    return RunSpec(
        DataRef(name, title, data.digest(), sample=not uploaded, options=options),
        SplitSpec(settings.train, settings.seed, settings.by),
        tuple(MethodSpec(method, method, parameters(method, settings, data)) for method in settings.methods),
    )


def dataset_name(spec: RunSpec) -> str:
    """The name of the data of a run in the dashboard: the name of a sample, or the digest of other data.

    >>> dataset_name(RunSpec(DataRef("ties.csv", digest="4f2a"), SplitSpec(0.5), ()))
    'own-4f2a'
    """
    return spec.data.name if spec.data.plain_sample else UPLOAD_PREFIX + spec.data.digest


def settings_of(spec: RunSpec, relations: Sequence[str] = ()) -> Settings:
    """The settings of a run, as far as the dashboard has them. They are not validated; see `from_query`.

    A loss or a weight for all relations becomes one for each of `relations`.

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
    """A message for each method other than MrWTD with parameters that the dashboard cannot set.

    >>> spec = RunSpec(DataRef("aucs"), SplitSpec(0.8), (MethodSpec("CP", "CP", {"rank": 3, "tol": 0.1}),))
    >>> unsettable(spec)
    ['CP was trained with tol = 0.1, which the dashboard does not set: another training uses the default.']
    """
    messages = []
    for method in spec.methods:
        others = {name: value for name, value in method.parameters.items() if name not in COMMON}
        if others and method.method != "MrWTD":
            values = ", ".join(f"{name} = {value}" for name, value in others.items())
            unset = "which the dashboard does not set: another training uses the default."
            messages.append(f"{method.label} was trained with {values}, {unset}")
    return messages


def train(
    settings: Settings, data: RelationalData, title: str, space: Workspace, name: str = ""
) -> Callable[[Job], Run | None]:
    """The work of a training job: fit every method and save the run in the workspace."""

    def work(job: Job) -> Run | None:
        info = space.datasets().get(settings.data.removeprefix(UPLOAD_PREFIX))
        costs = [cost.seconds for cost in method_costs(settings, data)]
        run = execute(spec_of(settings, data, title, info), data, _Training(job, settings.methods, costs))
        if not run.methods:
            if job.cancelled:
                return None
            raise _failure(job.detail)
        job.status = "saving the run"
        return space.save_run(run, id=job.id, name=name or default_name(settings.resolved(data.n_objects)))

    return work


def _failure(fits: Sequence[FitProgress]) -> Exception:
    """The error of a training in which no method could be fitted."""
    problems: list[Problem] = []
    for fit in fits:
        if isinstance(fit.error, DataError):
            problems += [replace(problem, where=fit.method) for problem in fit.error.problems]
        elif fit.error is not None:
            return fit.error
    return DataError(problems)


class _Training(Hooks):
    """Reports the progress of a run to its job; `job.detail` has that of each fit."""

    max_watched = WATCHED
    snapshots = True

    def __init__(self, job: Job, methods: Sequence[str], costs: Sequence[float]):
        self._job, self._fits = job, {method: FitProgress(method) for method in methods}
        fractions = np.array(costs) / sum(costs)
        self._parts = dict(zip(methods, zip(np.cumsum(fractions) - fractions, fractions, strict=True), strict=True))
        self._model: Method | None = None
        self._started, self._stages = 0.0, list[Stage]()
        job.detail = list(self._fits.values())

    def start(self, label: str, model: Method) -> None:
        self._fits[label].state = "running"
        self._model, self._started, self._stages = model, time.perf_counter(), []

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
    """A sentence if the scores of a run are of a sample of its test entries, or an empty text.

    >>> sample_note(pd.DataFrame({"method": "CP", "relation": ["likes"], "entries": [20], "test_entries": 4000}))
    'Stopped early: the scores are of a random sample, 20 of its 4,000 test entries.'
    """
    counts = sampled_entries(scores)
    if counts is None:
        return ""
    scored, tested = counts
    return f"Stopped early: the scores are of a random sample, {scored:,} of its {tested:,} test entries."


def score_label(data: RelationalData) -> str:
    """The label of the score that is tracked during a fit; see `metrics.selection_score`.

    >>> import mrwtd
    >>> score_label(mrwtd.load_dataset("florentine")), score_label(mrwtd.load_dataset("airports"))
    ('AUPRC', 'score')
    """
    labels = {selection_metric(relation.kind).label for relation in data.relations}
    return labels.pop() if len(labels) == 1 else "score"


def score_description(data: RelationalData) -> str:
    """A description of that score.

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
    """Scores by iteration, or none if they are undefined, as with held-out entries that are all equal.

    >>> meaningful_scores([0.1, 0.2]), meaningful_scores([math.nan, math.nan])
    ([0.1, 0.2], [])
    """
    values = [*map(float, scores)]
    return [] if all(map(math.isnan, values)) else values


def default_name(settings: Settings) -> str:
    """The initial name of a run: training fraction, rank, λ, and all settings that are not the default.

    >>> chosen = Settings("aucs", lam=1.0, seed=3, loss={"work": "quadratic"})
    >>> default_name(Settings("aucs", rank=12)), default_name(chosen)
    ('80% · rank 12 · λ auto', '80% · λ 1 · seed 3 · work quadratic')
    """
    default = Settings(settings.data)
    parts = [f"{settings.train:.0%}"]
    always = [key for key in ("rank", "lam") if settings.get(key) is not None]
    changed = [key for key in PARAMETERS if key not in always and settings.get(key) != default.get(key)]
    parts += [f"{PARAMETERS[key].short} {PARAMETERS[key].text(settings.get(key))}" for key in (*always, *changed)]
    parts += [f"by {settings.by}"] if settings.by != default.by else []
    parts += _first(f"{name} {loss}" for name, loss in settings.loss.items())
    parts += _first(f"{name} × {weight:g}" for name, weight in settings.weight.items())
    parts += _first(settings.methods) if settings.methods != default.methods else []
    return " · ".join(parts)


def _first(texts: Iterable[str]) -> list[str]:
    """The first text with the number of others, if there are any."""
    first, *others = [*texts] or [""]
    return [f"{first} and {len(others)} more" if others else first] if first else []


def _fit_progress(step: Iteration, stages: list[Stage], model: Method) -> float:
    """Estimated progress of a fit: by steps in the search, then by iterations, which are mostly fewer than allowed."""
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
