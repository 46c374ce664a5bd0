"""A file as bytes and a name, opened safely: gzip undone, zips bounded, text decoded."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any

from ..errors import DataError, Problem

EXPANDED_LIMIT = 1_000_000_000
"""How many bytes a compressed file may expand to, unless a caller says otherwise."""


@dataclass(frozen=True)
class Source:
    r"""The content of a file, uncompressed, and its name for messages and for finding the format.

    >>> Source.open(io.BytesIO(b"a,b\n")).text
    'a,b\n'
    """

    name: str
    data: bytes
    limit: int = EXPANDED_LIMIT

    @classmethod
    def open(cls, file: str | PathLike[str] | IO[Any], limit: int = EXPANDED_LIMIT) -> Source:
        """Read a path or an open file, text or binary; gzip is undone."""
        if isinstance(file, (str, PathLike)):
            path = Path(file)
            try:
                name, data = path.name, path.read_bytes()
            except OSError as error:
                raise DataError(
                    Problem(error.strerror or "an unreadable file", "a file to read"), file=str(file)
                ) from None
        else:
            content = file.read()
            data = content.encode() if isinstance(content, str) else bytes(content)
            name = PurePosixPath(str(getattr(file, "name", "") or "data")).name
        if data[:2] == b"\x1f\x8b":
            data = _gunzip(name, data, limit)
            name = name.removesuffix(".gz")
        if not data.strip():
            raise DataError(Problem("an empty file", "at least one entry"), file=name)
        return cls(name, data, limit)

    @property
    def extension(self) -> str:
        """How the name ends, in lower case, without the dot."""
        return PurePosixPath(self.name).suffix.lower().removeprefix(".")

    @cached_property
    def text(self) -> str:
        """The content as text: UTF-8 with or without a mark, UTF-16 with one, else Latin-1."""
        if self.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            try:
                return self.data.decode("utf-16")
            except UnicodeDecodeError:
                pass
        if b"\0" in self.data:
            raise DataError(Problem("a binary file", "text"), file=self.name)
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self.data.decode("latin-1")

    @property
    def is_zip(self) -> bool:
        """Whether the content is a zip archive (an Excel workbook and an npz file are)."""
        return self.data[:4] in (b"PK\x03\x04", b"PK\x05\x06")

    def members(self) -> list[Source]:
        """The files in a zip, in order of their names, none of them larger together than the limit."""
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return self._members(archive)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            OSError,
            ValueError,
        ) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(Problem(f"a damaged zip ({error})", "a zip archive"), file=self.name) from None

    def _members(self, archive: zipfile.ZipFile) -> list[Source]:
        found, left = [], self.limit
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            path = PurePosixPath(info.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                raise DataError(Problem(f"the member {info.filename!r}", "names inside the archive"), file=self.name)
            if info.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts:
                continue
            with archive.open(info) as member:
                content = member.read(left + 1)
            left -= len(content)
            if left < 0:
                raise DataError(
                    Problem(f"more than {self.limit:,} bytes when expanded", f"at most {self.limit:,}"),
                    file=self.name,
                )
            found.append(Source(path.name, content, self.limit))
        return found


def _gunzip(name: str, data: bytes, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except (EOFError, zlib.error, OSError) as error:
        raise DataError(Problem(f"a damaged gzip file ({error})", "a whole gzip file"), file=name) from None
    if len(content) > limit:
        raise DataError(Problem(f"more than {limit:,} bytes when expanded", f"at most {limit:,}"), file=name)
    return content
