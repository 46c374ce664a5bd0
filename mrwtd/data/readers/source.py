"""`Source`: the bytes and the name of a file, with gzip, zip and text decoded safely; and `Reader`: a file format."""

from __future__ import annotations

import codecs
import gzip
import io
import mmap
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import IO, Any

import numpy as np

from ...errors import DataError, Problem
from ...registry import Registry
from ..arguments import short_repr
from ..limits import EXPANDED
from ..table import Table

HEAD = 65_536
"""Number of bytes used to detect the format of a file."""

MAPPED = 1 << 20
"""Files of at least this many bytes are memory-mapped: copying them takes a large part of the parsing time."""

ARCHIVE = "files.zip"
"""The name of several files that are read together."""

File = str | PathLike[str] | IO[Any]
"""A path, or a file open for reading."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
# Comments are matched atomically: with backtracking, the time would double with each comment.
_WEB_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html)\b",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f]")


@dataclass(frozen=True)
class Source:
    r"""The decompressed content of a file, and its name for messages and format detection.

    >>> Source.open(io.BytesIO(b"a,b\n")).text
    'a,b\n'
    """

    name: str
    content: bytes | mmap.mmap
    limit: int = EXPANDED.most
    """The largest decompressed size, in bytes."""
    file_size: int | None = None
    """The size of the file before decompression, in bytes, if it differs from that of the content."""
    cache: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """Results of parsing functions that several readers need."""
    title: str = ""
    """The name of a part of a file, such as a sheet."""
    notes: tuple[str, ...] = ()
    """Sentences on how the file was opened."""
    parts: tuple[Source, ...] = ()
    """Several files that are read together as one, like the files in a zip."""
    nodes: Source | None = None
    """An accompanying file with the names and attributes of the objects."""
    layers: Source | None = None
    """An accompanying file with the names of the relations."""

    @classmethod
    def open(cls, file: File | Sequence[File], limit: int | None = None) -> Source:
        """Read a path or an open file, text or binary; gzip is decompressed, by default within `EXPANDED`.

        Several files become one source with parts.
        """
        if isinstance(file, Sequence) and not isinstance(file, str) and file:
            if len(file) > 1:
                return cls.together(ARCHIVE, [cls._open(part, limit) for part in file])
            file = file[0]
        source = cls._open(file, limit)
        if not source.start or (source.start.isspace() and source.data.isspace()):
            raise DataError(Problem("an empty file", "at least one entry"), file=source.name)
        source.reject_web_page()
        return source

    @classmethod
    def _open(cls, file: Any, limit: int | None) -> Source:
        if not isinstance(file, (str, PathLike)) and not hasattr(file, "read"):
            expected = "a path, a file open for reading, or a list of them"
            raise DataError(Problem(f"{short_repr(file)} as a file", expected))
        try:
            if isinstance(file, (str, PathLike)):
                name, data = Path(file).name, content_of(Path(file))
            else:
                name = PurePosixPath(str(getattr(file, "name", "") or "data").replace("\\", "/")).name
                content = file.read()
                data = content.encode() if isinstance(content, str) else bytes(content)
        except OSError as error:
            actual = error.strerror or "an unreadable file"
            raise DataError(Problem(actual, "an existing file that can be read"), file=str(file)) from None
        except ValueError as error:  # text in another encoding, a closed file, a path with a zero byte
            raise DataError(Problem(f"an unreadable file ({error})", "an open file that can be read")) from None
        size = len(data)
        notes: tuple[str, ...] = ()
        limit = EXPANDED.of(size) if limit is None else limit
        if data[:2] == b"\x1f\x8b":
            data = _gunzip(name, bytes(data), limit)
            plain = re.sub(r"\.gz$", "", name, flags=re.IGNORECASE)
            notes = (f"{name} is a gzip file, whatever its name ends in.",) if plain == name else ()
            name = plain
        return cls(name, data, limit, size, notes=notes)

    @classmethod
    def together(cls, name: str, parts: Sequence[Source]) -> Source:
        """Several files as one, under a name of their own.

        >>> Source.together("files.zip", [Source("b.csv", b"x"), Source("a.csv", b"y")]).member_names
        ('a.csv', 'b.csv')
        """
        ordered = tuple(sorted(parts, key=lambda part: part.name))
        size, limit = sum(part.size for part in parts), max(part.limit for part in parts)
        notes = tuple(note for part in ordered for note in part.notes)
        return cls(name, b"", limit, size, notes=notes, parts=ordered)

    @property
    def size(self) -> int:
        """The size of the file before decompression, in bytes, by which the work it may cause is limited."""
        return len(self.content) if self.file_size is None else self.file_size

    @cached_property
    def data(self) -> bytes:
        """The content as bytes; a copy if the file is memory-mapped."""
        # Reading beyond the end of a mapped file that was truncated would crash the process.
        if isinstance(self.content, mmap.mmap) and self.content.size() < len(self.content):
            problem = Problem("a file that was truncated while it was read", "the complete file; try again")
            raise DataError(problem, file=self.name)
        return bytes(self.content)

    @cached_property
    def start(self) -> bytes:
        """The first bytes, for format detection."""
        return self.content[:HEAD]

    @property
    def extension(self) -> str:
        """The extension of the name, in lower case, without the dot."""
        return PurePosixPath(self.name).suffix.lower().removeprefix(".")

    @property
    def stem(self) -> str:
        """The name without its extension: the name of a relation that the file does not name."""
        return self.title or PurePosixPath(self.name).stem or "relation"

    @cached_property
    def is_text(self) -> bool:
        """Whether the first bytes look like text."""
        if self.parts:
            return False
        head = self.start
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return True
        if b"\0" in head:
            return False
        # Control characters are allowed in valid UTF-8, because a binary file is hardly valid UTF-8 by chance.
        with suppress(UnicodeDecodeError):
            _decode_utf8(head)
            return True
        return not _CONTROL.search(head)

    @cached_property
    def head(self) -> str:
        """The first complete lines of the text; empty if the file is not text."""
        if not self.is_text:
            return ""
        if len(self.content) <= HEAD:
            return self.text
        text = _decode(self.start)
        return text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text

    def reject_web_page(self) -> None:
        """Raise an error if the content is HTML: browsers can save a web page in place of the file it links to."""
        if _WEB_PAGE.match(self.start):
            expected = "a data file; download the file itself, not the page that links to it"
            raise DataError(Problem("a web page", expected), file=self.name)

    @cached_property
    def text(self) -> str:
        """The content as text: UTF-8 with or without a byte order mark, UTF-16 with one, otherwise Latin-1."""
        text = _decode(self.data) if self.is_text else "\0"
        if "\0" in text or text.startswith(("ÿþ", "þÿ")):  # the mark of UTF-16 before other content
            raise DataError(Problem("a binary file", "a text file"), file=self.name)
        return text

    @cached_property
    def utf8(self) -> bytes | mmap.mmap:
        """The content as UTF-8 without a byte order mark; not copied if it is ASCII."""
        # As signed integers, bytes outside ASCII are negative.
        if self.is_text and np.frombuffer(self.content, dtype=np.int8).min(initial=0) == 0:
            return self.content
        return self.text.encode()

    @property
    def is_zip(self) -> bool:
        """Whether it has files in it: a zip archive, as Excel workbooks and npz files are, or several files."""
        return bool(self.parts) or self.start[:4] in (b"PK\x03\x04", b"PK\x05\x06")

    @cached_property
    def member_names(self) -> tuple[str, ...]:
        """The sorted names of the files in a zip, with folders; empty if it is not a zip or damaged."""
        if self.parts or not self.is_zip:
            return tuple(part.name for part in self.parts)
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return tuple(sorted(info.filename for info in archive.infolist() if not _is_hidden(info)))
        except _DAMAGED:
            return ()

    @cached_property
    def members(self) -> tuple[Source, ...]:
        """The files in a zip, sorted by name. Their total size must be within the limit."""
        if self.parts:
            return self.parts
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return tuple(self._extract(archive))
        except DataError as error:
            raise error.in_file(self.name) from None
        except _DAMAGED as error:
            expected = "a complete zip archive; download or create it again"
            raise DataError(Problem(f"a damaged zip ({error})", expected), file=self.name) from None

    def _extract(self, archive: zipfile.ZipFile) -> Iterator[Source]:
        left = self.limit
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            path = PurePosixPath(info.filename.replace("\\", "/"))
            if path.is_absolute() or ".." in path.parts:
                raise DataError(Problem(f"the path {info.filename!r}", "paths inside the archive"))
            if _is_hidden(info):
                continue
            check_compression(info)
            with archive.open(info) as member:
                content = member.read(left + 1)
            left -= len(content)
            if left < 0:
                raise DataError(too_large(self.limit))
            yield Source(path.name, content, self.limit, self.size)


ReadFunction = Callable[[Source], Table]


@dataclass(frozen=True)
class Reader:
    """One format.

    Attributes:
        name: the value of `format=`.
        description: the content of such a file, in one line.
        extensions: file extensions without the dot, for upload menus.
        matches: whether a file has this format, from its name and content.
        read: the file as a `Table`. Raises no other error than `DataError`.
        order: formats with a lower number are tried first.
    """

    name: str
    description: str
    extensions: tuple[str, ...]
    matches: Callable[[Source], bool]
    read: ReadFunction
    order: int = 50


FORMATS = Registry[Reader]("format", "mrwtd.data.readers.formats")
"""All formats by name. Formats that recognize a file for certain come before those that try to read any file."""


def register_format(
    name: str, description: str, extensions: tuple[str, ...], matches: Callable[[Source], bool], order: int = 50
) -> Callable[[ReadFunction], ReadFunction]:
    """Decorator that registers the read function of a format; the parameters are attributes of `Reader`."""

    def register(read: ReadFunction) -> ReadFunction:
        FORMATS.add(Reader(name, description, extensions, matches, read, order))
        return read

    return register


def content_of(path: Path) -> bytes | mmap.mmap:
    """The bytes of a file, memory-mapped if it is large."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < MAPPED:
            return file.read()
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def too_large(limit: int) -> Problem:
    """The problem of a compressed file that exceeds the limit."""
    return Problem(f"more than {limit:,} {EXPANDED.noun}", f"at most {limit:,}; {EXPANDED.advice}")


def check_compression(info: zipfile.ZipInfo) -> None:
    """Raise an error if a file in a zip is compressed by a method that cannot be expanded within a limit."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = zipfile.compressor_names.get(info.compress_type, "unknown")  # type: ignore[attr-defined]
        expected = "the usual one (deflate); create the zip again"
        raise DataError(Problem(f"the compression {method!r} of {info.filename!r}", expected))


def _is_hidden(info: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    return not info.filename or info.is_dir() or path.name.startswith(".") or "__MACOSX" in path.parts


def _decode_utf8(data: bytes) -> str:
    """UTF-8 as text. The first bytes of a file can end inside a character, which is left out."""
    return codecs.getincrementaldecoder("utf-8-sig")().decode(data, final=len(data) != HEAD)


def _decode(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        with suppress(UnicodeDecodeError):
            return data.decode("utf-16")
    try:
        return _decode_utf8(data)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _gunzip(name: str, data: bytes, limit: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            content = stream.read(limit + 1)
    except (EOFError, zlib.error, OSError) as error:
        problem = Problem(f"a damaged gzip file ({error})", "a complete gzip file; download it again")
        raise DataError(problem, file=name) from None
    if len(content) > limit:
        raise DataError(too_large(limit), file=name)
    return content
