"""The variables of a MATLAB file, version 5 to 7: numbers, text, sparse matrices and cells of text, and no others.

A file is a header of 128 bytes and an element for each variable, perhaps compressed. Elements are unpacked here,
within the limit of the source, and looked at before SciPy reads them: a structure that nests deeply, or a size that
the bytes do not bear out, never reaches it.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import DataError, Problem
from .source import Source

_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _SPARSE = 1, 4, 5
_NUMBERS = range(6, 16)


class _DamagedError(Exception):
    """Bytes that are no variable."""


class _Tag(NamedTuple):
    """Of which type an element is, where its content begins and ends, and where the next element begins."""

    kind: int
    start: int
    end: int
    after: int


class _Variable(NamedTuple):
    """What an element says of itself, and where its content begins."""

    kind: int
    shape: tuple[int, ...]
    name: str
    content: int


def variables(source: Source) -> tuple[dict[str, Any], list[str]]:
    """The variables that can hold relations or names, and the names of those left out."""
    data = source.data
    if data.startswith(b"MATLAB 7.3") or b"\x89HDF" in data[:520]:
        expected = "version 5 to 7: save it again with save(…, '-v7')"
        raise DataError(Problem("a MATLAB 7.3 file", expected), file=source.name)
    if len(data) < 136 or data[126:128] not in (b"IM", b"MI"):
        raise DataError(Problem("no header of MATLAB", "a MATLAB file of version 5 to 7"), file=source.name)
    order = "<" if data[126:128] == b"IM" else ">"
    kept, left_out = [], []
    try:
        for element in _elements(source, order):
            variable = _variable(element, 0, order)
            if _is_plain(variable, element, order):
                kept.append(element)
            else:
                left_out.append(variable.name)
        from scipy.io import loadmat

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # The header's pointer to private data is blanked, since that is not kept.
            plain: Any = io.BytesIO(data[:116] + bytes(8) + data[124:128] + b"".join(kept))
            found = loadmat(plain)
    except DataError:
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise DataError(Problem(f"a damaged MATLAB file ({reason})", "a whole one"), file=source.name) from None
    return {name: array for name, array in found.items() if not name.startswith("__")}, left_out


def _elements(source: Source, order: str) -> Iterator[bytes]:
    """Each variable's bytes, unpacked."""
    at, left = 128, source.limit
    while at < len(source.data):
        tag = _tag(source.data, at, order)
        element = source.data[at : tag.after]
        if tag.kind == _COMPRESSED:
            unpacker = zlib.decompressobj()
            element = unpacker.decompress(source.data[tag.start : tag.end], left + 1)
            left -= len(element)
            if left < 0:
                found = f"more than {source.limit:,} bytes when expanded"
                raise DataError(Problem(found, f"at most {source.limit:,}"), file=source.name)
            if not unpacker.eof:
                raise _DamagedError("a variable is cut off")
        yield element
        # What is compressed is not padded to whole words.
        at = tag.end if tag.kind == _COMPRESSED else tag.after


def _tag(data: bytes, at: int, order: str) -> _Tag:
    kind, size = struct.unpack_from(order + "II", data, at)
    start = at + 8
    if kind >> 16:
        # A short element has its size beside its type, and its content within the tag.
        kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
    end = start + size
    if end > len(data) or (start == at + 4 and size > 4):
        raise _DamagedError("a variable is cut off")
    return _Tag(kind, start, end, min(end + -(end - at) % 8, len(data)))


def _variable(data: bytes, at: int, order: str) -> _Variable:
    tag = _tag(data, at, order)
    if tag.kind != _MATRIX:
        raise _DamagedError(f"an element of type {tag.kind} instead of a variable")
    if tag.start == tag.end:
        return _Variable(_NUMBERS[0], (0, 0), "", tag.end)
    flags = _tag(data, tag.start, order)
    (kind,) = struct.unpack_from(order + "I", data, flags.start)
    dims = _tag(data, flags.after, order)
    shape: tuple[int, ...] = struct.unpack_from(f"{order}{(dims.end - dims.start) // 4}i", data, dims.start)
    name = _tag(data, dims.after, order)
    text = data[name.start : name.end].decode("latin-1")
    if any(length < 0 for length in shape) or (kind & 0xFF != _SPARSE and _count(shape) > tag.end - at):
        raise _DamagedError(f"the variable {text!r} is too short for its shape {shape}")
    return _Variable(kind & 0xFF, shape, text, name.after)


def _count(shape: tuple[int, ...]) -> int:
    cells = 1
    for length in shape:
        cells *= length
    return cells


def _is_plain(variable: _Variable, element: bytes, order: str) -> bool:
    """Whether it is an array of numbers or text, or a cell array of texts."""
    if variable.kind != _CELL:
        return variable.kind in (_CHAR, _SPARSE, *_NUMBERS)
    at = variable.content
    for _ in range(_count(variable.shape)):
        inner = _variable(element, at, order)
        if inner.kind != _CHAR and _count(inner.shape):
            return False
        at = _tag(element, at, order).after
    return True
