"""Records of the experiments that a user has run: which experiment, with what options, and its progress.

Finished fits are in one folder per experiment, whatever the options and the data, so that nothing is computed twice.
The records are next to them, one file each.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from ...experiments.experiment import EXPERIMENTS
from ...experiments.on_data.data_experiment import DATA_EXPERIMENTS
from ...runs import Damaged
from ...runs.drafts import write_text
from ...runs.pending import Pending, is_interrupted
from ...runs.storage_error import as_storage_error
from . import current_user, session, user_datasets

KIND = "experiment"
"""The kind of the jobs that run experiments."""

PAGE = "experiments."
"""Prefix of the settings of the Experiments page."""


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment with its options, as it was run.

    >>> ExperimentRecord("rank", "quick, 2 splits", {}, done=3, total=8).unfinished
    True

    Attributes:
        experiment: the name in the registry.
        name: the options in words, which distinguish it from other records of the experiment.
        settings: the settings of the Experiments page.
        done, total: numbers of finished fits and of all fits.
        created: the time of its last run, in UTC.
        data, data_title: the name and the title of the data set of an experiment on data; empty for the paper's.
    """

    experiment: str
    name: str
    settings: Mapping[str, str]
    done: int = 0
    total: int = 0
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    data: str = ""
    data_title: str = ""

    @property
    def id(self) -> str:
        """The id, the same for the same experiment on the same data with the same options."""
        return sha256(f"{self.experiment} {self.name}{self.data and ' ' + self.data}".encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """The title of the experiment, with that of its data if it is not the paper's."""
        if self.experiment in EXPERIMENTS:
            return EXPERIMENTS[self.experiment].title
        return f"{DATA_EXPERIMENTS[self.experiment].label}, {self.data_title}"

    @property
    def unfinished(self) -> bool:
        """Whether there are fits left to run."""
        return self.done < self.total


def experiment_settings(views: Mapping[str, str], experiment: str) -> dict[str, str]:
    """The page settings that belong to one experiment.

    >>> views = {"experiments.rank-size": "full", "experiments.real-size": "full", "learn.lesson": "2"}
    >>> experiment_settings(views, "rank")
    {'experiments.rank-size': 'full', 'experiments.source': 'paper', 'experiments.which': 'rank'}
    """
    chosen = {name: value for name, value in views.items() if name.startswith(f"{PAGE}{experiment}-")}
    source, setting = ("paper", "which") if experiment in EXPERIMENTS else ("data", "kind")
    return chosen | {f"{PAGE}source": source, f"{PAGE}{setting}": experiment}


def fits_folder(experiment: str) -> Path:
    """The folder of the user's finished fits of an experiment, by its name."""
    return current_user.workspace().folder / "experiments" / experiment


def records_folder() -> Path:
    """The folder of the user's records."""
    return current_user.workspace().folder / "experiments" / "asked"


def save(folder: Path, record: ExperimentRecord) -> None:
    """Write a record to a folder, replacing an earlier one of the same id.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> save(place, ExperimentRecord("rank", "quick", {}, total=8))
    >>> [(record.experiment, record.name) for record in load_all(place)]
    [('rank', 'quick')]
    """
    write_text(folder / f"{record.id}.json", json.dumps(asdict(record), ensure_ascii=False))


def pending(folder: Path, record: ExperimentRecord) -> Pending:
    """The mark of an experiment that runs, next to its record."""
    return Pending(_mark(folder, record.id))


def interrupted(folder: Path) -> list[ExperimentRecord]:
    """The experiments that have not ended, and whose server was killed or stopped.

    >>> import tempfile
    >>> place, record = Path(tempfile.mkdtemp()), ExperimentRecord("rank", "quick", {}, total=8)
    >>> save(place, record)
    >>> running = pending(place, record)
    >>> interrupted(place)
    []
    >>> running.release()
    >>> [record.name for record in interrupted(place)]
    ['quick']
    """
    return [record for record in load_all(folder) if is_interrupted(_mark(folder, record.id))]


def accept_interruption(record: ExperimentRecord) -> None:
    """No longer list an experiment of the user as interrupted."""
    with as_storage_error():
        _mark(records_folder(), record.id).unlink(missing_ok=True)


def load_all(folder: Path) -> list[ExperimentRecord]:
    """All readable records in a folder, newest first."""
    records = [record for file in folder.glob("*.json") if (record := _read(file)) is not None]
    return sorted(records, key=lambda record: (record.created, record.id), reverse=True)


def damaged(folder: Path) -> list[Damaged]:
    """The records in a folder that cannot be read.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> _ = (place / "a1.json").write_text("{")
    >>> [item.id for item in damaged(place)]
    ['a1']
    """
    broken = (file for file in sorted(folder.glob("*.json")) if _read(file) is None)
    return [Damaged(file.stem, "", "The record cannot be read.") for file in broken]


def select(record: ExperimentRecord) -> None:
    """Change the settings to those of a record, and to its data set."""
    if record.data and record.data not in user_datasets.own_names():
        session.add_message(f"The data set of this experiment has been removed: {record.data_title}.")
        return
    if record.data and record.data != session.settings().data:
        session.change(data=record.data)
    previous = experiment_settings(session.settings().views, record.experiment)
    session.change(**(dict.fromkeys(previous, "") | dict(record.settings)))


def delete(record: ExperimentRecord) -> None:
    """Delete a record of the user. The finished fits are deleted with the last record of the experiment."""
    delete_file(record.id)
    if not any(other.experiment == record.experiment for other in load_all(records_folder())):
        shutil.rmtree(fits_folder(record.experiment), ignore_errors=True)


def delete_file(record_id: str) -> None:
    """Delete the file of a record of the user, also if it cannot be read."""
    with as_storage_error():
        for file in (records_folder() / f"{Path(record_id).name}.json", _mark(records_folder(), record_id)):
            file.unlink(missing_ok=True)


def _mark(folder: Path, record_id: str) -> Path:
    return folder / f"{Path(record_id).name}.running"


def _read(file: Path) -> ExperimentRecord | None:
    try:
        record = ExperimentRecord(**json.loads(file.read_text(encoding="utf-8")))
        datetime.fromisoformat(record.created).astimezone(UTC)
        about = (record.experiment, record.name, record.data, record.data_title)
        texts = (*about, *record.settings, *record.settings.values())
        valid = all(isinstance(text, str) for text in texts) and isinstance(record.done + record.total, int)
    except (OSError, ValueError, TypeError, AttributeError, OverflowError):
        return None
    return record if valid and record.experiment in {*EXPERIMENTS, *DATA_EXPERIMENTS} else None
