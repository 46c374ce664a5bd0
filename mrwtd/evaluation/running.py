"""Jobs on several processes: results come as they are finished, and a process that dies takes no other job with it."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from .. import plugins
from ..data.relational import RelationalData
from ..model.losses import LOSSES, Loss, register
from ..model.threads import at_most
from .cluster import run_on_cluster
from .jobs import Job, failed, run_job

Done = tuple[Job, pd.DataFrame]


def run_jobs(
    data: RelationalData, todo: Sequence[Job], n_jobs: int = 1, scheduler: str | None = None
) -> Generator[Done, None, None]:
    """Each job with its rows, in the order in which they are finished: here, or on the cluster of a Dask scheduler.

    >>> import mrwtd
    >>> todo = [Job("CP", "CP", train=0.5, run=run, rank=2, lam=1.0) for run in (0, 1)]
    >>> [job.run for job, rows in run_jobs(mrwtd.load_dataset("florentine"), todo)]
    [0, 1]
    """
    if scheduler is not None:
        yield from run_on_cluster(data, todo, scheduler)
        return
    if n_jobs == 1:
        for job in todo:
            yield job, run_job(data, job)
        return
    from joblib.externals.loky.process_executor import BrokenProcessPool

    left = list(todo)
    while left:
        try:
            for job, rows in _in_processes(data, left, n_jobs):
                left.remove(job)
                yield job, rows
        except BrokenProcessPool:
            # A worker died, as of too little memory. It had one of the first jobs that are left: they go one by one.
            for job in left[: 2 * n_jobs]:
                left.remove(job)
                try:
                    yield from _in_processes(data, [job], n_jobs)
                except BrokenProcessPool as error:
                    yield job, failed(job, error)


def _in_processes(data: RelationalData, todo: Sequence[Job], n_jobs: int) -> Generator[Done, None, None]:
    from joblib import Parallel, delayed, parallel_config

    # Losses of a notebook travel as they are; those of plugins by their files.
    own = tuple(loss for loss in LOSSES.values() if not type(loss).__module__.startswith("mrwtd"))
    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    with _deaf_to_interrupts():
        results = parallel(delayed(_work)(data, job, own, plugins.loaded()) for job in todo)
    try:
        # Not `yield from`, which would close the results before the warning below is off.
        for done in results:  # noqa: UP028
            yield done
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of results that nobody waits for any more
            results.close()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started within ignores Ctrl-C: it is meant for this process, which ends its workers without a word."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(data: RelationalData, job: Job, losses: tuple[Loss, ...], files: tuple[Path, ...]) -> Done:
    """One job, in a process that knows the losses of the one that asks."""
    plugins.load(files)
    for loss in losses:
        register(type(loss))
    with at_most(1):  # the other cores have jobs of their own
        return job, run_job(data, job)
