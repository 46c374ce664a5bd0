"""A run: its specification, final state, scores and models, in memory or on disk."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from ..baselines import load_model
from ..data.datasets.samples import load_dataset
from ..data.readers import read
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.diagnostics import Diagnostic
from ..model.method import Method
from .file_checks import DATA, verify
from .scores import SCORES, read_scores
from .spec import RunSpec

STATES = ("finished", "stopped", "interrupted")
"""The final states of a run: finished by itself, stopped by the user, or interrupted as the user or server was gone."""

MODELS = "models"
T = TypeVar("T")


@dataclass(frozen=True)
class Memory:
    """The contents of a run in memory: models by label, scores, and diagnostics if there are no models."""

    models: Mapping[str, Method]
    scores: pd.DataFrame
    diagnostics: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)


def new_id() -> str:
    """A unique id; ids sort by time.

    >>> new_id() == new_id()
    False
    """
    return f"{time.time_ns():x}-{secrets.token_hex(2)}"


def now() -> str:
    """The time in UTC, as runs store it.

    >>> now()[-6:]
    '+00:00'
    """
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Run:
    """Methods fitted to one split of one data set.

    Attributes:
        spec: the specification, which determines all numbers.
        state: one of `STATES`.
        seconds: the duration.
        methods: the labels of the fitted methods, in order.
        summary: the mean of the main score by method, for lists of runs.
        id: the identifier in URLs.
        name: the name for users.
        created: the time of the end, in UTC.
        code: the version of the code that made it, once it is stored.
        files: size and checksum of each file on disk, by name.
        folder: the folder it is stored in.
        memory: its contents before it is stored.
    """

    spec: RunSpec
    state: str
    seconds: float
    methods: tuple[str, ...]
    summary: Mapping[str, float] = field(default_factory=dict)
    id: str = field(default_factory=new_id)
    name: str = ""
    created: str = field(default_factory=now)
    code: str = ""
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False, repr=False)
    folder: Path | None = field(default=None, compare=False)
    memory: Memory | None = field(default=None, compare=False, repr=False)

    @property
    def title(self) -> str:
        """The title of its data."""
        return self.spec.data.title

    @property
    def digest(self) -> str:
        """The digest of its data."""
        return self.spec.data.digest

    @property
    def display_name(self) -> str:
        """The name, with the final state unless it is "finished"."""
        return self.name if self.state == "finished" else f"{self.name} ({self.state})"

    @property
    def scores(self) -> pd.DataFrame:
        """One row for each score of each method: method, the columns of `mrwtd.evaluate`, then facts about the fit.

        These facts are lam, seconds, evaluations, messages and test_entries. A failed method has one row without a
        metric, with the reason.
        """
        if self.memory is not None:
            return self.memory.scores
        return self._stored(SCORES, read_scores)

    def models(self) -> dict[str, Method]:
        """The fitted methods by label."""
        if self.memory is not None:
            return dict(self.memory.models)
        return {label: self._stored(f"{MODELS}/{number}.npz", load_model) for number, label in enumerate(self.methods)}

    @property
    def diagnostics(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The diagnostics of each fit, by label."""
        if self.memory is not None and self.memory.diagnostics:
            return dict(self.memory.diagnostics)
        return {label: model.diagnostics_ for label, model in self.models().items()}

    def data(self) -> RelationalData:
        """The data, if it is stored with the run or part of the package."""
        if DATA in self.files:
            data = self._stored(DATA, read)
        elif self.spec.data.plain_sample:
            data = load_dataset(self.spec.data.name)
        else:
            raise DataError(Problem("a run without its data", "a run that was stored with its data"))
        if data.digest() != self.digest:
            raise DataError(Problem("data that differs from that of the run", "the data that the run was fitted to"))
        return data

    def _stored(self, name: str, load: Callable[[Path], T]) -> T:
        """The contents of a file of the run, if the file is unchanged."""
        if name not in self.files or self.folder is None:
            raise DataError(Problem(f"a run without {name}", f"a run that was stored with {name}"))
        try:
            verify(self.folder, name, self.files[name])
            return load(self.folder / name)
        except DataError as error:
            raise DataError(error.problems, file=name) from None  # without the folders of the server
        except ValueError as error:
            raise DataError(Problem(f"a damaged run ({error})", "a complete run")) from None


@dataclass(frozen=True)
class Damaged:
    """A run or a data set that cannot be read. It is listed, so that users can delete it.

    Attributes:
        id: the id of the run, or the digest of the data set.
        name: its name, if that can be read.
        reason: the problem, and what to do.
        other_version: whether the only problem is that another version of mrwtd made it.
    """

    id: str
    name: str
    reason: str
    other_version: bool = False
