"""Two-mode data: ties only between two types of objects, such as women and events.

Both types together are the objects of the data, each with its type, and a relation has the types that it connects.
Pairs of other types do not exist. Readers of formats that separate the two types, such as matrices with other labels
for rows and columns, declare them in their `Table`; a list of ties can be read as two-mode data on request.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, Problem
from ..typing import IndexArray
from .arguments import argument_error
from .factorized import Factorized
from .table import Table

TwoMode = bool | tuple[str, str] | None
"""Whether sources and targets are two types of objects, or the names of the types; None if the file decides."""

SOURCE_AND_TARGET = ("source", "target")
ROW_AND_COLUMN = ("row", "column")
NUMBERED = ("mode 1", "mode 2")
"""The types, if they have no names: in lists, matrices and graphs."""

FEWEST_ROWS = 10
"""In a shorter list, sources and targets differ by chance."""


def apply_two_mode(table: Table, two_mode: TwoMode) -> Table:
    """The table with the types that the file has or the user asks for, or a note that suggests types.

    >>> table = Table.from_names(["ann", "bob"], ["attends", "attends"], ["party", "party"])
    >>> apply_two_mode(table, ("woman", "event")).object_types
    {'ann': 'woman', 'bob': 'woman', 'party': 'event'}
    """
    typed = _chosen_types(table, two_mode)
    return _with_types_of_isolates(typed) if typed.object_types and not typed.is_exact else typed


def _chosen_types(table: Table, two_mode: TwoMode) -> Table:
    is_pair = isinstance(two_mode, tuple | list) and len(two_mode) == 2 and all(isinstance(t, str) for t in two_mode)
    if not (two_mode is None or isinstance(two_mode, bool | np.bool_) or is_pair):
        raise argument_error("two_mode", two_mode, "True, False, None, or the two types, such as ('woman', 'event')")
    if two_mode is None:
        return table if table.object_types or table.is_exact else _with_suggestion(table)
    if not is_pair and not two_mode:
        return _without_types(table)
    types = tuple(two_mode) if isinstance(two_mode, tuple | list) else SOURCE_AND_TARGET
    if types[0] == types[1]:
        raise argument_error("two_mode", two_mode, "two different types")
    if table.object_types:
        return _renamed(table, types) if is_pair else table
    sources, targets = _ends(table)
    both = np.intersect1d(sources, targets)
    if both.size:
        names = ", ".join(repr(table.objects[position]) for position in both[:5]) + ", …" * (both.size > 5)
        expected = "an object to be either a source or a target in two-mode data"
        raise DataError(Problem(f"both as source and as target: {names}", expected), file=table.file)
    by_position = dict.fromkeys(sources.tolist(), types[0]) | dict.fromkeys(targets.tolist(), types[1])
    return with_types(
        table, {table.objects[position]: by_position[position] for position in sorted(by_position)}, types
    )


def with_types(table: Table, object_types: dict[str, str], types: tuple[str, ...]) -> Table:
    """The table with types of its objects; all its relations connect the first to the second."""
    direction = {"types": types, "directed": True, "directed_reason": f"ties from {types[0]!r} to {types[1]!r} only"}
    declared = {name: {**table.declared.get(name, {}), **direction} for name in table.relations}
    return replace(table, object_types=object_types, declared=declared)


def with_both_types(
    table: Table, first: Sequence[str], second: Sequence[str], types: tuple[str, str] = ROW_AND_COLUMN
) -> Table:
    """The table with types of its objects, given the names of each type, and a note."""
    object_types = dict.fromkeys(first, types[0]) | dict.fromkeys(second, types[1])
    note = two_mode_note(types, len(first), len(second))
    return with_types(replace(table, notes=(*table.notes, note)), object_types, types)


def with_columns(table: Table, columns: Sequence[str] | None) -> Table:
    """The table of a matrix whose columns are other objects than its rows; None if they are the same.

    >>> matrix = Table(("ann", "bob"), ("likes",), np.array([0, 1]), np.array([1, 0]), np.array([0, 0]))
    >>> with_columns(matrix, ["tea", "coffee"]).objects, with_columns(matrix, ["tea", "coffee"]).j
    (('ann', 'bob', 'tea', 'coffee'), array([3, 2]))
    """
    if columns is None:
        return table
    first, second = two_mode_names(table.objects, columns)
    table = replace(table, objects=(*first, *second), j=table.j + np.int32(len(first)))
    return with_both_types(table, first, second)


def two_mode_names(
    rows: Sequence[str], columns: Sequence[str], types: Sequence[str] = ROW_AND_COLUMN
) -> tuple[list[str], list[str]]:
    """The names of the objects of both types; a name of both types gets its type behind it.

    >>> two_mode_names(["ann", "1"], ["1", "2"])
    (['ann', '1 (row)'], ['1 (column)', '2'])
    """
    shared = set(rows) & set(columns)
    if not shared:
        return list(rows), list(columns)
    first, second = (
        [name + mark if name in shared else name for name in names]
        for names, mark in zip((rows, columns), (f" ({kind})" for kind in types), strict=True)
    )
    return first, second


def two_mode_table(
    sources: Factorized,
    relation: Factorized,
    targets: Factorized,
    *rest: Any,
    types: tuple[str, str] = SOURCE_AND_TARGET,
    **named: Any,
) -> Table:
    """A table whose sources and targets are different objects, even if their names are the same.

    >>> people, clubs = Factorized.from_column(["1", "2"]), Factorized.from_column(["1", "1"])
    >>> two_mode_table(people, Factorized.from_column(["joined"] * 2), clubs).object_types
    {'1 (source)': 'source', '2': 'source', '1 (target)': 'target'}
    """
    first, second = two_mode_names(sources.names, targets.names, types)
    names, codes = [*first, *second], (sources.codes, targets.codes + np.int32(len(first)))
    distinct = len(set(names)) == len(names)
    renamed = [Factorized(column, names, distinct) for column in codes]
    table = Table.from_factorized(renamed[0], relation, renamed[1], *rest, **named)
    return with_both_types(table, first, second, types)


def two_mode_note(types: Sequence[str], rows: int, columns: int) -> str:
    """How the types of the objects were read.

    >>> two_mode_note(("row", "column"), 18, 14)
    'Two-mode data: 18 objects of type “row” and 14 of type “column”, with ties only between the two types.'
    """
    return (
        f"Two-mode data: {rows:,} objects of type “{types[0]}” and {columns:,} of type “{types[1]}”, with ties only "
        "between the two types."
    )


def _ends(table: Table) -> tuple[IndexArray, IndexArray]:
    """The positions of all sources, and of all targets."""
    n = len(table.objects)
    sources, targets = (np.flatnonzero(np.bincount(ends, minlength=n)) for ends in (table.i, table.j))
    return sources, targets


def has_two_modes(table: Table) -> bool:
    """Whether a table can be read as two-mode data: it has several sources and targets, and none is both.

    >>> has_two_modes(Table.from_names(["ann"] * 9 + ["bob"], ["likes"] * 10, list("abcdefghij")))
    True
    """
    if table.i.size < FEWEST_ROWS:
        return False
    sources, targets = _ends(table)
    return min(sources.size, targets.size) > 1 and not np.intersect1d(sources, targets).size


def _with_suggestion(table: Table) -> Table:
    """The table with a note, if no object is both a source and a target."""
    if not has_two_modes(table):
        return table
    sources, targets = _ends(table)
    note = (
        f"No object is both a source ({sources.size:,}) and a target ({targets.size:,}). If they are two types of "
        "objects, such as people and events, read the file as two-mode data."
    )
    return replace(table, notes=(*table.notes, note))


def _with_types_of_isolates(table: Table) -> Table:
    """The table with types of the objects without ties, by an attribute that tells the types of all others apart."""
    if tuple(table.object_types) == table.objects:
        return table
    isolates = [name for name in table.objects if name not in table.object_types]
    if not isolates:
        return table
    kinds = pd.Series(dict(table.object_types), dtype=object)
    attributes = pd.DataFrame() if table.attributes is None else table.attributes
    for name in attributes.columns:
        cells = attributes[name].astype(object)
        by_value = kinds.groupby(cells.reindex(kinds.index)).agg(["nunique", "first"])
        types = cells.reindex(isolates).map(by_value["first"])
        if types.notna().all() and (by_value["nunique"] == 1).all() and len(set(by_value["first"])) > 1:
            note = f"Objects without ties have the type of the others with the same {name!r}."
            return replace(table, object_types={**table.object_types, **types}, notes=(*table.notes, note))
    note = f"{len(isolates):,} object{'s' * (len(isolates) > 1)} without ties have no type, and no possible pairs."
    return replace(table, notes=(*table.notes, note))


def _without_types(table: Table) -> Table:
    """The table with one set of objects."""
    if not table.object_types:
        return table
    declared: dict[str, dict[str, Any]] = {
        name: {key: value for key, value in properties.items() if key != "types"}
        for name, properties in table.declared.items()
    }
    return replace(table, object_types={}, declared=declared)


def _renamed(table: Table, types: tuple[str, ...]) -> Table:
    """The table with other names of its two types."""
    used = {tuple(properties["types"]) for properties in table.declared.values() if properties.get("types")}
    if len(used) != 1:
        raise DataError(Problem(f"{len(used)} pairs of types in the file", "one pair, to be renamed"), file=table.file)
    names = dict(zip(used.pop(), types, strict=True))
    object_types = {name: names.get(kind, kind) for name, kind in table.object_types.items()}
    return with_types(table, object_types, types)
