"""Finished jobs in a folder: a comparison that was interrupted goes on from there, and repeats nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Protocol

import pandas as pd

from ..data.relational import RelationalData


class Keyed(Protocol):
    """A job of any sort, such as `Job`: `key` tells it from all others."""

    @property
    def key(self) -> str:
        """All that the job is, as text."""


class Finished(Mapping[str, pd.DataFrame]):
    """Rows by `Job.key`, each job in a file of its own that is there as a whole or not at all.

    `data` is what the jobs run on, or, where they make their own, a word that no other jobs of the folder have. Jobs
    that failed are not kept: what failed for want of memory may succeed tomorrow.

    >>> import mrwtd, tempfile
    >>> data = mrwtd.load_dataset("florentine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     finished = Finished(folder, data)
    ...     for turn in (1, 2):  # the second runs nothing
    ...         scores = mrwtd.compare(data, ["CP"], [0.5], rank=2, runs=1, n_jobs=1, keep=finished.keep, kept=finished)
    ...     len(finished)
    1
    """

    def __init__(self, folder: str | PathLike[str], data: RelationalData | str):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._data = data if isinstance(data, str) else data.digest()

    def keep(self, job: Keyed, rows: pd.DataFrame) -> None:
        """Write the rows of a job."""
        if (rows["metric"] == "").any():
            return
        part = self._file(job.key).with_suffix(".part")
        rows.assign(key=job.key).to_parquet(part, index=False)
        part.replace(self._file(job.key))

    def __getitem__(self, key: str) -> pd.DataFrame:
        try:
            return pd.read_parquet(self._file(key)).drop(columns="key")
        except (OSError, ValueError):
            raise KeyError(key) from None

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._file(key).is_file()

    def __iter__(self) -> Iterator[str]:
        for file in sorted(self.folder.glob(f"{self._data[:12]}-*.parquet")):
            yield str(pd.read_parquet(file, columns=["key"])["key"].iloc[0])

    def __len__(self) -> int:
        return len(list(self.folder.glob(f"{self._data[:12]}-*.parquet")))

    def _file(self, key: str) -> Path:
        return self.folder / f"{self._data[:12]}-{sha256(key.encode()).hexdigest()[:20]}.parquet"
