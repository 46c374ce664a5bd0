from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import mrwtd
from mrwtd.bayesian.gibbs import bilinear_chain, bilinear_draws, relation_draws, row_priors
from mrwtd.bayesian.gibbs.bilinear_draws import Meetings, draw_rows
from mrwtd.bayesian.gibbs.gaussian_wishart import Gaussian, GaussianWishart
from mrwtd.bayesian.gibbs.relation_draws import Unknowns
from mrwtd.bayesian.gibbs.row_priors import Clusters, Rows
from mrwtd.bayesian.likelihoods.gaussian import Gaussian as GaussianNoise
from mrwtd.bayesian.likelihoods.gaussian import draw_noise
from mrwtd.bayesian.likelihoods.logistic import Logistic
from tests.bayesian.bilinear_chains import chain_of, draw_relations, some_factors
from tests.reference_posterior import (
    RELATIONS,
    Still,
    largest_change,
    mixed_data,
    prior_beside_posterior,
    quadratic_parts,
)


@pytest.fixture(params=["compiled", "plain"])
def passes(request, monkeypatch):
    """With and without the compiled code."""
    if request.param == "plain":
        monkeypatch.setattr(bilinear_draws, "compiled", lambda: None)


def misfit(data, A, R, b, root, value):
    """Half the sum of squares of √ω (x − z), entry by entry."""
    x = np.array([A[i] @ R[k] @ A[j] + b[k] for i, j, k in zip(data.i, data.j, data.k, strict=True)])
    return 0.5 * float(((root * x - value) ** 2).sum())


def test_rows_are_the_same_without_room_for_products_of_all_objects(monkeypatch):
    data, fast, sizes = mixed_data(30), bilinear_draws.compiled(), []
    meetings, start = Meetings.of(data), some_factors(data, 2)
    rows, rng = Rows(np.zeros((1, 2)), np.eye(2)), np.random.default_rng(2)
    noise, chance = rng.normal(size=start.A.shape), rng.random(start.A.shape)

    def passes(*arguments):
        sizes.append(arguments[10].size)
        return fast.bilinear_rows(*arguments)

    monkeypatch.setattr(bilinear_draws, "compiled", lambda: SimpleNamespace(bilinear_rows=passes))
    drawn = []
    for limit in (bilinear_draws.TURNED_BYTES, 100):
        monkeypatch.setattr(bilinear_draws, "TURNED_BYTES", limit)
        A = start.A.copy()
        draw_rows(meetings, data.w, data.y, start.R, rows, noise, chance, A, np.zeros(len(A), dtype=np.int64))
        drawn.append(A)
    assert sizes == [2 * data.n_relations * start.A.size, 0]
    np.testing.assert_allclose(*drawn)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("n", [4, 30])  # a few entries of a row in a relation, and many
def test_a_row_of_a_is_drawn_from_its_conditional_gaussian(n):
    data, rank = mixed_data(n), 2
    rng, start = np.random.default_rng(2), some_factors(data, rank)
    root, value = rng.gamma(1.0, size=len(data)), rng.normal(size=len(data))
    mean, Lambda = rng.normal(size=rank), np.array([[3.0, 1.0], [1.0, 2.0]])
    meetings = Meetings.of(data)

    def drawn(noise):
        A = start.A.copy()
        prior, cluster = Rows(mean[None], Lambda), np.zeros(n, dtype=np.int64)
        assert draw_rows(meetings, root, value, start.R, prior, noise, rng.random((n, 2)), A, cluster) == 0
        return A

    centre = drawn(np.zeros((n, rank)))
    for row in (0, 1, n - 1):
        A = np.vstack([centre[:row], start.A[row:]])  # later rows still have their old values when this one is drawn

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
def test_the_linear_system_of_a_relation_follows_from_its_likelihood(k, monkeypatch):
    monkeypatch.setattr("mrwtd.bayesian.gibbs.relation_draws.ROWS", 3)
    data, rank = mixed_data(diagonal=True), 3
    rng, start = np.random.default_rng(3), some_factors(data, rank)
    unknowns, part = Unknowns.of(rank, data.relations[k].directed), data.slice(k)
    root, value = rng.gamma(1.0, size=len(data)), rng.normal(size=len(data))
    rows, first = np.unique(data.i[part], return_index=True)
    starts = np.append(first, part.stop - part.start)
    G, h = unknowns.system(rows, starts, data.j[part], root[part], value[part], start.A)

    def minus_log(theta):
        R, b = start.R.copy(), np.zeros(3)
        R[k], b[k] = unknowns.unpack(theta[:-1]), theta[-1]
        return misfit(data, start.A, R, b, root, value)

    expected_G, expected_h = quadratic_parts(minus_log, unknowns.size + 1)
    np.testing.assert_allclose(G, expected_G, atol=1e-8)
    np.testing.assert_allclose(h, expected_h, atol=1e-8)
    assert (unknowns.weight * unknowns.pack(start.R[k]) ** 2).sum() == pytest.approx((start.R[k] ** 2).sum())


