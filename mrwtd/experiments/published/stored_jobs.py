"""Run jobs one after another, and store the rows of each at once, so that an interrupted run can be continued."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import pandas as pd

from ...comparison import ResultCache
from ...data.datasets.samples import load_dataset
from ...data.relational import RelationalData
from ...runs import RunSpec

Progress = Callable[[int, int, str], object]
"""Called with the numbers of finished and of all fits, and the name of the next one."""


class DataJob(Protocol):
    """A job that names its data."""

    @property
    def data(self) -> str:
        """The name of the data set, in its standard form."""

    @property
    def key(self) -> str:
        """A stable identifier among all jobs on the same data."""

    @property
    def spec(self) -> RunSpec:
        """The specification of the run."""

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the job, from its scores."""


AnyJob = TypeVar("AnyJob", bound=DataJob)


def run_stored(
    jobs: Sequence[AnyJob],
    run_job: Callable[[AnyJob, RelationalData], pd.DataFrame],
    folder: Path,
    progress: Progress | None = None,
    restart: bool = False,
) -> pd.DataFrame:
    """The rows of all jobs; those in the folder are not run again, unless `restart` deletes them first."""
    loaded = {name: load_dataset(name, form="standard") for name in dict.fromkeys(job.data for job in jobs)}
    caches = {name: ResultCache(folder / "finished", data) for name, data in loaded.items()}
    if restart:
        for name, cache in caches.items():
            cache.restart(job.key for job in jobs if job.data == name)
    done = {job.key: rows for job in jobs if (rows := caches[job.data].get(job.key)) is not None}
    frames = []
    for job in jobs:
        if job.key not in done:
            if progress is not None:
                progress(len(done), len(jobs), str(job))
            done[job.key] = run_job(job, loaded[job.data])
            caches[job.data].save(job, done[job.key])  # type: ignore[arg-type]  # which uses its key and spec only
        frames.append(job.rows(done[job.key]))
    return pd.concat(frames, ignore_index=True)
