"""Rows for the same pair and relation: identical ones merge, contradicting ones are an error or go by a policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MAX_PROBLEMS, Problem, Problems
from ..typing import Array, BoolArray, IndexArray, Int64Array
from .relations import Relation
from .table import Table
from .units import expected, problem_at


@dataclass(frozen=True)
class Merged:
    """One row for each key, in order of the keys."""

    key: Int64Array
    values: Array
    weights: Array | None


def merge(
    table: Table,
    relations: Sequence[Relation],
    rows: Int64Array | None,
    key: Int64Array,
    values: Array,
    policy: str,
    problems: Problems,
) -> Merged:
    """One row for each key; `rows` and `key` are as in `Table.by_key`, `values` in the unit of their relation."""
    weights = None if table.weights is None else table.weights[rows]
    repeated = key[1:] == key[:-1]
    again = np.flatnonzero(repeated)
    if not again.size:
        return Merged(key, values, weights)
    clash = again[_differ(again, values, weights)]
    if rows is None or policy in ("error", "last") or not clash.size:
        if rows is not None and policy == "error" and clash.size:
            clash = clash[np.argsort(rows[clash + 1])]
            found = (_clash(table, rows[at], rows[at + 1]) for at in clash[:MAX_PROBLEMS])
            problems.extend(found, clash.size)
        last = np.append(~repeated, True)
        return Merged(key[last], values[last], None if weights is None else weights[last])
    first = np.flatnonzero(np.concatenate([[True], ~repeated]))
    if policy == "max":
        merged = np.fmax.reduceat(values, first)
    else:
        known = ~np.isnan(values)
        sums = np.add.reduceat(np.where(known, values, 0.0), first)
        counts = np.add.reduceat(known.astype(np.float64), first)
        merged = np.divide(sums, counts, out=np.full(first.size, np.nan), where=counts > 0)
        _check_means(table, relations, rows[first], merged, problems)
    if weights is not None:
        weights = np.add.reduceat(weights, first) / np.diff(np.append(first, key.size))
    return Merged(key[first], merged, weights)


def count_contradicting_rows(table: Table, rows: Int64Array | None, key: Int64Array) -> int:
    """How many rows say something else of their pair than the row before; `rows` and `key` are as in `Table.by_key`.

    >>> table = Table.from_names(["a", "a", "a"], ["r", "r", "r"], ["b", "b", "b"], values=[1, 1, 0])
    >>> count_contradicting_rows(table, *table.by_key)
    1
    """
    if rows is None:
        return 0
    again = np.flatnonzero(key[1:] == key[:-1])
    values, weights = (None if numbers is None else numbers[rows] for numbers in (table.values, table.weights))
    return int(np.count_nonzero(_differ(again, values, weights)))


def _differ(again: IndexArray, *columns: Array | None) -> BoolArray:
    """Which of these rows have other numbers than the row that follows."""
    differ = np.zeros(again.size, dtype=bool)
    for numbers in columns:
        if numbers is not None:
            differ |= ~_equal(numbers[again], numbers[again + 1])
    return differ


def _equal(one: Array, two: Array) -> BoolArray:
    """Where numbers are equal; NaN equals NaN."""
    return np.asarray((one == two) | (np.isnan(one) & np.isnan(two)))


def _check_means(
    table: Table, relations: Sequence[Relation], rows: Int64Array, values: Array, problems: Problems
) -> None:
    """A mean that is no class, level or count has no meaning in its relation."""
    whole = np.array([relation.kind in ("ordinal", "count") for relation in relations], dtype=bool)
    binary = np.array([relation.kind == "binary" for relation in relations], dtype=bool)
    k = table.k[rows]
    wrong = np.flatnonzero(
        np.isfinite(values) & ((whole[k] & (values != np.floor(values))) | (binary[k] & (np.abs(values) != 1)))
    )
    for at in wrong[:MAX_PROBLEMS]:
        relation = relations[k[at]]
        wanted = f"{expected(relation)}; take the largest (max) or the last of duplicates, or the kind real"
        found = f"rows in {relation.name!r} that contradict each other, with a mean between two values"
        problems.extend([problem_at(table, rows[at], found, wanted)])


def _clash(table: Table, one: int | np.integer[Any], two: int | np.integer[Any]) -> Problem:
    pair = f"{table.objects[table.i[one]]!r} – {table.objects[table.j[one]]!r} in {table.relations[table.k[one]]!r}"
    lines = table.line(one), table.line(two)
    where = "" if lines[0] is None else f" (lines {lines[0]} and {lines[1]})"
    return Problem(
        f"{_shown(table, one)} and {_shown(table, two)} for {pair}{where}",
        "one value, or the choice that such a pair gets their mean, the largest (max) or the last",
        line=lines[1],
    )


def _shown(table: Table, row: int | np.integer[Any]) -> str:
    value = 1.0 if table.values is None else table.values[row]
    text = "unobserved" if np.isnan(value) else f"{value:g}"
    return text if table.weights is None else f"{text} with the weight {table.weights[row]:g}"
