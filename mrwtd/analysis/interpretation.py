"""Interpretation of R_k in words: which objects relate to which.

On principal axes, x − b is a sum of terms p_i[f] R[f, g] p_j[g]. With coordinates of the typical size s, the term of a
cell is its effect e[f, g] = s_f R[f, g] s_g. It is in the unit of x, so cells can be compared.

A positive cell raises x between objects on the same side of the two axes, a negative one between objects on opposite
sides. The words describe the sides with the most objects.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.relations import Relation
from ..typing import Array
from .projection import axis_scales

EXAMPLES = 3
SIDES = {1: "high", -1: "low"}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float, digits: int = 4) -> str:
    """Format a number without powers of ten, with a true minus sign.

    >>> format_number(29_810.4), format_number(0.123456), format_number(12.0), format_number(-1234.5, digits=3)
    ('29,810', '0.1235', '12', '−1,234')
    """
    text = f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
    return text.replace("-", "−")


def format_score(value: float) -> str:
    """Format a score with three decimals, or fewer digits if it is large.

    >>> [format_score(value) for value in (0.5, 1311.4, 90_261_385_262.172, -4e7, np.nan)]
    ['0.500', '1,311', '9.0 × 10¹⁰', '−4.0 × 10⁷', '–']
    """
    if not np.isfinite(value):
        return "–"
    if abs(value) < 1_000_000:
        return f"{value:{'.3f' if abs(value) < 1_000 else ',.0f'}}".replace("-", "−")
    digits, power = f"{value:.1e}".replace("-", "−").split("e+")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def format_parameter(value: float) -> str:
    """Format a parameter such as λ with three digits, without powers of ten below a million.

    >>> format_parameter(1000.0), format_parameter(0.31623)
    ('1000', '0.316')
    """
    return f"{float(f'{value:.3g}'):g}"


def effects(points: Array, R: Array) -> Array:
    """The typical size of the term of each cell of R: s_f R[f, g] s_g.

    >>> effects(np.array([[2.0, 1.0], [-2.0, 1.0]]), np.ones((2, 2))).tolist()
    [[4.0, 2.0], [2.0, 1.0]]
    """
    s = axis_scales(points)
    return R * np.outer(s, s)


def strong_cells(
    points: Array, R: Array, relation: Relation, objects: tuple[str, ...], top: int = 5, min_fraction: float = 0.1
) -> pd.DataFrame:
    """The strongest cells of R with their meaning: source_factor, target_factor (from 1), value, effect, description.

    >>> points = np.array([[2.0, 0.1], [-2.0, 0.1], [1.9, 0.1]])
    >>> cells = strong_cells(points, np.diag([1.0, 0.1]), Relation("likes", "binary", False), ("ann", "bob", "cat"))
    >>> cells["description"].tolist()
    ['Objects high on factor 1 (ann, cat) tend to relate to one another.']

    Args:
        points: (n, r), the objects on principal axes.
        R: (r, r), the relation on the same axes.
        relation: the relation.
        objects: the names of the objects.
        top: the number of cells at most.
        min_fraction: cells with a smaller fraction of the strongest effect are left out.
    """
    effect = effects(points, R)
    shown = effect if relation.directed else np.triu(effect)
    strongest = float(np.abs(shown).max(initial=0.0))
    order = np.argsort(-np.abs(shown), axis=None, kind="stable")[:top]
    rows = []
    for f, g in zip(*np.unravel_index(order, shown.shape), strict=True):
        if strongest == 0 or abs(shown[f, g]) < min_fraction * strongest:
            break
        text = _sentence(_Axis(points, objects, int(f)), _Axis(points, objects, int(g)), R[f, g], relation)
        rows.append((int(f) + 1, int(g) + 1, float(R[f, g]), float(effect[f, g]), text))
    return pd.DataFrame(rows, columns=["source_factor", "target_factor", "value", "effect", "description"])


@dataclass(frozen=True)
class _Axis:
    """One axis with the objects on it."""

    points: Array
    objects: tuple[str, ...]
    axis: int

    def mass(self, sign: int) -> float:
        """The sum of the coordinates of the objects on one side."""
        return float(np.clip(sign * self.points[:, self.axis], 0, None).sum())

    def side(self, sign: int, axis_name: str = "") -> str:
        """One side in words, with its outermost objects."""
        coordinates = sign * self.points[:, self.axis]
        first = np.argsort(-coordinates, kind="stable")[:EXAMPLES]
        names = [self.objects[row] for row in first if coordinates[row] > 0.3 * coordinates[first[0]] > 0]
        return f"{SIDES[sign]} on {axis_name or f'factor {self.axis + 1}'} ({', '.join(names)})"


def _sentence(source: _Axis, target: _Axis, value: float, relation: Relation) -> str:
    """The statement that holds for most objects: "tend to" is preferred unless it holds for few."""
    mass = {(a, b): source.mass(a) * target.mass(b) for a in (1, -1) for b in (1, -1)}
    raised = 1 if value > 0 else -1
    a, b = max((sides for sides in mass if sides[0] * sides[1] == raised), key=mass.__getitem__)
    against = max((sides for sides in mass if sides[0] * sides[1] != raised), key=mass.__getitem__)
    positive = mass[a, b] >= 0.5 * mass[against]
    if not positive:
        a, b = against
    verb = "tend to relate to" if positive else "tend not to relate to"
    if relation.kind != "binary":
        verb = f"tend to have {'higher' if positive else 'lower'} values with"
    same = source.axis == target.axis
    others = "one another" if same and a == b else f"objects {target.side(b, 'it' if same else '')}"
    return f"Objects {source.side(a)} {verb} {others}."
