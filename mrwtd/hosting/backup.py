"""Backups: a tar file with one folder per workspace.

A backup of all workspaces also has the links to shared runs, and the key of the users' ids. Without the key, a server
does not recognize the cookies of its users.
"""

import os
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath

from ..errors import DataError, Problem, raise_problems
from ..runs.drafts import DRAFT, GONE, draft, remove
from ..runs.file_checks import is_id
from ..runs.quota import DATA_SETS, MB, RUNS, names_in
from ..runs.storage_error import as_storage_error
from .config import Workspaces
from .home import WORKSPACES
from .identity import FORGOTTEN, KEY
from .publications import FOLDER as LINKS
from .workspaces import VISIT

MAX_FILES = 1_000_000
"""The largest number of files in a backup that is restored."""


def back_up(home: Path, file: Path, ids: Sequence[str] = ()) -> list[str]:
    """Write workspaces to a tar file, all of them by default, and return their ids. A name ending in gz is compressed.

    The server may run meanwhile: runs are complete or absent in the backup, as they are in the folder.
    """
    folder = home / WORKSPACES
    chosen = list(ids) or sorted(filter(is_id, names_in(folder)))
    for id in chosen:
        if not is_id(id) or not (folder / id).is_dir():
            raise DataError(Problem(f"no workspace {id!r}", "an id from `mrwtd workspaces list`"))
    with as_storage_error(), draft(file.absolute().parent, partial(Path.touch, mode=0o600)) as path:
        with tarfile.open(path, "w:gz" if file.suffix in (".gz", ".tgz") else "w") as archive:
            if not ids:
                _add(archive, home, [home / KEY])
                for link in _files(folder / LINKS):
                    _add(archive, folder, [link])
            for id in chosen:
                for files in _units(folder / id):
                    _add(archive, folder, files)
        path.replace(file)
    return chosen


def _units(workspace: Path) -> Iterator[list[Path]]:
    """The files of a workspace: those of each run and each data set together, all others one by one."""
    for part in (RUNS, DATA_SETS):
        for name in sorted(filter(is_id, names_in(workspace / part))):
            yield _files(workspace / part / name)
    for name in (VISIT, *names_in(workspace)):
        if name not in (RUNS, DATA_SETS):
            path = workspace / name
            yield from ([file] for file in (_files(path) if path.is_dir() else [path]))


def _files(folder: Path) -> list[Path]:
    files = (Path(parent) / name for parent, _, names in os.walk(folder) for name in names)
    return sorted(file for file in files if not file.name.startswith((DRAFT, GONE)))


def _add(archive: tarfile.TarFile, folder: Path, files: Sequence[Path]) -> None:
    """Add some files, unless they are being deleted: an open file can be read to its end."""
    with ExitStack() as opened, suppress(FileNotFoundError):
        for file, stream in [(file, opened.enter_context(file.open("rb"))) for file in files]:
            info = archive.gettarinfo(arcname=file.relative_to(folder).as_posix(), fileobj=stream)
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            archive.addfile(info, stream)


def restore(home: Path, file: Path, limits: Workspaces, *, replace: bool = False) -> list[str]:
    """Restore the workspaces of a backup and return their ids. Those of users who asked to be forgotten are left out.

    Nothing is changed if the file is no backup, has paths or links that lead outside, is larger than the limits or the
    free space, or has a workspace or a key that exists already, unless `replace` is True.
    """
    forgotten, folder = {*names_in(home / FORGOTTEN)}, home / WORKSPACES
    with _opened(file) as archive:
        members = [info for info in _checked_members(archive, file.name) if _top(info) not in forgotten]
        sizes = _sizes(members)
        _check(folder, file.name, sizes, limits, replace=replace)
        with as_storage_error(), draft(folder) as place:
            for info in members:
                _extract(archive, info, place)
            _check_key(place / KEY, home / KEY, file.name, replace=replace)
            for id in sizes:
                (place / id / VISIT).touch()
                if replace:
                    remove(folder / id)
                (place / id).rename(folder / id)
            for link in _files(place / LINKS):
                (folder / LINKS).mkdir(exist_ok=True)
                link.replace(folder / LINKS / link.name)
            if (place / KEY).exists():
                (place / KEY).replace(home / KEY)
    return list(sizes)


def _extract(archive: tarfile.TarFile, info: tarfile.TarInfo, folder: Path) -> None:
    target = folder / info.name
    if info.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    source = archive.extractfile(info)
    assert source is not None  # it is a file
    target.touch(mode=0o600)
    with source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)


def _check_key(restored: Path, present: Path, name: str, *, replace: bool) -> None:
    if not replace and restored.exists() and present.exists() and restored.read_bytes() != present.read_bytes():
        expected = "a server without users, or --replace, after which its present users are not recognized"
        raise DataError(Problem("the key of another server", expected), file=name)


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(file) as archive:
            yield archive
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(Problem(f"an unreadable backup ({error})", "a complete tar file"), file=file.name) from None


def _checked_members(archive: tarfile.TarFile, name: str) -> Iterator[tarfile.TarInfo]:
    for number, info in enumerate(archive):
        path = PurePosixPath(info.name)
        if number >= MAX_FILES:
            raise DataError(Problem(f"more than {MAX_FILES:,} files", "a backup of workspaces"), file=name)
        if not (info.isfile() or info.isdir()):
            raise DataError(Problem(f"a link or device ({info.name!r})", "files and folders only"), file=name)
        known = info.name == KEY or _top(info) == LINKS or is_id(_top(info))
        if not known or ".." in path.parts or "\\" in info.name:
            raise DataError(Problem(f"the path {info.name!r}", "paths inside the folders of workspaces"), file=name)
        yield info


def _sizes(members: Sequence[tarfile.TarInfo]) -> dict[str, int]:
    """The size of each workspace in bytes."""
    sizes: dict[str, int] = {}
    for info in members:
        sizes[_top(info)] = sizes.get(_top(info), 0) + (info.size if info.isfile() else 0)
    return {name: size for name, size in sizes.items() if name not in (KEY, LINKS)}


def _top(info: tarfile.TarInfo) -> str:
    """The first part of a path: the id of a workspace, or the name of the key or of the folder of links."""
    return info.name.split("/")[0]


def _check(folder: Path, name: str, sizes: dict[str, int], limits: Workspaces, *, replace: bool) -> None:
    problems = []
    existing = set(names_in(folder))
    if not sizes:
        problems.append(Problem("no workspace in the backup", "at least one"))
    if not replace and (twice := sorted(existing & {*sizes})):
        problems.append(
            Problem(f"{len(twice)} workspaces that exist already ({twice[0]})", "new ones, or --replace to overwrite")
        )
    number, total = len(existing | {*sizes}), sum(sizes.values())
    if limits.max_users and number > limits.max_users:
        problems.append(
            Problem(f"{number:,} workspaces, including those of the backup", _at_most(limits.max_users, "max_users"))
        )
    largest = max(sizes.values(), default=0)
    if limits.max_mb and largest > limits.max_mb * MB:
        problems.append(Problem(f"a workspace of {largest / MB:,.0f} MB", _at_most(limits.max_mb, "max_mb")))
    with as_storage_error():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    if total > free:
        problems.append(Problem(f"{total / MB:,.0f} MB of files", f"at most {free / MB:,.0f} MB, the free space"))
    raise_problems(problems, name)


def _at_most(limit: int, setting: str) -> str:
    return f"at most {limit:,}, the limit in the configuration (workspaces.{setting})"
