"""A row an entry: source, relation, target and, if there are any, value and weight, as CSV, TSV and the like.

A header names the columns, in any order and by many names. Without one, three columns are source, relation and
target, as files of knowledge graphs come, and two are source and target.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from ....errors import DataError, Problem
from ....typing import Array
from ...factorized import Factorized
from ...table import Table, schema_arguments
from ..format import FORMATS, Reader
from ..parsing.columns import Columns, load
from ..parsing.delimited import Delimited, sniff
from ..parsing.headers import Roles, is_header, role, roles
from ..source import Source

_WAYS = {"directed": True, "undirected": False}
"""What network programs write in a column called type: no relation, but whether direction matters."""

_FRACTION = re.compile(r"[+-]?\d*[.,]\d+([eE][+-]?\d+)?")
_NUMERIC = frozenset("+-.,0123456789")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """How a list is to be read: its header, or none, where its rows begin, and what its columns are."""

    header: tuple[str, ...]
    from_line: int
    width: int
    roles: Roles

    def name(self, position: int) -> str:
        """What a column is called, for people."""
        return self.header[position] if self.header else f"column {position + 1}"


def matches(source: Source) -> bool:
    """Any text may be a list: this reader is the last to be asked."""
    return source.is_text


def read(source: Source) -> Table:
    """The rows of a list."""
    sheet = sniff(source)
    layout = list_layout(sheet) or _headerless(sheet)
    part = layout.roles
    if sheet.schema is not None and not part.relations:
        raise DataError(Problem("no column of relations", "the columns that mrwtd writes", 2), file=source.name)
    value, weight = (part.weight, None) if part.value is None else (part.value, part.weight)
    numbers = [position for position in (value, weight) if position is not None]
    ends = (part.source, part.target)
    columns = load(sheet, layout.from_line, layout.width, [*ends, *part.relations], numbers, ends)
    comma = sheet.separator == ";"
    values = None if value is None else columns.numbers(value, layout.name(value), comma)
    weights = None if weight is None else columns.weights(weight, layout.name(weight), comma)
    if sheet.schema is not None:
        return _own(sheet, columns, part, values, weights)
    source_names, target_names = columns.names(part.source, "source"), columns.names(part.target, "target")
    relation, ways, notes = _relation(source, columns, layout)
    if not layout.header:
        _check_headerless(sheet, columns, layout)
    columns.problems.check()
    if not columns.rows:
        raise DataError(Problem("a header alone", "at least one row below it", layout.from_line), file=source.name)
    return Table.from_factorized(
        source_names,
        relation,
        target_names,
        values,
        weights,
        lines=columns.lines,
        declared={} if ways is None else {name: {"directed": ways} for name in relation.names},
        notes=(*_column_notes(layout, value, weight), *notes),
    )


def list_layout(sheet: Delimited) -> Layout | None:
    """The layout of a list with a header, in its first row or in the comment above it; None where there is none."""
    (line, first), rest = sheet.records[0], [cells for _, cells in sheet.records[1:]]
    found = roles(first)
    if found is not None and (sheet.schema is not None or is_header(first, rest)):
        from_line = sheet.records[1][0] if len(sheet.records) > 1 else line + 1
        return Layout(tuple(first), from_line, len(first), found)
    above = re.split(r"\s+" if sheet.separator == " " else re.escape(sheet.separator), sheet.comment.lstrip("#% "))
    above = [name.strip().strip('"') for name in above]
    found = roles(above)
    if found is not None and len(above) == len(first):
        return Layout(tuple(above), line, len(first), found)
    return None


def _headerless(sheet: Delimited) -> Layout:
    line, first = sheet.records[0]
    if sheet.width == 2:
        found = Roles(0, 1, (), None, None, ())
    elif sheet.width == 3:
        found = Roles(0, 2, (1,), None, None, ())
    else:
        expected = "names of columns in the first row, among them source and target (or subject, object; from, to; …)"
        found_text = f"{sheet.width} columns, and no such names in {', '.join(map(repr, first[:6]))}"
        raise DataError(Problem(found_text, expected, line), file=sheet.source.name)
    return Layout((), line, sheet.width, found)


def _own(sheet: Delimited, columns: Columns, part: Roles, values: Array | None, weights: Array | None) -> Table:
    """The data that mrwtd wrote, to the letter."""
    source, relation, target = (columns.cells[c] for c in (part.source, part.relations[0], part.target))
    assert isinstance(source, Factorized)
    assert isinstance(relation, Factorized)
    assert isinstance(target, Factorized)
    columns.problems.check()
    try:
        arguments = schema_arguments(sheet.schema or {})
    except DataError as error:
        raise DataError([replace(p, line=1) for p in error.problems], file=sheet.source.name) from None
    return Table.from_factorized(source, relation, target, values, weights, lines=columns.lines, **arguments)


def _relation(source: Source, columns: Columns, layout: Layout) -> tuple[Factorized, bool | None, list[str]]:
    """The column that names relations; where there is none, the file does. And what the file says of direction."""
    ways: bool | None = None
    for position in layout.roles.relations:
        column = columns.cells[position]
        assert isinstance(column, Factorized)
        found = {name.lower() for name in column.names} - {""}
        if len(found) == 1 and found <= _WAYS.keys():
            ways = _WAYS[found.pop()]
        elif found == _WAYS.keys():
            where = f"column {layout.name(position)!r}"
            columns.problems.add("directed and undirected rows", "rows of one sort", where=where)
        elif found:
            ignored = [layout.name(c) for c in layout.roles.relations if c != position]
            notes = [f"The column {layout.name(position)!r} names the relation."] if layout.header else []
            return columns.names(position, "relation"), ways, notes + _unused(ignored)
    name = source.stem
    note = f"No column names a relation: all rows belong to one, called {name!r} after the file."
    return Factorized(np.zeros(columns.rows, dtype=np.int32), [name]), ways, [note]


def _check_headerless(sheet: Delimited, columns: Columns, layout: Layout) -> None:
    """Three columns without names must not be source, target and a number, nor may the first row be a header."""
    line, first = layout.from_line, sheet.records[0][1]
    expected = "a first row that names the columns, such as source,target,value"
    last = columns.cells[layout.roles.target]
    assert isinstance(last, Factorized)
    # Few names begin as numbers do: the others are not worth a closer look.
    numeric = layout.width == 3 and not _NUMERIC.isdisjoint(map(itemgetter(slice(1)), last.names))
    fractions = [name for name in last.used() if _FRACTION.fullmatch(name)] if numeric else []
    if fractions:
        found = f"{fractions[0]!r} as the target of a row without names of columns"
        columns.problems.add(found, f"source, relation and target; or {expected}", line)
        return
    for position, column in columns.cells.items() if len(first) == layout.width else ():
        assert isinstance(column, Factorized)
        name = first[position]
        if column.codes.size < 2 or np.count_nonzero(column.codes == column.codes[0]) > 1:
            continue  # a header's words stand there once
        others = [other for other in column.used() if other != name]
        above_numbers = all(map(_NUMBER.fullmatch, others)) and not _NUMBER.fullmatch(name)
        known = role(name) is not None and position in layout.roles.relations and len(name) > 1
        if above_numbers or known:
            found = f"{', '.join(map(repr, first))}, which look like names of columns but are not known"
            columns.problems.add(found, expected, line)
            return


def _column_notes(layout: Layout, value: int | None, weight: int | None) -> list[str]:
    """Sentences on what the columns were taken for."""
    part = layout.roles
    if not layout.header:
        names = "source, relation and target" if layout.width == 3 else "source and target"
        return [f"No names of columns: they are taken for {names}, in this order."]
    notes = [f"The columns {layout.name(part.source)!r} and {layout.name(part.target)!r} are source and target."]
    if value is not None and value == part.weight:
        notes.append(f"The column {layout.name(value)!r} is read as the value: there is no other column of values.")
    elif value is not None and weight is not None:
        text = "is read as the weight of an entry, from 0 to 1, and {!r} as its value."
        notes.append(f"The column {layout.name(weight)!r} {text.format(layout.name(value))}")
    elif value is not None:
        notes.append(f"The column {layout.name(value)!r} is read as the value.")
    return notes + _unused([layout.name(c) for c in part.others])


def _unused(names: list[str]) -> list[str]:
    if not names:
        return []
    listed = ", ".join(repr(name) for name in names)
    return [f"The column{'s' * (len(names) > 1)} {listed} {'is' if len(names) == 1 else 'are'} not used."]


READER = FORMATS.register(
    Reader(
        name="long",
        about="a row an entry: source, relation, target and, if there are any, value and weight (CSV, TSV)",
        extensions=("csv", "tsv", "txt", "tab", "dat", "edges", "gz"),
        matches=matches,
        read=read,
        order=100,
    )
)
