"""The variables of a MATLAB file, version 5 to 7: numbers, text, sparse matrices and cells of text.

A file is a header of 128 bytes and one element per variable, which can be compressed. An element is a tag (its type and
its number of bytes) and its content. The content of a variable is elements again: flags, shape, name, and values.
SciPy's compiled reader crashes the process on some damaged files. This one checks every size against the length of the
file, and does not follow cells within cells.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ....errors import DataError, Problem
from ....typing import AnyArray
from ..source import Source, too_large

_MATRIX, _COMPRESSED = 14, 15
_CELL, _CHAR, _SPARSE = 1, 4, 5
_NUMBERS = range(6, 16)
_IS_COMPLEX = 0x800
_CODES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}


class _DamagedError(Exception):
    """Bytes that are not a valid variable."""


class _Tag(NamedTuple):
    """The type of an element, the start and end of its content, and the start of the next element."""

    kind: int
    start: int
    end: int
    after: int


class _Variable(NamedTuple):
    """The properties of a variable, and the start of its values."""

    kind: int
    is_complex: bool
    shape: tuple[int, ...]
    name: str
    content: int

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)


def variables(source: Source) -> tuple[dict[str, Any], list[str]]:
    """The variables that can be relations or names, and the names of all other variables.

    A text is an array of Python strings, one per row; a sparse matrix is a SciPy matrix.
    """
    data = source.data
    if data.startswith(b"MATLAB 7.3") or b"\x89HDF" in data[:520]:
        raise DataError(Problem("a MATLAB 7.3 file", "version 5 to 7; save it again with save(…, '-v7')"))
    if len(data) < 136 or data[126:128] not in (b"IM", b"MI"):
        raise DataError(Problem("a file without the header of MATLAB", "a MATLAB file of version 5 to 7"))
    order = "<" if data[126:128] == b"IM" else ">"
    values, left_out = {}, []
    try:
        for element in _elements(source, order):
            variable = _variable(element, 0, order)
            value = _value(variable, element, order)
            if value is None:
                left_out.append(variable.name)
            else:
                values[variable.name] = value
    except (_DamagedError, struct.error, zlib.error, UnicodeError) as error:
        raise DataError(Problem(f"a damaged MATLAB file ({error})", "a complete file; save it again")) from None
    return values, left_out


def _elements(source: Source, order: str) -> Iterator[bytes]:
    """The decompressed bytes of each variable."""
    start, left = 128, source.limit
    while start < len(source.data):
        tag = _tag(source.data, start, order)
        element = source.data[start : tag.after]
        if tag.kind == _COMPRESSED:
            unpacker = zlib.decompressobj()
            element = unpacker.decompress(source.data[tag.start : tag.end], left + 1)
            left -= len(element)
            if left < 0:
                raise DataError(too_large(source.limit))
            if not unpacker.eof:
                raise _DamagedError("a variable is truncated")
        yield element
        # Compressed elements are not padded to whole words.
        start = tag.end if tag.kind == _COMPRESSED else tag.after


def _tag(data: bytes, offset: int, order: str) -> _Tag:
    kind, size = struct.unpack_from(order + "II", data, offset)
    start = offset + 8
    if kind >> 16:
        # A short element has its size next to its type, and its content within the tag.
        kind, size, start = kind & 0xFFFF, kind >> 16, offset + 4
    end = start + size
    if end > len(data) or (start == offset + 4 and size > 4):
        raise _DamagedError("a variable is truncated")
    return _Tag(kind, start, end, min(end + -(end - offset) % 8, len(data)))


def _variable(data: bytes, offset: int, order: str) -> _Variable:
    tag = _tag(data, offset, order)
    if tag.kind != _MATRIX:
        raise _DamagedError(f"an element of type {tag.kind} instead of a variable")
    if tag.start == tag.end:
        return _Variable(_NUMBERS[0], False, (0, 0), "", tag.end)
    flags_tag = _tag(data, tag.start, order)
    (flags,) = struct.unpack_from(order + "I", data, flags_tag.start)
    dims = _tag(data, flags_tag.after, order)
    shape = struct.unpack_from(f"{order}{(dims.end - dims.start) // 4}i", data, dims.start)
    name = _tag(data, dims.after, order)
    text = data[name.start : name.end].decode("latin-1")
    if not 2 <= len(shape) <= 32 or min(shape) < 0:
        raise _DamagedError(f"the variable {text!r} has the shape {shape}")
    return _Variable(flags & 0xFF, bool(flags & _IS_COMPLEX), shape, text, name.after)


def _value(variable: _Variable, data: bytes, order: str) -> Any:
    """The content of a variable, or None if its type is not supported."""
    if variable.kind == _CHAR:
        return _text_array(_texts(variable, data, order))
    if variable.kind == _CELL:
        return _cells(variable, data, order)
    if variable.is_complex:
        return None
    if variable.kind == _SPARSE:
        return _sparse(variable, data, order)
    if variable.kind in _NUMBERS:
        values, _ = _array(data, variable.content, order)
        return _cut(values, variable).reshape(variable.shape, order="F")
    return None


def _array(data: bytes, offset: int, order: str) -> tuple[AnyArray, int]:
    """The numbers of an element, and the start of the next. MATLAB stores whole numbers in the smallest type."""
    tag = _tag(data, offset, order)
    if tag.kind not in _CODES:
        raise _DamagedError(f"numbers of type {tag.kind}")
    dtype = np.dtype(order + _CODES[tag.kind])
    return np.frombuffer(data, dtype, (tag.end - tag.start) // dtype.itemsize, tag.start), tag.after


def _cut(values: AnyArray, variable: _Variable) -> AnyArray:
    if values.size < variable.size:
        raise _DamagedError(f"the variable {variable.name!r} is too short for its shape {variable.shape}")
    return values[: variable.size]


def _texts(variable: _Variable, data: bytes, order: str) -> list[str]:
    """The rows of an array of characters, which are stored column by column."""
    tag = _tag(data, variable.content, order) if variable.size else _Tag(1, 0, 0, 0)
    if tag.kind not in _ENCODINGS:
        raise _DamagedError(f"text of type {tag.kind}")
    encoding = _ENCODINGS[tag.kind]
    wide = encoding in ("utf-16", "utf-32")
    text = data[tag.start : tag.end].decode(f"{encoding}-{'le' if order == '<' else 'be'}" if wide else encoding)
    if variable.shape[0] == 1:
        return [text]
    if len(text) != variable.size:
        raise _DamagedError(f"{len(text)} characters in {variable.name!r} of shape {variable.shape}")
    return [text[row :: variable.shape[0]] for row in range(variable.shape[0] if text else 0)]


def _text_array(texts: list[str]) -> AnyArray:
    """An array of objects: in one of strings, every text takes as much memory as the longest."""
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _cells(variable: _Variable, data: bytes, order: str) -> AnyArray | None:
    """The texts of a cell array, or None if it has anything else."""
    texts, offset = [], variable.content
    if variable.size * 8 > len(data):
        raise _DamagedError(f"the variable {variable.name!r} is too short for its shape {variable.shape}")
    for _ in range(variable.size):
        inner = _variable(data, offset, order)
        if inner.kind != _CHAR and inner.size:
            return None
        texts.append("".join(_texts(inner, data, order)) if inner.kind == _CHAR else "")
        offset = _tag(data, offset, order).after
    return _text_array(texts)


def _sparse(variable: _Variable, data: bytes, order: str) -> Any:
    from scipy.sparse import coo_array

    rows, offset = _array(data, variable.content, order)
    column_starts, offset = _array(data, offset, order)
    values, _ = _array(data, offset, order)
    height, width = variable.shape[:2]
    starts = column_starts.astype(np.int64)
    steps = np.diff(starts)
    if len(variable.shape) != 2 or steps.size != width or (steps < 0).any() or (starts[:1] != 0).any():
        raise _DamagedError(f"the columns of the sparse matrix {variable.name!r} are out of order")
    count = int(starts[-1])
    if count > min(rows.size, values.size) or ((rows[:count] < 0) | (rows[:count] >= height)).any():
        raise _DamagedError(f"entries of the sparse matrix {variable.name!r} are outside of it")
    columns = np.repeat(np.arange(width, dtype=np.int64), steps)
    return coo_array((values[:count], (rows[:count].astype(np.int64), columns)), shape=(height, width))
