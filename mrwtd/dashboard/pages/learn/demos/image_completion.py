"""Missing data and weights: an image with missing pixels, completed in two ways.

The image is a matrix of 0 (paper) and 1 (ink). *Missing as missing* fits the known pixels with weight 1 and gives all
others weight 0. *Missing as zero* fits all pixels with weight 1 and treats unknown ones as paper. Rank, λ, loss and
start are the same.
"""

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
FRACTIONS = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""The fractions of known pixels that can be chosen."""


@dataclass(frozen=True)
class Completion:
    """An image completed in two ways.

    Attributes:
        truth: all pixels.
        known: which of them the fits use.
        predicted: the predictions for all pixels by "zero" and "missing", and by "mean" the mean of the known pixels.
        errors: root mean square errors of these predictions on the hidden pixels.
        ink: the mean prediction for hidden ink, by "zero" and "missing"; 1 is correct.
    """

    truth: Array
    known: BoolArray
    predicted: dict[str, Array]
    errors: dict[str, float]
    ink: dict[str, float]


def image(word: str = "TIES", size: int = SIZE) -> Array:
    """A word as a square matrix of 0 and 1. A row has one of seven patterns, so that the rank is low.

    >>> int(np.linalg.matrix_rank(image()))
    5
    """
    rows = (".".join(letters) for letters in zip(*(LETTERS[letter].split() for letter in word), strict=True))
    small = np.array([[float(dot == "#") for dot in row] for row in rows])
    large = np.kron(small, np.ones((size // (small.shape[0] + 1), size // (small.shape[1] + 1))))
    top, left = ((size - side) // 2 for side in large.shape)
    canvas = np.zeros((size, size))
    canvas[top : top + large.shape[0], left : left + large.shape[1]] = large
    return canvas


def complete(fraction: float, seed: int = 0) -> Completion:
    """The image completed from a fraction of its pixels.

    >>> half = complete(0.5)
    >>> half.errors["missing"] < half.errors["zero"]
    True
    """
    truth = image()
    order = np.random.default_rng(seed).permutation(truth.size)
    known = (order < round(fraction * truth.size)).reshape(truth.shape)
    predicted = {
        "zero": fit_pixels(np.where(known, truth, 0.0), np.ones_like(known)),
        "missing": fit_pixels(truth, known),
        "mean": np.full_like(truth, truth[known].mean()),
    }
    errors = {name: float(np.sqrt(np.mean((pixels - truth)[~known] ** 2))) for name, pixels in predicted.items()}
    ink = {name: float(predicted[name][~known & (truth == 1)].mean()) for name in ("zero", "missing")}
    return Completion(truth, known, predicted, errors, ink)


def fit_pixels(pixels: Array, known: BoolArray) -> Array:
    """Predictions for all pixels from a fit to the known ones.

    >>> fit_pixels(np.eye(4), np.eye(4, dtype=bool)).shape
    (4, 4)
    """
    model = MrWTD(rank=RANK, loss="quadratic", lam=LAM).fit(_entries(pixels, known))
    return model.predict(_entries(pixels, np.ones_like(known))).reshape(pixels.shape)


def _entries(pixels: Array, known: BoolArray) -> RelationalData:
    i, j = np.nonzero(known)
    names = tuple(f"line {number + 1}" for number in range(len(pixels)))
    return RelationalData(names, (Relation("ink", "real", True),), i, j, np.zeros_like(i), pixels[known])
