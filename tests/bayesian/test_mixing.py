import numpy as np
import pytest

import mrwtd
from mrwtd.bayesian import sampler
from mrwtd.bayesian.mixing import mixing, sample_pairs
from mrwtd.bayesian.mrwtd_b import MrWTDB


def autoregressive(correlation, draws, chains=4, pairs=50, seed=0):
    rng = np.random.default_rng(seed)
    x = np.empty((chains, draws, pairs))
    x[:, 0] = rng.normal(size=(chains, pairs))
    for t in range(1, draws):
        x[:, t] = correlation * x[:, t - 1] + np.sqrt(1 - correlation**2) * rng.normal(size=(chains, pairs))
    return list(x)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_the_effective_draws_of_an_autoregressive_chain(correlation):
    """Its autocorrelations ρᵗ sum to ρ / (1 − ρ), by which the draws count (1 − ρ) / (1 + ρ) each."""
    found = mixing(autoregressive(correlation, 1000))
    assert found.effective_draws == pytest.approx(4000 * (1 - correlation) / (1 + correlation), rel=0.2)
    assert found.r_hat == pytest.approx(1.0, abs=0.05)


def test_chains_around_different_values_have_a_large_r_hat_and_few_effective_draws():
    """With means of sd 3 around chains of sd 1, V / W is about 1 + 9."""
    apart = np.array([-3.0, 3.0] * 10) * np.sqrt(19 / 20)
    chains = [chain + centre for chain, centre in zip(autoregressive(0, 200, chains=20), apart, strict=True)]
    found = mixing(chains)
    assert found.r_hat == pytest.approx(np.sqrt(10), rel=0.05)
    assert found.effective_draws < 100


def test_a_chain_that_drifts_has_a_large_r_hat():
    assert mixing([np.linspace(0, 1, 100)[:, None] * np.ones(3)]).r_hat > 1.5


def test_nothing_is_estimated_without_draws_or_changes():
    assert mixing([]) is None
    assert mixing([np.zeros((7, 3))]) is None
    assert mixing([np.zeros((50, 3))]) is None


@pytest.mark.parametrize("name", ["nations", "florentine"])
def test_sampled_pairs_are_possible_and_half_of_them_known(name):
    data = mrwtd.load_dataset(name).split(train=0.3, seed=0)[0]
    pairs = sample_pairs(data, np.random.default_rng(0))
    assert (pairs.i != pairs.j).all()
    known = set(zip(data.i, data.j, data.k, strict=True))
    drawn = [triple in known for triple in zip(pairs.i, pairs.j, pairs.k, strict=True)]
    assert 0.4 < np.mean(drawn) <= 0.95


def many_ties(n=40, seed=0):
    """Data of which one factor explains everything, so that all chains agree."""
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    a = rng.normal(size=n)
    y = np.where(rng.random(i.size) < 1 / (1 + np.exp(-a[i] * a[j])), 1.0, -1.0)
    relation = mrwtd.Relation("likes", "binary", directed=False)
    return mrwtd.RelationalData([f"o{index}" for index in range(n)], [relation], i, j, np.zeros_like(i), y)


def test_no_more_chains_are_run_once_the_first_agree():
    model = MrWTDB(rank=1, sweeps=600, burn_in=60, chains=10, seed=2).fit(many_ties())
    assert len(model.trace_) < 600
    assert len(model.trace_) % 60 == 0
    assert model.converged_
    assert model.r_hat_ < 1.1
    assert model.effective_draws_ >= 100
    (fact,) = [fact for fact in model.diagnostics_ if fact.code == "mixing"]
    assert fact.values["agree"]
    assert fact.values["chains"] == len(model.trace_) / 60
    assert "agree" in fact.message()


def test_chains_that_differ_are_all_run_and_reported(monkeypatch):
    monkeypatch.setattr(sampler, "AGREE", 0.5)
    model = MrWTDB(rank=2, sweeps=100, burn_in=20, samples=40, chains=5).fit(many_ties())
    assert len(model.trace_) == 100
    assert len(model.samples_) == 40
    (fact,) = [fact for fact in model.diagnostics_ if fact.code == "mixing"]
    assert (fact.values["chains"], fact.values["agree"]) == (5, False)


def test_few_sweeps_are_one_chain():
    assert not [fact for fact in MrWTDB(sweeps=23, burn_in=5).fit(many_ties()).diagnostics_ if fact.code == "mixing"]


@pytest.mark.parametrize(("samples", "stored"), [(2, 2), (5, 5), (6, 6), (100, 12)])
def test_there_are_at_most_as_many_states_as_samples(samples, stored):
    model = MrWTDB(rank=2, sweeps=72, burn_in=60, samples=samples).fit(many_ties())
    assert len(model.samples_) == stored


@pytest.mark.parametrize("burn_in", [31, 30])
def test_every_chain_stores_a_state_after_any_burn_in(burn_in):
    model = MrWTDB(rank=2, sweeps=32, burn_in=burn_in).fit(many_ties())
    assert len(model.samples_) == 2
    assert (model.predict_std(many_ties()) > 0).all()


def test_chains_have_different_starts():
    states = MrWTDB(rank=2, sweeps=40, burn_in=0, samples=40, chains=2).fit(many_ties()).samples_
    size = [np.abs(A @ R[0] @ A.T - states[0][0] @ states[0][1][0] @ states[0][0].T).max() for A, R, *_ in states]
    assert size[20] > 0.01
    assert not np.allclose(states[0][0], states[20][0])


def test_a_stop_ends_all_chains():
    model = MrWTDB(rank=2, sweeps=60, burn_in=12, chains=3).fit(
        many_ties(), lambda step: step.stage.kind == "sampling" and step.number == 30
    )
    assert len(model.trace_) == 30
    assert not model.converged_
    assert [fact.code for fact in model.diagnostics_ if fact.code == "sampling_stopped"]
