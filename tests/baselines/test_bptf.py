from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import mrwtd
from mrwtd.baselines import cp_draws, relation_prior
from mrwtd.baselines.bptf import CPChain
from mrwtd.baselines.cp_draws import RowEntries, draw_rows, relation_gram
from mrwtd.baselines.gaussian_wishart import GaussianWishart
from tests.reference_posterior import largest_difference, quadratic_parts


@pytest.fixture(params=["compiled", "plain"])
def passes(request, monkeypatch):
    """With the compiled passes, and without."""
    if request.param == "plain":
        monkeypatch.setattr(cp_draws, "compiled", lambda: None)


def some_data(n=4, m=3, directed=True, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    k, i, j = np.indices((m, n, n)).reshape(3, -1)
    keep = (rng.random(k.size) < 0.8) & (directed | (i <= j))
    relations = [mrwtd.Relation(f"r{at}", "real", directed=directed) for at in range(m)]
    w = rng.random(keep.sum()) if weighted else None
    names = [f"o{at}" for at in range(n)]
    return mrwtd.RelationalData(names, relations, i[keep], j[keep], k[keep], rng.normal(size=keep.sum()), w)


def both_ways(data):
    """The undirected data as directed, with every pair of different objects in both directions."""
    off = data.i != data.j
    i, j = np.concatenate([data.i, data.j[off]]), np.concatenate([data.j, data.i[off]])
    k, y, w = (np.concatenate([one, one[off]]) for one in (data.k, data.y, data.w))
    relations = [mrwtd.Relation(one.name, one.kind, directed=True) for one in data.relations]
    return mrwtd.RelationalData(data.objects, relations, i, j, k, y, w)


def misfit(data, U, V, T):
    """Half the weighted sum of squares of x − y, entry by entry."""
    x = np.array([(U[i] * V[j] * T[k]).sum() for i, j, k in zip(data.i, data.j, data.k, strict=True)])
    return 0.5 * float(data.w @ (x - data.y) ** 2)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("n", [4, 12])  # rows of few entries, and rows of more than a buffer holds
def test_a_row_is_drawn_from_its_conditional_gaussian(directed, n):
    data, rank, alpha = some_data(n, m=9, directed=directed, weighted=True), 3, 1.7
    rng = np.random.default_rng(1)
    U, V, T = (rng.normal(size=(size, rank)) for size in (n, n, 9))
    mean, Lambda = rng.normal(size=rank), np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    entries = data if directed else both_ways(data)
    for source in (True, False):
        rows = RowEntries.of(data, data.y, source=source)

        def drawn(noise, rows=rows, source=source):
            out = np.full((n, rank), np.nan)
            for block in rows.blocks(3):
                draw_rows(rows, block, V if source else U, T, alpha, Lambda, mean, noise, out)
            return out

        def minus_log(x, source=source):
            changed = (U if source else V).copy()
            changed[1] = x
            factors = (changed, V) if source else (U, changed)
            return alpha * misfit(entries, *factors, T) + float(0.5 * (x - mean) @ Lambda @ (x - mean))

        H, h = quadratic_parts(minus_log, rank)
        centre = drawn(np.zeros((n, rank)))
        assert np.isfinite(centre).all()
        np.testing.assert_allclose(H @ centre[1], h, atol=1e-8)
        roots = np.array([drawn(np.tile(e, (n, 1)))[1] - centre[1] for e in np.eye(rank)])
        np.testing.assert_allclose(H @ roots.T @ roots, np.eye(rank), atol=1e-8)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("directed", [True, False])
def test_the_gram_matrix_of_a_relation_is_that_of_its_likelihood(directed):
    data = some_data(12, m=1, directed=directed, weighted=True)
    rng = np.random.default_rng(1)
    U, V = rng.normal(size=(2, 12, 3))
    gram = relation_gram(not directed, data.i, data.j, data.y, np.sqrt(data.w), U, V)
    entries = data if directed else both_ways(data)
    H, h = quadratic_parts(lambda t: misfit(entries, U, V, t[None]), 3)
    np.testing.assert_allclose(gram[:3, :3], H, atol=1e-8)
    np.testing.assert_allclose(gram[:3, 3], h, atol=1e-8)
    assert gram[3, 3] == pytest.approx(2 * misfit(entries, U, V, np.zeros((1, 3))))


@pytest.mark.parametrize("ordered", [False, True])
def test_the_sweeps_leave_the_joint_distribution_alone(ordered, monkeypatch):
    """Geweke: data drawn from the state and a state drawn by a sweep, in turns, must give the prior again."""
    monkeypatch.setattr(relation_prior, "SHAPE", 6.0)
    monkeypatch.setattr(relation_prior, "RATE", 6.0)
    data, rng, turns = some_data(3), np.random.default_rng(0), 2500
    priors = [GaussianWishart(np.full(2, mean), beta=3.0, freedom=8.0) for mean in (0.3, 1.0)]
    precisions = stats.wishart(8, np.eye(2)).rvs(3 * turns, random_state=rng)

    def rows(prior, at, walk=False):
        root = np.linalg.cholesky(np.linalg.inv(precisions[at]))
        mean = prior.mean + root @ rng.normal(size=2) / np.sqrt(3.0)
        steps = rng.normal(size=(3, 2)) @ root.T
        return mean + (np.cumsum(steps, axis=0) if walk else steps)

    def statistics(U, V, T, alpha):
        raw = [
            U[0, 0], U[1, 1], U[0] @ U[1], V[0, 1], V[2] @ V[2], V[0] @ V[1], U[0] @ V[0], T[0, 0], T[2, 1], T[1] @ T[1],
            T[0] @ T[1], T[0, 0] * T[0, 1], np.log(alpha), (U[0] * V[1] * T[2]).sum(), U[0, 0] * U[0, 1],
        ]  # fmt: skip
        return np.tanh(raw)

    def from_prior(at):
        U, V = (rows(priors[0], 3 * at + side) for side in range(2))
        return U, V, rows(priors[1], 3 * at + 2, walk=ordered), rng.gamma(6.0, 1 / 6.0)

    def independently():
        for at in range(turns):
            yield statistics(*from_prior(at))

    def by_sweeps():
        chain = CPChain(data, data.y, 2, ordered, rng)
        chain.prior, chain.relation_prior = priors
        for turn in range(turns):
            x = np.einsum("ef,ef,ef->e", chain.U[data.i], chain.V[data.j], chain.T[data.k])
            chain.y = x + rng.normal(size=len(data)) / np.sqrt(chain.alpha)
            chain.sources = RowEntries.of(data, chain.y, source=True)
            chain.targets = RowEntries.of(data, chain.y, source=False)
            chain.sweep()
            if turn >= 100:
                yield statistics(chain.U, chain.V, chain.T, chain.alpha)

    which, errors = largest_difference(independently(), by_sweeps())
    assert errors < 4, f"statistic {which} differs by {errors:.1f} standard errors"
