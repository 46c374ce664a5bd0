"""Selected files of a folder or a zip. Other files, which can be large, are not read."""

import bz2
import gzip
import io
import mmap
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from ...errors import DataError, Problem
from ..limits import EXPANDED
from ..readers.source import MAPPED, Source, check_compression, content_of, too_large

COMPRESSED = (".gz", ".bz2")
DEPTHS = ("", "*/", "*/*/")
"""Patterns of subfolders to search, for archives that unpack into folders."""


def open_members(
    place: str | PathLike[str] | IO[bytes], wanted: Iterable[str], limit: int = EXPANDED.most
) -> dict[str, Source]:
    """The wanted files in a folder, a zip, or an open zip, by their wanted names.

    Case does not matter. Compressed files (`.gz`, `.bz2`) match and are decompressed, and so do second copies that a
    browser numbers. `place` can also be one of the files; if one file is wanted, any name with its extension matches.

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
        raise DataError(Problem(reason, "a readable folder or zip"), file=str(getattr(place, "name", place))) from None


def contains_files(place: str | PathLike[str], wanted: Iterable[str]) -> bool:
    """Whether a folder or a zip has any of the wanted files, by name only: they can be large.

    >>> contains_files("no such folder", ["calls.csv"])
    False
    """
    names, path = {name.lower() for name in wanted}, Path(place).expanduser()
    try:
        if path.is_dir():
            files = [file.name for depth in DEPTHS for file in path.glob(f"{depth}*") if file.is_file()]
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                files = [PurePosixPath(name).name for name in archive.namelist()]
        else:
            files = [path.name] if path.is_file() else []
    except (OSError, zipfile.BadZipFile):
        return False
    return any(_plain(name) in names for name in files)


def _from_folder(folder: Path, names: dict[str, str], limit: int) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for path in (path for depth in DEPTHS for path in sorted(folder.glob(f"{depth}*"))):
        name = names.get(_plain(path.name))
        if name and name not in sources and path.is_file():
            sources[name] = _from_path(path, limit)
    return sources


def _from_path(path: Path, limit: int) -> Source:
    """A file of any size; the limit only applies to the content of compressed files."""
    if not path.name.lower().endswith(COMPRESSED):
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
            expected = f"{' or '.join(names.values())}, or a zip with them"
            raise DataError(Problem("none of the files", expected), file=title)
        return {name: _read(stream, title, limit)}
    sources: dict[str, Source] = {}
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            # Files added by macOS have the same names and other content.
            path = PurePosixPath(info.filename.replace("\\", "/"))
            name = names.get(_plain(path.name))
            if name and name not in sources and not info.is_dir() and "__MACOSX" not in path.parts:
                check_compression(info)
                with archive.open(info) as member:
                    sources[name] = _read(member, path.name, limit)
    return sources


def _plain(name: str) -> str:
    name = name.lower()
    name = next((name.removesuffix(end) for end in COMPRESSED if name.endswith(end)), name)
    return re.sub(r" ?\(\d+\)(?=\.[^.]*$)", "", name)


def _only(names: dict[str, str], title: str) -> str | None:
    """The wanted file, if there is only one and the title has its extension."""
    suffixes = [PurePosixPath(name).suffix for name in names]
    return next(iter(names.values())) if suffixes == [PurePosixPath(_plain(title)).suffix] else None


def _read(stream: IO[bytes], name: str, limit: int) -> Source:
    """The decompressed content of a stream. Large content is memory-mapped from a temporary file."""
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
            problem = too_large(limit)
            expected = "at most that; unpack it, and pass the folder to mrwtd.load_dataset on your computer"
            raise DataError(replace(problem, expected=expected), file=name)
        file.seek(0)
        large = limit + 1 - left >= MAPPED
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if large else file.read()
    return Source(name, content, limit)