def test_the_precision_of_a_logistic_entry_depends_on_its_weight():
    """ω ~ Pólya–Gamma(w, x) has the mean w tanh(x/2) / 2x."""
    complete = mixed_data()
    rng = np.random.default_rng(6)
    w = rng.uniform(0.1, 1.0, len(complete))
    data = mrwtd.RelationalData(complete.objects, complete.relations, complete.i, complete.j, complete.k, complete.y, w)
    part, drawn, x = data.slice(0), [], 3 * rng.normal(size=len(data))
    likelihood = Logistic(data.relations[0], data.y[part], data.w[part])
    for _ in range(2000):
        root, _ = likelihood.draw(x[part], rng)
        drawn.append(root**2)
    expected = data.w[part] * np.tanh(x[part] / 2) / (2 * x[part])
    apart = (np.mean(drawn, axis=0) - expected) / (np.std(drawn, axis=0) / np.sqrt(2000))
    assert np.abs(apart).max() < 4


def test_the_noise_depends_on_weights_and_is_shared_by_binary_relations():
    """Means of Gamma posteriors by hand: n entries of weight 1/2 with residual 2, prior Gamma(1/2, 1/2)."""
    complete = mixed_data()
    data = mrwtd.RelationalData(
        complete.objects,
        complete.relations,
        complete.i,
        complete.j,
        complete.k,
        complete.y,
        np.full(len(complete), 0.5),
    )
    kinds = [GaussianNoise] * 3
    chain = chain_of(data, data.y, kinds, some_factors(data, 2), np.zeros(3), np.random.default_rng(0))
    for group in chain._noises:
        draw_noise([(member, member.y - 2.0) for member in group.values()], Still())
    likes, meets, trades = np.bincount(data.k)
    binary, real = ((0.5 + n / 4) / (0.5 + n) for n in (likes + meets, trades))
    np.testing.assert_allclose(chain.state()[3], [binary, binary, real])


@pytest.mark.parametrize("k", range(3))
def test_a_relation_is_drawn_around_its_prior(k):
    data, rank, rng = mixed_data(diagonal=True), 2, np.random.default_rng(4)
    y, alpha = rng.normal(size=len(data)), rng.gamma(1.0, size=3)
    chain = chain_of(data, y, [GaussianNoise] * 3, some_factors(data, rank), np.zeros(3), rng)
    for likelihood, precision in zip(chain.likelihoods, alpha, strict=True):
        likelihood.alpha = precision
    prior, chain._rngs = chain.relation_priors[0][1], [Still()] * 3
    prior.means = {directed: rng.normal(size=mean.size) for directed, mean in prior.means.items()}
    chain._draw_relation(k)
    unknowns, root = prior.unknowns[k], np.sqrt(alpha[data.k])

    def minus_log(theta):
        R, b = chain.R.copy(), chain.b.copy()
        R[k], b[k] = unknowns.unpack(theta[:-1]), theta[-1]
        apart = R[k] - unknowns.unpack(prior.mean(k))
        beside = prior.tau * (apart**2).sum() + bilinear_chain.BIAS_PRECISION * b[k] ** 2
        return misfit(data, chain.A, R, b, root, root * y) + 0.5 * float(beside)

    H, h = quadratic_parts(minus_log, unknowns.size + 1)
    np.testing.assert_allclose(H @ np.append(unknowns.pack(chain.R[k]), chain.b[k]), h, atol=1e-8)


