"""A comparison in pieces: a `Job` is one method, fitted to one split and scored. Jobs know nothing of each other.

The rows of a job depend on the data and the job alone, wherever and in whatever order it runs, so finished ones can
be kept and need never be run again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from .. import baselines
from ..data.checks import flag, in_range, is_number, one_of, refuse, shown
from ..data.reciprocity import WAYS
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import DataError, Problem
from ..model import MrWTD
from ..model.diagnostics import without_warnings
from ..model.method import Method
from ..model.solver import Callback
from ..model.stopping import Stopped
from .evaluate import COLUMNS as SCORE_COLUMNS
from .evaluate import evaluate

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

Methods = Sequence[str] | Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Job:
    """One method, fitted to one split and scored on the rest.

    Attributes:
        label: the method's name in the results.
        method: one of `mrwtd.METHODS`.
        train: the share of the entries that it learns from.
        run: which of the splits of that size; the seed of split and method is `seed + run`.
        rank, lam: given to every method alike.
        seed: of the comparison.
        stratify: whether the splits keep the share of each class.
        by: what the splits hold out of directed relations, as `RelationalData.split` takes it.
        options: further parameters of this method.
    """

    label: str
    method: str
    train: float
    run: int
    rank: int = 10
    lam: float | str = "auto"
    seed: int = 0
    stratify: bool = False
    by: str = "entry"
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """What tells the job from all others, today and tomorrow: JSON of all that it is.

        >>> Job("RESCAL", "RESCAL", 0.1, 3).key == Job("RESCAL", "RESCAL", 0.1, 3).key != Job("CP", "CP", 0.1, 3).key
        True
        """
        fields = asdict(self)
        if self.by == "entry":  # all there was at first: what was kept then is found again
            del fields["by"]
        return json.dumps(fields, sort_keys=True, ensure_ascii=False, default=str)

    def __str__(self) -> str:
        return f"{self.label}, {self.train:.3g} train, run {self.run + 1}"


def jobs(
    methods: Methods,
    train: Sequence[float] = (0.05, 0.10),
    rank: int = 10,
    runs: int = 20,
    seed: int = 0,
    lam: float | str = "auto",
    stratify: bool = False,
    by: str = "auto",
) -> list[Job]:
    """Every method on every split: what `mrwtd.compare` runs, and takes the same arguments.

    >>> [str(job) for job in jobs(["RESCAL", "CP"], train=[0.1], runs=2)]
    ['RESCAL, 0.1 train, run 1', 'CP, 0.1 train, run 1', 'RESCAL, 0.1 train, run 2', 'CP, 0.1 train, run 2']
    """
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Iterable) or isinstance(methods, RelationalData):
        raise refuse("methods", methods, "names of methods, or {label: {'method': name, parameter: value}}")
    chosen = methods if isinstance(methods, Mapping) else {str(name): {"method": name} for name in methods}
    for label, options in chosen.items():
        if not isinstance(options, Mapping):
            raise refuse(f"methods[{shown(label)}]", options, "a mapping, such as {'method': 'MrWTD', 'rank': 5}")
    if not chosen:
        raise DataError(Problem("no method", f"some of {', '.join(baselines.METHODS)}"))
    for label, options in chosen.items():
        name = options.get("method", label)
        if not isinstance(name, str) or name not in baselines.METHODS:
            raise DataError(Problem(f"the method {shown(name)}", f"one of {', '.join(baselines.METHODS)}"))
    fractions = list(train) if isinstance(train, Iterable) and not isinstance(train, str) else [train]
    for fraction in fractions:
        if not (is_number(fraction) and 0 < fraction < 1):
            raise refuse("train", fraction, "fractions between 0 and 1, such as 0.1 for 10%")
    stratify = flag("stratify", stratify)
    in_range("rank", rank, 1, 10_000, whole=True)
    in_range("runs", runs, 1, whole=True)
    in_range("seed", seed, 0, whole=True)
    if not (isinstance(lam, str) and lam == "auto"):
        in_range("lam", lam, 0)
    one_of("by", by, WAYS)
    return [
        Job(
            label=label,
            method=options.get("method", label),
            train=float(fraction),
            run=run,
            rank=int(rank),
            lam=lam,
            seed=int(seed),
            stratify=stratify,
            by=by,
            options={name: value for name, value in options.items() if name != "method"},
        )
        for fraction in fractions
        for run in range(runs)
        for label, options in chosen.items()
    ]


def run_job(
    data: RelationalData,
    job: Job,
    callback: Callback | None = None,
    see: Callable[[Method, RelationalData], None] | None = None,
) -> pd.DataFrame:
    """The scores of one job, a row each; a job that fails gives one row without a metric that says why.

    The callback is given to the fit, which it can watch and stop; `see` gets the fitted method and the test entries.
    Where λ was searched, `attrs["lam_path"]` of the frame lists the values that were tried with their held-out scores.

    >>> import mrwtd
    >>> job = Job("RESCAL", "RESCAL", train=0.5, run=0, rank=2, lam=1.0)
    >>> run_job(mrwtd.load_dataset("florentine"), job)[["method", "relation", "metric", "entries"]].head(2)
       method  relation   metric  entries
    0  RESCAL  business    auprc       53
    1  RESCAL  business  roc_auc       53
    """
    # One thread for linear algebra, here and in every worker: sums are then rounded alike.
    with threadpool_limits(1):
        try:
            train, test = data.split(train=job.train, seed=job.seed + job.run, stratify=job.stratify, by=job.by)
            model = baselines.make_method(
                job.method, **({"rank": job.rank, "lam": job.lam, "seed": job.seed + job.run} | dict(job.options))
            )
            with without_warnings():  # the rows have what fits report
                _warm_up(job.rank)
                began = time.perf_counter()
                model.fit(train, callback)
            seconds = time.perf_counter() - began
            scores = evaluate(model, test)
            if see is not None:
                see(model, test)
        except Stopped:
            raise
        except Exception as error:  # whatever it is, the other jobs go on, and the row says what it was
            return failed(job, error)
    rows = _rows(
        job, scores, lam=getattr(model, "lam_", np.nan), seconds=seconds, evaluations=evaluations(model),
        messages=" ".join(model.messages_),
    )  # fmt: skip
    path = getattr(model, "lam_path_", None)
    if path is not None:  # it has rows of its own, so it travels beside the scores
        rows.attrs["lam_path"] = path[["lam", "score"]].to_numpy(dtype=float).tolist()
    return rows


def failed(job: Job, error: BaseException) -> pd.DataFrame:
    """The row of a job that failed.

    >>> failed(Job("CP", "CP", 0.1, 0), DataError(Problem("a", "b")))["reason"].item()
    'found a; expected b'
    """
    said = " ".join(str(error).split())
    reason = said if isinstance(error, DataError) else f"{type(error).__name__}: {said}".rstrip(": ")
    row = dict.fromkeys(("relation", "kind", "metric", "held_out"), "") | {"reason": reason}
    return _rows(job, pd.DataFrame([row]), lam=np.nan, seconds=np.nan, evaluations=None, messages="")


def evaluations(model: Method) -> int | None:
    """How often a fit evaluated its objective, or swept, the search for λ included.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> evaluations(mrwtd.MrWTD(rank=2).fit(data)) > evaluations(mrwtd.MrWTD(rank=2, lam=1.0).fit(data)) > 0
    True
    """
    own = getattr(model, "evaluations_", len(model.trace_))
    path = getattr(model, "lam_path_", None)
    searched = 0 if path is None or "evaluations" not in path else int(path["evaluations"].sum())
    return int(own) + searched


@cache
def _warm_up(rank: int) -> None:
    """Load the compiled code before the clock starts: else the first fit of a process would seem slow."""
    tiny = RelationalData(["a", "b"], [Relation("r", "binary", True)], [0], [1], [0], [1.0])
    MrWTD(rank=rank, lam=1.0, max_iter=1).fit(tiny)


def _rows(job: Job, scores: pd.DataFrame, **of_fit: Any) -> pd.DataFrame:
    rank = job.options.get("rank", job.rank)
    of_job = {"method": job.label, "train": job.train, "run": job.run, "rank": rank, "by": job.by}
    return scores.assign(**of_job, **of_fit).reindex(columns=list(COLUMNS)).astype(COLUMNS)
