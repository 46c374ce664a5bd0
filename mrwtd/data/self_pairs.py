"""Pairs of an object with itself: the diagonals of matrices, and loops in lists and graphs.

A diagonal that is the same throughout, such as the zeros of a matrix of friendships, says nothing: most programs write
it because a matrix has one, whatever the header says. By default it is left out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..typing import IndexArray
from .arguments import check_choice
from .table import Table

SELF_PAIRS = {
    "auto": "left out where all are listed with the same value",
    "keep": "entries like all others",
    "drop": "left out",
}
"""What happens to listed self-pairs."""

MAX_NAMED = 3
"""Maximum number of relations that a note names."""


def select_self_pairs(table: Table, how: str) -> Table:
    """The table with or without its self-pairs, and a note if some are left out.

    >>> table = Table.from_names(list("aabb"), ["likes"] * 4, list("abab"), values=[0, 1, 1, 0])
    >>> select_self_pairs(table, "auto").values, select_self_pairs(table, "keep").values
    (array([1., 1.]), array([0., 1., 1., 0.]))
    """
    check_choice("self_pairs", how, SELF_PAIRS)
    if how == "keep" or (how == "auto" and table.is_exact):
        return table
    loops = np.flatnonzero(table.i == table.j)
    if not loops.size:
        return table
    left_out = loops
    if how == "drop":
        note = f"{loops.size:,} self-pair{'s' * (loops.size > 1)} left out, as requested."
    else:
        values = _constant_diagonals(table, loops)
        if not values:
            return table
        left_out = loops[np.isin(table.k[loops], list(values))]
        note = _note([table.relations[k] for k in values], sorted(set(values.values())))
    return replace(table.take(np.delete(np.arange(table.i.size), left_out)), notes=(*table.notes, note))


def _constant_diagonals(table: Table, loops: IndexArray) -> dict[int, float]:
    """By relation: the only value of its self-pairs, if that of every object is listed."""
    n, order = len(table.objects), loops[np.argsort(table.k[loops], kind="stable")]
    bounds = np.searchsorted(table.k[order], np.arange(len(table.relations) + 1))
    diagonals = {}
    for k in np.flatnonzero(np.diff(bounds) >= n).tolist():
        rows = order[bounds[k] : bounds[k + 1]]
        values = np.ones(1) if table.values is None else np.unique(table.values[rows])
        known = values[~np.isnan(values)]
        if known.size == 1 and np.unique(table.i[rows]).size == n:
            diagonals[k] = float(known[0])
    return diagonals


def _note(names: Sequence[str], values: Sequence[float]) -> str:
    where = ", ".join(names) if len(names) <= MAX_NAMED else f"{len(names):,} relations"
    value = f"all {values[0]:g}" if len(values) == 1 else "the same in each relation"
    return f"{where}: the self-pairs are {value} and are left out. To read them as entries, set self-pairs to “keep”."


def filled_note(listed: int, filled: int) -> str:
    """The note on self-pairs that became entries because some are listed and unlisted pairs have no tie.

    >>> filled_note(1, 541)
    '1 self-pair is listed, so the other 541 are read as no tie. To leave all out, set self-pairs to “drop”.'
    """
    are = "self-pairs are" if listed > 1 else "self-pair is"
    others = f"the other {filled:,} are read as no tie"
    return f"{listed:,} {are} listed, so {others}. To leave all out, set self-pairs to “drop”."
