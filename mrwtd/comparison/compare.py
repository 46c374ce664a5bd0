"""`compare`: several methods on the same splits, with the same rank and the same search for λ."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

import pandas as pd

from .. import baselines
from ..data.arguments import argument_error, check_callable
from ..data.folds import check_folds
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.parameters import default_rank
from .jobs import Job, Methods, joined_rows, make_jobs
from .processes import check_n_jobs, run_jobs

Progress = Callable[[int, int, str], object]
Save = Callable[[Job, pd.DataFrame], object]

STORED_FITS = "stored fits"
"""Label of the first progress report, if some fits were stored before."""


def compare(
    data: RelationalData,
    methods: Methods | None = None,
    train: Sequence[float] | None = None,
    rank: int | str | None = None,
    runs: int | None = None,
    seed: int = 0,
    n_jobs: int = 2,
    *,
    folds: int | None = None,
    scheduler: str | None = None,
    lam: float | str = "auto",
    stratify: bool = False,
    by: str = "auto",
    progress: Progress | None = None,
    save: Save | None = None,
    cached: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Scores of every method on the same random splits, or the same folds: one row per score.

    Every method gets the same training entries and the same rank, and searches λ on the same grid and validation
    entries with the same budget. Results do not depend on `n_jobs` or the cluster.

    Args:
        data: the data to split.
        methods: names of `mrwtd.METHODS`, or {label: {"method": name, parameter: value}} for other parameters; by
            default, all methods.
        train: the training fractions, by default 0.8; all other entries are test entries.
        rank: the rank of all methods; None is 20, or a fifth of the number of objects if that is less. With "auto",
            each run searches it, and the column `rank` is 0.
        runs: the number of splits for each fraction, by default 20; run r is `data.split(train, seed=seed + r, by=by)`.
        seed: the seed of splits and methods.
        n_jobs: the number of processes; 1 is this process, −1 one per core.
        folds: the number of folds of a cross-validation, instead of `train` and `runs`: run r learns from all folds
            but fold r, which it is tested on, so that each entry is tested once. `summarize` takes into account that
            the training parts overlap.
        scheduler: the URL of a Dask scheduler, such as "tcp://127.0.0.1:8786", whose workers do the fits.
        lam: "auto", or one λ for all.
        stratify: whether the splits keep the fraction of each class.
        by: what is held out of directed relations: "entry", "pair" (both directions of a pair together), or "auto",
            which is by pair if a relation is mostly mutual (see `RelationalData.split`).
        progress: called with (done, total, label of the last finished job); returning True stops the comparison.
        save: called with each finished `Job` and its rows.
        cached: rows of jobs that need not be run again, by `Job.key`, such as `mrwtd.comparison.ResultCache`.

    Columns: method, train, run, folds (of a cross-validation only), rank, by, then those of `mrwtd.evaluate`, then lam,
    seconds (of the fit, including its search for λ), evaluations and messages. A failed method has one row without a
    metric, with the reason.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> scores = mrwtd.compare(data, ["MrWTD-L", "RESCAL"], train=[0.5], rank=2, runs=2, n_jobs=1)
    >>> scores.groupby("method")["run"].nunique().to_dict()
    {'MrWTD-L': 2, 'RESCAL': 2}
    >>> folds = mrwtd.compare(data, ["Degree"], folds=3, n_jobs=1)
    >>> int(folds.drop_duplicates(["run", "relation"])["entries"].sum()) == len(data)
    True
    """
    if not isinstance(data, RelationalData):
        raise DataError(Problem(f"{type(data).__name__} as data", "RelationalData (see mrwtd.read)"))
    check_n_jobs(n_jobs)
    check_callable("progress", progress)
    check_callable("save", save)
    if scheduler is not None and not isinstance(scheduler, str):
        raise argument_error(
            "scheduler", scheduler, "the URL of a Dask scheduler, such as 'tcp://127.0.0.1:8786', or None"
        )
    rank = default_rank(data.n_objects) if rank is None else rank
    if folds is not None:
        check_folds(folds, len(data.observed()))
    chosen = baselines.METHODS if methods is None else methods
    requested = make_jobs(chosen, train, rank, runs, seed, lam, stratify, by, folds)
    stored = cached or {}
    done = {job.key: job.rows(rows) for job in requested if (rows := stored.get(job.key)) is not None}
    todo = [job for job in requested if job.key not in done]
    stopped = bool(progress and done and progress(len(done), len(requested), STORED_FITS))
    if todo and not stopped:
        with closing(run_jobs(data, todo, n_jobs, scheduler)) as results:
            for job, rows in results:
                done[job.key] = rows
                if save is not None:
                    save(job, rows)
                if progress is not None and progress(len(done), len(requested), str(job)):
                    break
    # In the order of the request, whatever was finished first.
    return joined_rows([done[job.key] for job in requested if job.key in done])
