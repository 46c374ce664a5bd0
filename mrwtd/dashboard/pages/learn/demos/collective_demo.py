"""Why collective: a relation learned alone, and learned together with the others, from ever fewer entries.

Both get the same training entries of the relation; the second gets those of the other relations as well. Each is
fitted at every λ of `LAMS`, and for each share of training entries the λ that is best for it counts: neither can say
that it was held back by its regularisation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .....data.relational import RelationalData
from .....typing import Array
from .lambda_paths import Stop, lam_path

RANK = 6
LAMS = (1.0, 3.0, 10.0)
FRACTIONS = (0.6, 0.4, 0.3, 0.2, 0.1, 0.05)
"""The shares of training entries, as they shrink."""

SPLITS, MOST_STEPS = 3, 60
"""More steps of the optimiser take twice as long and move the scores by no more than the splits differ."""


@dataclass(frozen=True)
class Fraction:
    """What came out at one share of training entries.

    Attributes:
        fraction: the share.
        alone, together: the average precision on held-out entries, a number for each split.
        chance: what ranking at random would reach: the share of ties among the held-out entries.
        pictures: x of all pairs in the first split, "alone" and "together".
    """

    fraction: float
    alone: Array
    together: Array
    chance: float
    pictures: dict[str, Array]


def shrink(data: RelationalData, relation: str) -> Iterator[Fraction]:
    """One `Fraction` after the other, from many training entries to few.

    >>> import mrwtd
    >>> first = next(shrink(mrwtd.load_dataset("florentine"), "marriage"))
    >>> first.fraction, first.alone.shape
    (0.6, (3,))
    """
    k = data.relation_index(relation)
    for fraction in FRACTIONS:
        found: dict[str, list[list[tuple[float, Stop]]]] = {"alone": [], "together": []}
        chances = []
        for seed in range(SPLITS):
            train, test = data.split(train=fraction, seed=seed, by="auto")
            held = test.select_relations([relation])
            chances.append(float(np.mean(held.y > 0)))
            alone = lam_path(train.select_relations([relation]), RANK, LAMS, seed=seed, max_iter=MOST_STEPS)
            together = lam_path(train, RANK, LAMS, seed=seed, max_iter=MOST_STEPS)
            found["alone"].append([(stop.scores(held)[0], stop) for stop in alone])
            found["together"].append([(stop.scores(test)[k], stop) for stop in together])
        best = {how: _best(paths) for how, paths in found.items()}
        yield Fraction(
            fraction,
            np.array([path[best["alone"]][0] for path in found["alone"]]),
            np.array([path[best["together"]][0] for path in found["together"]]),
            float(np.mean(chances)),
            {
                "alone": found["alone"][0][best["alone"]][1].matrix(0),
                "together": found["together"][0][best["together"]][1].matrix(k),
            },
        )


def ties(data: RelationalData) -> Array:
    """All pairs of a single binary relation: 1 for a tie, 0 for none, NaN where it is not known.

    >>> import mrwtd
    >>> int(np.nansum(ties(mrwtd.load_dataset("florentine").select_relations(["marriage"]))))
    40
    """
    pairs = np.full((data.n_objects, data.n_objects), np.nan)
    pairs[data.i, data.j] = data.y > 0
    if not data.relations[0].directed:
        pairs[data.j, data.i] = data.y > 0
    return pairs


def overlap(data: RelationalData, one: str, other: str) -> tuple[float, float]:
    """The share of ties in a relation among the pairs with a tie in another, and among all pairs.

    >>> import mrwtd
    >>> [round(share, 2) for share in overlap(mrwtd.load_dataset("florentine"), "business", "marriage")]
    [0.4, 0.14]
    """
    first, second = ties(data.select_relations([one])), ties(data.select_relations([other]))
    return float(np.nanmean(first[second == 1])), float(np.nanmean(first))


def table(found: list[Fraction]) -> pd.DataFrame:
    """A row a fraction: means and deviations of both, and chance.

    >>> table([Fraction(0.2, np.full(3, 0.25), np.full(3, 0.5), 0.1, {})]).loc[0, ["alone", "together"]].tolist()
    [0.25, 0.5]
    """
    return pd.DataFrame(
        {
            "training share": [one.fraction for one in found],
            "alone": [one.alone.mean() for one in found],
            "alone sd": [one.alone.std() for one in found],
            "together": [one.together.mean() for one in found],
            "together sd": [one.together.std() for one in found],
            "chance": [one.chance for one in found],
        }
    )


def _best(paths: list[list[tuple[float, Stop]]]) -> int:
    """The position of the λ with the best mean over the splits."""
    return int(np.argmax(np.mean([[score for score, _ in path] for path in paths], axis=0)))
