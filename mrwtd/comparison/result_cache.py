"""A folder with the results of finished jobs: an interrupted comparison continues where it stopped.

Each result is a run without its model in one small JSON file, which `mrwtd.load_run` opens too. It has the version of
the code that made it. Results of another version are never mixed with those of this one: reading them is an error,
which deletes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

import pandas as pd

from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..runs import Run
from ..runs.run import Memory
from ..runs.store import OtherFormatError, read_fit, write_fit
from ..version import UNSTATED, results_version
from .jobs import FitJob


class OtherVersionError(DataError):
    """Stored results of another version of the code.

    >>> str(OtherVersionError("runs/finished", {"0.1.0+1f0c9a77e2": 3}, "0.1.0+b7dbf819c9")).partition(" (")[0]
    'runs/finished: found 3 fits of 0.1.0+1f0c9a77e2; expected fits of this version, 0.1.0+b7dbf819c9'

    Attributes:
        counts: the number of fits of each other version.
        expected: the version of this code.
    """

    def __init__(self, place: str | PathLike[str], counts: Mapping[str, int], expected: str):
        self.counts, self.expected = dict(counts), expected
        listed = ", ".join(f"{number} fit{'s' * (number != 1)} of {name}" for name, number in counts.items())
        fix = "nothing was changed; delete the folder, use another one, or start again with --restart"
        super().__init__(Problem(listed, f"fits of this version, {expected} ({fix})"), file=str(place))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.file, self.counts, self.expected)


class ResultCache(Mapping[str, pd.DataFrame]):
    """Scores by `Job.key`, one file per job, which is complete or does not exist.

    `data` is the data of the jobs. For jobs that generate their data, it is a word that no other jobs of the folder
    use. Failed jobs are not stored: a job that ran out of memory may succeed next time. A job stored by another version
    of the code raises `OtherVersionError`; `restart` deletes such jobs.

    >>> import mrwtd, tempfile
    >>> data = mrwtd.load_dataset("florentine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = ResultCache(folder, data)
    ...     for turn in (1, 2):  # the second time, no job runs
    ...         scores = mrwtd.compare(data, ["CP"], [0.5], rank=2, runs=1, n_jobs=1, save=cache.save, cached=cache)
    ...     len(cache)
    1
    """

    def __init__(self, folder: str | PathLike[str], data: RelationalData | str):
        self.folder = Path(folder)
        self._digest = "" if isinstance(data, str) else data.digest()
        self._data = data if isinstance(data, str) else self._digest
        self._version = results_version()

    def save(self, job: FitJob, rows: pd.DataFrame) -> None:
        """Write the rows of a job."""
        if (rows["metric"] == "").any():
            return
        run = Run(
            spec=replace(job.spec, data=replace(job.spec.data, digest=self._digest)),
            state="finished",
            seconds=float(rows["seconds"].iloc[0]) if "seconds" in rows else 0.0,
            methods=tuple(method.label for method in job.spec.methods),
            code=self._version,
            memory=Memory({}, rows),
        )
        write_fit(self._file(job.key), run, **{str(name): value for name, value in rows.attrs.items()})

    def __getitem__(self, key: str) -> pd.DataFrame:
        try:
            run = read_fit(self._file(key))
        except OtherFormatError:
            raise self._other_versions() from None
        except ValueError:
            raise KeyError(key) from None
        if run.code != self._version:
            raise self._other_versions()
        return run.scores

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._file(key).is_file()

    def __iter__(self) -> Iterator[str]:
        return (file.stem.rpartition("-")[2] for file in self._files())

    def __len__(self) -> int:
        return len(self._files())

    def restart(self, keys: Iterable[str]) -> int:
        """Delete the results of these jobs, and all results of other versions for the same data; return their number.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ResultCache(folder, "timing").restart(["a job that was never run"])
        0
        """
        files = {self._file(key) for key in keys} & {*self._files()}
        files |= {file for file in self._files() if _version(file) != self._version}
        for file in files:
            file.unlink(missing_ok=True)
        return len(files)

    def _other_versions(self) -> OtherVersionError:
        versions = Counter(name for name in map(_version, self._files()) if name not in (None, self._version))
        return OtherVersionError(self.folder, versions, self._version)

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"{self._data[:12]}-*.json"))

    def _file(self, key: str) -> Path:
        return self.folder / f"{self._data[:12]}-{key}.json"


def _version(file: Path) -> str | None:
    """The version of the code in a file; None if it cannot be read."""
    try:
        return read_fit(file).code or UNSTATED
    except OtherFormatError:
        return UNSTATED
    except ValueError:
        return None
