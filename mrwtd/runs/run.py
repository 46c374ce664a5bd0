"""A run on disk, and how it is read: as a `Run`, or as `Damaged` with what is wrong with it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from ..baselines import load_model
from ..errors import DataError, Problem
from ..model.method import Method
from .files import (
    ABOUT,
    DATA,
    DATA_ABOUT,
    MODELS,
    VERSION,
    check_data,
    check_models,
    data_about,
    read_json,
    run_about,
)
from .scores import SCORES, read_scores


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes:
        id: its name in addresses.
        name: its name for people.
        title: the data set's name for people.
        settings: what was asked, as it stands in addresses.
        state: one of `STATES`.
        created: when it ended, in UTC.
        seconds: how long it took.
        digest: of the data that it was made from.
        methods: the label of each method that was fitted, in order; models lie in files of their number.
        summary: the mean of each kind's main score, by method, for lists of runs.
        folder: where it lies.
    """

    id: str
    name: str
    title: str
    settings: Mapping[str, str]
    state: str
    created: str
    seconds: float
    digest: str
    methods: tuple[str, ...]
    summary: Mapping[str, float] = field(default_factory=dict)
    folder: Path = field(default=Path(), compare=False)

    @property
    def called(self) -> str:
        """Its name, with how it ended where that was not by itself."""
        return self.name if self.state == "finished" else f"{self.name} ({self.state})"

    @property
    def request(self) -> dict[str, str]:
        """The settings in full: a run that does not say what it held out is of the time when that was entries."""
        return {"by": "entry", **self.settings}

    @property
    def scores(self) -> pd.DataFrame:
        """A row for each score of each method."""
        try:
            return read_scores(self.folder)
        except ValueError as error:
            raise DataError(Problem(f"a damaged run ({error})", "a whole one")) from None

    def models(self) -> dict[str, Method]:
        """The fitted methods by label."""
        return {label: load_model(self.folder / MODELS / f"{number}.npz") for number, label in enumerate(self.methods)}


@dataclass(frozen=True)
class Damaged:
    """A run or a data set that cannot be read: it is listed, so that it can be deleted.

    Attributes:
        id: the id of the run, or the digest of the data set.
        name: what it is called, as far as that can be read.
        reason: what is wrong with it.
    """

    id: str
    name: str
    reason: str


def write_about(folder: Path, run: Run) -> None:
    """Write what a run says of itself."""
    about = {name: value for name, value in asdict(run).items() if name != "folder"} | {"version": VERSION}
    draft = folder / f"{ABOUT}.draft"
    draft.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")
    draft.replace(folder / ABOUT)


def read_run(folder: Path) -> Run | Damaged:
    """The run in a folder, or what is wrong with it."""
    # The folder stands for the many models in it: one that is damaged later shows when it is opened.
    return _read_once(folder, tuple(_state(f"{folder}/{name}") for name in (ABOUT, SCORES, MODELS)))


def _state(file: str) -> tuple[int, ...]:
    """What tells a file from one that was there before: its time and its size."""
    try:
        state = os.stat(file)  # noqa: PTH116 - several times as fast, and every page asks of every run
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_ino, state.st_size


@lru_cache(maxsize=10_000)  # every page lists all runs of its user
def _read_once(folder: Path, state: tuple[object, ...]) -> Run | Damaged:  # noqa: ARG001 - tells files from older ones
    about: dict[str, Any] = {}
    try:
        about = read_json(folder / ABOUT)
        run = Run(**run_about(about), folder=folder)
        read_scores(folder)
        check_models(folder, run.methods)
    except ValueError as error:
        return Damaged(folder.name, _name(about, "name"), str(error))
    return run


def read_data(folder: Path) -> dict[str, Any] | Damaged:
    """What is said of the data set in a folder, or what is wrong with it."""
    return _read_data_once(folder, tuple(_state(f"{folder}/{name}") for name in (DATA, DATA_ABOUT)))


@lru_cache(maxsize=10_000)
def _read_data_once(folder: Path, state: tuple[object, ...]) -> dict[str, Any] | Damaged:  # noqa: ARG001
    content: dict[str, Any] = {}
    try:
        content = read_json(folder / DATA_ABOUT)
        about = data_about(content)
        check_data(folder)
    except ValueError as error:
        return Damaged(folder.name, _name(content, "called") or _name(content, "file"), str(error))
    return about


def _name(content: Mapping[str, Any], key: str) -> str:
    """What something damaged is called, as far as that can be read."""
    text = content.get(key)
    return text[:120].encode(errors="replace").decode() if isinstance(text, str) else ""
