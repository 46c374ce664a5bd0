"""A run on disk: what was asked, and what came out. A workspace is one visitor's runs and data sets.

A run is a folder: `run.json` (what it is), `scores.csv` (a row a score of each method) and `models/` (each fitted
method, its trace and its snapshots). Folders are written beside their place and then moved into it, so a run is there
as a whole or not at all.
"""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import shutil
import time
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from typing import IO, Any

import pandas as pd

from .baselines import load_model
from .data.errors import DataError, Problem
from .data.readers import read
from .data.relational import RelationalData
from .data.writing import write
from .model.method import Method

VERSION = 1
STATES = ("finished", "stopped", "interrupted")
"""How a run can have ended: by itself, by its visitor, or because he was gone or the server ended."""

IMPORT_LIMIT = 1_000_000_000
"""An imported file may expand to so many bytes."""

ABOUT, SCORES, MODELS = "run.json", "scores.csv", "models"
DATA, DATA_ABOUT = "data.parquet", "data.json"


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
    def scores(self) -> pd.DataFrame:
        """A row for each score of each method."""
        return pd.read_csv(self.folder / SCORES, keep_default_na=False, na_values={"value": [""], "lam": [""]})

    def models(self) -> dict[str, Method]:
        """The fitted methods by label."""
        return {label: load_model(self.folder / MODELS / f"{number}.npz") for number, label in enumerate(self.methods)}


