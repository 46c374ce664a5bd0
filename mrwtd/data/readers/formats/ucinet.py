"""UCINET's data language: `dl`, a header, and matrices or lists of ties.

    dl n=3 nm=2 format=fullmatrix diagonal present
    labels: ann, bob, cat
    matrix labels: advice, friendship
    data:
    0 1 0 …

With nr and nc in place of n, or with different labels of rows and columns, they are two types of objects.

Formats: fullmatrix, lowerhalf, upperhalf, edgelist1 and nodelist1, and for two types edgelist2 and nodelist2. In lists,
a line `!` starts the next relation, and unlisted pairs are not entries: `absent` sets their meaning. Rows of matrices
can span several lines, unless labels are embedded.
"""

import re
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from ....errors import Problems
from ....typing import Array, BoolArray
from ...factorized import Factorized
from ...limits import ENTRIES
from ...table import Table
from ...two_mode import two_mode_names, with_both_types
from ..parsing.lines import Tie, Ties, checked_floats, numbered, quote, relation_names, repeated, whole_number, words
from ..parsing.matrix import default_names, grid_table
from ..parsing.plain_tail import load_rewritten, single_spaces
from ..parsing.ucinet_header import Header, check_announced, read_header
from ..source import Source, register_format

_START = re.compile(rb"(\xef\xbb\xbf)?\s*+dl\b[\s,]*+(n|nr|nc|nm|format|labels|title|row|data)\b", re.IGNORECASE)

_DATA = re.compile(rb"\bdata:[ \t]*+\n", re.IGNORECASE)