@pytest.mark.usefixtures("passes")
def test_a_sweep_draws_the_rows_given_the_newest_of_all_others(monkeypatch):
    data, rng = mixed_data(), np.random.default_rng(5)
    y = rng.normal(size=len(data))
    chain = chain_of(data, y, [GaussianNoise] * 3, some_factors(data, 2), rng.normal(size=3), rng)
    prior = Gaussian(np.array([0.5, -1.0]), np.array([[3.0, 1.0], [1.0, 2.0]]))
    monkeypatch.setattr(GaussianWishart, "draw", lambda *arguments: prior)
    monkeypatch.setattr(relation_draws.RelationPrior, "draw", lambda *arguments: None)
    chain.rng, chain._rngs = Still(), [Still()] * 3
    chain.sweep()
    root = np.sqrt(chain.state()[3][data.k])

    def minus_log(a):
        A, away = np.vstack([chain.A[:-1], a]), a - prior.mean
        return misfit(data, A, chain.R, chain.b, root, root * y) + float(0.5 * away @ prior.precision @ away)

    H, h = quadratic_parts(minus_log, 2)
    np.testing.assert_allclose(H @ chain.A[-1], h, atol=1e-8)  # the last row is drawn given all the others


@pytest.mark.usefixtures("passes")
def test_a_diagonal_entry_has_its_quadratic_likelihood():
    """Objects with the same two diagonal entries are independent draws of one row: its density is known on a grid."""
    n, R, root, value = 600, np.array([[[1.5]], [[-0.5]]]), np.array([1.0, 2.0]), np.array([1.2, -0.3])
    relations = (RELATIONS[0], RELATIONS[1])
    each = np.repeat(np.arange(n), 2)
    data = mrwtd.RelationalData(
        [f"o{index}" for index in range(n)], relations, each, each, np.tile([0, 1], n), np.ones(2 * n)
    )
    rng, A, meetings = np.random.default_rng(0), np.zeros((n, 1)), Meetings.of(data)
    for _ in range(15):
        refused = draw_rows(
            meetings, root[data.k], value[data.k], R, Rows(np.full((1, 1), 0.4), np.eye(1)), rng.normal(size=(n, 1)),
            rng.random((n, 2)), A, np.zeros(n, dtype=np.int64),
        )  # fmt: skip
    assert 0 < refused < n
    grid = np.linspace(-6, 6, 4001)
    apart = value[:, None] - root[:, None] * R.reshape(2, 1) * grid**2
    density = np.exp(-0.5 * (apart**2).sum(axis=0) - 0.5 * (grid - 0.4) ** 2)
    density /= density.sum()
    for power in (1, 2):
        exact, variance = density @ grid**power, density @ grid ** (2 * power) - (density @ grid**power) ** 2
        assert (A**power).mean() == pytest.approx(exact, abs=4 * np.sqrt(variance / n))


def test_mean_and_precision_of_rows_are_drawn_from_their_posterior():
    """Drawn given rows that come from the prior, they are distributed as in the prior."""
    rng, prior = np.random.default_rng(0), GaussianWishart(np.array([0.5, -1.0]), beta=2.0, freedom=5.0)
    assert largest_change(prior_beside_posterior(prior, lambda rows: rows, prior.draw, rng)) < 4


def test_the_prior_of_the_relations_is_drawn_from_its_posterior(monkeypatch):
    monkeypatch.setattr(relation_draws, "SHAPE", 3.0)
    monkeypatch.setattr(relation_draws, "RATE", 3.0)
    rng = np.random.default_rng(0)
    prior = relation_draws.RelationPrior(2, RELATIONS[:2])

    def statistics():
        undirected, directed = prior.means[False], prior.means[True]
        return np.tanh([
            np.log(prior.tau), np.log(prior.tau_mean), *undirected, undirected[1] ** 2, undirected[0] ** 2,
            directed[1], directed[1] ** 2, prior.tau * undirected[1] ** 2,
        ])  # fmt: skip

    def pairs():
        for _ in range(4000):
            prior.tau, prior.tau_mean = rng.gamma(3.0, 1 / 3.0, size=2)
            R = draw_relations(prior, np.empty((2, 2, 2)), rng)
            before = statistics()
            prior.draw(R, rng)
            yield before, statistics()

    assert largest_change(pairs()) < 4


