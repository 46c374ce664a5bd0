"""Shared by the tests of the samplers: small data, the parts of a quadratic function, and the joint test."""

from collections.abc import Callable, Iterable

import numpy as np
from scipy import stats

import mrwtd

RELATIONS = (
    mrwtd.Relation("likes", "binary", directed=True),
    mrwtd.Relation("meets", "binary", directed=False),
    mrwtd.Relation("trades", "real", directed=True),
)


def mixed_data(n=5, diagonal=False, seed=0, relations=RELATIONS):
    """Most pairs of a few objects in a directed, an undirected and a real relation."""
    rng = np.random.default_rng(seed)
    k, i, j = np.indices((len(relations), n, n)).reshape(3, -1)
    undirected = np.array([not relation.directed for relation in relations])
    keep = np.where(undirected[k], i <= j, True) & (diagonal | (i != j)) & (rng.random(k.size) < 0.8)
    k, i, j = k[keep], i[keep], j[keep]
    real = np.array([relation.kind == "real" for relation in relations])
    y = np.where(real[k], rng.normal(size=k.size), rng.choice([-1.0, 1.0], size=k.size))
    return mrwtd.RelationalData([f"o{index}" for index in range(n)], relations, i, j, k, y)


class Still:
    """A generator whose normal numbers are all 0, so that every Gaussian draw is its mean."""

    def normal(self, size):
        return np.zeros(size)

    def gamma(self, shape):
        return shape

    def random(self, size):
        return np.zeros(size)


def quadratic_parts(function: Callable[[np.ndarray], float], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Hessian H and minus the gradient at 0, h, of a quadratic function of a vector: exact by differences of step 1."""
    units = np.eye(size)
    at_zero = function(np.zeros(size))
    up, down = (np.array([function(sign * e) for e in units]) for sign in (1, -1))
    H = np.array([[function(e + f) for f in units] for e in units]) - up[:, None] - up + at_zero
    return H, -(up - down) / 2


def largest_change(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> float:
    """The largest mean change from before to after, in standard errors.

    It is for a joint-distribution test, after Geweke: unknowns from the prior, data given them, and the unknowns drawn
    again given the data. If that last draw leaves the posterior alone, they are distributed as before. What no draw
    changes is left out.
    """
    change = np.array([after - before for before, after in pairs])
    change = change[:, change.any(axis=0)]
    return float(np.abs(change.mean(axis=0) / (change.std(axis=0) / np.sqrt(len(change)))).max())


def prior_beside_posterior(prior, rows_of, draw, rng):
    """Mean and precision from a Gaussian–Wishart prior in two dimensions, and drawn again given rows made of them.

    `rows_of` makes the rows of standard normal numbers that have the covariance; the two are distributed alike where
    `draw` is right. Each pair is of bounded statistics of both.
    """

    def statistics(mean, precision):
        away = mean - prior.mean
        raw = [*away, away[0] * away[1], away @ precision @ away, *np.log(np.diag(precision) / 5), precision[0, 1] / 5]
        return np.tanh(raw)

    for precision in stats.wishart(5, np.eye(2)).rvs(8000, random_state=rng):
        root = np.linalg.cholesky(np.linalg.inv(precision))
        mean = prior.mean + root @ rng.normal(size=2) / np.sqrt(2.0)
        drawn = draw(mean + rows_of(rng.normal(size=(2, 2)) @ root.T), rng)
        yield statistics(mean, precision), statistics(drawn.mean, drawn.precision)
