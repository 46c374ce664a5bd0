"""One row per entry: source, relation, target and optionally value and weight, as CSV, TSV and the like.

A header names the columns, in any order and with many possible names. Without a header, three columns are source,
relation and target, as in files of knowledge graphs, and two columns are source and target.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from ....errors import DataError, Problem
from ....typing import BoolArray, Int8Array
from ...factorized import Factorized
from ...periods import LATEST
from ...published import is_part_column, part_codes
from ...table import REPRESENTS, Table
from ...two_mode import two_mode_table
from ..parsing.announcements import Announcement, announcement
from ..parsing.columns import Columns, Selection, load
from ..parsing.delimited import Delimited, sniff
from ..parsing.headers import Roles, is_header, letters, role, roles
from ..parsing.lines import enumeration, in_both_directions
from ..source import Source, register_format

_DIRECTED = {"directed": True, "undirected": False}
"""Values that network programs write in a column called type: it has the direction, not the relation."""

NOTHING = Announcement()
"""Of comments that declare nothing."""

_NOTE = "Read as a tie in each direction, because other rows are directed: {}."

MANY_ROWS = 10
"""From this number of rows on, a label that never occurs twice is no relation."""

_FRACTION = re.compile(r"[+-]?\d*[.,]\d+([eE][+-]?\d+)?")
_NUMERIC = frozenset("+-.,0123456789")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """The layout of a list: its header, empty if there is none, the line of its first row, and its columns."""

    header: tuple[str, ...]
    from_line: int
    width: int
    roles: Roles

    def name(self, position: int) -> str:
        """The name of a column, for messages."""
        return self.header[position] if self.header else f"column {position + 1}"


def matches(source: Source) -> bool:
    """Whether the file is text: any text can be a list, so this format is tried last."""
    return source.is_text


@register_format(
    "long",
    "one row per entry: source, relation, target, optionally value and weight (CSV, TSV)",
    ("csv", "tsv", "txt", "tab", "dat", "edges", "gz"),
    matches,
    order=100,
)
def read(source: Source) -> Table:
    """The rows of a list."""
    sheet = sniff(source)
    announced = announcement(sheet.comments) or NOTHING
    if announced.weights and source.name.startswith("out."):
        source = replace(source, title=source.name.removeprefix("out."))  # as KONECT calls its files
    layout = list_layout(sheet) or _headerless_layout(sheet, announced)
    return read_rows(source, sheet, layout, announced)


def read_rows(source: Source, sheet: Delimited, layout: Layout, announced: Announcement = NOTHING) -> Table:
    """The rows of a list with a known layout."""
    if sheet.schema is not None and not layout.roles.relations:
        raise DataError(Problem("no column of relations", "the columns written by mrwtd.write", 2))
    value, weight = layout.roles.value_and_weight
    represents = layout.header.index(REPRESENTS) if sheet.schema is not None and REPRESENTS in layout.header else None
    numbers = [position for position in (value, weight, represents) if position is not None]
    ends = (layout.roles.source, layout.roles.target)
    part_column = next((c for c in layout.roles.others if layout.header and is_part_column(layout.header[c])), None)
    names = [*ends, *layout.roles.relations, *([] if part_column is None else [part_column])]
    time = 3 if announced.is_summed and layout.width == 4 and not layout.header else None
    loaded = numbers if time is None else [*numbers, time]
    selection = Selection(layout.from_line, layout.width, names, loaded, () if announced.two_mode else ends)
    columns = load(sheet, selection)
    times = None if time is None else columns.numbers(time, "time")
    part = None if part_column is None else _part(columns.factorized(part_column))
    values = None if value is None else columns.numbers(value, layout.name(value))
    weights = None if weight is None else columns.numbers(weight, layout.name(weight), are_weights=True)
    if sheet.schema is not None:
        # All names stay as they are.
        sources, relation, targets = map(columns.factorized, (ends[0], layout.roles.relations[0], ends[1]))
        sampled = None if represents is None else columns.numbers(represents, REPRESENTS)
        columns.problems.check()
        rest = {"lines": columns.lines, "part": part, "represents": sampled, **sheet.schema}
        return Table.from_factorized(sources, relation, targets, values, weights, **rest)
    sources, targets = columns.names(ends[0], "source"), columns.names(ends[1], "target")
    relation, directed, undirected, notes = _relation(source, columns, layout)
    directed = announced.directed if directed is None else directed
    if not layout.header and not announced.weights:
        _check_headerless(sheet, columns, layout)
    columns.problems.check()
    if not columns.rows:
        raise no_rows(layout)
    declared = {} if directed is None else {name: {"directed": directed} for name in relation.names}
    others = tuple(c for c in layout.roles.others if part is None or c != part_column)
    notes = [*column_notes(layout.header, replace(layout.roles, others=others)), *notes]
    if part is not None and part_column is not None:
        notes.append(
            f"The column {layout.name(part_column)!r} says which entries were published as train, valid and test."
        )
    cells = [cell for _, row in sheet.records for cell in row]
    doubtful = not layout.header and layout.width == 3 and all(map(_NUMBER.fullmatch, cells))
    rest = {"lines": columns.lines, "declared": declared, "notes": tuple(notes), "part": part, "doubtful": doubtful}
    if announced.is_summed:
        is_timed = times is not None and bool((np.abs(times) <= LATEST).all())
        if announced.weights == "positive":  # multiplicities
            rest["declared"] = {name: {**declared.get(name, {}), "kind": "count"} for name in relation.names}
        rest |= {"times": times if is_timed else np.zeros(columns.rows), "named": False}
    make_table = two_mode_table if announced.two_mode else Table.from_factorized
    table = make_table(sources, relation, targets, values, weights, **rest)
    return _with_directions(table, undirected) if undirected.any() else table


def _with_directions(table: Table, undirected: BoolArray) -> Table:
    """The table with the direction of each relation: undirected rows among directed ones become two rows."""
    directed = set(np.unique(table.k[~undirected]).tolist())
    declared = {
        name: {**table.declared.get(name, {}), "directed": k in directed} for k, name in enumerate(table.relations)
    }
    both = in_both_directions(table, undirected)
    n = both.k.size - table.k.size
    note = _NOTE.format(f"{n:,} undirected row{'s' * (n != 1)}")
    return replace(both, declared=declared, notes=(*table.notes, note))


def _part(column: Factorized) -> Int8Array | None:
    """The published part of each row, or None if a cell names no part."""
    codes = part_codes(column.names)
    return None if codes is None else codes[column.codes]


def no_rows(layout: Layout) -> DataError:
    """The error for a list with a header and no rows."""
    return DataError(Problem("only a header", "at least one row below it", layout.from_line))


def list_layout(sheet: Delimited) -> Layout | None:
    """The layout of a list with a header, in its first row or in the comment above; None if there is no header."""
    (line, first), rest = sheet.records[0], [cells for _, cells in sheet.records[1:]]
    columns = roles(first)
    if columns is not None and (sheet.schema is not None or is_header(first, rest)):
        return Layout(tuple(first), line_below_header(sheet), len(first), columns)
    above = re.split(r"\s+" if sheet.separator == " " else re.escape(sheet.separator), sheet.comment.lstrip("#% "))
    above = [name.strip().strip('"') for name in above]
    columns = roles(above)
    if columns is not None and len(above) == len(first):
        return Layout(tuple(above), line, len(first), columns)
    return None


def line_below_header(sheet: Delimited) -> int:
    """The line of the second record."""
    return sheet.records[1][0] if len(sheet.records) > 1 else sheet.records[0][0] + 1


def _headerless_layout(sheet: Delimited, announced: Announcement) -> Layout:
    """The layout of a list whose columns have no names: as its comments describe it, or the usual one."""
    (line, first), columns = sheet.records[0], announced.roles(sheet.width)
    if columns is None and sheet.width not in (2, 3):
        actual = f"{sheet.width} columns without known names: {', '.join(map(repr, first[:6]))}"
        expected = "a first row with column names, among them source and target (or subject, object; from, to; …)"
        raise DataError(Problem(actual, expected, line))
    usual = Roles(0, 1, (), None, None, ()) if sheet.width == 2 else Roles(0, 2, (1,), None, None, ())
    return Layout((), line, sheet.width, columns or usual)


def _relation(source: Source, columns: Columns, layout: Layout) -> tuple[Factorized, bool | None, BoolArray, list[str]]:
    """The relation of each row, from a column or the file name; whether all are directed; which are not; and notes."""
    directed: bool | None = None
    undirected = np.zeros(columns.rows, dtype=bool)
    named = []
    for position in layout.roles.relations:
        values = {name.lower() for name in columns.factorized(position).names} - {""}
        if len(values) == 1 and values <= _DIRECTED.keys():
            directed = _DIRECTED[values.pop()]
        elif values == _DIRECTED.keys():
            column = columns.factorized(position)
            undirected = np.array([name.lower() == "undirected" for name in column.names])[column.codes]
        elif values and not _identifies_rows(columns.factorized(position), layout.name(position)):
            named.append(position)
    if named:
        best, *others = named
        notes = [f"The column {layout.name(best)!r} names the relation."] if layout.header else []
        return (
            columns.names(best, "relation"),
            directed,
            undirected,
            notes + unused_note([layout.name(c) for c in others]),
        )
    name = source.stem
    note = f"No column names the relation: all rows are in one relation, named {name!r} after the file."
    return Factorized(np.zeros(columns.rows, dtype=np.int32), [name]), directed, undirected, [note]


def _identifies_rows(column: Factorized, name: str) -> bool:
    """Whether a column called label has a different one in each of many rows: labels of ties, not relations."""
    return letters(name) in ("label", "edgelabel") and len(column.names) == column.codes.size >= MANY_ROWS


def _check_headerless(sheet: Delimited, columns: Columns, layout: Layout) -> None:
    """Three columns without names must not be source, target and a number, and the first row must not be a header."""
    line, first = layout.from_line, sheet.records[0][1]
    expected = "a first row with column names, such as source,target,value"
    targets = columns.factorized(layout.roles.target)
    # Few names start like a number; only then all names are checked.
    numeric = layout.width == 3 and not _NUMERIC.isdisjoint(map(itemgetter(slice(1)), targets.names))
    fractions = [name for name in targets.used_names() if _FRACTION.fullmatch(name)] if numeric else []
    if fractions:
        actual = f"{fractions[0]!r} as the target of a row in a list without column names"
        columns.problems.add(actual, f"source, relation and target; or {expected}", line)
        return
    positions = (layout.roles.source, layout.roles.target, *layout.roles.relations)
    for position in positions if len(first) == layout.width else ():
        column, name = columns.factorized(position), first[position]
        if column.codes.size < 2 or np.count_nonzero(column.codes == column.codes[0]) > 1:
            continue  # the names of a header occur once
        others = [other for other in column.used_names() if other != name]
        above_numbers = all(map(_NUMBER.fullmatch, others)) and not _NUMBER.fullmatch(name)
        known = role(name) is not None and position in layout.roles.relations and len(name) > 1
        if above_numbers or known:
            actual = f"{enumeration(first)}, which look like column names but are not known"
            columns.problems.add(actual, expected, line)
            return


def column_notes(header: Sequence[str], columns: Roles) -> list[str]:
    """Sentences on how the columns are read."""
    if not header:
        names = "source, relation and target" if columns.relations else "source and target"
        names = "source, target and value" if columns.value is not None else names
        return [f"The columns have no names and are read as {names}, in this order."]
    notes = [f"The columns {header[columns.source]!r} and {header[columns.target]!r} are source and target."]
    value, weight = columns.value_and_weight
    if weight is not None:
        text = "is read as the weight of an entry, from 0 to 1, and {!r} as its value."
        notes.append(f"The column {header[weight]!r} {text.format(header[value or 0])}")
    elif value is not None:
        reason = ", since no other column has values" if value == columns.weight else ""
        notes.append(f"The column {header[value]!r} is read as the value{reason}.")
    return notes + unused_note([header[c] for c in columns.others])


def unused_note(names: Sequence[str], noun: str = "column") -> list[str]:
    """A sentence on columns, or other parts of a file, that are not used, if there are any."""
    nouns, are = (noun, "is") if len(names) == 1 else (f"{noun}s", "are")
    return [f"The {nouns} {enumeration(names)} {are} not used."] if names else []
