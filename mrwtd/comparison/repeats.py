"""The methods of a finished run on further random splits, to see how much scores vary between splits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .. import baselines
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..evaluation.curves import precision_at_recall
from ..model.cancellation import Cancelled
from ..model.method import Method
from ..model.progress import Iteration
from ..runs import Fit, Hooks
from .compare import Progress
from .jobs import Job, joined_rows, make_jobs, run_job

NOT_REPEATED = ("seed", "snapshots", "n_jobs")
"""Parameters that a repetition does not copy: it has another seed, is not replayed, and uses the process it is in."""


@dataclass(frozen=True)
class RepeatPlan:
    """Methods with their parameters and the splits to repeat them on.

    Attributes:
        methods: parameters by label, as `mrwtd.compare` takes them.
        train: the training fraction.
        stratify: whether the splits keep the fraction of each class.
        by: what the splits hold out of directed relations.
        folds: the number of folds of a cross-validation, instead of random splits; None for these.
    """

    methods: Mapping[str, Mapping[str, Any]] = field(hash=False)
    train: float
    stratify: bool = False
    by: str = "auto"
    folds: int | None = None


def plan_repeats(models: Mapping[str, Method], train: float, stratify: bool = False, by: str = "auto") -> RepeatPlan:
    """A plan that repeats fitted methods with the same parameters.

    >>> import mrwtd
    >>> plan_repeats({"CP": mrwtd.make_method("CP", rank=3, lam=1.0)}, train=0.3).methods["CP"]["rank"]
    3
    """
    methods = {}
    for label, model in models.items():
        method = label if label in baselines.METHODS else type(model).__name__
        if method not in baselines.METHODS:
            raise DataError(Problem(f"the method {label!r}", f"one of {', '.join(baselines.METHODS)}"))
        parameters = {name: value for name, value in model.get_params().items() if name not in NOT_REPEATED}
        if parameters.get("rank") is None and hasattr(model, "rank_"):
            parameters["rank"] = model.rank_
        methods[label] = {"method": method, **parameters}
    return RepeatPlan(methods, train, stratify, by)


def repeat_seeds(
    data: RelationalData,
    plan: RepeatPlan,
    seeds: int,
    progress: Progress | None = None,
    *,
    first: int = 0,
    on_fit: Callable[[Job, Method, RelationalData], None] | None = None,
) -> pd.DataFrame:
    """The scores of a plan on the splits of seeds `first`, `first` + 1, …, as of `mrwtd.compare`, one run per seed.

    If the plan has folds, each of them is a run, `first` is their seed, and `seeds` is not used.

    `progress` is called with (done, total, label of the current job), also at every iteration of a fit. If it returns
    True, the repetition stops and returns the finished runs. `on_fit` is called with each job, its fitted method and
    its test entries.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> plan = plan_repeats({"CP": mrwtd.make_method("CP", rank=2, lam=1.0)}, train=0.5)
    >>> repeat_seeds(data, plan, seeds=2)["run"].unique().tolist()
    [0, 1]
    """
    splits: dict[str, Any] = {"train": [plan.train], "runs": seeds}
    splits = {"folds": plan.folds} if plan.folds else splits
    todo = make_jobs(plan.methods, **splits, seed=first, stratify=plan.stratify, by=plan.by)
    done: list[pd.DataFrame] = []
    for job in todo:
        hooks = _Repeating(lambda job=job: bool(progress and progress(len(done), len(todo), str(job))))  # type: ignore[misc]
        try:
            rows = run_job(data, job, hooks)
        except Cancelled:
            break
        if hooks.cancelled():
            break  # an interrupted fit is no result
        if on_fit is not None and hooks.result is not None:
            on_fit(job, *hooks.result)
        done.append(rows)
        if hooks.cancelled():
            break
    return joined_rows(done)


@dataclass(frozen=True)
class RepeatedSplits:
    """Scores (rows of `mrwtd.compare`) and curves (method, run, relation, recall, precision) of several splits."""

    scores: pd.DataFrame
    curves: pd.DataFrame

    @property
    def number(self) -> int:
        """The number of splits."""
        return int(self.scores["run"].nunique())


def repeat_with_curves(
    data: RelationalData, plan: RepeatPlan, seeds: int, progress: Progress | None = None, *, first: int = 0
) -> RepeatedSplits | None:
    """The scores and precision–recall curves of `repeat_seeds`, of the splits on which every method was fitted.

    None if there are less than two such splits.

    >>> import mrwtd
    >>> plan = plan_repeats({"CP": mrwtd.make_method("CP", rank=2, lam=1.0)}, train=0.5)
    >>> repeat_with_curves(mrwtd.load_dataset("florentine"), plan, seeds=2).number
    2
    """
    curves: list[pd.DataFrame] = []

    def trace(fit: Job, model: Method, test: RelationalData) -> None:
        curves.append(precision_at_recall(model, test).assign(method=fit.label, run=fit.run))

    scores = repeat_seeds(data, plan, seeds, progress, first=first, on_fit=trace)
    # An interrupted comparison has splits without some methods: means over different splits cannot be compared.
    scores = scores[scores.groupby("run")["method"].transform("nunique") == len(plan.methods)]
    if scores["run"].nunique() < 2:
        return None
    joined = pd.concat(curves, ignore_index=True)
    return RepeatedSplits(scores, joined[joined["run"].isin(scores["run"])])


class _Repeating(Hooks):
    """Checks for cancellation at every iteration, and holds the fitted method with its test entries."""

    def __init__(self, is_cancelled: Callable[[], bool]):
        self._is_cancelled, self._stopped = is_cancelled, False
        self._test: RelationalData | None = None
        self.result: tuple[Method, RelationalData] | None = None

    def cancelled(self) -> bool:
        self._stopped = self._stopped or self._is_cancelled()
        return self._stopped

    def iteration(self, label: str, step: Iteration) -> bool:
        return self.cancelled()

    def split(self, train: RelationalData, test: RelationalData) -> None:
        self._test = test

    def fitted(self, fit: Fit) -> None:
        if fit.model is not None and self._test is not None:
            self.result = fit.model, self._test
