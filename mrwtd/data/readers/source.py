"""A file as bytes and a name, opened safely: gzip undone, zips bounded, text decoded."""

from __future__ import annotations

import gzip
import io
import mmap
import os
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np

from ...errors import DataError, Problem
from ..arguments import short_repr

EXPANDED_LIMIT = 1_000_000_000
"""How many bytes a compressed file may expand to, unless a caller says otherwise."""

HEAD = 65_536
"""How many bytes are looked at to find out what a file is."""

MAPPED = 1 << 20
"""A file of this many bytes or more is mapped: fresh memory for a copy costs a good part of the time of parsing."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
# Each comment is atomic: one that could end at a later `-->` as well would be tried with every one of them, and the
# time would double with each comment.
_WEB_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


@dataclass(frozen=True)
class Source:
    r"""The content of a file, uncompressed, and its name for messages and for finding the format.

    >>> Source.open(io.BytesIO(b"a,b\n")).text
    'a,b\n'
    """

    name: str
    content: bytes | mmap.mmap
    limit: int = EXPANDED_LIMIT
    known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What readers found out about the content, so that it is found out once."""
    title: str = ""
    """What a part of a file is called that has a name of its own, such as a sheet."""

    @classmethod
    def open(cls, file: str | PathLike[str] | IO[Any], limit: int = EXPANDED_LIMIT) -> Source:
        """Read a path or an open file, text or binary; gzip is undone."""
        if not isinstance(file, (str, PathLike)) and not hasattr(file, "read"):
            raise DataError(Problem(f"{short_repr(file)} as a file", "a path, or a file opened for reading"))
        try:
            if isinstance(file, (str, PathLike)):
                name, data = Path(file).name, content_of(Path(file))
            else:
                name = PurePosixPath(str(getattr(file, "name", "") or "data").replace("\\", "/")).name
                content = file.read()
                data = content.encode() if isinstance(content, str) else bytes(content)
        except OSError as error:
            found = error.strerror or "an unreadable file"
            raise DataError(Problem(found, "a file to read"), file=str(file)) from None
        except ValueError as error:  # text opened in another encoding, a closed file, a path with a zero byte
            raise DataError(Problem(f"an unreadable file ({error})", "a file to read")) from None
        if data[:2] == b"\x1f\x8b":
            data = _gunzip(name, bytes(data), limit)
            name = re.sub(r"\.gz$", "", name, flags=re.IGNORECASE)
        source = cls(name, data, limit)
        if not source.start or (source.start.isspace() and source.data.isspace()):
            raise DataError(Problem("an empty file", "at least one entry"), file=name)
        source.refuse_web_page()
        return source

    @cached_property
    def data(self) -> bytes:
        """The content as bytes; a copy, where the file is mapped."""
        # Touching what was cut off a mapped file would end the program.
        if isinstance(self.content, mmap.mmap) and self.content.size() < len(self.content):
            raise DataError(Problem("a file that was cut short while it was read", "the whole file"), file=self.name)
        return bytes(self.content)

    @cached_property
    def start(self) -> bytes:
        """The first bytes, which tell what a file is."""
        return self.content[:HEAD]

    @property
    def extension(self) -> str:
        """How the name ends, in lower case, without the dot."""
        return PurePosixPath(self.name).suffix.lower().removeprefix(".")

    @property
    def stem(self) -> str:
        """The name without its extension: what a relation is called that has no name of its own."""
        return self.title or PurePosixPath(self.name).stem or "relation"

    @cached_property
    def is_text(self) -> bool:
        """Whether the content looks like text, from its beginning."""
        head = self.start
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return True
        if b"\0" in head:
            return False
        # Characters that no text holds are forgiven in UTF-8, which a binary file would hardly be by chance.
        return _is_utf8(head) or not _CONTROL.search(head)

    @cached_property
    def head(self) -> str:
        """The beginning of the text, as far as its lines are whole; empty where the file is not text."""
        if not self.is_text:
            return ""
        if len(self.content) <= HEAD:
            return self.text
        text = _decode(self.start)
        return text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text

    def refuse_web_page(self) -> None:
        """Fail where the content is HTML: what a browser saves in place of the file that a page links to."""
        if _WEB_PAGE.match(self.start):
            expected = "data: download the file itself, not the page that shows it"
            raise DataError(Problem("a web page", expected), file=self.name)

    @cached_property
    def text(self) -> str:
        """The content as text: UTF-8 with or without a mark, UTF-16 with one, else Latin-1."""
        text = _decode(self.data) if self.is_text else "\0"
        if "\0" in text or text.startswith(("ÿþ", "þÿ")):  # the latter, a mark of UTF-16 before what is none
            raise DataError(Problem("a binary file", "text"), file=self.name)
        return text

    @cached_property
    def utf8(self) -> bytes | mmap.mmap:
        """The content as text in UTF-8 without a mark: the bytes themselves wherever that is so."""
        # As signed numbers, the bytes of letters outside ASCII are below 0.
        if self.is_text and np.frombuffer(self.content, dtype=np.int8).min(initial=0) == 0:
            return self.content
        return self.text.encode()

    @property
    def is_zip(self) -> bool:
        """Whether the content is a zip archive (an Excel workbook and an npz file are)."""
        return self.start[:4] in (b"PK\x03\x04", b"PK\x05\x06")

    @cached_property
    def member_names(self) -> tuple[str, ...]:
        """The names of the files in a zip, folders included; none where it is no zip, or a damaged one."""
        if not self.is_zip:
            return ()
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return tuple(sorted(info.filename for info in archive.infolist() if not _is_hidden(info)))
        except _DAMAGED:
            return ()

    def members(self) -> list[Source]:
        """The files in a zip, in order of their names, none of them larger together than the limit."""
        return list(self._members)

    @cached_property
    def _members(self) -> tuple[Source, ...]:
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return tuple(self._expand(archive))
        except DataError:
            raise
        except _DAMAGED as error:
            raise DataError(Problem(f"a damaged zip ({error})", "a zip archive"), file=self.name) from None

    def _expand(self, archive: zipfile.ZipFile) -> list[Source]:
        found, left = [], self.limit
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            path = PurePosixPath(info.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                raise DataError(Problem(f"the member {info.filename!r}", "names inside the archive"), file=self.name)
            if _is_hidden(info):
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


def content_of(path: Path) -> bytes | mmap.mmap:
    """The bytes of a file, mapped where they are many."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < MAPPED:
            return file.read()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _is_hidden(info: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    return not info.filename or info.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts


def _is_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8, but for a character cut in two at the end."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3 and len(data) >= HEAD
    return True


def _decode(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            pass
    # A beginning of a file may end inside a character, which is then left out.
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(data) == HEAD and error.start >= len(data) - 3:
            return data[: error.start].decode("utf-8-sig")
        return data.decode("latin-1")


def _gunzip(name: str, data: bytes, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except (EOFError, zlib.error, OSError) as error:
        raise DataError(Problem(f"a damaged gzip file ({error})", "a whole gzip file"), file=name) from None
    if len(content) > limit:
        raise DataError(Problem(f"more than {limit:,} bytes when expanded", f"at most {limit:,}"), file=name)
    return content
