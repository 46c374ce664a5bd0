"""The jobs of a comparison: a `Job` is a run of one method on one split.

The scores of a job depend only on the data and the job, not on where or in which order it runs. So the rows of finished
jobs can be stored and reused.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from .. import baselines
from ..data.arguments import argument_error, check_bool, check_choice, check_range, is_number, short_repr
from ..data.folds import check_folds
from ..data.relational import RelationalData
from ..data.splitting import SPLIT_BY, TRAINING_FRACTION
from ..errors import DataError, Problem
from ..evaluation.evaluate import COLUMNS as SCORE_COLUMNS
from ..model.cancellation import Cancelled
from ..model.parameters import AUTO, COMMON, FITTING, RANK
from ..runs import DataRef, Hooks, MethodSpec, RunSpec, SplitSpec, execute
from ..runs.execute import failure_row

COLUMNS = {
    "method": "str",
    "train": "float64",
    "run": "int64",
    "rank": "int64",
    "by": "str",
    **SCORE_COLUMNS,
    "lam": "float64",
    "seconds": "float64",
    "evaluations": "Int64",
    "messages": "str",
}
"""The columns of `mrwtd.compare`, with their types."""

SEARCHED_RANK = 0
"""In the column `rank`, if the rank was searched in each run."""

RUNS = 20
"""The default number of random splits, as in the paper."""

Methods = Sequence[str] | Mapping[str, Mapping[str, Any]]


class FitJob(ABC):
    """One fit of a comparison or of an experiment. Its `str` is a label for users.

    Attributes:
        label: the method's name in the results.
        run: the number of the run, which sets the seed.
    """

    label: str
    run: int

    @property
    @abstractmethod
    def spec(self) -> RunSpec:
        """The specification of the run."""

    @property
    def key(self) -> str:
        """A stable identifier of the job among all jobs on the same data.

        >>> Job("RESCAL", "RESCAL", 0.1, 3).key == Job("RESCAL", "RESCAL", 0.1, 3).key != Job("CP", "CP", 0.1, 3).key
        True
        """
        return self.spec.key

    @abstractmethod
    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the job, from its scores."""


