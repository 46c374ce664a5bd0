"""One row per pair: source, target, then one column per relation. An empty cell marks a pair as unobserved."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import DataError, Problem
from ....typing import Array
from ...factorized import Factorized
from ...limits import RELATIONS
from ...table import Lines, Table, parse_numbers
from ..parsing.columns import Selection, load
from ..parsing.delimited import Delimited, sniff, try_sniff
from ..parsing.headers import Roles, is_time, relation_columns
from ..parsing.lines import enumeration
from ..source import Source, register_format
from .long import Layout, line_below_header, list_layout, no_rows, unused_note


def matches(source: Source) -> bool:
    """Whether a header names source and target but no relation, and columns of numbers follow."""
    sheet = try_sniff(source)
    layout = None if sheet is None or sheet.schema is not None else list_layout(sheet)
    if sheet is None or layout is None:
        return False
    rows = [cells for line, cells in sheet.records if line >= layout.from_line and len(cells) == layout.width]
    return any(_mostly_numbers([row[c] for row in rows]) for c in relation_columns(layout.header, layout.roles))


@register_format(
    "wide",
    "one row per pair: source, target, then one column per relation; empty cells are unobserved (CSV, TSV)",
    ("csv", "tsv", "txt", "tab", "dat", "gz"),
    matches,
    order=80,
)
def read(source: Source) -> Table:
    """The cells of a wide list, relation by relation."""
    sheet = sniff(source)
    layout = list_layout(sheet) or _layout_by_position(sheet)
    ends = (layout.roles.source, layout.roles.target)
    others = [c for c in range(layout.width) if c not in ends]
    relations = [c for c in others if not is_time(layout.header[c])] or others
    names = [layout.header[c] for c in relations]
    if not relations or len(set(names)) < len(names):
        expected = "source, target, and one column per relation, with different names"
        raise DataError(Problem(f"the columns {enumeration(layout.header)}", expected))
    RELATIONS.check(len(relations), source.size)
    columns = load(sheet, Selection(layout.from_line, layout.width, ends, relations, ends))
    sources, targets = columns.names(ends[0], "source"), columns.names(ends[1], "target")
    values = [columns.numbers(c, layout.header[c]) for c in relations]
    columns.problems.check()
    if not columns.rows:
        raise no_rows(layout)
    notes = (
        f"The columns {enumeration(names)} are relations; empty cells are unobserved pairs.",
        *unused_note([layout.header[c] for c in others if is_time(layout.header[c])] if relations != others else []),
    )
    return stack_relations(sources, targets, names, values, lines=TiledLines(columns.lines, columns.rows), notes=notes)


def stack_relations(
    source: Factorized, target: Factorized, names: Sequence[str], values: Sequence[Array], **rest: Any
) -> Table:
    """A table of several relations between the same pairs.

    >>> pairs = Factorized.from_column(["ann", "bob"]), Factorized.from_column(["bob", "ann"])
    >>> stack_relations(*pairs, ["advice", "trust"], [np.array([1, 0]), np.array([3, 2])]).values
    array([1., 0., 3., 2.])
    """
    m, rows = len(names), source.codes.size
    sources, targets = (Factorized(np.tile(column.codes, m), column.names) for column in (source, target))
    relations = Factorized(np.repeat(np.arange(m, dtype=np.int32), rows), names)
    return Table.from_factorized(sources, relations, targets, np.concatenate(values, dtype=np.float64), **rest)


@dataclass(frozen=True)
class TiledLines:
    """The lines of the entries of a wide list: row n of each relation is on the same line."""

    lines: Lines
    rows: int

    def __getitem__(self, entry: Any) -> Any:
        return self.lines[entry % self.rows]


def _layout_by_position(sheet: Delimited) -> Layout:
    """The layout of a list with unknown column names: the first two columns are source and target."""
    line, first = sheet.records[0]
    if len(first) < 3:
        expected = "at least 3 columns: source, target, and one per relation"
        raise DataError(Problem(f"{len(first)} columns", expected, line))
    columns = Roles(0, 1, (), None, None, tuple(range(2, len(first))))
    return Layout(tuple(first), line_below_header(sheet), len(first), columns)


def _mostly_numbers(cells: Sequence[str]) -> bool:
    known = [cell for cell in cells if cell]
    return not cells or (bool(known) and bool(parse_numbers(known)[1].mean() <= 0.5))
