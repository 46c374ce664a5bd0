"""A run: what it was made of, how it ended, and its scores and models, in memory or on disk."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..baselines import load_model
from ..data.datasets.samples import load_dataset
from ..data.readers import read
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.diagnostics import Diagnostic
from ..model.method import Method
from .checksums import verify
from .file_checks import DATA
from .scores import SCORES, read_scores
from .spec import RunSpec

if TYPE_CHECKING:
    from .execute import Fit

STATES = ("finished", "stopped", "interrupted")
"""How a run can have ended: by itself, by its user, or because they were gone or the server ended."""

MODELS = "models"


@dataclass(frozen=True)
class Memory:
    """What a run has in memory: the models and fits by label, the scores, and diagnostics where there are no models."""

    models: Mapping[str, Method]
    scores: pd.DataFrame
    fits: tuple[Fit, ...] = ()
    diagnostics: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)


def new_id() -> str:
    """An id that no other run has; later ones come after earlier ones.

    >>> new_id() == new_id()
    False
    """
    return f"{time.time_ns():x}-{secrets.token_hex(2)}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Run:
    """Methods that were fitted to one split of one data set.

    Attributes:
        spec: everything that decides its numbers.
        state: one of `STATES`.
        seconds: how long it took.
        methods: the label of each method that was fitted, in order.
        summary: the mean of each kind's main score, by method, for lists of runs.
        id: its name in URLs.
        name: its name for people.
        created: when it ended, in UTC.
        code: the version of the code that made it, once it is stored.
        files: size and checksum of each of its files on disk, by name.
        folder: where it is stored.
        memory: what it holds before it is stored.
    """

    spec: RunSpec
    state: str
    seconds: float
    methods: tuple[str, ...]
    summary: Mapping[str, float] = field(default_factory=dict)
    id: str = field(default_factory=new_id)
    name: str = ""
    created: str = field(default_factory=_now)
    code: str = ""
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False, repr=False)
    folder: Path | None = field(default=None, compare=False)
    memory: Memory | None = field(default=None, compare=False, repr=False)

    @property
    def title(self) -> str:
        """The name of its data for people."""
        return self.spec.data.title

    @property
    def digest(self) -> str:
        """The digest of its data."""
        return self.spec.data.digest

    @property
    def display_name(self) -> str:
        """Its name, with how it ended where that was not by itself."""
        return self.name if self.state == "finished" else f"{self.name} ({self.state})"

    @property
    def scores(self) -> pd.DataFrame:
        """One row for each score of each method: method, the columns of `mrwtd.evaluate`, then facts about the fit.

        These are lam, seconds, evaluations, messages and test_entries. A method that failed has one row without a
        metric whose reason says why.
        """
        if self.memory is not None:
            return self.memory.scores
        scores: pd.DataFrame = self._stored(SCORES, read_scores)
        return scores

    def models(self) -> dict[str, Method]:
        """The fitted methods by label."""
        if self.memory is not None:
            return dict(self.memory.models)
        return {label: self._stored(f"{MODELS}/{number}.npz", load_model) for number, label in enumerate(self.methods)}

    @property
    def diagnostics(self) -> dict[str, tuple[Diagnostic, ...]]:
        """What is to be known about each fit, by label."""
        if self.memory is not None and self.memory.diagnostics:
            return dict(self.memory.diagnostics)
        return {label: model.diagnostics_ for label, model in self.models().items()}

    def data(self) -> RelationalData:
        """The data that it was made from, where it is stored with the run or comes with the package."""
        if DATA in self.files:
            data: RelationalData = self._stored(DATA, read)
        elif self.spec.data.plain_sample:
            data = load_dataset(self.spec.data.name)
        else:
            raise DataError(Problem("a run without its data", "one that was stored together with it"))
        if data.digest() != self.digest:
            raise DataError(Problem("other data than that of the run", "the data that it was made from"))
        return data

    def _stored(self, name: str, load: Any) -> Any:
        """What a file of the run holds, if it is the one that was written."""
        if name not in self.files or self.folder is None:
            raise DataError(Problem(f"a run without {name}", "one that was stored with it"))
        try:
            verify(self.folder, name, self.files[name])
            return load(self.folder / name)
        except DataError as error:
            raise DataError(error.problems, file=name) from None  # without the folders of a server
        except ValueError as error:
            raise DataError(Problem(f"a damaged run ({error})", "a whole one")) from None


@dataclass(frozen=True)
class Damaged:
    """A run or a data set that cannot be read: it is listed, so that it can be deleted.

    Attributes:
        id: the id of the run, or the digest of the data set.
        name: what it is called, as far as that can be read.
        reason: what is wrong with it, and what to do.
        other_version: whether nothing is wrong but that another version of mrwtd has made it.
    """

    id: str
    name: str
    reason: str
    other_version: bool = False
