"""Duplicates: rows for the same pair and relation. Identical rows merge; contradicting rows follow a policy."""

from collections.abc import Sequence

import numpy as np

from ..errors import Problems
from ..typing import Array, BoolArray, IndexArray, Int64Array
from .relations import Relation
from .table import Table
from .units import expected


def merge(
    table: Table,
    relations: Sequence[Relation],
    rows: Int64Array | None,
    key: Int64Array,
    values: Array,
    policy: str,
    problems: Problems,
) -> tuple[Int64Array, Array, Array | None]:
    """The keys, values and weights with one row per key.

    `rows` and `key` are as in `Table.by_key`; `values` are encoded by `units.encode`.
    """
    weights = None if table.weights is None else table.weights[rows]
    repeated = key[1:] == key[:-1]
    duplicates = np.flatnonzero(repeated)
    if rows is None or not duplicates.size:
        return key, values, weights
    clash = duplicates[_differs_from_next(duplicates, values, weights)]
    if policy in ("error", "last") or not clash.size:
        if policy == "error":
            for row in problems.first(clash[np.argsort(rows[clash + 1])]):
                _add_contradiction(table, rows[row], rows[row + 1], problems)
        last = np.append(~repeated, True)
        return key[last], values[last], None if weights is None else weights[last]
    first = np.flatnonzero(np.append(True, ~repeated))
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
    return key[first], merged, weights


def count_contradicting_rows(table: Table, rows: Int64Array | None, key: Int64Array) -> int:
    """The number of rows that contradict the row before; `rows` and `key` are as in `Table.by_key`.

    >>> table = Table.from_names(["a", "a", "a"], ["r", "r", "r"], ["b", "b", "b"], values=[1, 1, 0])
    >>> count_contradicting_rows(table, *table.by_key)
    1
    """
    if rows is None:
        return 0
    duplicates = np.flatnonzero(key[1:] == key[:-1])
    values, weights = (None if numbers is None else numbers[rows] for numbers in (table.values, table.weights))
    return int(np.count_nonzero(_differs_from_next(duplicates, values, weights)))


def _differs_from_next(rows: IndexArray, *columns: Array | None) -> BoolArray:
    """Which rows have other numbers than the next row; NaN equals NaN."""
    differs = np.zeros(rows.size, dtype=bool)
    for numbers in columns:
        if numbers is not None:
            this, following = numbers[rows], numbers[rows + 1]
            differs |= (this != following) & ~(np.isnan(this) & np.isnan(following))
    return differs


def _check_means(
    table: Table, relations: Sequence[Relation], rows: Int64Array, values: Array, problems: Problems
) -> None:
    """A mean that is no class, level or count is a problem."""
    is_whole = np.array([relation.kind in ("ordinal", "count") for relation in relations], dtype=bool)
    is_binary = np.array([relation.kind == "binary" for relation in relations], dtype=bool)
    k = table.k[rows]
    wrong = np.flatnonzero(
        np.isfinite(values) & ((is_whole[k] & (values != np.floor(values))) | (is_binary[k] & (np.abs(values) != 1)))
    )
    for row in problems.first(wrong):
        relation = relations[k[row]]
        wanted = f"{expected(relation)}; choose to use the largest (max) or the last, or the kind real"
        actual = f"contradicting rows in {relation.name!r} whose mean is between two values"
        problems.add(actual, wanted, *table.place(rows[row]))


def _add_contradiction(table: Table, first: np.int64, second: np.int64, problems: Problems) -> None:
    source, target = table.objects[table.i[first]], table.objects[table.j[first]]
    lines = table.line(first), table.line(second)
    where = "" if lines[0] is None else f" (lines {lines[0]} and {lines[1]})"
    values = f"{_value_text(table, first)} and {_value_text(table, second)}"
    actual = f"{values} for {source!r} – {target!r} in {table.relations[table.k[first]]!r}{where}"
    expected = "one value per pair; fix the file, or choose to use their mean, the largest (max) or the last"
    problems.add(actual, expected, lines[1])


def _value_text(table: Table, row: np.int64) -> str:
    value = 1.0 if table.values is None else table.values[row]
    text = "unobserved" if np.isnan(value) else f"{value:g}"
    return text if table.weights is None else f"{text} with the weight {table.weights[row]:g}"
