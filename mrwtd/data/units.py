"""Encoding of values by the kind of their relation: −1 and +1, a level 0…L−1, a count, a real number.

A binary relation has the values 0 and 1, or −1 and 1. All three together are an error, since 0 would be ambiguous.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import MAX_PROBLEMS, Problem, Problems
from ..typing import Array, Int64Array
from .relations import Relation
from .table import Table
from .validation import ALLOWED_RANGE, LARGEST

MAX_LEVELS = 50
"""An ordinal relation with more levels is an error."""


def encode(
    table: Table,
    relations: Sequence[Relation],
    rows: Int64Array | None,
    key: Int64Array,
    fills_in: Sequence[bool],
    problems: Problems,
) -> tuple[Array, list[Relation]]:
    """The encoded values of the rows, and the relations, with the levels of ordinal ones.

    `rows` and `key` are as in `Table.by_key`; `fills_in` says for each relation whether unlisted pairs are filled in.
    """
    n = len(table.objects)
    _check_numbers(table, problems)
    y = np.ones(key.size) if table.values is None else table.values[rows]
    if table.values is not None:
        # A value that is too large is reported once, by `_check_numbers`.
        y[np.abs(y) > LARGEST] = np.nan
    encoded = list(relations)
    bounds = np.searchsorted(key, np.arange(len(relations) + 1) * n * n)
    for k, relation in enumerate(relations):
        part = slice(bounds[k], bounds[k + 1])
        if relation.kind == "ordinal":
            encoded[k] = _with_levels(relation, y[part], fills_in[k], problems)
        if rows is not None:
            y[part] = _encode(encoded[k], table, rows[part], y[part], problems)
        elif relation.kind == "ordinal" and part.start < part.stop:
            y[part] = _tie_level(encoded[k], problems)
    return y, encoded


def negative(relation: Relation) -> float:
    """The encoded value of an unlisted pair in a closed world.

    >>> negative(Relation("likes", "ordinal", directed=True, levels=(-1, 0, 1)))
    1.0
    """
    if relation.kind == "ordinal":
        return float(relation.levels.index(0.0)) if 0.0 in relation.levels else 0.0
    return -1.0 if relation.kind == "binary" else 0.0


def expected(relation: Relation) -> str:
    """The allowed values of a relation, for messages.

    >>> expected(Relation("likes", "binary", directed=True))
    '0 or 1, −1 or 1, true or false (binary)'
    """
    if relation.kind == "ordinal":
        return f"one of the levels {', '.join(f'{level:g}' for level in relation.levels)} (ordinal)"
    return {
        "binary": "0 or 1, −1 or 1, true or false (binary)",
        "count": "0, 1, 2, … (count)",
        "real": f"a number {ALLOWED_RANGE} (real)",
    }[relation.kind]


def problem_at(table: Table, row: int | np.integer[Any], actual: str, wanted: str) -> Problem:
    """A problem in a row of a table, placed by its line or, without lines, by its pair of objects."""
    line = table.line(row)
    pair = f"pair {table.objects[table.i[row]]!r} – {table.objects[table.j[row]]!r}"
    return Problem(actual, wanted, line, "" if line is not None else pair)


def _check_numbers(table: Table, problems: Problems) -> None:
    columns = []
    if table.values is not None:
        columns.append(("value", table.values, np.abs(table.values) > LARGEST, f"a number {ALLOWED_RANGE}"))
    if table.weights is not None:
        wrong = ~((table.weights >= 0) & (table.weights <= 1))
        columns.append(("weight", table.weights, wrong, "a weight from 0 to 1"))
    for name, numbers, wrong, wanted in columns:
        rows = np.flatnonzero(wrong)
        problems.extend(
            (problem_at(table, row, f"{name} {numbers[row]:g}", wanted) for row in rows[:MAX_PROBLEMS]), rows.size
        )


def _with_levels(relation: Relation, values: Array, fills_in: bool, problems: Problems) -> Relation:
    levels = np.asarray(relation.levels or np.unique(values[np.isfinite(values)]))
    if levels.size > MAX_LEVELS:
        wanted = f"at most {MAX_LEVELS} levels; choose the kind count or real"
        problems.add(f"{levels.size:,} different values", wanted, where=f"relation {relation.name!r}")
    if fills_in and (not levels.size or levels[0] > 0):
        levels = np.concatenate([[0.0], levels])
    return Relation(relation.name, relation.kind, relation.directed, tuple(levels))


def _tie_level(relation: Relation, problems: Problems) -> float:
    """The level of rows without a value: they list ties, so it is the level of the value 1."""
    if 1.0 in relation.levels:
        return float(relation.levels.index(1.0))
    problems.add(
        "rows without a value", f"a column of values: {expected(relation)}", where=f"relation {relation.name!r}"
    )
    return 0.0


def _encode(relation: Relation, table: Table, rows: Int64Array, values: Array, problems: Problems) -> Array:
    known = ~np.isnan(values)
    if relation.kind == "binary":
        encoded, good = np.where(values == 0, -1.0, values), (values == 0) | (np.abs(values) == 1)
        if (values == 0).any() and (values == -1).any():
            first = rows[values == -1].min()
            wanted = "either 0 and 1, or −1 and 1, for a binary relation; or another kind"
            problems.extend([problem_at(table, first, f"both −1 and 0 in {relation.name!r}", wanted)])
    elif relation.kind == "ordinal":
        levels = np.asarray(relation.levels)
        encoded = np.where(known, np.searchsorted(levels, values).astype(np.float64), np.nan)
        good = np.isin(values, levels)
    elif relation.kind == "count":
        encoded, good = values, (values >= 0) & (values == np.floor(values))
    else:
        return values
    wrong = np.flatnonzero(known & ~good)
    if wrong.size:
        wrong = wrong[np.argsort(rows[wrong])]  # in the order of the file
        cells = ((rows[row], f"{values[row]:g} in {relation.name!r}") for row in wrong[:MAX_PROBLEMS])
        problems.extend((problem_at(table, row, actual, expected(relation)) for row, actual in cells), wrong.size)
    return encoded
