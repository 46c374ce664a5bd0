"""UCINET's data language: `dl`, a header, and matrices or lists of ties.

    dl n=3 nm=2 format=fullmatrix diagonal present
    labels: ann, bob, cat
    matrix labels: advice, friendship
    data:
    0 1 0 …

Formats: fullmatrix, lowerhalf, upperhalf, edgelist1 and nodelist1. In the lists a line `!` begins the next relation,
and pairs that are not listed are not entries: `absent` says what they mean. Matrices may run over lines as they
like, unless labels are embedded in them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from ....errors import Problems
from ....typing import Array, BoolArray
from ...table import Table
from ..format import FORMATS, Reader
from ..parsing.grids import grid_table, refuse_many
from ..parsing.lines import floats, numbered, quote, relation_names, whole, words
from ..parsing.ties import Ties
from ..parsing.ucinet_header import Header, read_header
from ..source import Source

_START = re.compile(rb"(\xef\xbb\xbf)?\s*+dl\b[\s,]*+(n|nr|nc|nm|format|labels|title|row|data)\b", re.IGNORECASE)

Line = tuple[int, list[str]]


def matches(source: Source) -> bool:
    """Whether the name says so, or the file begins with dl."""
    return source.extension == "dl" or _START.match(source.start[:4096]) is not None


def read(source: Source) -> Table:
    r"""The matrices of a file as relations.

    >>> read(Source("advice.dl", b"dl n=2\nlabels: ann, bob\ndata:\n0 1\n1 0\n")).values
    array([0., 1., 1., 0.])
    """
    problems = Problems(source.name)
    header = read_header(list(numbered(source.text)), problems)
    problems.check()
    names = relation_names(header.nm, header.labels.get("matrix", []), source)
    lines = [(number, found) for number, text in header.lines if (found := words(text))]
    if header.is_list:
        return _read_list(header, lines, names, problems)
    n, m = header.n, header.nm
    refuse_many(n * n * m, source.name)
    listed = _listed(header)
    if header.embedded:
        objects, numbers = _read_labelled(header, lines, problems)
    else:
        objects, numbers = _objects(header), _read_numbers(lines, int(listed.sum()), m, problems)
    problems.check()
    matrices = [_laid_out(listed, part) for part in np.split(numbers, m)]
    symmetric = header.format != "fullmatrix"
    return grid_table(
        matrices,
        objects,
        names,
        file=source.name,
        listed=listed,
        declared={name: {"directed": False} for name in names} if symmetric else {},
        named=_is_named(header),
    )


def _is_named(header: Header) -> bool:
    return header.nm > 1 or "matrix" in header.labels


def _objects(header: Header) -> list[str]:
    labels = header.labels.get("row") or header.labels.get("column")
    return labels or [str(number) for number in range(1, header.n + 1)]


def _listed(header: Header) -> BoolArray:
    """Which cells of a matrix the file holds."""
    cells = np.ones((header.n, header.n), dtype=bool)
    if header.format == "lowerhalf":
        cells = np.tril(cells)
    elif header.format == "upperhalf":
        cells = np.triu(cells)
    if not header.diagonal:
        np.fill_diagonal(cells, False)
    return cells


def _laid_out(listed: BoolArray, numbers: Array) -> Array:
    matrix = np.full(listed.shape, np.nan)
    matrix[listed] = numbers
    return matrix


def _read_numbers(lines: list[Line], size: int, m: int, problems: Problems) -> Array:
    """Numbers that run over lines as they like."""
    parts = [_floats(found, number, problems) for number, found in lines]
    numbers = np.concatenate(parts) if parts else np.zeros(0)
    if numbers.size != size * m:
        last = lines[-1][0] if lines else None
        problems.add(f"{numbers.size:,} numbers", f"{size * m:,}: {m} × {size:,}", last)
        problems.check()
    return numbers


def _floats(found: list[str], line: int, problems: Problems) -> Array:
    numbers, wrong = floats(found)
    for at in np.flatnonzero(wrong):
        problems.add(quote(found[at]), "a finite number", line)
    return numbers


def _read_labelled(header: Header, lines: list[Line], problems: Problems) -> tuple[list[str], Array]:
    """Matrices with labels among the numbers: a line of columns where there are such, and a label before each row."""
    with_columns, with_rows = "column" in header.embedded, "row" in header.embedded
    widths = _listed(header).sum(axis=1)
    height = header.n + with_columns
    if len(lines) != height * header.nm:
        problems.add(f"{len(lines)} lines of data", f"{height * header.nm}: a line a row, with its label")
        problems.check()
    objects: list[str] | None = header.labels.get("row") or header.labels.get("column")
    parts = []
    for start in range(0, len(lines), height):
        block = lines[start : start + height]
        rows = block[with_columns:]
        if with_columns:
            objects = _agreed(objects, block[0][1], block[0][0], problems)
        if with_rows:
            objects = _agreed(objects, [found[0] for _, found in rows], rows[0][0], problems)
        for width, (number, found) in zip(widths, rows, strict=True):
            if len(found) - with_rows != width:
                problems.add(f"{len(found) - with_rows} numbers", f"{width}", number)
            else:
                parts.append(_floats(found[with_rows:], number, problems))
    problems.check()
    return objects or [], np.concatenate(parts) if parts else np.zeros(0)


def _agreed(known: list[str] | None, found: list[str], line: int, problems: Problems) -> list[str]:
    if known is None:
        for label in [label for label, times in Counter(found).items() if times > 1]:
            problems.add(f"the label {quote(label)} twice", "each label once", line)
        return found
    if found != known:
        at = next(
            (k for k, (a, b) in enumerate(zip(found, known, strict=False)) if a != b), min(len(found), len(known))
        )
        pair = [quote(labels[at]) if at < len(labels) else "no label" for labels in (found, known)]
        problems.add(pair[0], f"{pair[1]}: the same labels in the same order everywhere", line)
    return known


def _read_list(header: Header, lines: list[Line], names: list[str], problems: Problems) -> Table:
    """Ties: one a line in an edge list, all of one object a line in a node list."""
    objects = {} if header.embedded else {name: name for name in _objects(header)}
    positions = dict(enumerate(objects, start=1))
    ties, k = Ties(), 0
    for number, found in lines:
        if found == ["!"]:
            k += 1
            if k == len(names):
                problems.add(f"relation {k + 1}", f"nm = {len(names)} relations", number)
            continue
        ends = found if header.format == "nodelist1" else found[:2]
        if header.format == "edgelist1" and not 2 <= len(found) <= 3:
            problems.add(quote(" ".join(found)), "two objects and, if there is one, a value", number)
            continue
        known = ends if header.embedded else [_object(word, positions, objects, number, problems) for word in ends]
        value = _floats(found[2:], number, problems) if header.format == "edgelist1" else np.zeros(0)
        for target in known[1:]:
            ties.add(
                known[0], names[min(k, len(names) - 1)], target, float(value[0]) if value.size else 1.0, line=number
            )
    problems.check()
    table = ties.table(objects=list(objects), relations=names, file=problems.file)
    if header.n and len(table.objects) > header.n:
        problems.add(f"{len(table.objects)} objects", f"n = {header.n}")
        problems.check()
    # A list has no way to say that ties are mutual.
    return replace(table, declared={}, named=_is_named(header))


def _object(word: str, positions: dict[int, str], names: dict[str, str], line: int, problems: Problems) -> str:
    number = whole(word)
    if number is not None and number in positions:
        return positions[number]
    if word not in names:
        problems.add(quote(word), f"an object: its label, or its number from 1 to {len(positions)}", line)
    return word


READER = FORMATS.register(
    Reader(
        name="ucinet",
        about="matrices or lists of ties in UCINET's data language (.dl)",
        extensions=("dl",),
        matches=matches,
        read=read,
        order=20,
    )
)
