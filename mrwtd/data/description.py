"""`describe`: a table of what is known about each relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..typing import AnyArray, IndexArray
from .possible_pairs import possible_pairs
from .splitting import reciprocity, reverse_positions

if TYPE_CHECKING:
    from .relational import RelationalData


COLUMNS = {
    "kind": "binary, ordinal, count or real",
    "directed": "whether a pair can have different values in its two directions",
    "entries": "known entries; an undirected pair counts once",
    "density": "ties (positive or non-zero entries) as a fraction of all possible pairs",
    "balance": "ties as a fraction of the known entries",
    "low": "the smallest value",
    "high": "the largest value",
    "symmetry": "the fraction of pairs known in both directions that have the same value in both",
    "reciprocity": (
        "of directed relations, over pairs known in both directions: the fraction of ties that are mutual (binary), or "
        "the correlation of the two directions (other kinds). From 0.8, the reverse of a pair reveals its value, "
        "so test pairs are held out in both directions"
    ),
    "missing": "the fraction of possible pairs that is not known",
}
"""The columns of `describe`, each with a tooltip for the dashboard."""

VALUES_HELP = (
    "of the known entries: the fraction of ties (binary), the fraction above 0 (count), the most frequent level and "
    "its fraction (ordinal), or mean ± standard deviation (real)"
)
"""A tooltip for the texts of `summarize_values`."""


def describe(data: RelationalData) -> pd.DataFrame:
    """One row per relation, with the columns of `COLUMNS`. Entries of weight 0 are unobserved."""
    data = data.observed()
    rows = [_describe_relation(data, k) for k in range(data.n_relations)]
    index = pd.Index([relation.name for relation in data.relations], name="relation", dtype="str")
    return pd.DataFrame(rows, index=index, columns=list(COLUMNS))


def summarize_values(data: RelationalData) -> list[str]:
    """A short text on the known values of each relation; see `VALUES_HELP`.

    >>> import mrwtd
    >>> summarize_values(mrwtd.load_dataset("florentine"))
    ['14% ties', '19% ties']
    """
    data = data.observed()
    return [_summarize(relation.kind, data.original_values(k)) for k, relation in enumerate(data.relations)]


def _summarize(kind: str, values: AnyArray) -> str:
    if not values.size:
        return ""
    if kind in ("binary", "count"):
        return f"{_percentage(values > 0)} {'ties' if kind == 'binary' else 'above 0'}"
    if kind == "ordinal":
        levels, counts = np.unique(values, return_counts=True)
        most_frequent = levels[counts.argmax()]
        return f"{_percentage(values == most_frequent)} are {most_frequent:g}".replace("-", "−")
    with np.errstate(over="ignore", invalid="ignore"):  # squares of very large numbers
        return " ± ".join(f"{x:,.0f}" if 1e3 <= abs(x) < 1e6 else f"{x:.3g}" for x in (values.mean(), values.std()))


def _percentage(condition: AnyArray) -> str:
    """The percentage of true values; near 0% and 100% with decimals, so that few do not look like none."""
    fraction = float(np.mean(condition))
    if fraction in (0, 1) or 0.1 <= fraction < 0.995:
        return f"{fraction:.0%}"
    return f"{100 * fraction:.{2 if fraction < 0.1 else 4}g}%"


def _describe_relation(data: RelationalData, k: int) -> dict[str, object]:
    relation, rows = data.relations[k], data.slice(k)
    values = data.original_values(k)
    ties = int(np.count_nonzero(values > 0 if relation.kind == "binary" else values))
    # Self-pairs count as possible if one is known: most relations have none by definition.
    pairs = max(possible_pairs(data, k, with_self=bool((data.i[rows] == data.j[rows]).any())).count, 1)
    known = values.size
    reverse = reverse_positions(data, k) if relation.directed else None
    return {
        "kind": relation.kind,
        "directed": relation.directed,
        "entries": known,
        "density": ties / pairs,
        "balance": ties / known if known else np.nan,
        "low": values.min() if known else np.nan,
        "high": values.max() if known else np.nan,
        "symmetry": 1.0 if reverse is None else _symmetry(reverse, values),
        "reciprocity": reciprocity(data, k, reverse),
        "missing": 1 - known / pairs,
    }


def _symmetry(reverse: IndexArray, values: AnyArray) -> float:
    """The fraction of pairs known in both directions with equal values; NaN if there are none."""
    both = np.flatnonzero((reverse >= 0) & (reverse != np.arange(reverse.size)))
    return float(np.mean(values[both] == values[reverse[both]])) if both.size else float("nan")
