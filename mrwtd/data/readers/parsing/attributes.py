"""Attributes of objects from a second file: one row per object, with the object first, and one column per attribute.

The file is a CSV file or similar, or an Excel workbook with one sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ....errors import DataError, Problem, errors_in_file
from ...factorized import Factorized
from ...limits import ATTRIBUTES
from ...table import parse_numbers
from ..source import File, Source
from . import workbook
from .columns import Columns, Selection, load
from .delimited import sniff, try_sniff
from .headers import letters, roles

MAX_NAMED = 5
"""Maximum number of objects that a note or message names."""

_KEYS = frozenset(
    f"{noun}{ending}"
    for noun in ("", "node", "vertex", "actor", "object", "entity", "person", "member")
    for ending in ("id", "key", "nr", "no", "number", "index", "")
) - {""}
"""First columns, by their letters, that identify objects."""

_NAMES = frozenset(
    f"{noun}{ending}"
    for noun in ("", "node", "vertex", "actor", "object", "entity", "person", "member", "full")
    for ending in ("label", "name")
)
"""Columns, by their letters, that name objects."""


@dataclass(frozen=True)
class Nodes:
    r"""The objects of a file with one row per object.

    >>> nodes = read_nodes(Source("people.csv", b"id,name,age\n1,ann,20\n2,bob,30\n3,cat,40\n"), ["1", "2"])
    >>> nodes.isolates, nodes.names
    (('3',), {'1': 'ann', '2': 'bob', '3': 'cat'})
    >>> nodes.attributes
       id  age
    1   1   20
    2   2   30
    3   3   40

    Attributes:
        attributes: a frame indexed by object.
        isolates: objects that have no entry, if most objects of the file have one; otherwise they are left out.
        names: other names of the objects, if a column has a different one for each.
        notes: sentences on how the file was read.
    """

    attributes: pd.DataFrame
    isolates: tuple[str, ...]
    names: dict[str, str]
    notes: tuple[str, ...]


def read_nodes(file: File | Source, objects: Sequence[str]) -> Nodes:
    """The attributes, isolates and names of objects. Columns of numbers become numbers."""
    source = file if isinstance(file, Source) else Source.open(file)
    with errors_in_file(source.name):
        return _parse(workbook.as_csv(source) if workbook.is_workbook(source) else source, objects)


def _parse(source: Source, objects: Sequence[str]) -> Nodes:
    sheet = sniff(source)
    (line, header), rest = sheet.records[0], sheet.records[1:]
    known = set(objects)
    if header[0] in known or not rest:
        expected = "a first row with column names: the object, then its attributes"
        raise DataError(Problem(f"the first row {', '.join(map(repr, header[:5]))}", expected, line))
    if len(set(header)) < len(header) or "" in header[1:]:
        actual = f"the columns {', '.join(map(repr, header[:20]))}"
        raise DataError(Problem(actual, "a different name for each column", line))
    ATTRIBUTES.check(len(header) - 1, None)
    columns = load(sheet, Selection(rest[0][0], len(header), range(len(header))))
    keys = columns.names(0, "object")
    is_known = np.array([name in known for name in keys.names], dtype=bool)[keys.codes]
    if not is_known.any():
        _report_unknown_objects(columns, keys, objects)
    order = np.argsort(keys.codes, kind="stable")
    for position in columns.problems.first(np.flatnonzero(np.diff(keys.codes[order]) == 0)):
        first, second = columns.lines[order[position]], columns.lines[order[position + 1]]
        actual = f"the object {keys.names[keys.codes[order[position]]]!r} twice (lines {first} and {second})"
        columns.problems.add(actual, "one row per object", second)
    columns.problems.check()
    index = pd.Index([keys.names[code] for code in keys.codes], dtype="str")
    frame = pd.DataFrame({name: typed_column(columns.factorized(c)) for c, name in enumerate(header)}, index=index)
    others = [str(name) for name in index[~is_known]]
    # A file that mostly has other objects describes more than this data, or other data.
    keeps_all = 2 * int(np.count_nonzero(is_known)) > is_known.size
    frame = frame if keeps_all else frame[is_known]
    names_column, names = _object_names(frame, known)
    # Without other names, the first column repeats the objects.
    unused = [name for name in header if name == names_column or (name == header[0] and not names)]
    frame = frame.drop(columns=unused).dropna(axis="columns", how="all")
    n_without = len(known) - int(np.count_nonzero(is_known))
    place = f"sheet {source.title!r}" if source.title else source.name
    notes = _notes(place, list(map(str, frame.columns)), others, keeps_all, n_without)
    if names:
        notes.append(f"The column {names_column!r} of {place} names the objects; {header[0]!r} is an attribute.")
    return Nodes(frame, tuple(others) if keeps_all else (), names, tuple(notes))


def _object_names(frame: pd.DataFrame, objects: set[str]) -> tuple[str | None, dict[str, str]]:
    """The column that names the objects, and the names by object; none if they are the same."""
    keys, *others = map(str, frame.columns)
    if letters(keys) in _NAMES:
        return None, {}
    unnamed = objects.difference(frame.index)
    for column in (name for name in others if letters(name) in _NAMES):
        cells = frame[column]
        texts = [str(cell) for cell in cells]
        if cells.notna().all() and len(set(texts)) == len(texts) and unnamed.isdisjoint(texts):
            names = dict(zip(frame.index, texts, strict=True))
            return column, names if any(name != key for key, name in names.items()) else {}
    return None, {}


def _report_unknown_objects(columns: Columns, names: Factorized, objects: Sequence[str]) -> None:
    """Add a problem for each row of a file that has no object of the data: it belongs to other data."""
    examples = ", ".join(map(repr, objects[:MAX_NAMED])) + ", …" * (len(objects) > MAX_NAMED)
    for row in columns.problems.first(range(names.codes.size)):
        if name := names.names[names.codes[row]]:
            expected = f"one of the objects of the data: {examples}"
            columns.problems.add(f"the object {name!r}", expected, columns.lines[row])


def _notes(file: str, names: Sequence[str], others: Sequence[str], keeps_all: bool, n_without: int) -> list[str]:
    listed = f": {', '.join(names[:20])}{', …' * (len(names) > 20)}" if names else ""
    notes = [f"{file} is read as a list of the objects{' with attributes' * bool(names)}{listed}."]
    if others:
        examples = ", ".join(others[:MAX_NAMED]) + ", …" * (len(others) > MAX_NAMED)
        have, are = ("objects of {} have", "are") if len(others) > 1 else ("object of {} has", "is")
        fate = "kept" if keeps_all else "left out"
        notes.append(f"{len(others):,} {have.format(file)} no entry and {are} {fate}: {examples}")
    if n_without:
        are = "objects of the data are" if n_without > 1 else "object of the data is"
        notes.append(f"{n_without:,} {are} not in {file}.")
    return notes


def is_attribute_table(source: Source) -> bool:
    r"""Whether a text has one row per object rather than one row per pair.

    >>> is_attribute_table(Source("people.csv", b"name,group\nann,red\nbob,red\n"))
    True
    >>> is_attribute_table(Source("ties.csv", b"source,target\nann,bob\nbob,cat\n"))
    False
    """
    sheet = try_sniff(source)
    if sheet is None or sheet.schema is not None:
        return False
    header, *rest = [cells for _, cells in sheet.records if cells] or [[]]
    first, others = [row[0] for row in rest], {cell for row in rest for cell in row[1:]}
    return (
        bool(parse_numbers(header[1:])[1].any())  # the cells of a matrix without labels are numbers
        and roles(header) is None
        and len(set(first)) == len(first) > 1
        and (others.isdisjoint(first) or letters(header[0]) in _KEYS)
        and not set(header[1:]) & set(first)
        # The name of a column does not occur below it. In a list without column names, the first relation does.
        and all(header[c] not in {row[c] for row in rest if len(row) > c} for c in range(1, len(header)))
    )


def typed_column(column: Factorized) -> Any:
    """Numbers if all cells are numbers or empty, otherwise text; empty cells are missing values.

    >>> typed_column(Factorized(np.array([1, 0, 2]), ["30", "20", ""]))
    array([20., 30., nan])
    """
    texts = pd.Series([name or None for name in column.names], dtype="str")
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().equals(texts.isna()) and not texts.isna().all():
        return numbers.to_numpy()[column.codes]
    return texts.array[column.codes]
