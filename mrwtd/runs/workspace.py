"""A workspace: the runs and the uploaded data sets of one user.

Folders are written as drafts and then moved, so a run is complete or does not exist.
"""

import errno
import math
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from ..data.readers import read
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from . import file_checks, store
from .drafts import draft, link, remove, remove_abandoned
from .file_checks import DATA, DATA_ABOUT, UPLOAD, checksum, file_state, is_id
from .quota import DATA_SETS, RUNS, Quota, Usage, names_in, size_of, usage
from .run import MODELS, Damaged, Run, new_id
from .storage_error import StorageError, as_storage_error
from .uploaded_files import Upload

TAKEN = (errno.EEXIST, errno.ENOTEMPTY)
"""Errors of a move to a folder that another process has just made."""


class Workspace:
    """The runs and the uploaded data sets of one user, in a folder.

    The folder is made when something is stored. One that cannot be written can still be read, and one that cannot be
    read is empty. What cannot be stored, or is beyond the quota, raises `StorageError`.

    >>> import tempfile, mrwtd
    >>> from mrwtd.runs import DataRef, MethodSpec, RunSpec, SplitSpec, execute
    >>> spec = RunSpec(DataRef("florentine", sample=True), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> space = Workspace(Path(tempfile.mkdtemp()))
    >>> run = space.save_run(execute(spec, mrwtd.load_dataset("florentine")), name="first")
    >>> [run.name for run in space.runs()], sorted(space.run(run.id).models())
    (['first'], ['CP'])
    """

    def __init__(self, folder: Path, quota: Quota = Quota()):  # noqa: B008 - immutable
        self.folder, self.quota = Path(folder), quota
        self._runs, self._data = self.folder / RUNS, self.folder / DATA_SETS

    def usage(self) -> Usage:
        """What is stored."""
        return usage(self.folder)

    def check_space(self, *, new_run: bool = True) -> None:
        """Raise `StorageError` if the quota has no place for another run, or another data set."""
        self.quota.check_users(self.folder)
        self.quota.check(self.usage(), new_run=new_run)

    def runs(self) -> list[Run]:
        """All readable runs, the newest first; the others are in `damaged_runs`."""
        runs = [item for item in self._listed_runs() if isinstance(item, Run)]
        return sorted(runs, key=lambda run: (run.created, run.id), reverse=True)

    def damaged_runs(self) -> list[Damaged]:
        """The runs that cannot be read."""
        return sorted((item for item in self._listed_runs() if isinstance(item, Damaged)), key=lambda item: item.id)

    def _listed_runs(self) -> list[Run | Damaged]:
        return [store.read_run(self._runs / name) for name in _listed(self._runs)]

    def run(self, id: str) -> Run | None:
        """A run by its id."""
        item = store.read_run(self._runs / id) if is_id(id) else None
        return item if isinstance(item, Run) else None

    def save_run(self, run: Run, **changes: Any) -> Run:
        """Store an executed run, with another id or name if given."""
        run = replace(run, **changes)
        self.check_space()
        with as_storage_error(), draft(self._runs) as folder:
            stored = store.write_run(folder, run)
            self._check_size()
            return self._place(folder, stored)

    def draft(self) -> AbstractContextManager[Path]:
        """A folder for the files of a run, which is deleted at the end; see `adopt`."""
        self.check_space()
        return draft(self._runs)

    def adopt(self, run: Run, **changes: Any) -> Run:
        """Store a copy of a run from another folder or from memory, with other attributes if given.

        >>> import tempfile, mrwtd
        >>> from mrwtd.runs import DataRef, MethodSpec, RunSpec, SplitSpec, execute
        >>> spec = RunSpec(DataRef("florentine", sample=True), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2}),))
        >>> first, second = (Workspace(Path(tempfile.mkdtemp())) for _ in range(2))
        >>> run = first.save_run(execute(spec, mrwtd.load_dataset("florentine")), name="first")
        >>> second.adopt(run, name="copy").name, sorted(second.run(run.id).models())
        ('copy', ['CP'])
        """
        if run.folder is None:
            return self.save_run(run, **changes)
        self.check_space()
        with as_storage_error(), draft(self._runs) as folder:
            (folder / MODELS).mkdir()
            for name in run.files:
                link(run.folder / name, folder / name)
            run = replace(run, **changes)
            store.write_about(folder, run)
            self._check_size()
            return self._place(folder, run)

    def rename(self, id: str, name: str) -> Run | None:
        """Rename a run; an empty name changes nothing."""
        run, name = self.run(id), " ".join(name.split())[:120]
        if run is None or not name:
            return run
        run = replace(run, name=name)
        store.write_about(self._runs / id, run)
        return run

    def delete(self, id: str) -> None:
        """Delete a run, also a damaged one."""
        if is_id(id):
            remove(self._runs / id)

    def export(self, id: str) -> bytes:
        """A run as one zip file, with its data if that was uploaded."""
        run = self.run(id)
        if run is None:
            raise DataError(Problem(f"no run {id!r}", "a run of this workspace"))
        folder, data = self._runs / id, self._data / run.digest
        files = {name: folder / name for name in run.files}
        if run.digest and isinstance(_read_data(data), dict):
            files |= {name: data / name for name in (DATA, DATA_ABOUT)}
        run = replace(run, files={name: run.files.get(name) or checksum(file) for name, file in files.items()})
        return store.zip_parts(run, ((name, file.read_bytes()) for name, file in files.items()))

    def import_run(
        self, source: IO[bytes] | Path, unpack: Callable[[bytes | Path, Path], Run] = store.unpack_run
    ) -> Run:
        """Import a run from a zip or a folder; a second copy of a run gets a new id.

        A server passes a function as `unpack` that calls `store.unpack_run` in another process.
        """
        name = source.name if isinstance(source, Path) else Path(str(getattr(source, "name", "the file"))).name
        self.check_space()
        if not isinstance(source, Path):
            source.seek(0)  # it may have been read before
        with draft(self._runs) as folder:
            try:
                run = unpack(source if isinstance(source, Path) else source.read(), folder)
            except StorageError:
                raise
            except DataError as error:
                raise DataError(error.problems, file=name) from None
            with as_storage_error():
                if (self._runs / run.id).exists():
                    run = replace(run, id=new_id())
                self._check_size()
                if DATA in run.files:
                    self._place_data(folder, run.digest, replace=False)
                (folder / DATA).unlink(missing_ok=True)
                (folder / DATA_ABOUT).unlink(missing_ok=True)
                files = {part: about for part, about in run.files.items() if part not in (DATA, DATA_ABOUT)}
                run = replace(run, files=files)
                store.write_about(folder, run)
                return self._place(folder, run)

    def save_dataset(self, data: RelationalData, about: Mapping[str, Any], upload: Upload | None = None) -> str:
        """Store an uploaded data set, its description and its files, which replace earlier ones; return its digest."""
        digest = data.digest()
        self.check_space(new_run=False)
        with as_storage_error(), draft(self._runs) as folder:
            store.write_data(folder, data, about)
            if upload is not None:
                (folder / UPLOAD).write_bytes(upload.pack())
            self._check_size()
            self._place_data(folder, digest, replace=True)
        return digest

    def has_data(self, digest: str) -> bool:
        """Whether there is an uploaded data set with this digest. It may be damaged.

        >>> import tempfile
        >>> Workspace(Path(tempfile.mkdtemp())).has_data("4f2a")
        False
        """
        return is_id(digest) and (self._data / digest).is_dir()

    def data(self, digest: str) -> RelationalData | None:
        """An uploaded data set, or None if it does not exist."""
        folder = self._data / digest
        if not self.has_data(digest):
            return None
        try:
            data = read(folder / DATA)
        except DataError as error:
            raise DataError(error.problems, file=DATA) from None  # without the folders of the server
        if data.digest() != digest:
            raise DataError(Problem("a file that has changed since it was stored", "an unchanged file"), file=DATA)
        return data

    def upload(self, digest: str) -> Upload | None:
        """The files that a data set was read from, or None if they are not stored, or damaged.

        >>> import tempfile
        >>> Workspace(Path(tempfile.mkdtemp())).upload("4f2a") is None
        True
        """
        if not self.has_data(digest):
            return None
        try:
            return Upload.unpack((self._data / digest / UPLOAD).read_bytes())
        except (OSError, DataError):
            return None

    def datasets(self) -> dict[str, dict[str, Any]]:
        """The description of each readable data set, by digest, the newest first.

        The others are in `damaged_data`.
        """
        return {digest: dict(about) for digest, about in self._listed_data().items() if isinstance(about, dict)}

    def damaged_data(self) -> list[Damaged]:
        """The uploaded data sets that cannot be read."""
        return [item for item in self._listed_data().values() if isinstance(item, Damaged)]

    def _listed_data(self) -> dict[str, dict[str, Any] | Damaged]:
        folders = {name: self._data / name for name in _listed(self._data)}
        states = {name: file_state(str(folder)) for name, folder in folders.items() if folder.is_dir()}
        newest_first = sorted((name for name in states if states[name]), key=lambda name: states[name], reverse=True)
        return {name: _read_data(folders[name]) for name in newest_first}

    def delete_dataset(self, digest: str) -> None:
        """Delete an uploaded data set, also a damaged one."""
        if is_id(digest):
            remove(self._data / digest)

    def delete_content(self) -> None:
        """Delete everything except drafts, which running processes may still need."""
        for name in names_in(self.folder):
            for path in [self._runs / run for run in names_in(self._runs)] if name == RUNS else [self.folder / name]:
                remove(path)

    def delete_all(self) -> None:
        """Delete the folder with all that is in it, if it exists.

        >>> import tempfile
        >>> space = Workspace(Path(tempfile.mkdtemp()))
        >>> space.delete_all()
        >>> space.folder.exists()
        False
        """
        remove(self.folder)

    def _check_size(self) -> None:
        """Raise `StorageError` if the workspace is too large with its drafts."""
        if math.isfinite(self.quota.max_bytes):
            self.quota.check(Usage(bytes=size_of(self.folder)))

    def _place(self, draft: Path, run: Run) -> Run:
        place = self._runs / run.id
        draft.rename(place)
        return replace(run, folder=place)

    def _place_data(self, draft: Path, digest: str, *, replace: bool) -> None:
        """Move the files of a data set to its folder; existing files are replaced if requested or damaged."""
        folder = self._data / digest
        names = [name for name in (DATA, DATA_ABOUT, UPLOAD) if (draft / name).is_file()]
        if not folder.is_dir():
            (complete := draft / "complete").mkdir()
            for name in names:
                (draft / name).rename(complete / name)
            self._data.mkdir(parents=True, exist_ok=True)
            try:
                complete.rename(folder)
            except OSError as error:
                if error.errno not in TAKEN:  # the same data, stored by another server
                    raise
            return
        replace = replace or isinstance(_read_data(folder), Damaged)
        if replace:  # first, so that the files are never those of another description, also in a server that is killed
            (folder / UPLOAD).unlink(missing_ok=True)
            for name in names:
                (draft / name).replace(folder / name)
        os.utime(folder)


def _read_data(folder: Path) -> dict[str, Any] | Damaged:
    """The description of the data set in a folder, or the problem with it."""
    return _read_data_once(folder, tuple(file_state(f"{folder}/{name}") for name in (DATA, DATA_ABOUT)))


@lru_cache(maxsize=10_000)
def _read_data_once(folder: Path, state: tuple[object, ...]) -> dict[str, Any] | Damaged:  # noqa: ARG001
    content: dict[str, Any] = {}
    try:
        content = file_checks.read_json(folder / DATA_ABOUT)
        about = file_checks.parse_data_about(content)
        file_checks.check_data(folder)
    except ValueError as error:
        return Damaged(
            folder.name, store.short_text(content, "called") or store.short_text(content, "file"), str(error)
        )
    return about


def _listed(folder: Path) -> list[str]:
    """The names of runs or data sets in a folder. The drafts of killed processes are removed."""
    remove_abandoned(folder)
    return [name for name in names_in(folder) if is_id(name)]
