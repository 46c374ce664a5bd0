"""Training: settings to a run and back, the work of a training job, and names for runs. No Streamlit here."""

import logging
import math
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from ...baselines import METHODS, make_method
from ...data.negatives import estimated_from
from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...hosting.isolated import Process
from ...metrics import selection_metric
from ...model.cost import Cost, Size
from ...model.parameters import AUTO, COMMON, default_rank
from ...runs import DataRef, MethodSpec, Run, RunSpec, SplitSpec, Workspace, sampled_entries, sampled_pairs
from ...runs.run import Memory
from ...runs.storage_error import StorageError
from ..state.settings import DEFAULTS, PARAMETERS, PER_RELATION, UPLOAD_PREFIX, Settings
from ..widgets.formatting import join_names
from . import Job
from .remote_work import NICE
from .training_process import FitProgress, TrainingProgress, fit_run

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Recipient:
    """Where to save the run of a training: the workspace of a user, with the specification and the name of the run."""

    space: Workspace
    spec: RunSpec
    name: str


def parameters(method: str, settings: Settings, data: RelationalData) -> dict[str, Any]:
    """Parameters of a method: rank, λ and seed for all methods, and everything else that was changed for MrWTD.

    A method that cannot search its rank has the default one if the rank is "auto".

    >>> import mrwtd
    >>> parameters("RESCAL", Settings("florentine", rank=3), mrwtd.load_dataset("florentine"))
    {'rank': 3, 'lam': 'auto', 'seed': 0}
    """
    settings = settings.with_rank(data.n_objects)
    relations = {relation.name for relation in data.relations}
    chosen: dict[str, Any] = {}
    for name, parameter in METHODS[method].all_parameters().items():
        if not (parameter.offered and parameter.key in DEFAULTS):
            continue
        value = settings.get(parameter.key)
        if name in COMMON:
            given = value != AUTO or METHODS[method].can_search(name)
            chosen[name] = value if given else default_rank(data.n_objects)
        elif method == "MrWTD" and value != DEFAULTS[parameter.key]:
            # Its variants and the baselines are fixed by their names.
            if isinstance(value, Mapping):
                value = {relation: value[relation] for relation in value if relation in relations}
            chosen[name] = value
    return chosen


def method_costs(settings: Settings, data: RelationalData) -> list[Cost]:
    """The estimated cost of each method."""
    size, settings = Size.of(data, settings.train), settings.resolved(data)
    return [make_method(method, **parameters(method, settings, data)).cost(size) for method in settings.methods]


def check(settings: Settings, data: RelationalData) -> None:
    """Raise `DataError` if no method can be fitted, before the training is queued.

    >>> import mrwtd
    >>> check(Settings("florentine", rank=10_000, methods=("BTF",)), mrwtd.load_dataset("florentine"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: BTF: found rank = 10000, where a relation is drawn from 6.0 GB of sums; expected ...
    """
    problems: list[Problem] = []
    for method in settings.resolved(data).methods:
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
    uploaded, info, settings = settings.data.startswith(UPLOAD_PREFIX), info or {}, settings.resolved(data)
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
    if any(method.parameters.get("rank") == AUTO for method in spec.methods):
        chosen["rank"] = AUTO  # others have the default
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


class Training:
    """The work of a training job: fit all methods in a worker process, and save the run for all users who wait.

    Users who request the same training while it waits or runs get a copy of the run.
    """

    def __init__(self, settings: Settings, data: RelationalData, user: str, recipient: Recipient):
        self._settings, self._data, self._first = settings, data, recipient
        self._recipients = {user: recipient}
        self._lock, self._saving = threading.Lock(), False

    def add(self, user: str, recipient: Recipient) -> bool:
        """Save the run for one more user. False if it is too late for that."""
        with self._lock:
            if not self._saving:
                self._recipients.setdefault(user, recipient)
            return not self._saving

    def __call__(self, job: Job) -> Run | None:
        """Fit and save. None if it was stopped before there was a result."""
        costs = [cost.seconds for cost in method_costs(self._settings, self._data)]
        job.detail = [FitProgress(method.label) for method in self._first.spec.methods]
        with _draft(self._first.space) as folder, Process(nice=NICE) as process:
            run, job.detail = process.call(
                fit_run, self._first.spec, self._data, costs, folder, check=lambda: job.cancel_reason,
                on_message=partial(_update, job),
            )  # fmt: skip
            if run is not None:
                return self._save(run, job)
        if job.cancelled:
            return None
        raise _failure(job.detail)

    def _save(self, run: Run, job: Job) -> Run:
        job.status = "saving the run"
        with self._lock:
            self._saving = True
        waiting = [recipient for user, recipient in self._recipients.items() if user in job.owners]
        first, *_ = [_save_for(recipient, run, job.id) for recipient in waiting or [self._first]]
        return first


