"""Run jobs one after another, and store the rows of each at once, so that an interrupted run can be continued."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import pandas as pd

from ...comparison import FitJob, ResultCache
from ...data.datasets.samples import load_dataset
from ...data.relational import RelationalData
from ...model.predictor import Predictor
from ...runs import DataRef, MethodSpec, RunSpec, SplitSpec
from .settings import Setting

Progress = Callable[[int, int, str], object]
"""Called with the numbers of finished and of all fits, and the name of the next one."""


@dataclass(frozen=True)
class StoredJob(FitJob):
    """One setting on one data set.

    Attributes:
        data: the name of the data set, in its standard form.
        setting: the method with its parameters.
        run: the number of the split.
    """

    data: str
    setting: Setting
    run: int = 0

    @property
    def label(self) -> str:  # type: ignore[override]  # a property here
        """The row of the table."""
        return self.setting.label

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the job."""
        return scores.assign(data=self.data, label=self.label, setting=self.setting.name)

    def __str__(self) -> str:
        return f"{self.data}, {self.setting.name}"

    def fit(self, train: RelationalData) -> tuple[Predictor, float]:
        """The fitted method, and the seconds of processor time of the fit."""
        began = process_time()
        return self.setting.fit(train), process_time() - began

    def _spec_with(self, split: SplitSpec, **more: Any) -> RunSpec:
        method = MethodSpec(self.label, self.setting.method, {**self.setting.parameters, **more})
        return RunSpec(DataRef(self.data, sample=True, options={"form": "standard"}), split, (method,))


AnyJob = TypeVar("AnyJob", bound=StoredJob)


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
            caches[job.data].save(job, done[job.key])
        frames.append(job.rows(done[job.key]))
    return pd.concat(frames, ignore_index=True)
