"""The methods of a finished run on further random splits: how much of a difference is the luck of one split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .. import baselines
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.cancellation import Cancelled
from ..model.method import Method
from ..model.progress import Iteration
from ..runs import Fit, Hooks
from .compare import Progress
from .jobs import COLUMNS, Job, make_jobs, run_job

OWN = ("seed", "snapshots")
"""Parameters that a repetition does not take over: its seed is another, and nobody replays it."""


@dataclass(frozen=True)
class RepeatPlan:
    """What to repeat: methods with their parameters, and the share of the entries that they learn from.

    Attributes:
        methods: parameters by label, as `mrwtd.compare` takes them.
        train: the share of the entries to learn from.
        stratify: whether the splits keep the share of each class.
        by: what the splits hold out of directed relations.
    """

    methods: Mapping[str, Mapping[str, Any]] = field(hash=False)
    train: float
    stratify: bool = False
    by: str = "auto"


def plan_repeats(models: Mapping[str, Method], train: float, stratify: bool = False, by: str = "auto") -> RepeatPlan:
    """The plan that repeats fitted methods with the parameters that they were given.

    >>> import mrwtd
    >>> plan_repeats({"CP": mrwtd.make_method("CP", rank=3, lam=1.0)}, train=0.3).methods["CP"]["rank"]
    3
    """
    methods = {}
    for label, model in models.items():
        method = label if label in baselines.METHODS else type(model).__name__
        if method not in baselines.METHODS:
            raise DataError(Problem(f"the method {label!r}", f"one of {', '.join(baselines.METHODS)}"))
        given = {name: value for name, value in model.get_params().items() if name not in OWN}
        if given.get("rank") is None and hasattr(model, "rank_"):
            given["rank"] = model.rank_
        methods[label] = {"method": method, **given}
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
    """The plan on the splits of seeds `first`, `first` + 1, …: scores as of `mrwtd.compare`, one run a seed.

    `progress` gets (done, total, what is being done), at every step of every fit too; returning True ends it at once,
    and what is finished by then comes back. `see` gets each job with its fitted method and its test entries.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> asked = plan_repeats({"CP": mrwtd.make_method("CP", rank=2, lam=1.0)}, train=0.5)
    >>> repeat_seeds(data, asked, seeds=2)["run"].unique().tolist()
    [0, 1]
    """
    todo = make_jobs(plan.methods, [plan.train], runs=seeds, seed=first, stratify=plan.stratify, by=plan.by)
    done: list[pd.DataFrame] = []
    for job in todo:
        hooks = _Repeating(lambda job=job: bool(progress and progress(len(done), len(todo), str(job))))  # type: ignore[misc]
        try:
            rows = run_job(data, job, hooks)
        except Cancelled:
            break
        if hooks.cancelled():
            break  # what was stopped in the middle is no result
        if on_fit is not None and hooks.result is not None:
            on_fit(job, *hooks.result)
        done.append(rows)
        if hooks.cancelled():
            break
    return pd.concat(done, ignore_index=True) if done else pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS)


class _Repeating(Hooks):
    """Asks at every step whether to end, and holds the fitted method with its test entries."""

    def __init__(self, ask: Callable[[], bool]):
        self._ask, self._ended = ask, False
        self._test: RelationalData | None = None
        self.result: tuple[Method, RelationalData] | None = None

    def cancelled(self) -> bool:
        self._ended = self._ended or self._ask()
        return self._ended

    def iteration(self, label: str, step: Iteration) -> bool:
        return self.cancelled()

    def split(self, train: RelationalData, test: RelationalData | None) -> None:
        self._test = test

    def fitted(self, fit: Fit) -> None:
        if fit.model is not None and self._test is not None:
            self.result = fit.model, self._test
