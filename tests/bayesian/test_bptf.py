from functools import partial

import numpy as np
import pytest
from scipy import stats

import mrwtd
from mrwtd.bayesian import bptf
from mrwtd.bayesian.bptf import BPTF, CPChain, chain_prior
from mrwtd.bayesian.gibbs import cp_draws, relation_draws
from mrwtd.bayesian.gibbs.cp_draws import RowEntries, draw_rows
from mrwtd.bayesian.gibbs.gaussian_wishart import Gaussian, GaussianWishart
from mrwtd.metrics.ranking_curve import average_precision
from tests.reference_posterior import Still, largest_change, prior_beside_posterior, quadratic_parts


@pytest.fixture(params=["compiled", "plain"])
def passes(request, monkeypatch):
    """With and without the compiled code."""
    if request.param == "plain":
        monkeypatch.setattr(cp_draws, "compiled", lambda: None)


def some_data(n=4, m=3, directed=True, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    k, i, j = np.indices((m, n, n)).reshape(3, -1)
    keep = (rng.random(k.size) < 0.8) & (directed | (i <= j))
    relations = [mrwtd.Relation(f"r{index}", "real", directed=directed) for index in range(m)]
    w = rng.random(keep.sum()) if weighted else None
    names = [f"o{index}" for index in range(n)]
    return mrwtd.RelationalData(names, relations, i[keep], j[keep], k[keep], rng.normal(size=keep.sum()), w)


def both_ways(data):
    """The undirected data as directed, with every pair of different objects in both directions."""
    off = data.i != data.j
    i, j = np.concatenate([data.i, data.j[off]]), np.concatenate([data.j, data.i[off]])
    k, y, w = (np.concatenate([column, column[off]]) for column in (data.k, data.y, data.w))
    relations = [mrwtd.Relation(relation.name, relation.kind, directed=True) for relation in data.relations]
    return mrwtd.RelationalData(data.objects, relations, i, j, k, y, w)


def misfit(data, U, V, T):
    """Half the weighted sum of squares of x − y, entry by entry."""
    x = np.array([(U[i] * V[j] * T[k]).sum() for i, j, k in zip(data.i, data.j, data.k, strict=True)])
    return 0.5 * float(data.w @ (x - data.y) ** 2)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("n", [4, 12])  # rows with few entries, and rows with more than fit in a buffer
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
def test_rows_of_v_leave_the_gram_matrices_of_the_relations(directed):
    data, rank = some_data(12, m=2, directed=directed, weighted=True), 3
    rng = np.random.default_rng(1)
    U, V, T = (rng.normal(size=(size, rank)) for size in (12, 12, 2))
    rows = RowEntries.of(data, data.y, source=False)
    blocks = [draw_rows(rows, block, U, T, 1.0, np.eye(3), np.zeros(3), V.copy(), V) for block in rows.blocks(2)]
    entries = data if directed else both_ways(data)
    for k, gram in enumerate(np.sum(blocks, axis=0)):
        part = entries.subset(entries.k == k)
        H, h = quadratic_parts(lambda t, part=part: misfit(part, U, V, np.stack([t, t])), rank)
        np.testing.assert_allclose(gram[:3, :3], H, atol=1e-8)
        np.testing.assert_allclose(gram[:3, 3], h, atol=1e-8)
        assert gram[3, 3] == pytest.approx(part.w @ part.y**2)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ordered", [False, True])
def test_a_sweep_draws_each_relation_given_the_newest_of_all_others(directed, ordered, monkeypatch):
    data = some_data(5, directed=directed, weighted=True)
    chain = CPChain(data, data.y, 2, ordered, np.random.default_rng(1))
    prior, alpha = Gaussian(np.array([0.5, -1.0]), np.array([[3.0, 1.0], [1.0, 2.0]])), 1.7
    monkeypatch.setattr(GaussianWishart, "draw", lambda *arguments: prior)
    monkeypatch.setattr(bptf, "chain_prior", lambda *arguments: prior)
    chain.rng, chain.alpha, old = Still(), alpha, chain.T.copy()
    chain.sweep()
    entries = data if directed else both_ways(data)
    for k in range(3):

        def minus_log(t, k=k):
            T = np.vstack([chain.T[:k], t, old[k + 1 :]])  # later relations still have their old values
            steps = np.diff(T, axis=0, prepend=prior.mean[None]) if ordered else T - prior.mean
            return alpha * misfit(entries, chain.U, chain.V, T) + 0.5 * np.einsum(
                "ka,ab,kb->", steps, prior.precision, steps
            )

        H, h = quadratic_parts(minus_log, 2)
        np.testing.assert_allclose(H @ chain.T[k], h, atol=1e-8)


@pytest.mark.parametrize("ordered", [False, True])
def test_a_sweep_leaves_the_joint_distribution_alone(ordered, monkeypatch):
    monkeypatch.setattr(relation_draws, "SHAPE", 4.0)
    monkeypatch.setattr(relation_draws, "RATE", 4.0)
    data, rng = some_data(3), np.random.default_rng(0)
    chain = CPChain(data, data.y, 2, ordered, rng)
    chain.prior, chain.relation_prior = (
        GaussianWishart(np.full(2, mean), beta=3.0, freedom=5.0) for mean in (0.3, 1.0)
    )

    def rows(prior, precision, walk=False):
        root = np.linalg.cholesky(np.linalg.inv(precision))
        mean = prior.mean + root @ rng.normal(size=2) / np.sqrt(3.0)
        steps = rng.normal(size=(3, 2)) @ root.T
        return mean + (np.cumsum(steps, axis=0) if walk else steps)

    def statistics():
        U, V, T = chain.U, chain.V, chain.T
        raw = [
            U[0, 0], U[1, 1], U[0] @ U[1], V[0, 1], V[2] @ V[2], V[0] @ V[1], U[0] @ V[0], T[0, 0], T[2, 1],
            T[1] @ T[1], T[0] @ T[1], T[0, 0] * T[0, 1], np.log(chain.alpha), (U[0] * V[1] * T[2]).sum(),
            U[0, 0] * U[0, 1], (T[1] - T[0]) @ (T[1] - T[0]), (U[1] - U[0]) @ (U[1] - U[0]),
        ]  # fmt: skip
        return np.tanh(raw)

    def pairs():
        for three in stats.wishart(5, np.eye(2)).rvs(3600, random_state=rng).reshape(-1, 3, 2, 2):
            chain.U[:], chain.V[:] = rows(chain.prior, three[0]), rows(chain.prior, three[1])
            chain.T[:] = rows(chain.relation_prior, three[2], walk=ordered)
            chain.alpha = rng.gamma(4.0, 1 / 4.0)
            x = np.einsum("ef,ef,ef->e", chain.U[data.i], chain.V[data.j], chain.T[data.k])
            chain.y = x + rng.normal(size=len(data)) / np.sqrt(chain.alpha)
            chain.sources = RowEntries.of(data, chain.y, source=True)
            chain.targets = RowEntries.of(data, chain.y, source=False)
            before = statistics()
            chain.sweep()
            yield before, statistics()

    assert largest_change(pairs()) < 4


def test_the_chain_prior_is_drawn_from_its_posterior():
    """Drawn given rows that come from the prior, mean and precision are distributed as in the prior."""
    rng, prior = np.random.default_rng(0), GaussianWishart(np.array([0.5, -1.0]), beta=2.0, freedom=5.0)
    assert (
        largest_change(
            prior_beside_posterior(prior, lambda steps: np.cumsum(steps, axis=0), partial(chain_prior, prior), rng)
        )
        < 4
    )


def synthetic(**changes):
    return mrwtd.load_dataset("synth-binary", **({"n_objects": 60, "n_relations": 2, "rank": 2, "seed": 0} | changes))


def score(model, test):
    x = model.decision_function(test)
    parts = [test.slice(k) for k in range(test.n_relations)]
    return np.mean([average_precision(test.y[part], x[part]) for part in parts])


@pytest.mark.parametrize("chain", [False, True])
def test_planted_structure_is_recovered_and_more_entries_reduce_the_standard_deviation(chain):
    data = synthetic()
    few, many = (data.split(train=t, seed=0) for t in (0.1, 0.6))
    models = [BPTF(rank=4, chain=chain, sweeps=60, burn_in=30).fit(train) for train, _ in (few, many)]
    assert score(models[1], many[1]) > 0.6 > score(models[0], few[1]) > np.mean(data.y > 0)
    assert models[0].predict_std(data).mean() > 1.5 * models[1].predict_std(data).mean()
    assert (models[1].predict(many[1]) == many[1].y).mean() > 0.9


@pytest.mark.parametrize("directed", [True, False])
def test_intervals_have_their_nominal_coverage(directed):
    inside = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = 25
        i, j = np.nonzero(~np.eye(n, dtype=bool)) if directed else np.triu_indices(n, 1)
        u = rng.normal(size=n)
        truth = u[i] * u[j]
        known = rng.random(i.size) < 0.6
        y = truth + rng.normal(scale=0.5, size=i.size)
        relation = [mrwtd.Relation("near", "real", directed=directed)]
        train, test = (
            mrwtd.RelationalData(
                [f"o{index}" for index in range(n)], relation, i[chosen], j[chosen], 0 * i[chosen], y[chosen]
            )
            for chosen in (known, ~known)
        )
        model = BPTF(rank=1, sweeps=200, seed=seed).fit(train)
        inside.append(np.mean(np.abs(model.predict(test) - truth[~known]) <= 1.645 * model.predict_std(test)))
    assert np.mean(inside) == pytest.approx(0.9, abs=0.07)


def test_an_undirected_prediction_is_the_mean_of_both_directions():
    data = synthetic()
    model = BPTF(rank=3, sweeps=6, burn_in=2).fit(data)
    turned = both_ways(data)
    one_way = BPTF(rank=3, sweeps=6, burn_in=2).fit(turned)  # the same entries give the same states
    x = {
        (i, j, k): value
        for i, j, k, value in zip(turned.i, turned.j, turned.k, one_way.decision_function(turned), strict=True)
    }
    means = [0.5 * (x[i, j, k] + x[j, i, k]) for i, j, k in zip(data.i, data.j, data.k, strict=True)]
    np.testing.assert_allclose(model.decision_function(data), means, atol=1e-8)


def test_real_values_are_predicted_in_their_unit():
    data = some_data(12, directed=False)
    scaled = mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, 100 + 10 * data.y)
    models = [BPTF(rank=2, sweeps=20, burn_in=10).fit(values) for values in (data, scaled)]
    np.testing.assert_allclose(models[1].predict(scaled), 100 + 10 * models[0].predict(data))
    np.testing.assert_allclose(models[1].predict_std(scaled), 10 * models[0].predict_std(data))
    np.testing.assert_allclose(models[1].decision_function(scaled), models[0].decision_function(data))


