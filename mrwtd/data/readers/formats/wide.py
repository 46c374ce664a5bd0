"""A row a pair: source, target, then a column a relation. An empty cell is a pair said to be unobserved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import DataError, Problem
from ....typing import Array
from ...factorized import Factorized
from ...table import Lines, Table, parse_numbers
from ..format import FORMATS, Reader
from ..parsing.columns import load
from ..parsing.delimited import Delimited, sniff
from ..parsing.headers import Roles, is_time, relation_columns
from ..source import Source
from .long import Layout, list_layout


def matches(source: Source) -> bool:
    """Whether a header names source and target but no relation, and columns of numbers follow."""
    if not source.is_text:
        return False
    try:
        sheet = sniff(source)
    except DataError:
        return False
    layout = None if sheet.schema is not None else list_layout(sheet)
    if layout is None:
        return False
    rows = [cells for line, cells in sheet.records if line >= layout.from_line and len(cells) == layout.width]
    return any(_mostly_numbers([row[c] for row in rows]) for c in relation_columns(layout.header, layout.roles))


def read(source: Source) -> Table:
    """The cells of a wide list, relation by relation."""
    sheet = sniff(source)
    layout = list_layout(sheet) or _first_two(sheet)
    part = layout.roles
    found = [c for c in range(layout.width) if c not in (part.source, part.target)]
    columns = [c for c in found if not is_time(layout.header[c])] or found
    names = [layout.header[c] for c in columns]
    if not columns or len(set(names)) < len(names):
        expected = "source, target, and a column for each relation, each of another name"
        raise DataError(Problem(f"the columns {', '.join(map(repr, layout.header))}", expected), file=source.name)
    pair = (part.source, part.target)
    loaded = load(sheet, layout.from_line, layout.width, pair, columns, pair)
    ends = loaded.names(part.source, "source"), loaded.names(part.target, "target")
    values = [loaded.numbers(c, layout.header[c], sheet.separator == ";") for c in columns]
    loaded.problems.check()
    if not loaded.rows:
        raise DataError(Problem("a header alone", "at least one row below it", layout.from_line), file=source.name)
    unused = [layout.header[c] for c in found if c not in columns]
    notes = [f"The columns {', '.join(map(repr, names))} are relations; an empty cell is a pair that is not known."]
    notes += [f"The columns {', '.join(map(repr, unused))} are not used."] if unused else []
    return stacked(*ends, names, values, lines=TiledLines(loaded.lines, loaded.rows), notes=tuple(notes))


def stacked(
    source: Factorized, target: Factorized, names: Sequence[str], values: Sequence[Array], **rest: Any
) -> Table:
    """A table of several relations among the same pairs.

    >>> pairs = Factorized.from_column(["ann", "bob"]), Factorized.from_column(["bob", "ann"])
    >>> stacked(*pairs, ["advice", "trust"], [np.array([1, 0]), np.array([3, 2])]).values
    array([1., 0., 3., 2.])
    """
    m, rows = len(names), source.codes.size
    return Table.from_factorized(
        Factorized(np.tile(source.codes, m), source.names),
        Factorized(np.repeat(np.arange(m, dtype=np.int32), rows), names),
        Factorized(np.tile(target.codes, m), target.names),
        np.concatenate(values).astype(np.float64),
        **rest,
    )


@dataclass(frozen=True)
class TiledLines:
    """The lines of entries that stand side by side: entry n of every relation is on the same line."""

    lines: Lines
    rows: int

    def __getitem__(self, entry: Any) -> Any:
        return self.lines[entry % self.rows]


def _first_two(sheet: Delimited) -> Layout:
    """The layout where the columns have names of their own: the first two are source and target."""
    line, first = sheet.records[0]
    if len(first) < 3:
        raise DataError(Problem(f"{len(first)} columns", "source, target, and relations", line), file=sheet.source.name)
    from_line = sheet.records[1][0] if len(sheet.records) > 1 else line + 1
    return Layout(tuple(first), from_line, len(first), Roles(0, 1, (), None, None, tuple(range(2, len(first)))))


def _mostly_numbers(cells: Sequence[str]) -> bool:
    known = [cell for cell in cells if cell]
    return not cells or (bool(known) and bool(parse_numbers(known)[1].mean() <= 0.5))


READER = FORMATS.register(
    Reader(
        name="wide",
        about="a row a pair: source, target, then a column a relation; empty cells are not known (CSV, TSV)",
        extensions=("csv", "tsv", "txt", "tab", "dat", "gz"),
        matches=matches,
        read=read,
        order=80,
    )
)
