from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import mrwtd
from mrwtd.baselines import bilinear_chain, bilinear_draws, relation_prior
from mrwtd.baselines.bilinear_chain import BilinearChain
from mrwtd.baselines.bilinear_draws import Meetings, draw_rows
from mrwtd.baselines.btf import BTF
from mrwtd.baselines.gaussian_wishart import GaussianWishart
from mrwtd.baselines.mrwtd_b import MrWTDB
from mrwtd.baselines.relation_draws import Unknowns
from mrwtd.model.layout import Factors
from tests.reference_posterior import largest_difference, quadratic_parts

RELATIONS = (
    mrwtd.Relation("likes", "binary", directed=True),
    mrwtd.Relation("meets", "binary", directed=False),
    mrwtd.Relation("trades", "real", directed=True),
)
BOTH = [MrWTDB, BTF]


@pytest.fixture(params=["compiled", "plain"])
def passes(request, monkeypatch):
    """With the compiled passes, and without."""
    if request.param == "plain":
        monkeypatch.setattr(bilinear_draws, "compiled", lambda: None)


def some_data(n=5, diagonal=False, seed=0, relations=RELATIONS):
    rng = np.random.default_rng(seed)
    k, i, j = np.indices((len(relations), n, n)).reshape(3, -1)
    undirected = np.array([not relation.directed for relation in relations])
    keep = np.where(undirected[k], i <= j, True) & (diagonal | (i != j)) & (rng.random(k.size) < 0.8)
    k, i, j = k[keep], i[keep], j[keep]
    real = np.array([relation.kind == "real" for relation in relations])
    y = np.where(real[k], rng.normal(size=k.size), rng.choice([-1.0, 1.0], size=k.size))
    return mrwtd.RelationalData([f"o{at}" for at in range(n)], relations, i, j, k, y)


def some_factors(data, rank, seed=1):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(data.n_relations, rank, rank))
    for k, relation in enumerate(data.relations):
        if not relation.directed:
            R[k] += R[k].T
    return Factors(rng.normal(size=(data.n_objects, rank)), R, ())


def misfit(data, A, R, b, root, value):
    """Half the sum of squares of √ω (x − z), entry by entry."""
    x = np.array([A[i] @ R[k] @ A[j] + b[k] for i, j, k in zip(data.i, data.j, data.k, strict=True)])
    return 0.5 * float(((root * x - value) ** 2).sum())


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("n", [4, 30])  # a few entries of a row in a relation, and many
def test_a_row_of_a_is_drawn_from_its_conditional_gaussian(n):
    data, rank = some_data(n), 2
    rng, start = np.random.default_rng(2), some_factors(data, rank)
    root, value = rng.gamma(1.0, size=len(data)), rng.normal(size=len(data))
    mean, Lambda = rng.normal(size=rank), np.array([[3.0, 1.0], [1.0, 2.0]])
    meetings = Meetings.of(data)

    def drawn(noise):
        A = start.A.copy()
        assert draw_rows(meetings, root, value, start.R, Lambda, mean, noise, rng.random(n), A) == 0
        return A

    centre = drawn(np.zeros((n, rank)))
    for row in (0, 1, n - 1):
        A = np.vstack([centre[:row], start.A[row:]])  # rows below are still the old ones when this one is drawn

        def minus_log(a, A=A, row=row):
            A[row] = a
            prior = 0.5 * (a - mean) @ Lambda @ (a - mean)
            return misfit(data, A, start.R, np.zeros(3), root, value) + float(prior)

        H, h = quadratic_parts(minus_log, rank)
        np.testing.assert_allclose(H @ centre[row], h, rtol=1e-8, atol=1e-8)
        roots = []
        for e in np.eye(rank):
            noise = np.zeros((n, rank))
            noise[row] = e
            roots.append(drawn(noise)[row] - centre[row])
        np.testing.assert_allclose(H @ (np.transpose(roots) @ np.array(roots)), np.eye(rank), atol=1e-8)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("k", range(3))
