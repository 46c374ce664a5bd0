"""Jobs in several processes: results are yielded as they finish, and a process that dies affects no other job."""

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from .. import plugins
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.losses import LOSSES, Loss, register
from ..model.threads import limit_threads
from .dask_jobs import Done, run_on_cluster
from .jobs import Job, failure_rows, run_job

POLL_SECONDS = 0.5
"""Seconds between two checks for cancellation."""

WATCH_SECONDS = 1.0
"""Seconds between two checks whether the parent process is alive."""


def check_n_jobs(n_jobs: object) -> None:
    """Refuse a number of processes that is neither positive nor −1.

    >>> check_n_jobs(0)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found n_jobs = 0; expected a whole number from 1 up, or -1 for all cores
    """
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or (n_jobs < 1 and n_jobs != -1):
        raise DataError(Problem(f"n_jobs = {n_jobs!r}", "a whole number from 1 up, or -1 for all cores"))


def run_jobs(
    data: RelationalData,
    todo: Sequence[Job],
    n_jobs: int = 1,
    scheduler: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[Done, None, None]:
    """Yield each job with its rows, in the order in which they finish: on this machine, or on a Dask cluster.

    Jobs in other processes of this machine end as soon as `cancelled` returns True.

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
            # A worker died, perhaps for lack of memory, while it ran one of the first jobs left: run these one by one.
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

    # Losses of a notebook are sent as objects, those of plugins as files.
    losses = tuple(loss for loss in LOSSES.values() if not type(loss).__module__.startswith("mrwtd"))
    workers = min(workers, len(todo))
    waiting = iter(tuple(todo))  # a copy, as the caller shortens the list while results come
    with _ignore_interrupts():
        arguments = (os.getpid(), data, losses, plugins.loaded())
        pool = ProcessPoolExecutor(workers, initializer=_initialize, initargs=arguments)
        futures = {pool.submit(_work, job) for job in islice(waiting, workers)}
    try:
        while futures and not cancelled():
            done, futures = wait(futures, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
            # No more jobs than workers, so that no job waits in the pool.
            futures |= {pool.submit(_work, job) for job in islice(waiting, len(done))}
            for future in done:
                yield future.result()
    finally:
        # A pool that is shut down while a job waits fails in a background thread.
        while not all(future.running() or future.done() for future in futures):
            time.sleep(0.01)
        pool.shutdown(wait=True, kill_workers=True)


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """Processes started within ignore Ctrl-C: this process handles it, and ends its workers."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def end_with_parent(parent: int) -> None:
    """End this process within some seconds after its parent, which may be killed and cannot end it then.

    >>> end_with_parent(os.getppid())
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="mrwtd-parent", daemon=True).start()


_DATA: list[RelationalData] = []
"""In a worker: the data for all of its jobs, sent once."""


def _initialize(parent: int, data: RelationalData, losses: tuple[Loss, ...], files: tuple[Path, ...]) -> None:
    """Set the data and the losses of the parent process in a worker, which ends with that process."""
    end_with_parent(parent)
    plugins.load(files)
    for loss in losses:
        register(type(loss))
    _DATA[:] = [data]


def _work(job: Job) -> Done:
    with limit_threads(1):  # the other cores run other jobs
        return job, run_job(_DATA[0], job)
