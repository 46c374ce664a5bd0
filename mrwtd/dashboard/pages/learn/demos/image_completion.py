"""Why weights: a picture of which only some pixels are known, completed in two ways.

The picture is a matrix of 0 (paper) and 1 (ink). *Missing as missing* fits the known pixels alone, each with weight 1
and all others with weight 0. *Missing as zero* fits all pixels with weight 1, and takes those that are not known for
paper. Everything else is the same: rank, λ, loss and start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....data.relational import RelationalData
from .....data.relations import Relation
from .....model.mrwtd import MrWTD
from .....typing import Array, BoolArray

LETTERS = {
    "T": "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",
    "I": "##### ..#.. ..#.. ..#.. ..#.. ..#.. #####",
    "E": "##### #.... #.... ####. #.... #.... #####",
    "S": "##### #.... #.... ##### ....# ....# #####",
}
SIZE, RANK, LAM = 48, 10, 0.3
SHARES = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""The shares of known pixels that can be chosen."""


@dataclass(frozen=True)
class Completion:
    """A picture completed from some of its pixels in two ways.

    Attributes:
        truth: all pixels.
        known: which of them the fits see.
        as_zero, as_missing: what either fit says of all pixels.
        errors: root mean square errors on the pixels that are not known, by "zero", "missing" and "mean": the last is
            that of the mean of the known pixels, for comparison.
        ink: the mean of what either fit says of hidden ink, by "zero" and "missing"; 1 would be right.
    """

    truth: Array
    known: BoolArray
    as_zero: Array
    as_missing: Array
    errors: dict[str, float]
    ink: dict[str, float]


def picture(word: str = "TIES", size: int = SIZE) -> Array:
    """A word as a square matrix of 0 and 1. However long the word, a row has one of seven patterns: a low rank.

    >>> int(np.linalg.matrix_rank(picture()))
    5
    """
    rows = (".".join(letter) for letter in zip(*(LETTERS[one].split() for one in word), strict=True))
    small = np.array([[float(dot == "#") for dot in row] for row in rows])
    large = np.kron(small, np.ones((size // (small.shape[0] + 1), size // (small.shape[1] + 1))))
    top, left = ((size - side) // 2 for side in large.shape)
    canvas = np.zeros((size, size))
    canvas[top : top + large.shape[0], left : left + large.shape[1]] = large
    return canvas


def complete(share: float, seed: int = 0) -> Completion:
    """The picture completed from a share of its pixels.

    >>> half = complete(0.5)
    >>> half.errors["missing"] < half.errors["zero"]
    True
    """
    truth = picture()
    order = np.random.default_rng(seed).permutation(truth.size)
    known = (order < round(share * truth.size)).reshape(truth.shape)
    everywhere = np.ones_like(known)
    as_missing = _fitted(truth, known)
    as_zero = _fitted(np.where(known, truth, 0.0), everywhere)
    hidden = ~known
    said = {"zero": as_zero, "missing": as_missing, "mean": np.full_like(truth, truth[known].mean())}
    return Completion(
        truth,
        known,
        as_zero,
        as_missing,
        {name: float(np.sqrt(np.mean((one - truth)[hidden] ** 2))) for name, one in said.items()},
        {name: float(said[name][hidden & (truth == 1)].mean()) for name in ("zero", "missing")},
    )


def _fitted(pixels: Array, known: BoolArray) -> Array:
    """What a fit to the known pixels says of all."""
    model = MrWTD(rank=RANK, loss="quadratic", lam=LAM).fit(_entries(pixels, known))
    said = model.predict(_entries(pixels, np.ones_like(known)))
    return np.asarray(said.reshape(pixels.shape))


def _entries(pixels: Array, known: BoolArray) -> RelationalData:
    i, j = np.nonzero(known)
    names = tuple(f"line {number + 1}" for number in range(len(pixels)))
    return RelationalData(names, (Relation("ink", "real", True),), i, j, np.zeros_like(i), pixels[known])
