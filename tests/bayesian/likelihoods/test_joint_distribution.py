"""Draws of each likelihood leave the joint distribution of everything alone (Geweke)."""

import numpy as np
import pytest

import mrwtd
from mrwtd.bayesian.gibbs import bilinear_chain, relation_draws
from mrwtd.bayesian.gibbs.bilinear_chain import BilinearChain
from mrwtd.bayesian.gibbs.row_priors import Rows
from mrwtd.bayesian.likelihoods import counts, ordinal
from mrwtd.bayesian.likelihoods.counts import Counts
from mrwtd.bayesian.likelihoods.logistic import Logistic
from mrwtd.bayesian.likelihoods.ordinal import Ordinal
from mrwtd.model.layout import Factors
from tests.reference_posterior import largest_change

LEVELS = mrwtd.Relation("rates", "ordinal", directed=True, levels=(1, 2, 3, 4))
CALLS = mrwtd.Relation("calls", "count", directed=False)
LIKES = mrwtd.Relation("likes", "binary", directed=False)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    """Priors that are narrow enough for a test."""
    for name in ("SHAPE", "RATE"):
        monkeypatch.setattr(relation_draws, name, 4.0)
    monkeypatch.setattr(bilinear_chain, "BIAS_PRECISION", 1.0)
    monkeypatch.setattr(ordinal, "RATE", 1.0)
    monkeypatch.setattr(counts, "BETA", 3.0)


def from_prior(likelihood, x, rng):
    """The parameters from their prior, then values given x."""
    if isinstance(likelihood, Ordinal):
        gaps = rng.exponential(size=likelihood.cuts.size - 1)
        likelihood.cuts = np.concatenate([[0.0], np.cumsum(gaps)])
        likelihood.cuts -= likelihood.cuts[likelihood.fixed]
        latent = x + rng.logistic(size=x.size)
        likelihood.y = (latent[:, None] > likelihood.cuts).sum(axis=1).astype(float)
    elif isinstance(likelihood, Counts):
        likelihood.size, likelihood.shape = 1 / rng.beta(3.0, 3.0), rng.exponential(2.0)
        rates = rng.gamma(likelihood.shape, np.exp(x) / (likelihood.size * likelihood.shape))
        likelihood.bundles = rng.poisson(rates).astype(float)
        n = np.maximum(likelihood.bundles, 1).astype(int)
        likelihood.y = np.where(likelihood.bundles > 0, n + rng.negative_binomial(n, 1 / likelihood.size), 0.0)
    else:
        likelihood.y = np.where(rng.random(x.size) < 1 / (1 + np.exp(-x)), 1.0, -1.0)


def statistics_of(likelihood, x):
    parameters = likelihood.parameters()
    if isinstance(likelihood, Ordinal):
        gaps = np.log(np.diff(parameters))
        return [*gaps, gaps[0] * gaps[-1], *x, x[0] ** 2, *(x[:2] * gaps[0]), likelihood.y @ x / 3]
    if isinstance(likelihood, Counts):
        size, shape, n = np.log(parameters[0]), np.log(parameters[1]), likelihood.bundles
        return [size, shape, size * shape, *x, x[0] ** 2, *(n[:2] / 3), x[0] * n[0] / 3, x[1] * shape, n[0] * size / 3]
    return [*x, x[0] ** 2, likelihood.y @ x / 3]


@pytest.mark.parametrize(
    ("kind", "relation", "fixed"), [(Ordinal, LEVELS, 0), (Ordinal, LEVELS, 2), (Counts, CALLS, 0)]
)
def test_a_likelihood_and_its_scores(kind, relation, fixed):
    """The scores x have a normal prior here, so that they can be drawn given the precisions and the targets."""
    rng, size = np.random.default_rng(0), 4
    likelihood = kind(relation, np.zeros(size), np.ones(size))
    likelihood.fixed = fixed

    def pairs():
        for _ in range(3000):
            x = 0.5 + rng.normal(size=size)
            from_prior(likelihood, x, rng)
            before = np.tanh(statistics_of(likelihood, x))
            root, value = likelihood.draw(x, rng)
            precision = 1 + root**2
            x = (0.5 + root * value) / precision + rng.normal(size=size) / np.sqrt(precision)
            yield before, np.tanh(statistics_of(likelihood, x))

    assert largest_change(pairs()) < 4


def some_chain(rng):
    n, relations = 3, (LEVELS, CALLS, LIKES)
    pairs = [(k, i, j) for k in range(3) for i in range(n) for j in range(n) if i != j and (k == 0 or i < j)]
    k, i, j = np.array(pairs).T
    data = mrwtd.RelationalData([f"o{index}" for index in range(n)], relations, i, j, k, np.where(k == 2, 1.0, 0.0))
    values = [(relation, data.y[data.slice(k)]) for k, relation in enumerate(relations)]
    kinds = (Ordinal, Counts, Logistic)
    likelihoods = [kind(relation, y, np.ones(y.size)) for kind, (relation, y) in zip(kinds, values, strict=True)]
    start = Factors(rng.normal(size=(n, 2)), np.zeros((3, 2, 2)), ())
    return BilinearChain(data, likelihoods, start, np.zeros(3), rng, clusters=True)


@pytest.mark.parametrize("step", ["rows and relations", "moves of the size"])
def test_a_chain_of_several_kinds(step):
    rng = np.random.default_rng(1)
    chain = some_chain(rng)
    data, rows = chain.data, Rows(np.full((1, 2), 0.5), np.array([[3.0, 1.0], [1.0, 2.0]]))
    chain.row_prior.draw = lambda A, rng: rows

    def forward():
        chain.rows = rows
        chain.A[:] = 0.5 + rng.normal(size=chain.A.shape) @ np.linalg.cholesky(np.linalg.inv(rows.precision)).T
        for members, prior in chain.relation_priors:
            prior.tau, prior.tau_mean = rng.gamma(4.0, 1 / 4.0, size=2)
            for directed, mean in prior.means.items():
                weight = relation_draws.Unknowns.of(2, directed).weight
                prior.means[directed] = rng.normal(size=mean.size) / np.sqrt(weight * prior.tau_mean)
            for position, k in enumerate(members):
                unknowns = prior.unknowns[position]
                noise = rng.normal(size=unknowns.size) / np.sqrt(unknowns.weight * prior.tau)
                chain.R[k] = unknowns.unpack(prior.mean(position) + noise)
        chain.b[:] = rng.normal(size=3)
        chain.x = np.einsum("ef,efg,eg->e", chain.A[data.i], chain.R[data.k], chain.A[data.j]) + chain.b[data.k]
        for k, likelihood in enumerate(chain.likelihoods):
            from_prior(likelihood, chain.x[data.slice(k)], rng)

    def statistics():
        by_relation = [statistics_of(each, chain.x[data.slice(k)]) for k, each in enumerate(chain.likelihoods)]
        scales = [np.log(prior.tau) for _, prior in chain.relation_priors]
        return np.tanh([*np.concatenate(by_relation), *chain.b, *chain.A[0], *chain.R[:, 0, 1], *scales])

    def pairs():
        for _ in range(1200):
            forward()
            before = statistics()
            if step == "moves of the size":
                chain._move()
            else:
                chain.moves = False
                chain.sweep()
            yield before, statistics()

    assert largest_change(pairs()) < 4
