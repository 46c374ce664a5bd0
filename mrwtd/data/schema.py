"""Schema inference: the kind of each relation, and whether it is directed.

The kind follows from the values of the relation:
    1. no value, or all in {0, 1} or in {−1, 1}: binary;
    2. whole numbers, 2 to 7 distinct ones, with a range of at most 10: ordinal;
    3. whole numbers of at least 0: count;
    4. anything else: real.
A relation is undirected if every pair of different objects is listed in both directions with the same value, otherwise
directed. What the file declares or the user sets has priority.
"""

from dataclasses import dataclass

import numpy as np

from ..typing import Array, BoolArray, Int64Array
from .table import Table
from .validation import LARGEST

MAX_LEVELS = 7
MAX_LEVEL_RANGE = 10

SAMPLE = 2_000
"""Rows checked first. One row without its reverse makes a relation directed; all are checked only if none is found."""

BLOCK = 1 << 18
"""Number of rows that are compared at a time, to save memory."""

DECLARED = "declared in the file"
"""The reason for a property that the file declares."""


@dataclass(frozen=True)
class InferredRelation:
    """The inferred properties of a relation, with reasons.

    >>> table = Table.from_names(["a", "b"], ["calls", "calls"], ["b", "a"], values=[250, 250])
    >>> infer_schema(table)[0].kind, infer_schema(table)[0].kind_reason
    ('count', 'whole numbers, none below 0')
    >>> infer_schema(table)[0].directed_reason
    'every pair is listed in both directions with the same value'
    """

    name: str
    kind: str
    kind_reason: str
    directed: bool
    directed_reason: str
    suggestion: str = ""
    """What the user can do if the direction is uncertain."""


def infer_schema(table: Table) -> tuple[InferredRelation, ...]:
    """Infer the properties of each relation of the table."""
    n = len(table.objects)
    rows, key = (None, np.zeros(table.i.size, dtype=np.int64)) if _is_declared(table) else table.by_key
    bounds = np.searchsorted(key, np.arange(len(table.relations) + 1) * n * n)
    schema = []
    for k, name in enumerate(table.relations):
        part = slice(bounds[k], bounds[k + 1])
        values = table.values
        if values is not None and len(table.relations) > 1:  # of the only relation, in any order
            values = values[part if rows is None else rows[part]]
        declared = table.declared.get(name, {})
        kind, reason = (
            (declared["kind"], declared.get("kind_reason", DECLARED)) if declared.get("kind") else _infer_kind(values)
        )
        if declared.get("directed") is not None:
            direction = declared["directed"], declared.get("directed_reason", DECLARED), ""
        else:
            numbers = [column for column in (table.values, table.weights) if column is not None]
            order = part if rows is None else rows[part]
            direction = _infer_directed(key[part], numbers, order, n, k * n * n, table.values is not None)
        schema.append(InferredRelation(name, kind, reason, *direction))
    return tuple(schema)


def _is_declared(table: Table) -> bool:
    """Whether the table has one relation, with a direction: its rows show the rest in any order.

    >>> _is_declared(Table.from_names(["a"], ["r"], ["b"], declared={"r": {"directed": False}}))
    True
    """
    return len(table.relations) == 1 and table.declared.get(table.relations[0], {}).get("directed") is not None


def _infer_kind(values: Array | None) -> tuple[str, str]:
    if values is None:
        return "binary", "rows without a value list ties"
    if not values.size or not -LARGEST <= values.min() <= values.max() <= LARGEST:
        values = values[np.abs(values) <= LARGEST]  # larger values raise an error later, with their lines
    if not values.size:
        return "binary", "no value is known"
    low, high = values.min(), values.max()
    if any((part != np.floor(part)).any() for part in (values[:SAMPLE], values[SAMPLE:])):
        return "real", "numbers with fractions"
    if high - low <= MAX_LEVEL_RANGE:
        distinct = np.unique(values)
        for minus, negative in (("0", 0), ("−1", -1)):
            if np.isin(distinct, (negative, 1)).all():
                return "binary", f"all values are {minus} or 1" if low < high else f"all values are {low:g}"
        if 2 <= distinct.size <= MAX_LEVELS:
            levels = f"from {low:g} to {high:g}".replace("-", "−")
            return "ordinal", f"{distinct.size} whole-number levels {levels}"
    if low >= 0:
        return "count", "whole numbers, none below 0"
    return "real", "whole numbers, some below 0"


