"""A run on disk: what was asked, and what came out. A workspace is one visitor's runs and data sets.

A run is a folder: `run.json` (what it is), `scores.csv` (a row a score of each method) and `models/` (each fitted
method, its trace and its snapshots). Folders are written beside their place and then moved into it, so a run is there
as a whole or not at all.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import shutil
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import pandas as pd

from ..data.readers import read
from ..data.relational import RelationalData
from ..data.writing import write
from ..errors import DataError, Problem
from ..model.method import Method
from .files import ABOUT, DATA, DATA_ABOUT, MODELS, UNWRITABLE, cannot_write, is_id
from .importing import checked, unpack
from .run import Damaged, Run, read_data, read_run, write_about
from .scores import SCORES


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
        """All runs, the newest first. Those that cannot be read are in `damaged_runs`."""
        runs = [item for item in self._listed_runs() if isinstance(item, Run)]
        return sorted(runs, key=lambda run: (run.created, run.id), reverse=True)

    def damaged_runs(self) -> list[Damaged]:
        """The runs that cannot be read."""
        return sorted((item for item in self._listed_runs() if isinstance(item, Damaged)), key=lambda item: item.id)

    def _listed_runs(self) -> list[Run | Damaged]:
        return [read_run(folder) for folder in self._runs.iterdir() if is_id(folder.name)]

    def run(self, id: str) -> Run | None:  # noqa: A002 - the word that addresses use
        """A run by its id."""
        item = read_run(self._runs / id) if is_id(id) else None
        return item if isinstance(item, Run) else None

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
        with self._draft() as draft:
            (draft / MODELS).mkdir()
            for number, model in enumerate(models.values()):
                model.save(draft / MODELS / f"{number}.npz")
            scores.to_csv(draft / SCORES, index=False)
            write_about(draft, run)
            return self._place(draft, run)

    def rename(self, id: str, name: str) -> Run | None:  # noqa: A002
        """Give a run another name; an empty one changes nothing."""
        run, name = self.run(id), " ".join(name.split())[:120]
        if run is None or not name:
            return run
        run = replace(run, name=name)
        write_about(run.folder, run)
        return run

    def delete(self, id: str) -> None:  # noqa: A002
        """Remove a run, also a damaged one."""
        _remove(self._runs, id)

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
            for name in (DATA, DATA_ABOUT) if isinstance(read_data(own), dict) else ():
                archive.write(own / name, name)
        return buffer.getvalue()

    def take_in(self, file: IO[bytes]) -> Run:
        """A run from a file that `export` wrote, here or elsewhere; a second copy of a run gets an id of its own.

        Only files of the names that a run has are unpacked, and models are read as data, never run.
        """
        name = Path(str(getattr(file, "name", "the file"))).name
        try:
            with self._draft() as draft:
                with zipfile.ZipFile(file) as archive:
                    unpack(archive, draft)
                run = checked(draft)
                if (self._runs / run.id).exists():
                    run = replace(run, id=new_id())
                    write_about(draft, run)
                if (draft / DATA).is_file():
                    self._take_data(draft, run.digest, replace=False)
                return self._place(draft, run)
        except DataError as error:
            raise DataError(error.problems, file=name) from None
        except Exception as error:  # whatever a forged file can bring about, such as more than the memory holds
            if isinstance(error, OSError) and error.errno in UNWRITABLE:
                raise cannot_write(error) from None
            reason = error if isinstance(error, ValueError) else "a part of it is damaged"
            expected = "a run that was exported"
            raise DataError(Problem(f"a file of another kind ({reason})", expected), file=name) from None

    def keep_data(self, data: RelationalData, about: Mapping[str, Any]) -> str:
        """Keep an uploaded data set, with what to tell of it, and give its digest. What was told last holds."""
        digest = data.digest()
        try:
            with self._draft() as draft:
                with (draft / DATA).open("wb") as file:
                    write(data, file, format="parquet")
                (draft / DATA_ABOUT).write_text(json.dumps(dict(about)), encoding="utf-8")
                self._take_data(draft, digest, replace=True)
        except OSError as error:
            raise cannot_write(error) from None
        return digest

    def data(self, digest: str) -> RelationalData | None:
        """An uploaded data set, or None where it is not here."""
        folder = self._data / digest
        if not is_id(digest) or not folder.is_dir():
            return None
        try:
            return read(folder / DATA)
        except DataError as error:
            raise DataError(error.problems, file=DATA) from None  # without the folders of the server

    def datasets(self) -> dict[str, dict[str, Any]]:
        """What was told of each uploaded data set, by digest, the newest first.

        Those that cannot be read are in `damaged_data`.
        """
        return {digest: dict(about) for digest, about in self._listed_data().items() if isinstance(about, dict)}

    def damaged_data(self) -> list[Damaged]:
        """The uploaded data sets that cannot be read."""
        return [item for item in self._listed_data().values() if isinstance(item, Damaged)]

    def _listed_data(self) -> dict[str, dict[str, Any] | Damaged]:
        folders = [folder for folder in self._data.iterdir() if is_id(folder.name) and folder.is_dir()]
        folders.sort(key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
        return {folder.name: read_data(folder) for folder in folders}

    def forget_data(self, digest: str) -> None:
        """Remove an uploaded data set, also a damaged one."""
        _remove(self._data, digest)

    @contextmanager
    def _draft(self) -> Iterator[Path]:
        """A folder to write in, which is gone in the end unless it was moved to its place."""
        draft = self._runs / f".draft-{secrets.token_hex(8)}"
        try:
            yield _made(draft)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _place(self, draft: Path, run: Run) -> Run:
        place = self._runs / run.id
        draft.rename(place)
        return replace(run, folder=place)

    def _take_data(self, draft: Path, digest: str, *, replace: bool) -> None:
        """Move the files of a data set to their place, over those that are there if asked to or if they are damaged."""
        folder = self._data / digest
        if not folder.is_dir():
            whole = _made(draft / "whole")
            for name in (DATA, DATA_ABOUT):
                (draft / name).rename(whole / name)
            whole.rename(folder)
            return
        replace = replace or isinstance(read_data(folder), Damaged)
        for name in (DATA, DATA_ABOUT):
            if replace:
                (draft / name).replace(folder / name)
            else:
                (draft / name).unlink()
        os.utime(folder)


def new_id() -> str:
    """An id that no other run has; later ones come after earlier ones.

    >>> new_id() == new_id()
    False
    """
    return f"{time.time_ns():x}-{secrets.token_hex(2)}"


def _remove(folder: Path, name: str) -> None:
    if is_id(name) and (folder / name).is_dir():
        gone = folder / f".gone-{secrets.token_hex(4)}"
        (folder / name).rename(gone)  # at once: half of it is never seen
        shutil.rmtree(gone, ignore_errors=True)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
