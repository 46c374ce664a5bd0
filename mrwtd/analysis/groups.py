"""Features that distinguish a group of objects from all others: attributes, ties within the group, factors.

Each feature has a strength, so that features of different types can be ranked: the difference of two means in standard
deviations over all objects. A fraction is the mean of zeros and ones.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from ..typing import Array, BoolArray
from .interpretation import format_number

MAX_CLASSES = 50
"""An attribute with more values than this is a name, not a class."""

COLUMNS = ("feature", "inside", "outside", "strength", "description")


def distinguishing_features(data: RelationalData, points: Array, members: npt.ArrayLike, top: int = 6) -> pd.DataFrame:
    """The features that distinguish the members, strongest first: feature, inside, outside, strength, description.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("aucs")
    >>> members = np.flatnonzero(data.attributes["group"] == "G2")
    >>> distinguishing_features(data, np.zeros((61, 2)), members)["description"][0]
    'group is G2 for 100% of them, and for 0% of the others.'

    Args:
        data: the data, with attributes.
        points: (n, r), the factors of all objects, preferably on principal axes.
        members: the positions of the objects of the group.
        top: the number of features at most.
    """
    inside = np.zeros(data.n_objects, dtype=bool)
    inside[np.asarray(members, dtype=np.intp)] = True
    if not inside.any() or inside.all():
        return pd.DataFrame(columns=list(COLUMNS))
    rows = [*_attributes(data, inside), *_ties(data, inside), *_factors(points, inside)]
    features = pd.DataFrame(rows, columns=list(COLUMNS)).dropna(subset="strength")
    strong = features[features["strength"].abs() >= 0.3]
    return strong.sort_values("strength", key=np.abs, ascending=False, ignore_index=True, kind="stable").head(top)


Row = tuple[str, float, float, float, str]


def _attributes(data: RelationalData, inside: BoolArray) -> Iterator[Row]:
    for name, column in data.attributes.items():
        if pd.api.types.is_numeric_dtype(column) and column.nunique() > 2:
            a, b, strength = _compare(column.to_numpy(dtype=np.float64, na_value=np.nan), inside)
            text = f"{name} is {format_number(a, 3)} on average, and {format_number(b, 3)} for the others."
            yield str(name), a, b, strength, text
        elif column.nunique() <= MAX_CLASSES:
            known = column.notna().to_numpy()
            for value in column.dropna().unique():
                equal = (column == value).to_numpy(dtype=bool, na_value=False)
                a, b, strength = _compare(np.where(known, equal, np.nan).astype(np.float64), inside)
                if strength > 0:
                    text = f"{name} is {value} for {a:.0%} of them, and for {b:.0%} of the others."
                    yield f"{name}: {value}", a, b, strength, text


def _ties(data: RelationalData, inside: BoolArray) -> Iterator[Row]:
    """The relations among the members, compared with all other pairs."""
    data = data.observed()
    for k, relation in enumerate(data.relations):
        i, j, values = data.i[data.slice(k)], data.j[data.slice(k)], data.original_values(k)
        off = i != j
        among = (inside[i] & inside[j])[off]
        if relation.kind == "binary":
            a, b, strength = _compare((values > 0).astype(np.float64)[off], among)
            text = f"{relation.name}: {a:.0%} of the known pairs among them are ties, and {b:.0%} of the others."
        else:
            a, b, strength = _compare(values[off], among)
            numbers = format_number(a, 3), format_number(b, 3)
            text = f"{relation.name} is {numbers[0]} on average among them, and {numbers[1]} elsewhere."
        yield relation.name, a, b, strength, text


def _factors(points: Array, inside: BoolArray) -> Iterator[Row]:
    for factor, column in enumerate(points.T, start=1):
        a, b, strength = _compare(column, inside)
        side = "high" if strength > 0 else "low"
        text = f"Factor {factor} is {side}: {a:+.2f} on average, and {b:+.2f} for the others.".replace("-", "−")
        yield f"factor {factor}", a, b, strength, text


def _compare(values: Array, inside: BoolArray) -> tuple[float, float, float]:
    """The mean inside and outside, and their difference in standard deviations; NaN if it is not defined."""
    known = np.isfinite(values)
    if not (known & inside).any() or not (known & ~inside).any():
        return float("nan"), float("nan"), float("nan")
    deviation = float(values[known].std())
    a, b = float(values[known & inside].mean()), float(values[known & ~inside].mean())
    return a, b, (a - b) / deviation if deviation > 0 else float("nan")
