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
import numpy.typing as npt

from .table import Table

MOST_LEVELS = 7
WIDEST_LEVELS = 10


@dataclass(frozen=True)
class Guess:
    """What is thought of a relation, and why.

    >>> table = Table.from_names(["a", "b"], ["calls", "calls"], ["b", "a"], values=[250, 250])
    >>> guess(table)[0].kind, guess(table)[0].kind_reason
    ('count', 'whole numbers from 0 up')
    >>> guess(table)[0].directed_reason
    'every pair stands in both directions with the same value'
    """

    name: str
    kind: str
    kind_reason: str
    directed: bool
    directed_reason: str


def guess(table: Table) -> tuple[Guess, ...]:
    """A guess for each relation of the table."""
    order = np.argsort(table.k, kind="stable")
    bounds = np.searchsorted(table.k[order], np.arange(len(table.relations) + 1))
    guesses = []
    for k, name in enumerate(table.relations):
        rows = order[bounds[k] : bounds[k + 1]]
        values = None if table.values is None else table.values[rows]
        declared = table.declared.get(name, {})
        kind, kind_reason = _kind(values)
        if declared.get("kind"):
            kind, kind_reason = declared["kind"], "the file says so"
        directed, directed_reason = _directed(table.i[rows], table.j[rows], values, len(table.objects))
        if declared.get("directed") is not None:
            directed, directed_reason = declared["directed"], "the file says so"
        guesses.append(Guess(name, kind, kind_reason, directed, directed_reason))
    return tuple(guesses)


def _kind(values: npt.NDArray[np.float64] | None) -> tuple[str, str]:
    if values is None:
        return "binary", "rows without a value list ties"
    values = values[~np.isnan(values)]
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
            return "binary", "all values are −1 or 1"
        if 2 <= found.size <= MOST_LEVELS:
            return "ordinal", f"{found.size} whole-number levels from {low:g} to {high:g}"
    if low >= 0:
        return "count", "whole numbers from 0 up"
    return "real", "whole numbers, some below 0"


def _directed(
    i: npt.NDArray[np.int32], j: npt.NDArray[np.int32], values: npt.NDArray[np.float64] | None, n: int
) -> tuple[bool, str]:
    off = i != j
    if not off.any():
        return True, "no pair of different objects tells otherwise"
    i, j = i[off].astype(np.int64), j[off].astype(np.int64)
    forward, backward = i * n + j, j * n + i
    if values is None:
        forward, backward = np.unique(forward), np.unique(backward)
        mutual = np.isin(forward, backward, assume_unique=True)
    else:
        # A NaN equals a NaN here: a pair unobserved in both directions is mutual.
        shown = values[off].view(np.int64)
        a, b = np.lexsort((shown, forward)), np.lexsort((shown, backward))
        if (
            forward.size == backward.size
            and np.array_equal(forward[a], backward[b])
            and np.array_equal(shown[a], shown[b])
        ):
            return False, "every pair stands in both directions with the same value"
        mutual = np.isin(forward, backward)
    if values is None and mutual.all():
        return False, "every pair stands in both directions"
    if not mutual.any():
        return True, "no pair stands in both directions; if the relation is mutual, say that it is undirected"
    if mutual.all():
        return True, "pairs differ between their two directions"
    return True, f"{np.mean(~mutual):.0%} of the rows stand in one direction only"