def _infer_directed(
    cell: Int64Array, numbers: list[Array], rows: Int64Array | slice, n: int, start: int, has_values: bool
) -> tuple[bool, str, str]:
    """Whether a relation is directed, the reason, and a suggestion.

    Its cells start + i·n + j are ascending; `rows` are their rows in the columns of numbers.
    """
    sample = cell
    if cell.size > SAMPLE:
        sample = cell[np.linspace(0, cell.size - 1, SAMPLE).astype(np.intp)]
    mutual = _has_reverse(sample, cell, n, start)
    if mutual.all() and sample is not cell:
        sample, mutual = cell, _has_reverse(cell, cell, n, start)
    if not mutual.size:
        return True, "no pair of different objects shows otherwise", ""
    if mutual.all():
        if not _is_symmetric(cell - start, [column[rows] for column in numbers], n):
            return True, "pairs differ between their two directions", ""
        same = " with the same value" * has_values
        return False, f"every pair is listed in both directions{same}", ""
    if not mutual.any():
        pair = "pair" if sample is cell else f"pair in a sample of {mutual.size:,}"
        return True, f"no {pair} is listed in both directions", "if the relation is mutual, set it to undirected"
    about = "" if sample is cell else "about "
    return True, f"{about}{np.mean(~mutual):.0%} of the rows are listed in one direction only", ""


def _has_reverse(sample: Int64Array, cell: Int64Array, n: int, start: int) -> BoolArray:
    """For the sampled pairs of different objects, in any order, whether their reverse is among the cells."""
    parts = [np.zeros(0, dtype=bool)]
    for block in range(0, sample.size, BLOCK):
        i, j = np.divmod(sample[block : block + BLOCK] - start, n)
        reverse = np.sort((start + j * n + i)[i != j])  # searching is faster in ascending order
        positions = np.searchsorted(cell, reverse)
        positions[positions == cell.size] = 0
        parts.append(cell[positions] == reverse)
    return np.concatenate(parts)


def _is_symmetric(cell: Int64Array, columns: list[Array], n: int) -> bool:
    """Whether the reverse of every row, which is listed, has the same numbers."""
    if (cell[1:] != cell[:-1]).all():
        return all(_block_is_symmetric(cell, columns, n, block) for block in range(0, cell.size, BLOCK))
    i, j = np.divmod(cell, n)
    # As integers, NaN equals NaN: a pair unobserved in both directions is mutual. Adding 0 turns −0 into 0.
    bits = [(np.where(np.isnan(numbers), np.nan, numbers) + 0.0).view(np.int64) for numbers in columns]
    return np.array_equal(_distinct_rows([cell, *bits]), _distinct_rows([j * n + i, *bits]))


def _block_is_symmetric(cell: Int64Array, columns: list[Array], n: int, start: int) -> bool:
    """As `_is_symmetric` for some rows, if no pair is listed twice."""
    part = slice(start, start + BLOCK)
    i, j = np.divmod(cell[part], n)
    is_complete = cell.size == n * n
    reverse = j * n + i if is_complete else np.searchsorted(cell, j * n + i)
    return all(np.array_equal(numbers[part], numbers[reverse], equal_nan=True) for numbers in columns)


def _distinct_rows(columns: list[Int64Array]) -> Int64Array:
    """The distinct rows of some columns, sorted."""
    table = np.column_stack(columns)[np.lexsort(columns[::-1])]
    is_new = np.ones(len(table), dtype=bool)
    is_new[1:] = (table[1:] != table[:-1]).any(axis=1)
    return table[is_new]
