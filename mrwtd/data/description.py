"""The table that says, relation by relation, what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..typing import AnyArray, IndexArray
from .observed import observed
from .reciprocity import reciprocity, reverse_positions

if TYPE_CHECKING:
    from .relational import RelationalData


COLUMNS = {
    "kind": "binary, ordinal, count or real",
    "directed": "whether source and target play different parts",
    "entries": "known entries; an undirected pair counts once",
    "density": "ties (positive or non-zero entries) as a share of all possible pairs",
    "balance": "ties as a share of the known entries",
    "low": "the least value",
    "high": "the greatest value",
    "symmetry": "of the known pairs whose reverse is known too, the share with the same value",
    "reciprocity": (
        "of directed relations, over the pairs known in both directions: the share of ties that are mutual (binary), "
        "or the correlation of the two directions (other kinds). From 0.8 on the reverse of a pair gives its value "
        "away, so test pairs are held out in both directions"
    ),
    "missing": "the share of possible pairs that is not known",
}
"""What each column of `describe` means, in a line: the dashboard shows these as hints."""

VALUES_HELP = (
    "of the known entries: the share of ties in a binary relation, the share above 0 in a count, the most frequent "
    "level of an ordinal one and its share, mean ± standard deviation of a real one"
)
"""What the words of `spread` mean."""


def describe(data: RelationalData) -> pd.DataFrame:
    """One row per relation, with the columns of `COLUMNS`. Entries of weight 0 are unobserved."""
    data = observed(data)
    rows = [_describe_relation(data, k) for k in range(data.n_relations)]
    index = pd.Index([relation.name for relation in data.relations], name="relation", dtype="str")
    return pd.DataFrame(rows, index=index, columns=list(COLUMNS))


def summarize_values(data: RelationalData) -> list[str]:
    """How the known values of each relation are spread, in a few words, as `VALUES` explains.

    >>> import mrwtd
    >>> summarize_values(mrwtd.load_dataset("florentine"))
    ['14% ties', '19% ties']
    """
    data = observed(data)
    return [_spread(relation.kind, data.original_values(k)) for k, relation in enumerate(data.relations)]


def _spread(kind: str, values: AnyArray) -> str:
    if not values.size:
        return ""
    if kind in ("binary", "count"):
        return f"{_share(values > 0)} {'ties' if kind == 'binary' else 'above 0'}"
    if kind == "ordinal":
        levels, times = np.unique(values, return_counts=True)
        usual = levels[times.argmax()]
        return f"{_share(values == usual)} are {usual:g}"
    with np.errstate(over="ignore", invalid="ignore"):  # squares of huge numbers
        return " ± ".join(f"{x:,.0f}" if 1e3 <= abs(x) < 1e6 else f"{x:.3g}" for x in (values.mean(), values.std()))


def _share(true: AnyArray) -> str:
    """A share in percent, with digits behind the point where few would be taken for none, or most for all."""
    share = float(np.mean(true))
    if share in (0, 1) or 0.1 <= share < 0.995:
        return f"{share:.0%}"
    return f"{100 * share:.{2 if share < 0.1 else 4}g}%"


def possible_pairs(n: int, directed: bool, with_self: bool) -> int:
    """How many pairs a relation among n objects can hold."""
    pairs = n * (n - 1) if directed else n * (n - 1) // 2
    return pairs + n * with_self


def _describe_relation(data: RelationalData, k: int) -> dict[str, object]:
    relation, at = data.relations[k], data.slice(k)
    i, j = data.i[at], data.j[at]
    values = data.original_values(k)
    ties = int(np.count_nonzero(values > 0 if relation.kind == "binary" else values))
    # Self-pairs are possible where one is known: most relations have none by their nature.
    pairs = possible_pairs(data.n_objects, relation.directed, bool((i == j).any()))
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
    """Of the pairs known in both directions, the share that agree; NaN where there is none."""
    both = np.flatnonzero((reverse >= 0) & (reverse != np.arange(reverse.size)))
    return float(np.mean(values[both] == values[reverse[both]])) if both.size else float("nan")
