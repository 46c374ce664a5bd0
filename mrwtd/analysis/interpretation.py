"""What R_k says, in words: which objects relate to which.

On principal axes, x − b is a sum of terms p_i[f] R[f, g] p_j[g]. With coordinates of the typical size s, the term of a
cell is e[f, g] = s_f R[f, g] s_g, its effect: in the unit of x, so that cells can be compared.

A positive cell lifts x between objects on the same side of the two axes, a negative one between those on opposite
sides. Which of the possible sentences is said depends on where the objects are: a side with nobody on it
has nothing to say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.relations import Relation
from ..typing import Array
from .rotation import axis_scales

EXAMPLES = 3
SIDES = {1: "high", -1: "low"}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float, digits: int = 4) -> str:
    """A number for people, who do not read 2.981e+04.

    >>> format_number(29_810.4), format_number(0.123456), format_number(12.0), format_number(-1234.5, digits=3)
    ('29,810', '0.1235', '12', '-1,234')
    """
    return f"{value:,.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def format_score(value: float) -> str:
    """A score for people: three decimals, and never a long row of digits.

    >>> [format_score(value) for value in (0.5, 1311.4, 90_261_385_262.172, -4e7, np.nan)]
    ['0.500', '1,311', '9.0 × 10¹⁰', '−4.0 × 10⁷', '–']
    """
    if not np.isfinite(value):
        return "–"
    if abs(value) < 1_000:
        return f"{value:.3f}".replace("-", "−")
    if abs(value) < 1_000_000:
        return f"{value:,.0f}".replace("-", "−")
    digits, power = f"{value:.1e}".replace("-", "−").split("e+")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def format_parameter(value: float) -> str:
    """A parameter such as λ: three digits, and no power of ten below a million.

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
    """The strongest cells of R and what they mean: source_factor, target_factor (from 1), value, effect, description.

    >>> points = np.array([[2.0, 0.1], [-2.0, 0.1], [1.9, 0.1]])
    >>> cells = strong_cells(points, np.diag([1.0, 0.1]), Relation("likes", "binary", False), ("ann", "bob", "cat"))
    >>> cells["description"].tolist()
    ['Objects high on factor 1 (ann, cat) tend to relate to one another.']

    Args:
        points: (n, r), the objects on principal axes.
        R: (r, r), the relation on the same axes.
        relation: which relation it is.
        objects: the names of the objects.
        top: at most so many cells.
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
        words = _sentence(_Side(points, objects, int(f)), _Side(points, objects, int(g)), R[f, g], relation)
        rows.append((int(f) + 1, int(g) + 1, float(R[f, g]), float(effect[f, g]), words))
    return pd.DataFrame(rows, columns=["source_factor", "target_factor", "value", "effect", "description"])


@dataclass(frozen=True)
class _Side:
    """One axis, and who stands where on it."""

    points: Array
    objects: tuple[str, ...]
    axis: int

    def mass(self, sign: int) -> float:
        """How far out the objects of one side are, all together."""
        return float(np.clip(sign * self.points[:, self.axis], 0, None).sum())

    def examples(self, sign: int) -> str:
        """The outermost objects of one side."""
        out = sign * self.points[:, self.axis]
        first = np.argsort(-out, kind="stable")[:EXAMPLES]
        return ", ".join(self.objects[at] for at in first if out[at] > 0.3 * out[first[0]] > 0)


def _sentence(source: _Side, target: _Side, value: float, relation: Relation) -> str:
    """The statement that holds for most: "tend to" wins over "tend not to" unless it is of few."""
    lifts = 1 if value > 0 else -1
    quadrants = [(a, b, source.mass(a) * target.mass(b)) for a in (1, -1) for b in (1, -1)]
    for_it = max((q for q in quadrants if q[0] * q[1] == lifts), key=lambda q: q[2])
    against = max((q for q in quadrants if q[0] * q[1] != lifts), key=lambda q: q[2])
    a, b, mass = for_it
    tend = "tend to"
    if mass < 0.5 * against[2]:
        (a, b, _), tend = against, "tend not to"
    verb = f"{tend} relate to"
    if relation.kind != "binary":
        verb = f"tend to have {'higher' if tend == 'tend to' else 'lower'} values with"
    here = f"Objects {SIDES[a]} on factor {source.axis + 1} ({source.examples(a)})"
    if source.axis != target.axis:
        return f"{here} {verb} objects {SIDES[b]} on factor {target.axis + 1} ({target.examples(b)})."
    return f"{here} {verb} " + ("one another." if a == b else f"objects {SIDES[b]} on it ({target.examples(b)}).")
