"""Records of the experiments that a user has run: which, with what options, and how far. No Streamlit in it.

Finished fits are in one folder per experiment, whatever the options, so that nothing is computed twice. The records
are beside them, one file each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from ...experiments import EXPERIMENTS
from ...runs import Damaged

PAGE = "experiments."
"""Begins the settings of the Experiments page."""


@dataclass(frozen=True)
class ExperimentRecord:
    """An experiment with options, as it was run.

    >>> ExperimentRecord("rank", "quick, 2 splits", {}, done=3, total=8).unfinished
    True

    Attributes:
        experiment: its name in the registry.
        name: its name for people: what tells it from others of the same experiment.
        settings: what was chosen on the Experiments page.
        done, total: how many of its fits are finished.
        created: when it was last run, in UTC.
    """

    experiment: str
    name: str
    settings: Mapping[str, str]
    done: int = 0
    total: int = 0
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def id(self) -> str:
        """The same for the same experiment with the same options."""
        return sha256(f"{self.experiment} {self.name}".encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """What the experiment is called."""
        return EXPERIMENTS[self.experiment].title

    @property
    def unfinished(self) -> bool:
        """Whether there are fits to go on with."""
        return self.done < self.total


def experiment_settings(views: Mapping[str, str], experiment: str) -> dict[str, str]:
    """What was chosen for one experiment on its page.

    >>> views = {"experiments.rank-size": "full", "experiments.real-size": "full", "learn.lesson": "2"}
    >>> experiment_settings(views, "rank")
    {'experiments.rank-size': 'full', 'experiments.which': 'rank'}
    """
    chosen = {name: value for name, value in views.items() if name.startswith(f"{PAGE}{experiment}-")}
    return chosen | {f"{PAGE}which": experiment}


def save(folder: Path, record: ExperimentRecord) -> None:
    """Write what was asked for, over what was written of the same before.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> save(place, ExperimentRecord("rank", "quick", {}, total=8))
    >>> [(one.experiment, one.name) for one in load_all(place)]
    [('rank', 'quick')]
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{record.id}.draft"
    draft.write_text(json.dumps(asdict(record), ensure_ascii=False), encoding="utf-8")
    draft.replace(folder / f"{record.id}.json")


def load_all(folder: Path) -> list[ExperimentRecord]:
    """All that is kept in a folder, the newest first; what cannot be read is left alone."""
    found = [one for file in folder.glob("*.json") if (one := _read(file)) is not None]
    return sorted(found, key=lambda one: (one.created, one.id), reverse=True)


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


def delete(folder: Path, record: ExperimentRecord) -> None:
    """Take it from the list. Its finished fits stay: others of the same experiment may share them."""
    (folder / f"{record.id}.json").unlink(missing_ok=True)


def _read(file: Path) -> ExperimentRecord | None:
    try:
        record = ExperimentRecord(**json.loads(file.read_text(encoding="utf-8")))
        datetime.fromisoformat(record.created).astimezone(UTC)
        texts = (record.experiment, record.name, *record.settings, *record.settings.values())
        valid = all(isinstance(text, str) for text in texts) and isinstance(record.done + record.total, int)
    except (OSError, ValueError, TypeError, AttributeError, OverflowError):
        return None
    return record if valid and record.experiment in EXPERIMENTS else None
