"""Train, test and validation entries at random, relation by relation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .errors import DataError, Problem

if TYPE_CHECKING:
    from .relational import RelationalData

Positions = npt.NDArray[np.intp]


def split(data: RelationalData, train: float, seed: int, validation: float, stratify: bool) -> tuple[Positions, ...]:
    """Positions of the entries of each part: train, test and, where asked for, validation."""
    if not 0 < train < 1:
        raise DataError(Problem(f"train = {train}", "a fraction between 0 and 1, such as 0.1 for 10%"))
    if not 0 <= validation < 1:
        raise DataError(Problem(f"validation = {validation}", "a fraction from 0 to below 1 of the training entries"))
    parts: list[list[Positions]] = [[], [], []]
    for k, relation in enumerate(data.relations):
        # A stream for each relation: its split does not depend on which other relations there are.
        rng = np.random.default_rng([seed, k])
        at = data.slice(k)
        rows = np.arange(at.start, at.stop)
        order = _shuffled(rows, data.y[at] if stratify and relation.kind in ("binary", "ordinal") else None, rng)
        n_train = _share(train, rows.size)
        n_held = min(round(validation * n_train), max(n_train - 1, 0))
        # Every part is what lies between two prefixes of the order, so a stratified order gives stratified parts.
        fitted, held, tested = np.split(order, [n_train - n_held, n_train])
        for part, chosen in zip(parts, (fitted, tested, held), strict=True):
            part.append(chosen)
    wanted = parts if validation > 0 else parts[:2]
    return tuple(_in_order(part, len(data)) for part in wanted)


def _in_order(chosen: list[Positions], size: int) -> Positions:
    """Positions below `size` as ascending ones: marking them is much faster than sorting."""
    marked = np.zeros(size, dtype=bool)
    for positions in chosen:
        marked[positions] = True
    return np.flatnonzero(marked)


def _share(train: float, size: int) -> int:
    """How many of `size` entries train: at least one, and at least one left to test, where there are two."""
    return size if size < 2 else min(max(round(train * size), 1), size - 1)


def _shuffled(rows: Positions, classes: npt.NDArray[np.float64] | None, rng: np.random.Generator) -> Positions:
    """The rows in random order; with classes, every prefix holds each class in its share, rounded."""
    order = rng.permutation(rows.size)
    if classes is None:
        return rows[order]
    shuffled = classes[order]
    place = np.empty(rows.size)
    for value in np.unique(shuffled):
        members = np.flatnonzero(shuffled == value)
        place[members] = (np.arange(members.size) + rng.random()) / members.size
    return rows[order[np.argsort(place, kind="stable")]]
