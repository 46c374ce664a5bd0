"""UCINET's own files: a header (.##h) with sizes and labels, and the numbers (.##d), which are read together.

The header has a version, a date, the type of the numbers, the sizes (columns, rows, matrices), a title, and the labels
of columns, rows and matrices. The numbers follow each other matrix by matrix and row by row. Several pairs of files
are several relations between the same objects. With other labels or another number of columns than of rows, both are
two types of objects.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import prod
from pathlib import PurePosixPath

import numpy as np

from ....errors import DataError, Problem, Problems, errors_in_file
from ....typing import Array
from ...limits import ENTRIES, RELATIONS
from ...table import Table
from ..parsing.lines import quote, repeated
from ..parsing.matrix import Matrix, default_names
from ..source import Source, register_format
from .matrices import join_matrices

HEADER, NUMBERS = "##h", "##d"

VERSIONS = {b"DATE:": "<H", b"V6404": "<I"}
"""How each version writes a size."""

TYPES = {1: "u1", 2: "?", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<f4", 9: "<f8", 10: "<i8", 17: "<i4", 20: "<i8"}
"""The types of the numbers."""

MISSING = 1e38
"""The number of unobserved pairs."""

WIDE = 3
"""Labels of this type have two bytes per character."""


@dataclass(frozen=True)
class Header:
    """The content of a header: the type of the numbers, and the number and the labels of columns, rows and matrices."""

    dtype: str
    sizes: tuple[int, ...]
    labels: tuple[tuple[str, ...] | None, ...]


def matches(source: Source) -> bool:
    """Whether a file, or each file of several, is one of a pair."""
    names = source.member_names if source.is_zip else (source.name,)
    return bool(names) and all(_ending(name) in (HEADER, NUMBERS) for name in names)


@register_format(
    "ucinet-pair",
    "matrices in UCINET's own files: .##h and .##d together, or in a zip",
    (HEADER, NUMBERS, "zip"),
    matches,
    order=20,
)
def read(source: Source) -> Table:
    """The matrices of all pairs of files as relations."""
    files = source.members if source.is_zip else (source,)
    stems = dict.fromkeys(PurePosixPath(file.name).stem for file in files)
    matrices = list(chain.from_iterable(_matrices(stem, files) for stem in stems))
    RELATIONS.check(len(matrices), source.size)
    return join_matrices(matrices, source, Problems())


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower().removeprefix(".")


def _matrices(stem: str, files: Iterable[Source]) -> Iterator[Matrix]:
    """The matrices of a pair of files."""
    pair = {_ending(file.name): file for file in files if PurePosixPath(file.name).stem == stem}
    if pair.keys() != {HEADER, NUMBERS}:
        listed = " and ".join(file.name for file in pair.values())
        expected = f"both files of the pair, {stem}.{HEADER} and {stem}.{NUMBERS}; upload them together or in a zip"
        raise DataError(Problem(f"only {listed}", expected))
    with errors_in_file(pair[HEADER].name):
        header = read_header(pair[HEADER].data)
        yield from _split(stem, header, _numbers(header, pair))


def read_header(data: bytes) -> Header:
    r"""Parse a header. What it announces is compared with what it contains, and never allocated.

    >>> sizes, names = struct.pack("<HHH", 2, 2, 2), b"\x01\x00a\x01\x00b"
    >>> read_header(b"\x05DATE:" + bytes(8) + b"\x02\x00\x01" + sizes + b"\x00\x01\x01" + 2 * names).labels
    (('a', 'b'), ('a', 'b'))
    """
    cursor = _Cursor(data)
    version = cursor.take(6)[1:]
    if version not in VERSIONS:
        known = " or ".join(sorted(name.decode() for name in VERSIONS))
        raise DataError(Problem(f"the version {quote(version.decode('latin-1'))}", f"a header of the version {known}"))
    cursor.take(8)  # the date
    label_type, number_type, n_sizes = cursor.number("<H"), cursor.number("<B"), cursor.number("<H")
    if number_type not in TYPES:
        raise DataError(Problem(f"numbers of the type {number_type}", f"one of {', '.join(map(str, TYPES))}"))
    if n_sizes not in (2, 3):
        raise DataError(Problem(f"{n_sizes} dimensions", "2 or 3: columns, rows and matrices"))
    sizes = tuple(cursor.number(VERSIONS[version]) for _ in range(n_sizes))
    cursor.take(cursor.number("<B"))  # the title
    are_labelled = [cursor.number("<B") != 0 for _ in sizes]
    is_wide = label_type >= WIDE
    labels = tuple(
        tuple(cursor.text(is_wide) for _ in range(size)) if labelled else None
        for size, labelled in zip(sizes, are_labelled, strict=True)
    )
    return Header(TYPES[number_type], sizes, labels)


class _Cursor:
    """Reads the bytes of a header one after another."""

    def __init__(self, data: bytes):
        self._data, self._position = data, 0

    def take(self, size: int) -> bytes:
        """The next bytes. Raises an error if there are not enough."""
        end = self._position + size
        if end > len(self._data):
            raise DataError(Problem(f"a header that ends after {len(self._data):,} bytes", "a complete header"))
        part = self._data[self._position : end]
        self._position = end
        return part

    def number(self, code: str) -> int:
        """The next whole number."""
        return int(struct.unpack(code, self.take(struct.calcsize(code)))[0])

    def text(self, is_wide: bool) -> str:
        """The next label: its length in bytes, and its characters."""
        data = self.take(self.number("<H"))
        return data.decode("utf-16-le" if is_wide else "latin-1", errors="replace").strip("\0 ")


def _numbers(header: Header, pair: Mapping[str, Source]) -> Array:
    """All numbers, NaN for unobserved pairs."""
    data, count = pair[NUMBERS].data, prod(header.sizes)
    ENTRIES.check(count, sum(file.size for file in pair.values()))
    dtype = np.dtype(header.dtype)
    if len(data) != count * dtype.itemsize:
        expected = f"{count * dtype.itemsize:,}: {' × '.join(map(str, header.sizes))} numbers of {dtype.itemsize} bytes"
        raise DataError(Problem(f"{len(data):,} bytes", expected), file=pair[NUMBERS].name)
    numbers = np.frombuffer(data, dtype=dtype).astype(np.float64)
    return np.where(np.isclose(np.abs(numbers), MISSING, rtol=1e-6, atol=0), np.nan, numbers)


def _split(stem: str, header: Header, numbers: Array) -> Iterator[Matrix]:
    """The matrices, with their names and labels."""
    n_columns, n_rows, *rest = header.sizes
    columns, rows, *names = header.labels
    if not n_rows or not n_columns:
        raise DataError(Problem(f"{n_rows:,} rows and {n_columns:,} columns", "at least one of both"))
    for labels in filter(None, (rows, columns)):
        if "" in labels or repeated(labels):
            actual = f"the labels {', '.join(map(quote, labels[:5]))}"
            raise DataError(Problem(actual, "a different label for each object"))
    is_two_mode = n_columns != n_rows or bool(rows and columns and set(rows).isdisjoint(columns))
    if rows and columns and rows != columns and not is_two_mode:
        expected = "the same labels in the same order, or no common label in two-mode data"
        raise DataError(Problem("different labels of rows and columns", expected))
    row_labels, column_labels = rows or columns, None
    if is_two_mode:
        row_labels, column_labels = rows or tuple(default_names(n_rows)), columns or tuple(default_names(n_columns))
    n_matrices = rest[0] if rest else 1
    titles = names[0] if names and names[0] else tuple(f"{stem} {k}" for k in range(1, n_matrices + 1))
    titles = (stem,) if n_matrices == 1 else titles
    for title, matrix in zip(titles, numbers.reshape(n_matrices, n_rows, n_columns), strict=True):
        yield Matrix(title or stem, row_labels, matrix, np.arange(1, n_rows + 1), column_labels)
