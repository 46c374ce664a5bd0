"""How well chains mix: split R̂ and effective sample size of predictions, of a fixed sample of pairs.

Every chain is cut into two halves (Gelman and others). For a prediction x with draws in C halves of length N, let W be
the mean of the variances within halves and B/N the variance of their means. Then

    V = (N − 1)/N W + B/N,   R̂ = √(V / W),   ρ_t = 1 − (W − mean autocovariance at lag t) / V
    effective draws = C N / (1 + 2 Σ ρ_t)

and the sum ends before the first pair ρ_2t + ρ_2t+1 below 0 (Geyer); a pair above the one before
is lowered to it. R̂ near 1 says that halves and chains agree. If it is larger, they have found different modes, or
still move.
"""

from dataclasses import dataclass

import numpy as np

from ..data.possible_pairs import PossiblePairs
from ..data.relational import RelationalData
from ..typing import Array

PAIRS = 200
"""The number of pairs whose predictions are followed: half known, half drawn from all."""

QUANTILE = 0.9
"""R̂ is that which this fraction of the pairs are below, and the effective draws are the median."""

LEAST_DRAWS = 4
"""Draws of each half below which nothing is estimated."""

AGREE = 1.1
"""The largest R̂ of chains that agree."""


@dataclass(frozen=True)
class Mixing:
    """R̂ of most pairs, and the effective number of draws of a typical one."""

    r_hat: float
    effective_draws: float


def mixing(chains: list[Array]) -> Mixing | None:
    """The mixing of chains of draws, each (draws, pairs); None if they are too short.

    >>> rng = np.random.default_rng(0)
    >>> same = mixing([rng.normal(size=(50, 20)) for _ in range(4)])
    >>> round(same.r_hat, 1), bool(100 < same.effective_draws <= 400)
    (1.0, True)
    >>> round(mixing([rng.normal(size=(50, 20)) + 5 * chain for chain in range(4)]).r_hat) > 3
    True
    """
    half = min((len(chain) for chain in chains), default=0) // 2
    if half < LEAST_DRAWS or not chains[0].shape[1]:
        return None
    draws = np.array([part for chain in chains for part in (chain[:half], chain[-half:])])
    n_halves, length, _ = draws.shape
    means = draws.mean(axis=1)
    apart = draws - means[:, None]
    within = (apart**2).sum(axis=1).mean(axis=0) / (length - 1)
    moves = within > 0
    if not moves.any():
        return None
    means, apart, within = means[:, moves], apart[:, :, moves], within[moves]
    total = (length - 1) / length * within + means.var(axis=0, ddof=1)
    lags = [(apart[:, : length - lag] * apart[:, lag:]).mean(axis=(0, 1)) for lag in range(length - 1)]
    correlations = 1 - (within - np.array(lags) * (length / (length - 1))) / total
    correlations[0] = 1.0
    pairs = correlations[: len(lags) // 2 * 2].reshape(-1, 2, within.size).sum(axis=1)
    positive = np.minimum.accumulate(pairs > 0, axis=0)
    sums = np.where(positive, np.minimum.accumulate(pairs, axis=0), 0.0).sum(axis=0)
    effective = n_halves * length / np.maximum(2 * sums - 1, 1 / np.log10(n_halves * length))
    return Mixing(float(np.quantile(np.sqrt(total / within), QUANTILE)), float(np.median(effective)))


def sample_pairs(train: RelationalData, rng: np.random.Generator) -> RelationalData:
    """The pairs whose predictions are followed.

    >>> import mrwtd
    >>> pairs = sample_pairs(mrwtd.load_dataset("nations"), np.random.default_rng(0))
    >>> 100 < len(pairs) <= 200
    True
    """
    known = rng.choice(len(train), size=min(PAIRS // 2, len(train)), replace=False)
    k = rng.integers(train.n_relations, size=PAIRS - PAIRS // 2)
    i, j = np.empty_like(k), np.empty_like(k)
    for relation in np.unique(k):
        possible = PossiblePairs.of(train.relations[relation], train.object_types or train.n_objects)
        here = k == relation
        i[here], j[here] = (
            rng.choice(positions, size=here.sum())
            for positions in (possible.source_positions, possible.target_positions)
        )
    directed = np.array([relation.directed for relation in train.relations])[k]
    low, high = np.where(directed, i, np.minimum(i, j)), np.where(directed, j, np.maximum(i, j))
    triples = np.column_stack([train.k[known], train.i[known], train.j[known]])
    triples = np.unique(np.vstack([triples, np.column_stack([k, low, high])[low != high]]), axis=0)
    k, i, j = triples.T
    y = np.array([float(relation.kind == "binary") for relation in train.relations])[k]
    return RelationalData(train.objects, train.relations, i, j, k, y, object_types=train.object_types)
