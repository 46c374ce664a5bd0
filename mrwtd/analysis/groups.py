"""What sets a group of objects apart from all others: attributes, ties among themselves, factors.

Each finding has a strength, so that findings of different kinds can be ranked: the difference of two means in standard
deviations of all objects, where a share is the mean of zeros and ones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..typing import Array, BoolArray
from .interpretation import format_number

MAX_CLASSES = 50
"""An attribute of more values than this is a name rather than a class."""

COLUMNS = ("feature", "inside", "outside", "strength", "description")


def distinguishing_features(data: RelationalData, points: Array, members: npt.ArrayLike, top: int = 6) -> pd.DataFrame:
    """What sets the members apart, strongest first: what, inside, outside, strength, and a sentence.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("aucs")
    >>> members = np.flatnonzero(data.attributes["group"] == "G2")
    >>> distinguishing_features(data, np.zeros((61, 2)), members)["description"][0]
    'group is G2 for 100% of them, and for 0% of the others.'

    Args:
        data: all that is known.
        points: (n, r), the factors of all objects, best on principal axes.
        members: positions of the objects of the group.
        top: at most so many findings.
    """
    inside = np.zeros(data.n_objects, dtype=bool)
    inside[np.asarray(members, dtype=np.intp)] = True
    if not inside.any() or inside.all():
        return pd.DataFrame(columns=list(COLUMNS))
    rows = [*_attributes(data, inside), *_ties(data, inside), *_factors(points, inside)]
    found = pd.DataFrame(rows, columns=list(COLUMNS)).dropna(subset="strength")
    strong = found[found["strength"].abs() >= 0.3]
    return strong.sort_values("strength", key=np.abs, ascending=False, ignore_index=True, kind="stable").head(top)


Row = tuple[str, float, float, float, str]


def _attributes(data: RelationalData, inside: BoolArray) -> list[Row]:
    rows: list[Row] = []
    for name, column in data.attributes.items():
        if pd.api.types.is_numeric_dtype(column) and column.nunique() > 2:
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            a, b, strength = _apart(values, inside)
            rows.append(
                (
                    str(name),
                    a,
                    b,
                    strength,
                    f"{name} is {format_number(a, 3)} on average, and {format_number(b, 3)} of the others.",
                )
            )
        elif column.nunique() <= MAX_CLASSES:
            known = column.notna().to_numpy()
            for value in column.dropna().unique():
                is_it = np.where(known, (column == value).to_numpy(dtype=bool, na_value=False), np.nan)
                a, b, strength = _apart(is_it.astype(np.float64), inside)
                if strength > 0:
                    words = f"{name} is {value} for {a:.0%} of them, and for {b:.0%} of the others."
                    rows.append((f"{name}: {value}", a, b, strength, words))
    return rows


def _ties(data: RelationalData, inside: BoolArray) -> list[Row]:
    """How they relate among themselves, against all other pairs."""
    data = observed(data)
    rows: list[Row] = []
    for k, relation in enumerate(data.relations):
        part = data.slice(k)
        off = data.i[part] != data.j[part]
        among = (inside[data.i[part]] & inside[data.j[part]])[off]
        values = data.original_values(k)[off]
        if relation.kind == "binary":
            a, b, strength = _apart((values > 0).astype(np.float64), among)
            words = f"{relation.name} ties {a:.0%} of the known pairs among themselves, and {b:.0%} of the others."
        else:
            a, b, strength = _apart(values, among)
            among_text, other_text = format_number(a, 3), format_number(b, 3)
            words = f"{relation.name} is {among_text} on average among themselves, and {other_text} elsewhere."
        rows.append((relation.name, a, b, strength, words))
    return rows


def _factors(points: Array, inside: BoolArray) -> list[Row]:
    rows: list[Row] = []
    for factor, column in enumerate(points.T, start=1):
        a, b, strength = _apart(column, inside)
        side = "high" if strength > 0 else "low"
        words = f"Factor {factor} is {side}: {a:+.2f} on average, and {b:+.2f} of the others.".replace("-", "−")
        rows.append((f"factor {factor}", a, b, strength, words))
    return rows


def _apart(values: Array, inside: BoolArray) -> tuple[float, float, float]:
    """The mean inside and outside, and their difference in standard deviations; NaN where it has no meaning."""
    known = np.isfinite(values)
    own, other = values[known & inside], values[known & ~inside]
    if not own.size or not other.size:
        return float("nan"), float("nan"), float("nan")
    deviation = float(values[known].std())
    a, b = float(own.mean()), float(other.mean())
    return a, b, (a - b) / deviation if deviation > 0 else float("nan")
