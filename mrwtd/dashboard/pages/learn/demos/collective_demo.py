"""Collective learning: one relation learned alone, and together with the others, from ever fewer entries.

Both models get the same training entries of the relation; the second one also gets those of the other relations. Each
is fitted at every λ of `LAMS`, and the best λ for each training fraction counts: neither is held back by a poor λ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .....data.relational import RelationalData
from .....plots.adjacency import grid
from .....typing import Array
from .lambda_fits import fit_lambdas

RELATION = "work"
"""The relation that is predicted at first."""

RANK = 6
LAMS = (1.0, 3.0, 10.0)
FRACTIONS = (0.6, 0.4, 0.3, 0.2, 0.1, 0.05)
"""The training fractions, from large to small."""

SPLITS, MAX_ITER = 3, 60
"""More iterations take twice as long and change the scores less than the splits do."""


@dataclass(frozen=True)
class Fraction:
    """The results at one training fraction.

    Attributes:
        fraction: the training fraction.
        alone, together: the average precision on held-out entries, one number per split.
        chance: the average precision of a random ranking: the fraction of ties among the held-out entries.
        scores: x of all pairs in the first split, "alone" and "together".
    """

    fraction: float
    alone: Array
    together: Array
    chance: float
    scores: dict[str, Array]


def shrink(data: RelationalData, relation: str) -> Iterator[Fraction]:
    """Results for each training fraction, from large to small.

    >>> import mrwtd
    >>> first = next(shrink(mrwtd.load_dataset("florentine"), "marriage"))
    >>> first.fraction, first.alone.shape
    (0.6, (3,))
    """
    k = data.relation_index(relation)
    for fraction in FRACTIONS:
        splits = [data.split(train=fraction, seed=seed, by="auto") for seed in range(SPLITS)]
        single = [(train.select_relations([relation]), test.select_relations([relation])) for train, test in splits]
        alone, x_alone = _best_fits(single, 0)
        together, x_together = _best_fits(splits, k)
        chance = float(np.mean([float(np.mean(held_out.y > 0)) for _, held_out in single]))
        yield Fraction(fraction, alone, together, chance, {"alone": x_alone, "together": x_together})


def _best_fits(splits: Sequence[tuple[RelationalData, ...]], k: int) -> tuple[Array, Array]:
    """Scores of relation k in each split at the λ with the best mean over the splits, and x in the first split."""
    paths = [fit_lambdas(train, RANK, LAMS, seed=seed, max_iter=MAX_ITER) for seed, (train, _) in enumerate(splits)]
    scores = np.array([[fit.scores(test)[k] for fit in fits] for fits, (_, test) in zip(paths, splits, strict=True)])
    best = int(np.argmax(scores.mean(axis=0)))
    return scores[:, best], paths[0][best].matrix(k)


def overlap(data: RelationalData, relation: str, other: str) -> tuple[float, float]:
    """The fraction of ties in a relation among the pairs with a tie in another one, and among all pairs.

    >>> import mrwtd
    >>> [round(fraction, 2) for fraction in overlap(mrwtd.load_dataset("florentine"), "business", "marriage")]
    [0.4, 0.14]
    """
    ties, other_ties = grid(data, relation).z, grid(data, other).z
    return float(np.nanmean(ties[other_ties == 1])), float(np.nanmean(ties))


def table(fractions: list[Fraction]) -> pd.DataFrame:
    """One row per training fraction: means and standard deviations of both models, and chance.

    >>> table([Fraction(0.2, np.full(3, 0.25), np.full(3, 0.5), 0.1, {})]).loc[0, ["alone", "together"]].tolist()
    [0.25, 0.5]
    """
    rows = [
        (item.fraction, item.alone.mean(), item.alone.std(), item.together.mean(), item.together.std(), item.chance)
        for item in fractions
    ]
    return pd.DataFrame(rows, columns=["training fraction", "alone", "alone sd", "together", "together sd", "chance"])