class Workspace:
    """The runs and the uploaded data sets of one visitor, in a folder.

    >>> import tempfile, mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(data)
    >>> space = Workspace(Path(tempfile.mkdtemp()))
    >>> run = space.keep(
    ...     {"MrWTD": model}, mrwtd.evaluate(model, data).assign(method="MrWTD"),
    ...     name="first", title="Florence", settings={"rank": "2"}, digest=data.digest(), seconds=0.1)
    >>> [run.name for run in space.runs()], sorted(space.run(run.id).models())
    (['first'], ['MrWTD'])
    """

    def __init__(self, folder: Path):
        self.folder = Path(folder)

    @cached_property
    def _runs(self) -> Path:
        return _made(self.folder / "runs")

    @cached_property
    def _data(self) -> Path:
        return _made(self.folder / "data")

    def runs(self) -> list[Run]:
        """All runs, the newest first. What is not a whole run is left alone."""
        found = [run for folder in self._runs.iterdir() if not folder.name.startswith(".") and (run := _read(folder))]
        return sorted(found, key=lambda run: (run.created, run.id), reverse=True)

    def run(self, id: str) -> Run | None:  # noqa: A002 - the word that addresses use
        """A run by its id."""
        return _read(self._runs / id) if _is_id(id) else None

    def keep(
        self,
        models: Mapping[str, Method],
        scores: pd.DataFrame,
        *,
        name: str,
        title: str,
        settings: Mapping[str, str],
        digest: str,
        seconds: float,
        state: str = "finished",
        summary: Mapping[str, float] | None = None,
        id: str = "",  # noqa: A002
    ) -> Run:
        """Write a run and give it back; its id is a new one unless it was given to its job."""
        run = Run(
            id=id or new_id(), name=name, title=title, settings=dict(settings),
            state=state, created=datetime.now(UTC).isoformat(timespec="seconds"), seconds=seconds, digest=digest,
            methods=tuple(models), summary=dict(summary or {}),
        )  # fmt: skip
        draft = self._draft()
        (draft / MODELS).mkdir()
        for number, model in enumerate(models.values()):
            model.save(draft / MODELS / f"{number}.npz")
        scores.to_csv(draft / SCORES, index=False)
        _write_about(draft, run)
        return self._place(draft, run)

    def rename(self, id: str, name: str) -> Run | None:  # noqa: A002
        """Give a run another name; an empty one changes nothing."""
        run, name = self.run(id), " ".join(name.split())[:120]
        if run is None or not name:
            return run
        run = replace(run, name=name)
        _write_about(run.folder, run)
        return run

    def delete(self, id: str) -> None:  # noqa: A002
        """Remove a run."""
        run = self.run(id)
        if run is not None:
            gone = self._runs / f".gone-{run.id}"
            run.folder.rename(gone)  # at once: half a run is never seen
            shutil.rmtree(gone, ignore_errors=True)

    def export(self, id: str) -> bytes:  # noqa: A002
        """A run as one zip file, with its data where that was uploaded."""
        run = self.run(id)
        if run is None:
            raise DataError(Problem(f"no run {id!r}", "a run of this workspace"))
        files = [run.folder / ABOUT, run.folder / SCORES, *sorted((run.folder / MODELS).iterdir())]
        own = self._data / run.digest
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(run.folder).as_posix())
            for name in (DATA, DATA_ABOUT) if own.is_dir() else ():
                archive.write(own / name, name)
        return buffer.getvalue()

    def take_in(self, file: IO[bytes]) -> Run:
        """A run from a file that `export` wrote, here or elsewhere; a second copy of a run gets an id of its own.

        Only files of the names that a run has are unpacked, and models are read as data, never run.
        """
        name = str(getattr(file, "name", "the file"))
        draft = self._draft()
        try:
            with zipfile.ZipFile(file) as archive:
                _unpack(archive, draft)
            run = _read(draft)
            if run is None:
                raise ValueError("no run in it")  # noqa: TRY301
            _ = run.models(), run.scores  # both must be readable before the run is taken
            if (draft / DATA).is_file():
                _check_data(draft, run.digest)
                self._take_data(draft, run.digest)
        except DataError:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile) as error:
            shutil.rmtree(draft, ignore_errors=True)
            # An OSError would name a folder of the server.
            why = "a part is missing" if isinstance(error, OSError) else error
            raise DataError(Problem(f"a file of another kind ({why})", "a run that was exported"), file=name) from None
        if self.run(run.id) is not None:
            run = replace(run, id=new_id())
            _write_about(draft, run)
        return self._place(draft, run)

    def keep_data(self, data: RelationalData, about: Mapping[str, Any]) -> str:
        """Keep an uploaded data set, with what to tell of it, and give its digest. What was told last holds."""
        digest = data.digest()
        draft = self._draft()
        write(data, draft / DATA)
        (draft / DATA_ABOUT).write_text(json.dumps(dict(about)), encoding="utf-8")
        if (self._data / digest).is_dir():
            (draft / DATA_ABOUT).replace(self._data / digest / DATA_ABOUT)
        self._take_data(draft, digest)
        shutil.rmtree(draft, ignore_errors=True)
        return digest

    def data(self, digest: str) -> RelationalData | None:
        """An uploaded data set, or None where it is not here."""
        folder = self._data / digest
        return read(folder / DATA) if _is_id(digest) and folder.is_dir() else None

    def datasets(self) -> dict[str, dict[str, Any]]:
        """What was told of each uploaded data set, by digest, the newest first."""
        folders = [one for one in self._data.iterdir() if _is_id(one.name) and (one / DATA_ABOUT).is_file()]
        folders.sort(key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        return {folder.name: json.loads((folder / DATA_ABOUT).read_text(encoding="utf-8")) for folder in folders}

    def forget_data(self, digest: str) -> None:
        """Remove an uploaded data set."""
        if _is_id(digest) and (self._data / digest).is_dir():
            gone = self._data / f".gone-{secrets.token_hex(4)}"
            (self._data / digest).rename(gone)  # at once: half a data set is never seen
            shutil.rmtree(gone, ignore_errors=True)

    def _draft(self) -> Path:
        return _made(self._runs / f".draft-{secrets.token_hex(8)}")

    def _place(self, draft: Path, run: Run) -> Run:
        place = self._runs / run.id
        draft.rename(place)
        return replace(run, folder=place)

    def _take_data(self, draft: Path, digest: str) -> None:
        folder = self._data / digest
        if not folder.is_dir():
            whole = _made(draft / "whole")
            for name in (DATA, DATA_ABOUT):
                (draft / name).rename(whole / name)
            whole.rename(folder)
        else:
            os.utime(folder)
            for name in (DATA, DATA_ABOUT):
                (draft / name).unlink(missing_ok=True)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def new_id() -> str:
    """An id that no other run has; later ones come after earlier ones.

    >>> new_id() == new_id()
    False
    """
    return f"{time.time_ns():x}-{secrets.token_hex(2)}"


def _is_id(text: str) -> bool:
    return re.fullmatch(r"[0-9a-zA-Z][0-9a-zA-Z-]{0,199}", text) is not None


def _write_about(folder: Path, run: Run) -> None:
    about = {name: value for name, value in asdict(run).items() if name != "folder"} | {"version": VERSION}
    draft = folder / f"{ABOUT}.draft"
    draft.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")
    draft.replace(folder / ABOUT)


def _read(folder: Path) -> Run | None:
    """The run in a folder, or None where there is none that this version can read."""
    try:
        state = (folder / ABOUT).stat()
    except OSError:
        return None
    return _read_once(folder, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=1_000)  # every page lists all runs of its visitor
def _read_once(folder: Path, written: int, file: int) -> Run | None:  # noqa: ARG001 - they tell one text from the next
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if about.pop("version") != VERSION or about["state"] not in STATES or not _is_id(about["id"] + about["digest"]):
            return None
        about["methods"] = tuple(map(str, about["methods"]))
        about["settings"] = {str(name): str(value) for name, value in about["settings"].items()}
        about["summary"] = {str(name): float(value) for name, value in about["summary"].items()}
        about |= {"name": str(about["name"]), "title": str(about["title"]), "seconds": float(about["seconds"])}
        datetime.fromisoformat(about["created"])  # what lists of runs show of every run must be readable
        return Run(**about, folder=folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    (folder / MODELS).mkdir()
    infos = [
        info
        for info in archive.infolist()
        if info.filename in (ABOUT, SCORES, DATA, DATA_ABOUT) or re.fullmatch(rf"{MODELS}/\d+\.npz", info.filename)
    ]
    if sum(info.file_size for info in infos) > IMPORT_LIMIT:
        raise ValueError(f"it expands to more than {IMPORT_LIMIT:,} bytes")
    for info in infos:
        with archive.open(info) as source:
            content = source.read(info.file_size + 1)
        (folder / info.filename).write_bytes(content)


def _check_data(draft: Path, digest: str) -> None:
    found = read(draft / DATA)
    if found.digest() != digest:
        raise ValueError("its data is not that of the run")
    about = json.loads((draft / DATA_ABOUT).read_text(encoding="utf-8"))
    shapes: dict[str, type] = {"how": dict, "notes": list}
    if not (
        isinstance(about, dict)
        and isinstance(about.get("file"), str)
        and all(isinstance(about.get(name, shape()), shape) for name, shape in shapes.items())
    ):
        raise ValueError("it does not say what its data is")