@dataclass(frozen=True)
class Job(FitJob):
    """One method, fitted to one split and scored on the rest.

    Attributes:
        label: the method's name in the results.
        method: one of `mrwtd.METHODS`.
        train: the training fraction.
        run: the number of the split; the seed of split and method is `seed + run`.
        rank, lam: the same for every method.
        seed: the seed of the comparison.
        stratify: whether the splits keep the fraction of each class.
        by: what the splits hold out of directed relations, as in `RelationalData.split`.
        folds: the number of folds of a cross-validation, of which `run` is held out; 0 for random splits.
        options: further parameters of this method.
    """

    label: str
    method: str
    train: float
    run: int
    rank: int | str = RANK
    lam: float | str = "auto"
    seed: int = 0
    stratify: bool = False
    by: str = "entry"
    folds: int = 0
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def spec(self) -> RunSpec:
        """The specification of the run, without a reference to the data."""
        seed = self.seed + self.run
        parameters = {"rank": self.rank, "lam": self.lam, "seed": seed, **self.options}
        split = SplitSpec(self.train, seed, self.by, self.stratify)
        if self.folds:  # all folds are drawn together, with one seed
            split = SplitSpec(self.train, self.seed, self.by, self.stratify, self.folds, self.run)
        return RunSpec(DataRef(), split, (MethodSpec(self.label, self.method, parameters),))

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The scores of the job in the columns of `mrwtd.compare`."""
        rank = self.options.get("rank", self.rank)
        rank = SEARCHED_RANK if rank == AUTO else rank  # the same for all runs, whose scores are averaged
        rows = scores.assign(method=self.label, train=self.train, run=self.run, by=self.by, rank=rank)
        rows = rows.reindex(columns=list(COLUMNS)).astype(COLUMNS)
        if self.folds:
            rows.insert(list(COLUMNS).index("run") + 1, "folds", self.folds)
        rows.attrs = dict(scores.attrs)
        return rows

    def __str__(self) -> str:
        if self.folds:
            return f"{self.label}, fold {self.run + 1} of {self.folds}"
        return f"{self.label}, {self.train:.3g} train, run {self.run + 1}"


def make_jobs(
    methods: Methods,
    train: Sequence[float] | None = None,
    rank: int | str | None = RANK,
    runs: int | None = None,
    seed: int = 0,
    lam: float | str = "auto",
    stratify: bool = False,
    by: str = "auto",
    folds: int | None = None,
) -> list[Job]:
    """The jobs of `mrwtd.compare` with the same arguments: every method on every split.

    >>> [str(job) for job in make_jobs(["RESCAL", "CP"], train=[0.1], runs=2)]
    ['RESCAL, 0.1 train, run 1', 'CP, 0.1 train, run 1', 'RESCAL, 0.1 train, run 2', 'CP, 0.1 train, run 2']
    """
    chosen = _options_by_label(methods)
    fractions, splits = _splits(train, runs, folds)
    stratify = check_bool("stratify", stratify)
    for parameter, value in ((FITTING["rank"], rank), (COMMON["lam"], lam), (COMMON["seed"], seed)):
        parameter.check(value)
    check_choice("by", by, SPLIT_BY)
    return [
        Job(
            label=label,
            method=options.get("method", label),
            train=float(fraction),
            run=run,
            rank=RANK if rank is None else rank if isinstance(rank, str) else int(rank),
            lam=lam,
            seed=int(seed),
            stratify=stratify,
            by=by,
            folds=folds or 0,
            options={name: value for name, value in options.items() if name != "method"},
        )
        for fraction in fractions
        for run in range(splits)
        for label, options in chosen.items()
    ]


def _splits(train: Sequence[float] | None, runs: int | None, folds: int | None) -> tuple[list[float], int]:
    """The training fractions, and the number of splits of each."""
    if folds is not None:
        check_folds(folds)
        for name, value in {"train": train, "runs": runs}.items():
            if value is not None:
                raise DataError(Problem(f"{name} and folds", "one of them: folds have no other fraction or number"))
        return [1 - 1 / folds], folds
    train = (TRAINING_FRACTION,) if train is None else train
    fractions = list(train) if isinstance(train, Iterable) and not isinstance(train, str) else [train]
    for fraction in fractions:
        if not (is_number(fraction) and 0 < fraction < 1):
            raise argument_error("train", fraction, "fractions between 0 and 1, such as 0.1 for 10%")
    runs = RUNS if runs is None else runs
    check_range("runs", runs, 1, whole=True)
    return fractions, runs


def _options_by_label(methods: Methods) -> Mapping[str, Mapping[str, Any]]:
    """The options of each method, with their names checked."""
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Iterable) or isinstance(methods, RelationalData):
        raise argument_error("methods", methods, "names of methods, or {label: {'method': name, parameter: value}}")
    chosen = methods if isinstance(methods, Mapping) else {str(name): {"method": name} for name in methods}
    if not chosen:
        raise DataError(Problem("no method", f"some of {', '.join(baselines.METHODS)}"))
    for label, options in chosen.items():
        if not isinstance(options, Mapping):
            example = "a mapping, such as {'method': 'MrWTD', 'rank': 5}"
            raise argument_error(f"methods[{short_repr(label)}]", options, example)
        name = options.get("method", label)
        if not isinstance(name, str) or name not in baselines.METHODS:
            raise DataError(Problem(f"the method {short_repr(name)}", f"one of {', '.join(baselines.METHODS)}"))
    return chosen


def joined_rows(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows of several jobs in one frame, which has the columns of `mrwtd.compare` even if it is empty."""
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(COLUMNS)).astype(COLUMNS)


def run_job(data: RelationalData, job: Job, hooks: Hooks | None = None) -> pd.DataFrame:
    """The rows of one job; a failed job has one row without a metric, with the reason.

    If λ was searched, `attrs["lam_path"]` of the frame lists the values tried with their validation scores.

    >>> import mrwtd
    >>> job = Job("RESCAL", "RESCAL", train=0.5, run=0, rank=2, lam=1.0)
    >>> run_job(mrwtd.load_dataset("florentine"), job)[["method", "relation", "metric", "entries"]].head(2)
       method  relation   metric  entries
    0  RESCAL  business    auprc       53
    1  RESCAL  business  roc_auc       53
    """
    try:
        run = execute(job.spec, data, hooks)
    except Cancelled:
        raise
    except Exception as error:  # data that cannot be split; the other jobs continue, and the row gives the reason
        return failure_rows(job, error)
    if not len(run.scores):
        raise Cancelled
    rows = job.rows(run.scores)
    # Diagnostics and the path of λ are stored with the scores.
    rows.attrs["diagnostics"] = {
        label: [diagnostic.to_json() for diagnostic in diagnostics] for label, diagnostics in run.diagnostics.items()
    }
    for model in run.models().values():
        path = getattr(model, "lam_path_", None)
        if path is not None:
            rows.attrs["lam_path"] = path[["lam", "score"]].to_numpy(dtype=float).tolist()
    return rows


def failure_rows(job: Job, error: BaseException) -> pd.DataFrame:
    """The row of a failed job.

    >>> failure_rows(Job("CP", "CP", 0.1, 0), DataError(Problem("a", "b")))["reason"].item()
    'found a; expected b'
    """
    return job.rows(failure_row(error))
