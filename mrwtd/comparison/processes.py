"""Jobs on several processes: results come as they are finished, and a process that dies takes no other job with it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pandas as pd

from .. import plugins
from ..data.relational import RelationalData
from ..model.losses import LOSSES, Loss, register
from ..model.threads import limit_threads
from .dask_jobs import run_on_cluster
from .jobs import Job, failure_rows, run_job

Done = tuple[Job, pd.DataFrame]

POLL_SECONDS = 0.5
"""Seconds between two questions whether all is called off."""


def run_jobs(
    data: RelationalData,
    todo: Sequence[Job],
    n_jobs: int = 1,
    scheduler: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[Done, None, None]:
    """Each job with its rows, in the order in which they are finished: here, or on the cluster of a Dask scheduler.

    Work in other processes of this machine asks `cancelled` now and then; once it says yes, jobs that run are given up.

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
    from joblib import cpu_count
    from joblib.externals.loky.process_executor import BrokenProcessPool

    left, workers = list(todo), n_jobs if n_jobs > 0 else cpu_count()
    while left:
        try:
            for job, rows in _in_processes(data, left, workers, cancelled):
                left.remove(job)
                yield job, rows
        except BrokenProcessPool:
            # A worker died, as of too little memory. It had one of the first jobs that are left: they go one by one.
            for job in left[: 2 * workers]:
                left.remove(job)
                try:
                    yield from _in_processes(data, [job], workers, cancelled)
                except BrokenProcessPool as error:
                    yield job, failure_rows(job, error)
        else:
            return


def _in_processes(
    data: RelationalData, todo: Sequence[Job], workers: int, cancelled: Callable[[], bool]
) -> Generator[Done, None, None]:
    from joblib.externals.loky import ProcessPoolExecutor

    # Losses of a notebook travel as they are; those of plugins by their files.
    losses = tuple(loss for loss in LOSSES.values() if not type(loss).__module__.startswith("mrwtd"))
    workers = min(workers, len(todo))
    waiting = iter(tuple(todo))  # which its owner shortens as results come
    with _deaf_to_interrupts():
        pool = ProcessPoolExecutor(workers, initializer=_begin, initargs=(data, losses, plugins.loaded()))
        futures = {pool.submit(_work, job) for job in islice(waiting, workers)}
    try:
        while futures and not cancelled():
            done, futures = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            # No more at a time than there are workers, so that all are taken up at once.
            futures |= {pool.submit(_work, job) for job in islice(waiting, len(done))}
            for one in done:
                yield one.result()
    finally:
        # A pool that is ended while a job waits to be taken up stumbles over it, in a thread of its own.
        while not all(one.running() or one.done() for one in futures):
            time.sleep(0.01)
        pool.shutdown(wait=True, kill_workers=True)


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


_DATA: list[RelationalData] = []
"""In a worker: the data that it was given once, for all of its jobs."""


def _begin(data: RelationalData, losses: tuple[Loss, ...], files: tuple[Path, ...]) -> None:
    """Make a worker know the data, and the losses of the process that asks."""
    plugins.load(files)
    for loss in losses:
        register(type(loss))
    _DATA[:] = [data]


def _work(job: Job) -> Done:
    with limit_threads(1):  # the other cores have jobs of their own
        return job, run_job(_DATA[0], job)
