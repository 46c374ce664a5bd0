"""Encoding of values by the kind of their relation: −1 and +1, a level 0…L−1, a count, a real number.

A binary relation has the values 0 and 1, or −1 and 1. All three together are an error, since 0 would be ambiguous.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import Problems
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
    if not _within(y):
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


def _within(values: Array) -> bool:
    """Whether all values are known and in the allowed range, without an array of their absolute values."""
    return not values.size or bool(values.min() >= -LARGEST and values.max() <= LARGEST)


def _check_numbers(table: Table, problems: Problems) -> None:
    values, weights, represents = table.values, table.weights, table.represents
    if values is not None and not _within(values):
        for row in problems.first(np.flatnonzero(np.abs(values) > LARGEST)):
            problems.add(f"value {values[row]:g}", f"a number {ALLOWED_RANGE}", *table.place(row))
    if weights is not None:
        for row in problems.first(np.flatnonzero(~((weights >= 0) & (weights <= 1)))):
            problems.add(f"weight {weights[row]:g}", "a weight from 0 to 1", *table.place(row))
    if represents is not None:
        for row in problems.first(np.flatnonzero(~((represents >= 1) & (represents <= LARGEST)))):
            problems.add(f"{represents[row]:g} represented pairs", "1 pair or more", *table.place(row))


def _with_levels(relation: Relation, values: Array, fills_in: bool, problems: Problems) -> Relation:
    levels = np.asarray(relation.levels or np.unique(values[np.isfinite(values)]))
    if levels.size > MAX_LEVELS:
        wanted = f"at most {MAX_LEVELS} levels; choose the kind count or real"
        problems.add(f"{levels.size:,} different values", wanted, where=f"relation {relation.name!r}")
    if fills_in and (not levels.size or levels[0] > 0):
        levels = np.concatenate([[0.0], levels])
    return replace(relation, levels=tuple(levels))


def _tie_level(relation: Relation, problems: Problems) -> float:
    """The level of rows without a value: they list ties, so it is the level of the value 1."""
    if 1.0 in relation.levels:
        return float(relation.levels.index(1.0))
    problems.add(
        "rows without a value", f"a column of values: {expected(relation)}", where=f"relation {relation.name!r}"
    )
    return 0.0


def _encode(relation: Relation, table: Table, rows: Int64Array, values: Array, problems: Problems) -> Array:
    if relation.kind == "real" or (relation.kind == "binary" and (np.abs(values) == 1).all()):
        return values
    known = ~np.isnan(values)
    if relation.kind == "binary":
        encoded, good = np.where(values == 0, -1.0, values), (values == 0) | (np.abs(values) == 1)
        if (values == 0).any() and (values == -1).any():
            first = rows[values == -1].min()
            wanted = "either 0 and 1, or −1 and 1, for a binary relation; or another kind"
            problems.add(f"both −1 and 0 in {relation.name!r}", wanted, *table.place(first))
    elif relation.kind == "ordinal":
        levels = np.asarray(relation.levels)
        encoded = np.where(known, np.searchsorted(levels, values).astype(np.float64), np.nan)
        good = np.isin(values, levels)
    else:
        encoded, good = values, (values >= 0) & (values == np.floor(values))
    wrong = np.flatnonzero(known & ~good)
    for row in problems.first(wrong[np.argsort(rows[wrong])]):  # in the order of the file
        problems.add(f"{values[row]:g} in {relation.name!r}", expected(relation), *table.place(rows[row]))
    return encoded
