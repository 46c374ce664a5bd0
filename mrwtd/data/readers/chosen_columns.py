"""Lists whose columns the user has chosen, in text or in a sheet of a workbook: see `parsing.column_choice`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from ...errors import DataError, Problem
from ...typing import Array
from ..factorized import Factorized, positions
from ..limits import ATTRIBUTES
from ..periods import LATEST
from ..table import Table, parse_numbers
from .formats.wide import TiledLines, stack_relations
from .parsing import workbook
from .parsing.attributes import typed_column
from .parsing.column_choice import ColumnChoice
from .parsing.columns import Columns, Selection, load
from .parsing.delimited import Delimited, sniff, split
from .parsing.headers import role
from .parsing.lines import quote, repeated
from .source import Source

LABELS = {
    "source": "the source", "target": "the target", "relation": "the relation", "value": "the value",
    "weight": "the weight", "time": "the time", "source_attributes": "an attribute of the source",
    "target_attributes": "an attribute of the target",
}  # fmt: skip
"""Roles for notes."""


def open_sheet(source: Source, choice: ColumnChoice) -> Delimited:
    """The text or the sheet of a workbook, split into columns."""
    if workbook.is_workbook(source):
        source = workbook.as_csv(source, choice.sheet or next(iter(workbook.sheets(source))))
    elif source.is_zip or not source.is_text:
        raise DataError(Problem("a file without columns", "a text in columns, or an Excel workbook"))
    return sniff(source) if choice.separator is None else split(source, choice.separator)


def read_columns(source: Source, columns: Mapping[str, Any]) -> Table:
    r"""The rows of a list with chosen columns, the argument `columns` of `mrwtd.read`.

    >>> table = read_columns(Source("ties.txt", b"1 ann bob 3\n2 bob cat 5\n"), {"source": 1, "target": 2, "value": 3})
    >>> table.objects, table.values
    (('ann', 'bob', 'cat'), array([3., 5.]))
    """
    choice = ColumnChoice.from_mapping(columns)
    sheet = open_sheet(source, choice)
    roles, has_header = choice.positions(sheet), choice.has_header(sheet)
    (line, first), names = sheet.records[0], [f"column {c + 1}" for c in range(sheet.width)]
    if has_header:
        names = [name or default for name, default in zip_longest(first[: sheet.width], names, fillvalue="")]
        line = sheet.records[1][0] if len(sheet.records) > 1 else line + 1
    ends, values = (roles["source"][0], roles["target"][0]), roles.get("value", ())
    texts = [c for noun in ("relation", "time", "source_attributes", "target_attributes") for c in roles.get(noun, ())]
    numbers = [*values, *roles.get("weight", ())]
    cells = load(sheet, Selection(line, sheet.width, [*ends, *texts], numbers, ends))
    if not cells.rows:
        cells.problems.check()
        raise DataError(Problem("no rows", "at least one row" + " below the header" * has_header, line))
    sources, targets = cells.names(ends[0], "source"), cells.names(ends[1], "target")
    value_columns = [cells.numbers(c, names[c]) for c in values]
    weight, rest = roles.get("weight"), dict[str, Any](lines=cells.lines)
    weights = None if weight is None else cells.numbers(weight[0], names[weight[0]], are_weights=True)
    if "time" in roles:
        rest["times"] = _times(cells, roles["time"][0], names[roles["time"][0]])
    cells.problems.check()
    if len(values) > 1:
        for name in repeated(names[c] for c in values):
            raise DataError(Problem(f"two value columns called {name!r}", "a different name for each relation"))
        rest |= {"lines": TiledLines(cells.lines, cells.rows)}
        rest |= {name: np.tile(rest[name], len(values)) for name in ("times",) if name in rest}
        rest |= {} if weights is None else {"weights": np.tile(weights, len(values))}
        table = stack_relations(sources, targets, [names[c] for c in values], value_columns, **rest)
    else:
        relation = Factorized(np.zeros(cells.rows, dtype=np.int32), [sheet.source.stem])
        if "relation" in roles:
            relation = cells.names(roles["relation"][0], "relation")
        number = value_columns[0] if values else None
        table = Table.from_factorized(sources, relation, targets, number, weights, **rest)
    attributes = _attributes(table, cells, roles, names if has_header else ())
    cells.problems.check()
    used = ", ".join(f"{names[c]!r} is {LABELS[noun]}" for noun, places in roles.items() for c in places)
    note = f"The columns are read as chosen: {used}."
    return replace(table, attributes=attributes, notes=(note,), named="relation" in roles or len(values) > 1)


def _times(cells: Columns, position: int, name: str) -> Array:
    """The times of the rows: numbers, or dates as seconds since 1970."""
    column = cells.factorized(position)
    times, wrong = parse_numbers(np.asarray(column.names, dtype=object))
    if wrong.any():
        dates = pd.to_datetime(pd.Series(column.names, dtype="str"), errors="coerce", format="ISO8601", utc=True)
        times = np.asarray((dates - pd.Timestamp(0, tz="UTC")).dt.total_seconds(), dtype=np.float64)
    wrong = ~(np.abs(times) <= LATEST)
    for row in cells.problems.first(np.flatnonzero(wrong[column.codes])):
        text = column.names[column.codes[row]]
        expected = f"a number up to {LATEST:g}, or a date such as 2024-12-31 in every row"
        cells.problems.add(quote(text) if text else "no time", expected, cells.lines[row], f"column {name!r}")
    return times[column.codes]


def _attributes(
    table: Table, cells: Columns, roles: Mapping[str, Sequence[int]], header: Sequence[str]
) -> pd.DataFrame | None:
    """The attributes of the objects. An object without one in any row has a missing value."""
    pairs = attribute_names(roles.get("source_attributes", ()), roles.get("target_attributes", ()), header)
    ATTRIBUTES.check(len(pairs), None)
    ends, frame = {"source": table.i[: cells.rows], "target": table.j[: cells.rows]}, {}
    for name, columns in pairs.items():
        codes, labels = positions([cells.factorized(c) for c in columns.values()], ())
        objects = np.concatenate([ends[end] for end in columns])
        values = np.concatenate(codes)
        rows = np.tile(np.arange(cells.rows), len(columns))
        known = np.flatnonzero(np.array([bool(label) for label in labels])[values])
        first = np.full(len(table.objects), -1)
        first[objects[known[::-1]]] = values[known[::-1]]
        for row in cells.problems.first(known[first[objects[known]] != values[known]]):
            item = objects[row]
            actual = f"{quote(labels[values[row]])} as {name} of {table.objects[item]!r}"
            expected = f"one value for each object, here {quote(labels[first[item]])} as in a row above"
            cells.problems.add(actual, expected, cells.lines[rows[row]])
        frame[name] = typed_column(Factorized(np.where(first < 0, len(labels), first), [*labels, ""]))
    return pd.DataFrame(frame, index=pd.Index(table.objects, dtype="str")) if frame else None


def attribute_names(sources: Sequence[int], targets: Sequence[int], header: Sequence[str]) -> dict[str, dict[str, int]]:
    """The columns of each attribute, of the source and of the target, by the name of the attribute.

    Two columns are the same attribute if their names differ by words for source and target only. Without names, the
    first column of sources is the same as the first of targets, and so on.

    >>> attribute_names([2, 4], [3], ["from", "to", "from_age", "to_age", "role"])
    {'age': {'source': 2, 'target': 3}, 'role': {'source': 4}}
    >>> attribute_names([3], [4], [])
    {'attribute 1': {'source': 3, 'target': 4}}
    """
    names: dict[str, dict[str, int]] = {}
    for end, columns in (("source", sources), ("target", targets)):
        for number, column in enumerate(columns, start=1):
            name = _without_end(header[column], end) if header else f"attribute {number}"
            if end in names.get(name, {}):
                name = header[column] if header and header[column] not in names else f"{name} ({column + 1})"
            names.setdefault(name, {})[end] = column
    return names


def _without_end(name: str, end: str) -> str:
    """The name of a column without a word for its end: `age` for `from_age`, `C` for `Ci`."""
    words = re.split(r"([\W_]+)", name)
    for place in (0, -1):
        known = role(words[place])
        if len(words) > 1 and known is not None and known[0] == end:
            return "".join(words[2:] if place == 0 else words[:-2]) or name
    letters = {"source": ("i", "1"), "target": ("j", "2")}[end]
    return name[:-1] if len(name) > 1 and name.endswith(letters) and not name[:-1].islower() else name
