"""A sweep from data and unknowns of the prior leaves their joint distribution as it is (Geweke)."""

import numpy as np
import pytest
from scipy import stats

from mrwtd.bayesian.gibbs import bilinear_chain, relation_conditional, relation_draws
from mrwtd.bayesian.gibbs.gaussian_wishart import GaussianWishart
from mrwtd.bayesian.gibbs.row_priors import Rows
from mrwtd.bayesian.likelihoods.gaussian import Gaussian as GaussianNoise
from mrwtd.bayesian.likelihoods.logistic import Logistic
from tests.bayesian.bilinear_chains import chain_of, draw_relations, some_factors
from tests.reference_posterior import largest_change, mixed_data


def statistics_of(chain):
    A, R, b = chain.A, chain.R, chain.b
    (_, prior), (_, other) = chain.relation_priors
    mean, precision = chain.rows.means[0], chain.rows.precision
    raw = [
        A[0, 0], A[1, 1], A[0] @ A[1], A[0] @ A[0], mean[0], np.log(precision[0, 0]), precision[0, 1],
        R[0, 0, 1], R[1, 0, 1], R[1, 0, 0] ** 2, R[0, 1, 1] * R[2, 1, 1], R[0, 0, 0] * A[0, 0],
        *prior.mean(1), np.log(prior.tau), np.log(prior.tau_mean), np.log(other.tau), *other.mean(0),
        b[0], b[1], b[2] ** 2, np.log(chain.likelihoods[2].alpha),
        A[0] @ R[0] @ A[1], A[1] @ R[1] @ A[1], chain.x[0], chain.x[-1] ** 2,
    ]  # fmt: skip
    return np.tanh(raw)


@pytest.fixture
def narrow(monkeypatch):
    """Priors of scales that are narrow enough for a test."""
    for name in ("SHAPE", "RATE"):
        monkeypatch.setattr(relation_draws, name, 4.0)
    monkeypatch.setattr(bilinear_chain, "BIAS_PRECISION", 1.0)


def forward(chain, rows, rng):
    """The unknowns of a chain from their priors, given those of the rows, and data given them."""
    data = chain.data
    chain.rows, root = rows, np.linalg.cholesky(np.linalg.inv(rows.precision))
    chain.A[:] = rows.means[chain.row_prior.cluster] + rng.normal(size=chain.A.shape) @ root.T
    noise = chain.likelihoods[2]
    noise.alpha = rng.gamma(4.0, 1 / 4.0)
    for members, prior in chain.relation_priors:
        prior.tau, prior.tau_mean = rng.gamma(4.0, 1 / 4.0, size=2)
        chain.R[members] = draw_relations(prior, np.empty((members.size, 2, 2)), rng)
    chain.b[:] = rng.normal(size=3)
    chain.x = np.array([chain.A[i] @ chain.R[k] @ chain.A[j] for i, j, k in zip(data.i, data.j, data.k, strict=True)])
    chain.x += chain.b[data.k]
    noisy = chain.x + rng.normal(size=len(data)) / np.sqrt(noise.alpha)
    signs = np.where(rng.random(len(data)) < 1 / (1 + np.exp(-chain.x)), 1.0, -1.0)
    y = np.where(data.k == 2, noisy, signs)
    for k, likelihood in enumerate(chain.likelihoods):
        likelihood.y = y[data.slice(k)]


def mixed_chain(rng, **options):
    data = mixed_data(3, diagonal=True, seed=1)
    kinds = [Logistic, Logistic, GaussianNoise]
    return chain_of(data, data.y, kinds, some_factors(data, 2), np.zeros(3), rng, **options)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("way", ["system", "entries", "blocks"])
def test_a_sweep_leaves_the_joint_distribution_alone(way, monkeypatch):
    monkeypatch.setattr(relation_conditional, "uses_entries", lambda *arguments: way == "entries")
    monkeypatch.setattr(relation_conditional, "LARGEST_SYSTEM", 0 if way == "blocks" else 100)
    monkeypatch.setattr(relation_conditional, "BLOCK", 1)
    rng = np.random.default_rng(0)
    chain = mixed_chain(rng)
    chain.row_prior.prior = GaussianWishart(np.full(2, 0.7), beta=3.0, freedom=5.0)

    def pairs():
        for precision in stats.wishart(5, np.eye(2)).rvs(2000, random_state=rng):
            root = np.linalg.cholesky(np.linalg.inv(precision))
            forward(chain, Rows(0.7 + rng.normal(size=(1, 2)) @ root.T / np.sqrt(3.0), precision), rng)
            before = statistics_of(chain)
            chain.sweep()
            yield before, statistics_of(chain)

    assert largest_change(pairs()) < 4


@pytest.mark.usefixtures("narrow")
def test_moves_of_the_size_leave_the_joint_distribution_alone():
    rng = np.random.default_rng(1)
    chain = mixed_chain(rng, clusters=True)
    rows = Rows(np.full((1, 2), 0.7), np.array([[3.0, 1.0], [1.0, 2.0]]))

    def pairs():
        for _ in range(1200):
            forward(chain, rows, rng)
            before = statistics_of(chain)
            chain._move()
            yield before, statistics_of(chain)

    assert largest_change(pairs()) < 4
    data = chain.data
    x = [chain.A[i] @ chain.R[k] @ chain.A[j] + chain.b[k] for i, j, k in zip(data.i, data.j, data.k, strict=True)]
    np.testing.assert_allclose(chain.x, x)  # what is kept is what the factors give
