"""A few named files out of a folder or a zip, without reading the rest, which may be large."""

from __future__ import annotations

import bz2
import gzip
import io
import mmap
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from ...errors import DataError, Problem
from ..readers.source import EXPANDED_LIMIT, MAPPED, Source, content_of

PACKED = (".gz", ".bz2")
DEPTHS = ("", "*/", "*/*/")
"""How deep below a folder files are looked for: as deep as archives are usually unpacked."""


def open_members(
    place: str | PathLike[str] | IO[bytes], wanted: Iterable[str], limit: int = EXPANDED_LIMIT
) -> dict[str, Source]:
    """The wanted files that a folder, a zip, or an open zip holds, by their wanted names.

    Names match in any case, with or without `.gz` or `.bz2`, which are undone, and with the number that a browser gives
    a second copy. `place` may also be one of the files; where one is wanted, of any name with its ending.

    >>> archive = io.BytesIO()
    >>> with zipfile.ZipFile(archive, "w") as file:
    ...     file.writestr("deep/Calls.csv", "a,b")
    ...     file.writestr("other.txt", "")
    >>> open_members(archive, ["calls.csv", "sms.csv"])["calls.csv"].text
    'a,b'
    """
    names = {name.lower(): name for name in wanted}
    if not isinstance(place, (str, PathLike)) and not hasattr(place, "seekable"):
        raise DataError(Problem(f"{place!r}", "a folder, a zip archive or an open file"))
    try:
        if not isinstance(place, (str, PathLike)):
            return _from_stream(place, str(getattr(place, "name", "") or "the file"), names, limit)
        path = Path(place).expanduser()
        if path.is_dir():
            return _from_folder(path, names, limit)
        with path.open("rb") as stream:
            return _from_stream(stream, path.name, names, limit)
    except DataError:
        raise
    except (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DataError(Problem(reason, "a folder or a zip archive"), file=str(getattr(place, "name", place))) from None


def contains_files(place: str | PathLike[str], wanted: Iterable[str]) -> bool:
    """Whether a folder or a zip has any of the wanted files, told by their names alone: they may be large.

    >>> contains_files("no such folder", ["calls.csv"])
    False
    """
    names, path = {name.lower() for name in wanted}, Path(place).expanduser()
    try:
        if path.is_dir():
            found = [one.name for depth in DEPTHS for one in path.glob(f"{depth}*") if one.is_file()]
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                found = [PurePosixPath(name).name for name in archive.namelist()]
        else:
            found = [path.name] if path.is_file() else []
    except (OSError, zipfile.BadZipFile):
        found = []
    return any(_plain(name) in names for name in found)


def _from_folder(folder: Path, names: dict[str, str], limit: int) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for depth in DEPTHS:
        for path in sorted(folder.glob(f"{depth}*")):
            name = names.get(_plain(path.name))
            if name and name not in found and path.is_file():
                found[name] = _at(path, limit)
    return found


def _at(path: Path, limit: int) -> Source:
    """A file in its place, of any size: only what is packed can turn out to be larger than it seemed."""
    if not path.name.lower().endswith(PACKED):
        return Source(path.name, content_of(path), limit)
    with path.open("rb") as stream:
        return _read(stream, path.name, limit)


def _from_stream(stream: IO[Any], title: str, names: dict[str, str], limit: int) -> dict[str, Source]:
    if not stream.seekable() or isinstance(stream, io.TextIOBase):
        content = stream.read()
        stream = io.BytesIO(content.encode() if isinstance(content, str) else content)
    if not zipfile.is_zipfile(stream):
        stream.seek(0)
        name = names.get(_plain(PurePosixPath(title).name)) or _only(names, title)
        if name is None:
            raise DataError(
                Problem("none of the files", f"{' or '.join(names.values())}, or a zip of them"), file=title
            )
        return {name: _read(stream, title, limit)}
    found: dict[str, Source] = {}
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            # What macOS adds has the same names and other content.
            path = PurePosixPath(info.filename.replace("\\", "/"))
            name = names.get(_plain(path.name))
            if name and name not in found and not info.is_dir() and "__MACOSX" not in path.parts:
                with archive.open(info) as member:
                    found[name] = _read(member, path.name, limit)
    return found


def _plain(name: str) -> str:
    name = name.lower()
    name = next((name.removesuffix(end) for end in PACKED if name.endswith(end)), name)
    return re.sub(r" ?\(\d+\)(?=\.[^.]*$)", "", name)


def _only(names: dict[str, str], title: str) -> str | None:
    """The wanted file, where there is one, and the title ends as its name does."""
    only = next(iter(names), "") if len(names) == 1 else ""
    return names[only] if only and PurePosixPath(_plain(title)).suffix == PurePosixPath(only).suffix else None


def _read(stream: IO[bytes], name: str, limit: int) -> Source:
    """What a stream expands to. Large content lies on the disk, not in memory, and is mapped from there."""
    if name.lower().endswith(".bz2"):
        stream = cast("IO[bytes]", bz2.BZ2File(stream))
    elif name.lower().endswith(".gz"):
        stream = cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    with tempfile.TemporaryFile() as file:
        left = limit + 1
        while left and (block := stream.read(min(left, MAPPED))):
            left -= len(block)
            file.write(block)
        if not left:
            wanted = (
                f"at most {limit:,}; unpack it yourself, and give the folder to mrwtd.load_dataset on your computer"
            )
            raise DataError(Problem(f"more than {limit:,} bytes when expanded", wanted), file=name)
        file.seek(0)
        large = limit + 1 - left >= MAPPED
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if large else file.read()
    return Source(name, content, limit)