def test_stretching_brings_x_to_its_size_at_once():
    rng = np.random.default_rng(0)
    data = mixed_data(30, relations=RELATIONS[:1])
    chain = chain_of(data, data.y, [Logistic], some_factors(data, 2), np.zeros(1), rng, clusters=True)
    chain.likelihoods[0].y = np.where(rng.random(len(data)) < 1 / (1 + np.exp(-chain.x)), 1.0, -1.0)
    size = chain.x.std()
    chain.R /= 20
    chain.relation_priors[0][1].stretch(1 / 20)
    chain.x = chain._reconstruct()
    for _ in range(4):
        chain._move()
    assert 0.5 < chain.x.std() / size < 2


@pytest.mark.usefixtures("passes")
def test_the_cluster_of_a_row_is_drawn_without_the_row():
    """Objects with one known tie each to a fixed object: the two clusters have probabilities from their evidence."""
    n, value, precision = 4000, 0.8, 2.0
    means, weights = np.array([[-1.0], [2.0]]), np.array([0.3, 0.7])
    data = mrwtd.RelationalData(
        [f"o{index}" for index in range(n + 1)], RELATIONS[:1], np.arange(n), np.full(n, n), np.zeros(n, dtype=int),
        np.ones(n),
    )  # fmt: skip
    rng, A, cluster = np.random.default_rng(0), np.ones((n + 1, 1)), np.zeros(n + 1, dtype=np.int64)
    rows = Rows(means, np.full((1, 1), precision), np.log(weights))
    shape = (n + 1, 1)
    draw_rows(
        Meetings.of(data), np.ones(n), np.full(n, value), np.full((1, 1, 1), 1.5), rows, rng.normal(size=shape),
        rng.random((n + 1, 2)), A, cluster,
    )  # fmt: skip
    evidence = weights * stats.norm.pdf(value, 1.5 * means[:, 0], np.sqrt(1 + 1.5**2 / precision))
    expected = evidence[1] / evidence.sum()
    assert cluster[:n].mean() == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / n))
    # Given its cluster, the row has the conditional Gaussian of that cluster.
    for c in (0, 1):
        drawn = A[:n, 0][cluster[:n] == c]
        exact = (precision * means[c, 0] + 1.5 * value) / (precision + 1.5**2)
        assert drawn.mean() == pytest.approx(exact, abs=4 / np.sqrt((precision + 1.5**2) * drawn.size))


def test_parameters_of_clusters_are_drawn_from_their_posterior(monkeypatch):
    """Drawn given rows and clusters from the prior, they are distributed as in the prior."""
    monkeypatch.setattr(row_priors, "WITHIN", 1.0)
    rng, n, freedom = np.random.default_rng(0), 6, 5.0
    prior = Clusters(np.zeros(n, dtype=np.int64), 2, 2)
    prior.prior = GaussianWishart(np.full(2, 0.5), 2.0, freedom)

    def statistics(rows):
        mean, other = rows.means
        centre, B = prior.centres.mean, prior.centres.precision
        raw = [
            *mean, *other, mean @ other, mean[0] ** 2, *np.log(np.diag(rows.precision) / 5), rows.precision[0, 1] / 5,
            *centre, *np.log(np.diag(B) / 5), B[0, 1] / 5, centre[0] * mean[0], np.exp(rows.log_weights[0]),
            (mean - other) @ rows.precision @ (mean - other) / 5,
        ]  # fmt: skip
        return np.tanh(raw)

    def rooted(precision):
        return np.linalg.cholesky(np.linalg.inv(precision))

    def pairs():
        for B, precision in stats.wishart(freedom, np.eye(2)).rvs((2000, 2), random_state=rng):
            centre = 0.5 + rooted(B) @ rng.normal(size=2) / np.sqrt(2.0)
            means = centre + rng.normal(size=(2, 2)) @ rooted(B).T
            weights = rng.dirichlet([0.5, 0.5])
            prior.cluster[:] = rng.choice(2, size=n, p=weights)
            prior.centres, prior.precision = Gaussian(centre, B), precision
            A = means[prior.cluster] + rng.normal(size=(n, 2)) @ rooted(precision).T
            before = statistics(Rows(means, precision, np.log(np.maximum(weights, 1e-300))))
            yield before, statistics(prior.draw(A, rng))

    assert largest_change(pairs()) < 4