def test_the_mean_of_a_binary_relation_is_subtracted_and_added_again():
    relation, (i, j) = mrwtd.Relation("r", "binary", directed=True), np.indices((12, 12)).reshape(2, -1)
    data = mrwtd.RelationalData(
        [f"o{index:02}" for index in range(12)], [relation], i, j, np.zeros_like(i), -np.ones(144)
    )
    x = BPTF(rank=2, sweeps=40, burn_in=20).fit(data).decision_function(data)
    assert x.mean() == pytest.approx(-1.0, abs=0.1)


def test_threads_do_not_change_results_and_blocks_only_change_rounding(monkeypatch):
    data = some_data(10, weighted=True)
    reference = BPTF(rank=3, sweeps=5, burn_in=2).fit(data)
    monkeypatch.setattr(bptf, "SERIAL_BELOW", 0)
    in_blocks = BPTF(rank=3, sweeps=5, burn_in=2).fit(data)
    monkeypatch.setattr(bptf, "threads_for", lambda entries: 3)
    together = BPTF(rank=3, sweeps=5, burn_in=2).fit(data)
    np.testing.assert_array_equal(in_blocks.T_, together.T_)
    np.testing.assert_allclose(reference.T_, together.T_, atol=1e-8)


def test_the_trace_is_minus_the_log_likelihood():
    data = some_data(6, weighted=True)
    chain = CPChain(data, data.y, 2, False, np.random.default_rng(0))
    chain.sweep()
    x = np.einsum("ef,ef,ef->e", chain.U[data.i], chain.V[data.j], chain.T[data.k])
    expected = -data.w @ stats.norm(x, chain.alpha**-0.5).logpdf(data.y)
    assert chain.minus_log_likelihood() == pytest.approx(expected)


def test_the_callback_sees_every_sweep_and_can_stop_in_the_burn_in():
    data, steps = some_data(6), []
    model = BPTF(rank=2, sweeps=9, burn_in=3).fit(data, steps.append)
    assert [(step.number, step.stage.kind) for step in steps] == [(number, "sampling") for number in range(1, 10)]
    assert len(model.samples_) == 6
    stopped = BPTF(rank=2, sweeps=9, burn_in=3).fit(data, lambda step: step.number == 2)
    assert len(stopped.trace_) == 2
    assert "after 2 of 9 sweeps: still burn-in" in stopped.messages_[0]
    assert np.isfinite(stopped.decision_function(data)).all()


def test_parameters_out_of_range_are_refused():
    with pytest.raises(mrwtd.DataError, match="burn_in = 200; expected a whole number from 0 to 199"):
        BPTF(burn_in=200).fit(some_data())
