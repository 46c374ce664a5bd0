"""What kind a relation is of, and whether it is directed: guessed by rules that people can read.

Kind, from the values of the relation:
    1. no value, or all in {0, 1} or in {−1, 1}: binary;
    2. whole numbers, 2 to 7 different ones, spanning at most 10: ordinal;
    3. whole numbers from 0 up: count;
    4. anything else: real.
Direction: undirected where every pair of different objects stands in both directions with the same value, else
directed. What the file declares, or the user says, goes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Array, BoolArray, Int64Array
from .table import Table
from .validation import LARGEST

MOST_LEVELS = 7
WIDEST_LEVELS = 10

LOOKED_AT = 2_000
"""One row of these without its reverse settles that a relation is directed; all rows are looked at only if none is."""


DECLARED = "the file says so"
"""The reason where nothing had to be guessed."""


@dataclass(frozen=True)
class InferredRelation:
    """What is thought of a relation, and why.

    >>> table = Table.from_names(["a", "b"], ["calls", "calls"], ["b", "a"], values=[250, 250])
    >>> infer_schema(table)[0].kind, infer_schema(table)[0].kind_reason
    ('count', 'whole numbers from 0 up')
    >>> infer_schema(table)[0].directed_reason
    'every pair is there in both directions with the same value'
    """

    name: str
    kind: str
    kind_reason: str
    directed: bool
    directed_reason: str
    kind_declared: bool = False
    directed_declared: bool = False
    advice: str = ""
    """What the user can do where the direction is doubtful."""


def infer_schema(table: Table) -> tuple[InferredRelation, ...]:
    """A guess for each relation of the table."""
    n = len(table.objects)
    rows, key = table.by_key
    bounds = np.searchsorted(key, np.arange(len(table.relations) + 1) * n * n)
    guesses = []
    for k, name in enumerate(table.relations):
        part = slice(bounds[k], bounds[k + 1])
        values = None if table.values is None or rows is None else table.values[rows[part]]
        declared = table.declared.get(name, {})
        if declared.get("kind"):
            kind, kind_reason = declared["kind"], DECLARED
        else:
            kind, kind_reason = _kind(values)
        if declared.get("directed") is not None:
            directed, directed_reason, advice = declared["directed"], DECLARED, ""
        else:
            weights = None if table.weights is None or rows is None else table.weights[rows[part]]
            directed, directed_reason, advice = _directed(key[part], values, weights, n, k * n * n)
        kind_declared, directed_declared = bool(declared.get("kind")), declared.get("directed") is not None
        reasons = kind_reason, directed, directed_reason
        guesses.append(InferredRelation(name, kind, *reasons, kind_declared, directed_declared, advice))
    return tuple(guesses)


def _kind(values: Array | None) -> tuple[str, str]:
    if values is None:
        return "binary", "rows without a value list ties"
    values = values[np.abs(values) <= LARGEST]  # others are refused later on, with their lines
    if not values.size:
        return "binary", "no value is known"
    low, high = values.min(), values.max()
    if not (values == np.floor(values)).all():
        return "real", "numbers with fractions"
    if high - low <= WIDEST_LEVELS:
        found = np.unique(values)
        if np.isin(found, (0, 1)).all():
            return "binary", "all values are 0 or 1" if low < high else f"all values are {low:g}"
        if np.isin(found, (-1, 1)).all():
            return "binary", "all values are −1 or 1" if low < high else f"all values are {low:g}"
        if 2 <= found.size <= MOST_LEVELS:
            return "ordinal", f"{found.size} whole-number levels from {low:g} to {high:g}"
    if low >= 0:
        return "count", "whole numbers from 0 up"
    return "real", "whole numbers, some below 0"


def _directed(
    cell: Int64Array, values: Array | None, weights: Array | None, n: int, start: int
) -> tuple[bool, str, str]:
    """Whether it is directed, why, and advice; its cells start + i·n + j are in ascending order."""
    sample = cell
    if cell.size > LOOKED_AT:
        sample = cell[np.linspace(0, cell.size - 1, LOOKED_AT).astype(np.intp)]
    mutual = _mutual(sample, cell, n, start)
    if mutual.all() and sample is not cell:
        sample, mutual = cell, _mutual(cell, cell, n, start)
    if not mutual.size:
        return True, "no pair of different objects tells otherwise", ""
    if mutual.all():
        if not _agree(cell - start, [numbers for numbers in (values, weights) if numbers is not None], n):
            return True, "pairs differ between their two directions", ""
        return False, f"every pair is there in both directions{' with the same value' * (values is not None)}", ""
    if not mutual.any():
        rows = "pair" if sample is cell else f"pair of {mutual.size:,} looked at"
        return True, f"no {rows} is there in both directions", "if the relation is mutual, say that it is undirected"
    about = "" if sample is cell else "about "
    return True, f"{about}{np.mean(~mutual):.0%} of the rows are there in one direction only", ""


def _mutual(sample: Int64Array, cell: Int64Array, n: int, start: int) -> BoolArray:
    """Of the sampled pairs of different objects, in some order, which have their reverse among the cells."""
    i, j = np.divmod(sample - start, n)
    reverse = np.sort((start + j * n + i)[i != j])  # what is looked up in order is found sooner
    at = np.searchsorted(cell, reverse)
    at[at == cell.size] = 0
    return np.asarray(cell[at] == reverse)


def _agree(cell: Int64Array, columns: list[Array], n: int) -> bool:
    """Whether the reverse of every row is there with the same numbers."""
    i, j = np.divmod(cell, n)
    # As whole numbers, a NaN equals a NaN: a pair unobserved in both directions is mutual. Adding 0 makes −0 a 0.
    shown = [(np.where(np.isnan(numbers), np.nan, numbers) + 0.0).view(np.int64) for numbers in columns]
    return np.array_equal(_distinct([cell, *shown]), _distinct([j * n + i, *shown]))


def _distinct(columns: list[Int64Array]) -> Int64Array:
    """The different rows of some columns, in order."""
    table = np.column_stack(columns)[np.lexsort(columns[::-1])]
    fresh = np.ones(len(table), dtype=bool)
    fresh[1:] = (table[1:] != table[:-1]).any(axis=1)
    return table[fresh]
