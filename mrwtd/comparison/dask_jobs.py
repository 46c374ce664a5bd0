"""Jobs on a Dask cluster: the data is sent once, and the jobs of a worker that dies are run again."""

from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from functools import lru_cache
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.distributed.client import connected, custom_losses, distributed, packed, sent, unpacked
from ..model.losses import LOSSES
from ..model.threads import limit_threads
from .jobs import Job, failure_rows, run_job

Done = tuple[Job, pd.DataFrame]


def run_on_cluster(data: RelationalData, todo: Sequence[Job], scheduler: str) -> Generator[Done, None, None]:
    """Yield each job with its rows, in the order in which they finish.

    >>> import mrwtd
    >>> todo = [Job("CP", "CP", train=0.5, run=run, rank=2, lam=1.0) for run in (0, 1)]
    >>> with distributed().LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
    ...     done = list(run_on_cluster(mrwtd.load_dataset("florentine"), todo, cluster.scheduler_address))
    >>> sorted(job.run for job, rows in done)
    [0, 1]
    """
    with connected(scheduler) as client:
        shared = sent(client, data)
        lost = yield from _round(client, shared, todo)
        # Some job ends every worker that runs it, and others were lost with it. Run them one by one to find it.
        for job in lost:
            if (yield from _round(client, shared, [job])):
                yield (
                    job,
                    failure_rows(job, DataError(Problem("a job that ends every worker", "workers with enough memory"))),
                )


def _round(client: Any, shared: Any, todo: Sequence[Job]) -> Generator[Done, None, list[Job]]:
    """Run all jobs at once, and return those that were lost with several workers."""
    package = distributed()
    losses = packed(custom_losses())
    futures = {client.submit(_work, shared, job, losses, pure=False): job for job in todo}
    lost: list[Job] = []
    for future in package.as_completed(futures, loop=client.loop):
        job = futures[future]
        try:
            rows = future.result()
        except CancelledError:
            problem = Problem(
                "a scheduler that ended during the run", "a running scheduler; start the same run again to continue"
            )
            raise DataError(problem) from None
        except package.KilledWorker:
            lost.append(job)
            continue
        except Exception as error:  # the worker cannot run it: the others continue, and the row gives the reason
            rows = failure_rows(job, error)
        future.release()  # the worker can free it
        yield job, rows
    return lost


def _work(data: RelationalData, job: Job, losses: bytes) -> pd.DataFrame:
    """Run one job on a worker, with the losses of the client."""
    for loss in _unpacked(losses):
        LOSSES.add(loss)
    # Permanently: jobs in other threads of the worker need the limit after this one ends.
    threadpool_limits(1)
    with limit_threads(1):
        return run_job(data, job)


_unpacked = lru_cache(maxsize=8)(unpacked)