def test_the_system_of_a_relation_is_that_of_its_likelihood(k, monkeypatch):
    monkeypatch.setattr("mrwtd.baselines.relation_draws.ROWS", 3)
    data, rank = some_data(diagonal=True), 3
    rng, start = np.random.default_rng(3), some_factors(data, rank)
    own, at = Unknowns.of(rank, data.relations[k].directed), data.slice(k)
    root, value = rng.gamma(1.0, size=len(data)), rng.normal(size=len(data))
    rows, first = np.unique(data.i[at], return_index=True)
    starts = np.append(first, at.stop - at.start)
    G, h = own.system(rows, starts, data.j[at], root[at], value[at], start.A)

    def minus_log(theta):
        R, b = start.R.copy(), np.zeros(3)
        R[k], b[k] = own.unpack(theta[:-1]), theta[-1]
        return misfit(data, start.A, R, b, root, value)

    expected_G, expected_h = quadratic_parts(minus_log, own.size + 1)
    np.testing.assert_allclose(G, expected_G, atol=1e-8)
    np.testing.assert_allclose(h, expected_h, atol=1e-8)
    assert (own.weight * own.pack(start.R[k]) ** 2).sum() == pytest.approx((start.R[k] ** 2).sum())


def tight_priors(monkeypatch):
    """Priors with light tails: with the usual ones, the chain of the joint test takes too long from end to end."""
    monkeypatch.setattr(relation_prior, "SHAPE", 6.0)
    monkeypatch.setattr(relation_prior, "RATE", 8.0)
    monkeypatch.setattr(bilinear_chain, "BIAS_PRECISION", 1.0)
    return GaussianWishart(np.full(2, 0.7), beta=3.0, freedom=6.0)


def joint_statistics(A, rows_mean, rows_precision, R, mean, tau, tau_mean, b, alpha):
    raw = [
        A[0, 0], A[1, 1], A[0] @ A[1], A[0] @ A[0], rows_mean[0], rows_precision[0, 0] / 6, rows_precision[0, 1] / 6,
        R[0, 0, 1], R[1, 0, 1], R[1, 0, 0] ** 2, R[0, 1, 1] * R[2, 1, 1], R[0, 0, 0] * A[0, 0],
        mean[1], np.log(tau), np.log(tau_mean), b[0], b[1], b[2] ** 2, np.log(alpha),
        A[0] @ R[0] @ A[1], A[1] @ R[1] @ A[1],
    ]  # fmt: skip
    return np.tanh(raw)


def test_the_sweeps_leave_the_joint_distribution_alone(monkeypatch):
    """Geweke: data drawn from the state and a state drawn by a sweep, in turns, must give the prior again."""
    rows = tight_priors(monkeypatch)
    data, rng = some_data(3, diagonal=True, seed=1), np.random.default_rng(0)
    weights = {True: np.ones((2, 2)), False: np.array([[1.0, 2.0], [2.0, 1.0]])}

    def normal_matrix(tau, centre, directed):
        noise = rng.normal(size=(2, 2)) / np.sqrt(tau * weights[directed])
        return centre + (noise if directed else np.triu(noise) + np.triu(noise, 1).T)

    precisions = stats.wishart(6, np.eye(2)).rvs(3001, random_state=rng)

    def from_prior(at):
        precision = precisions[at]
        root = np.linalg.cholesky(np.linalg.inv(precision))
        mean = rows.mean + root @ rng.normal(size=2) / np.sqrt(3.0)
        A = mean + rng.normal(size=(3, 2)) @ root.T
        tau, tau_mean, alpha = rng.gamma(6.0, 1 / 8.0, size=3)
        means = {directed: normal_matrix(tau_mean, 0.0, directed) for directed in (True, False)}
        R = np.stack([normal_matrix(tau, means[one.directed], one.directed) for one in RELATIONS])
        b = rng.normal(size=3)
        return A, mean, precision, R, means[False][np.triu_indices(2)], tau, tau_mean, b, alpha

    def independently():
        for at in range(3000):
            yield joint_statistics(*from_prior(at))

    def by_sweeps():
        A, _, _, R, _, _, _, b, _ = from_prior(3000)
        chain = BilinearChain(data, data.y.copy(), [True, True, False], Factors(A, R, ()), b, rng)
        chain.row_prior = rows
        for turn in range(3000):
            noisy = chain.x + rng.normal(size=len(data)) / np.sqrt(chain.alpha[2])
            signs = np.where(rng.random(len(data)) < 1 / (1 + np.exp(-chain.x)), 1.0, -1.0)
            chain.y[:] = np.where(data.k == 2, noisy, signs)
            chain.sweep()
            prior = chain.relation_prior
            if turn >= 100:
                yield joint_statistics(
                    chain.A, chain.rows.mean, chain.rows.precision, chain.R, prior.mean(1), prior.tau, prior.tau_mean,
                    chain.b, chain.alpha[2],
                )  # fmt: skip

    which, errors = largest_difference(independently(), by_sweeps())
    assert errors < 4, f"statistic {which} differs by {errors:.1f} standard errors"
