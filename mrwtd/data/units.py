"""Values in the unit of their relation's kind: −1 and +1, a level 0…L−1, a count, a real number.

Binary rows may say 0 and 1, or −1 and 1, but not all three: what 0 would mean beside −1 is not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import MAX_PROBLEMS, Problem, Problems
from ..typing import Array, Int64Array
from .relations import Relation
from .table import Table
from .validation import ALLOWED_RANGE, LARGEST

WIDEST_ORDINAL = 50
"""An ordinal relation of more levels than this is a mistake."""


def encode(
    table: Table,
    relations: Sequence[Relation],
    rows: Int64Array | None,
    key: Int64Array,
    closed: Sequence[bool],
    problems: Problems,
) -> tuple[Array, list[Relation]]:
    """The values of the rows in their unit, and the relations: an ordinal one learns its levels.

    `rows` and `key` are as in `Table.by_key`; `closed` says in which relations absent rows will be filled in.
    """
    n = len(table.objects)
    _check_numbers(table, problems)
    y = np.ones(key.size) if table.values is None else table.values[rows]
    if table.values is not None:
        # A value that is too large is a problem of its own, and is not reported twice.
        y[np.abs(y) > LARGEST] = np.nan
    learned = list(relations)
    bounds = np.searchsorted(key, np.arange(len(relations) + 1) * n * n)
    for k, relation in enumerate(relations):
        part = slice(bounds[k], bounds[k + 1])
        if relation.kind == "ordinal":
            learned[k] = _with_levels(relation, y[part], closed[k], problems)
        if rows is not None:
            y[part] = _encode(learned[k], table, rows[part], y[part], problems)
        elif relation.kind == "ordinal" and part.start < part.stop:
            y[part] = _tie_level(learned[k], problems)
    return y, learned


def negative(relation: Relation) -> float:
    """What an absent row of a closed world stands for, in the unit of the relation.

    >>> negative(Relation("likes", "ordinal", directed=True, levels=(-1, 0, 1)))
    1.0
    """
    if relation.kind == "ordinal":
        return float(relation.levels.index(0.0)) if 0.0 in relation.levels else 0.0
    return -1.0 if relation.kind == "binary" else 0.0


def expected(relation: Relation) -> str:
    """What a value of a relation may be, in words.

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


def problem_at(table: Table, row: int | np.integer[Any], found: str, wanted: str) -> Problem:
    """A problem with a row of a table: its line where it has one, else its pair of objects."""
    line = table.line(row)
    pair = f"pair {table.objects[table.i[row]]!r} – {table.objects[table.j[row]]!r}"
    return Problem(found, wanted, line, "" if line is not None else pair)


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


def _with_levels(relation: Relation, values: Array, closed: bool, problems: Problems) -> Relation:
    levels = np.asarray(relation.levels or np.unique(values[np.isfinite(values)]))
    if levels.size > WIDEST_ORDINAL:
        wanted = f"at most {WIDEST_ORDINAL} levels; read it as 'count' or 'real'"
        problems.add(f"{levels.size:,} different values", wanted, where=f"relation {relation.name!r}")
    if closed and (not levels.size or levels[0] > 0):
        levels = np.concatenate([[0.0], levels])
    return Relation(relation.name, relation.kind, relation.directed, tuple(levels))


def _tie_level(relation: Relation, problems: Problems) -> float:
    """The level of rows without a value, which list ties."""
    if 1.0 in relation.levels:
        return float(relation.levels.index(1.0))
    problems.add("rows without a value", expected(relation), where=f"relation {relation.name!r}")
    return 0.0


def _encode(relation: Relation, table: Table, rows: Int64Array, values: Array, problems: Problems) -> Array:
    known = ~np.isnan(values)
    if relation.kind == "binary":
        encoded, good = np.where(values == 0, -1.0, values), (values == 0) | (np.abs(values) == 1)
        if (values == 0).any() and (values == -1).any():
            first = rows[values == -1].min()
            wanted = "0 and 1, or −1 and 1, for a binary relation"
            problems.extend([problem_at(table, first, f"−1 beside 0 in {relation.name!r}", wanted)])
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
        # The first in the file, whatever the order of the entries.
        wrong = wrong[np.argsort(rows[wrong])]
        problems.extend(
            (
                problem_at(table, rows[at], f"{values[at]:g} in {relation.name!r}", expected(relation))
                for at in wrong[:MAX_PROBLEMS]
            ),
            wrong.size,
        )
    return encoded