Line = tuple[int, list[str]]


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts with dl."""
    return source.extension == "dl" or _START.match(source.start[:4096]) is not None


@register_format("ucinet", "matrices or lists of ties in UCINET's data language (.dl)", ("dl",), matches, order=20)
def read(source: Source) -> Table:
    r"""The matrices of a file as relations.

    >>> read(Source("advice.dl", b"dl n=2\nlabels: ann, bob\ndata:\n0 1\n1 0\n")).values
    array([0., 1., 1., 0.])
    """
    if (plain := _plain_list(source)) is not None:
        return plain
    problems = Problems()
    header = read_header(list(numbered(source.text)), problems)
    problems.check()
    check_announced(header, source.size)
    names = relation_names(header.nm, header.labels.get("matrix", []), source)
    lines = [(number, fields) for number, text in header.lines if (fields := words(text))]
    if header.is_list:
        return _read_list(header, lines, names, problems)
    ENTRIES.check(header.n * header.n_columns * header.nm, source.size)
    listed = _listed(header)
    if header.embedded:
        labels, numbers = _read_labelled(header, lines, problems)
    else:
        labels, numbers = header.labels, _read_numbers(lines, int(listed.sum()), header.nm, problems)
    problems.check()
    matrices = np.full((header.nm, *listed.shape), np.nan)
    matrices[:, listed] = numbers.reshape(header.nm, -1)
    rows = labels.get("row") or (None if header.is_two_mode else labels.get("column")) or default_names(header.n)
    columns = (labels.get("column") or default_names(header.n_columns)) if header.is_two_mode else None
    rest: dict[str, Any] = {"named": _is_named(header), "listed": None if columns else listed}
    if header.format != "fullmatrix":
        rest["declared"] = {name: {"directed": False} for name in names}
    return grid_table(source, list(matrices), rows, names, columns=columns, **rest)


def _plain_list(source: Source) -> Table | None:
    """The table of an edge list of one relation whose lines are all alike; None for other files."""
    start = _DATA.search(source.utf8)
    if start is None or source.utf8.find(b",", start.end()) >= 0:
        return None
    problems = Problems()
    header = read_header(list(numbered(source.utf8[: start.end()].decode())), problems)
    is_plain = header.format == "edgelist1" and not header.is_two_mode and header.nm == 1
    if problems.total or any(line for _, line in header.lines) or not is_plain:
        return None
    check_announced(header, source.size)
    rest = single_spaces(bytes(source.utf8[start.end() :]))
    tail = load_rewritten(source, start.end(), rest, (0, 1), (2, 3))
    if tail is None:
        return None
    objects: list[str] = []
    ends = tail.ends((0, 1))
    if not header.embedded:
        objects = _objects(header)
        known, positions = set(objects), dict(enumerate(objects, start=1))
        names = dict.fromkeys(chain.from_iterable(column.used_names() for column in ends))
        labels = {name: _object(name, positions, known, 0, problems) for name in names}
        sources, targets = (Factorized(each.codes, [labels.get(name, "") for name in each.names]) for each in ends)
        ends = sources, targets
    if problems.total:
        return None
    relations = relation_names(1, header.labels.get("matrix", []), source)
    ties = Ties().extend(ends, relations[0], tail.numbers(2), tail.lines)
    table = ties.table(objects=objects, relations=relations)
    if header.n and len(table.objects) > header.n:
        return None
    return replace(table, declared={}, named=_is_named(header))


def _is_named(header: Header) -> bool:
    return header.nm > 1 or "matrix" in header.labels


def _objects(header: Header) -> list[str]:
    return header.labels.get("row") or header.labels.get("column") or default_names(header.n)


def _listed(header: Header) -> BoolArray:
    """A mask of the cells of a matrix that are in the file."""
    cells = np.ones((header.n, header.n_columns), dtype=bool)
    if header.format == "lowerhalf":
        cells = np.tril(cells)
    elif header.format == "upperhalf":
        cells = np.triu(cells)
    if not header.diagonal and not header.is_two_mode:
        np.fill_diagonal(cells, False)
    return cells


def _read_numbers(lines: list[Line], size: int, m: int, problems: Problems) -> Array:
    """The numbers of all lines."""
    numbers = np.concatenate([np.zeros(0), *(checked_floats(fields, line, problems) for line, fields in lines)])
    if numbers.size != size * m:
        last = lines[-1][0] if lines else None
        problems.add(f"{numbers.size:,} numbers", f"{size * m:,} numbers: {m} × {size:,}", last)
        problems.check()
    return numbers


def _read_labelled(header: Header, lines: list[Line], problems: Problems) -> tuple[dict[str, list[str]], Array]:
    """Labels and numbers, if labels are embedded: a line of column labels, a label before each row, or both."""
    with_columns, with_rows = "column" in header.embedded, "row" in header.embedded
    widths = _listed(header).sum(axis=1)
    height = header.n + with_columns
    if len(lines) != height * header.nm:
        problems.add(f"{len(lines)} lines of data", f"{height * header.nm} lines: one per row, with its label")
        problems.check()
    known: dict[str, list[str]] = {side: header.labels[side] for side in ("row", "column") if side in header.labels}
    parts = []
    for start in range(0, len(lines), height):
        block = lines[start : start + height]
        rows = block[with_columns:]
        if with_columns:
            _check_labels(header, known, "column", block[0][1], block[0][0], problems)
        if with_rows:
            _check_labels(header, known, "row", [fields[0] for _, fields in rows], rows[0][0], problems)
        for width, (number, fields) in zip(widths, rows, strict=True):
            if len(fields) - with_rows != width:
                problems.add(f"{len(fields) - with_rows} numbers", f"{width} numbers", number)
            else:
                parts.append(checked_floats(fields[with_rows:], number, problems))
    problems.check()
    return known, np.concatenate(parts) if parts else np.zeros(0)


def _check_labels(
    header: Header, known: dict[str, list[str]], side: str, labels: list[str], line: int, problems: Problems
) -> None:
    """Add labels to the known ones. They must be the same in all matrices and, unless two-mode, in rows and columns."""
    before = known.get(side) if header.is_two_mode else known.get("row") or known.get("column")
    if before is None:
        for label in repeated(labels):
            problems.add(f"the label {quote(label)} twice", "each label once", line)
        size = header.n_columns if side == "column" else header.n
        if len(labels) != size and header.is_two_mode:
            problems.add(f"{len(labels)} labels", f"{size} labels", line)
        known[side] = labels
        return
    for label, expected in zip_longest(labels, before):
        if label != expected:
            actual, wanted = ("no label" if name is None else quote(name) for name in (label, expected))
            problems.add(actual, f"{wanted}: all labels are the same and in the same order", line)
            break


def _read_list(header: Header, lines: list[Line], names: list[str], problems: Problems) -> Table:
    """Ties: one per line in an edge list, all ties of one object per line in a node list."""
    sides = ([], []) if header.embedded else _sides(header)
    labels = [set(side) for side in sides]
    positions = [dict(enumerate(side, start=1)) for side in sides]
    is_edge_list = header.format.startswith("edgelist")
    ties, k = Ties(), 0
    for number, fields in lines:
        if fields == ["!"]:
            k += 1
            if k == len(names):
                problems.add(f"relation {k + 1}", f"nm = {len(names)} relations", number)
            continue
        ends = fields[:2] if is_edge_list else fields
        if is_edge_list and not 2 <= len(fields) <= 3:
            problems.add(quote(" ".join(fields)), "two objects and optionally a value", number)
            continue
        known = ends
        if not header.embedded:
            known = [_object(ends[0], positions[0], labels[0], number, problems)]
            known += [_object(word, positions[1], labels[1], number, problems) for word in ends[1:]]
        values = checked_floats(fields[2:], number, problems) if is_edge_list else np.zeros(0)
        value = float(values[0]) if values.size else 1.0
        relation = names[min(k, len(names) - 1)]
        for target in known[1:]:
            ties.append(Tie(known[0], relation, target, value, line=number))
    problems.check()
    if header.is_two_mode:
        return replace(_two_mode_table(header, ties, sides, names, problems), named=_is_named(header))
    table = ties.table(objects=sides[0], relations=names)
    if header.n and len(table.objects) > header.n:
        problems.add(f"{len(table.objects)} objects", f"n = {header.n} objects")
        problems.check()
    # A list cannot declare whether ties are mutual.
    return replace(table, declared={}, named=_is_named(header))


def _sides(header: Header) -> tuple[list[str], list[str]]:
    """The objects that can be sources, and those that can be targets."""
    if not header.is_two_mode:
        return (objects := _objects(header)), objects
    rows, columns = (header.labels.get(owner) for owner in ("row", "column"))
    return rows or default_names(header.n), columns or default_names(header.n_columns)


def _two_mode_table(
    header: Header, ties: Ties, sides: tuple[list[str], list[str]], relations: list[str], problems: Problems
) -> Table:
    """The table of a list of ties between two types of objects."""
    rows, columns = (list(dict.fromkeys([*side, *ends])) for side, ends in zip(sides, ties.ends, strict=True))
    for labels, size, noun in ((rows, header.n, "row"), (columns, header.n_columns, "column")):
        if size and len(labels) > size:
            problems.add(f"{len(labels)} {noun}s", f"{size} {noun}s, as announced")
    problems.check()
    first, second = two_mode_names(rows, columns)
    ties.rename(
        dict(zip(rows, first, strict=True)), {name: name for name in relations}, dict(zip(columns, second, strict=True))
    )
    return with_both_types(ties.table(objects=[*first, *second], relations=relations), first, second)


def _object(word: str, positions: dict[int, str], names: set[str], line: int, problems: Problems) -> str:
    number = whole_number(word)
    if number is not None and number in positions:
        return positions[number]
    if word not in names:
        problems.add(quote(word), f"the label of an object, or its number from 1 to {len(positions)}", line)
    return word