def _save_for(recipient: Recipient, run: Run, id: str) -> Run:
    """Save a run for a user. If that is not possible, the run stays in memory."""
    changes: dict[str, Any] = {"id": id, "name": recipient.name, "spec": recipient.spec}
    try:
        return recipient.space.adopt(run, **changes)
    except StorageError as error:
        log.warning("A run is not saved: %s", error)
        memory = run.memory or Memory(run.models(), run.scores)
        return replace(run, memory=memory, folder=None, **changes)


@contextmanager
def _draft(space: Workspace) -> Iterator[Path | None]:
    """A folder for the files of a run; None if the workspace cannot be written."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(space.draft())
        except (OSError, DataError):
            folder = None
        yield folder


def recipient(settings: Settings, data: RelationalData, title: str, space: Workspace, name: str = "") -> Recipient:
    """Where to save the run of a training for a user, and how it is called there."""
    info = space.datasets().get(settings.data.removeprefix(UPLOAD_PREFIX))
    name = name or default_name(settings.with_rank(data.n_objects).with_default_methods(data))
    return Recipient(space, spec_of(settings, data, title, info), name)


def _update(job: Job, message: TrainingProgress) -> None:
    job.detail = message.fits
    job.report(message.progress, message.status)


def _failure(fits: Sequence[FitProgress]) -> Exception:
    """The error of a training in which no method could be fitted."""
    problems: list[Problem] = []
    for fit in fits:
        if isinstance(fit.error, DataError):
            problems += [replace(problem, where=fit.method) for problem in fit.error.problems]
        elif fit.error is not None:
            return fit.error
    return DataError(problems)


def sample_note(scores: pd.DataFrame) -> str:
    """A sentence if the scores of a run are of a sample of its test entries, or of sampled pairs; else an empty text.

    >>> sample_note(pd.DataFrame({"method": "CP", "relation": ["likes"], "entries": [20], "test_entries": 4000}))
    'Stopped early: the scores are of a random sample, 20 of its 4,000 test entries.'
    >>> sample_note(pd.DataFrame({"method": "CP", "relation": ["likes"], "sampled_pairs": [20]}))
    'The scores are estimated from 20 sampled pairs, which represent all unlisted pairs.'
    """
    notes = []
    if (counts := sampled_entries(scores)) is not None:
        scored, tested = counts
        notes.append(f"Stopped early: the scores are of a random sample, {scored:,} of its {tested:,} test entries.")
    if estimated := estimated_from(sampled_pairs(scores)):
        notes.append(f"The scores are {estimated}, which represent all unlisted pairs.")
    return " ".join(notes)


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
    split = SplitSpec(settings.train, settings.seed, settings.by)
    parts = [split.label]
    always = [key for key in ("rank", "lam") if settings.get(key) is not None]
    changed = [key for key in PARAMETERS if key not in always and settings.get(key) != default.get(key)]
    parts += [f"{PARAMETERS[key].short} {PARAMETERS[key].text(settings.get(key))}" for key in (*always, *changed)]
    parts += [f"by {settings.by}"] if settings.by != default.by and not split.is_published else []
    parts += _first(f"{name} {loss}" for name, loss in settings.loss.items())
    parts += _first(f"{name} × {weight:g}" for name, weight in settings.weight.items())
    parts += _first(settings.methods) if settings.methods != default.methods else []
    return " · ".join(parts)


def _first(texts: Iterable[str]) -> list[str]:
    """The first text with the number of others, if there are any."""
    first, *others = [*texts] or [""]
    return [f"{first} and {len(others)} more" if others else first] if first else []
