import numpy as np
import pytest

import mrwtd
from mrwtd.bayesian import bayesian_factors, sampler
from mrwtd.bayesian.btf import BTF
from mrwtd.bayesian.gibbs import bilinear_chain, relation_conditional
from mrwtd.bayesian.gibbs.bilinear_chain import BilinearChain
from mrwtd.bayesian.mrwtd_b import MrWTDB
from mrwtd.metrics.errors import r_squared
from mrwtd.model.cancellation import Cancelled
from tests.reference_posterior import mixed_data

BOTH = [MrWTDB, BTF]


def planted(kind="binary", n=40, seed=0, directed=False):
    """Values of two groups of objects: high within a group, low between."""
    rng, group = np.random.default_rng(seed), np.arange(n) % 2
    i, j = np.triu_indices(n, 1)
    same = np.where(group[i] == group[j], 1.0, -1.0)
    levels = (1, 2, 3, 4) if kind == "ordinal" else ()
    y = {
        "binary": np.where(rng.random(i.size) < 0.9, same, -same),
        "real": 100 + 5 * same + rng.normal(size=i.size),
        "count": rng.poisson(np.exp(1.5 + 1.5 * same)),
        "ordinal": np.clip(np.rint(1.5 + 1.2 * same + 0.3 * rng.normal(size=i.size)), 0, 3),
    }[kind]
    relation = mrwtd.Relation(kind, kind, directed=directed, levels=levels)
    return mrwtd.RelationalData([f"o{index}" for index in range(n)], [relation], i, j, np.zeros_like(i), y)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("kind", ["binary", "real", "count", "ordinal"])
def test_planted_groups_are_found_in_relations_of_every_kind(method, kind):
    train, test = planted(kind).split(train=0.4, seed=0)
    model = method(rank=2, sweeps=40, burn_in=20).fit(train)
    predicted = model.predict(test)
    assert np.corrcoef(predicted, test.y)[0, 1] > 0.65
    assert kind == "binary" or r_squared(test.y, predicted) > 0.4  # in the unit of the data
    if kind == "count" and method is MrWTDB:
        assert (predicted >= 0).all()
    if kind == "ordinal":
        assert set(predicted) <= {0.0, 1.0, 2.0, 3.0}
    assert (model.predict_std(test) > 0).mean() > 0.9 or (kind == "ordinal" and method is BTF)
    special = {"binary": "logistic", "count": "poisson", "ordinal": "ordinal"} if method is MrWTDB else {}
    assert model.losses_[kind] == special.get(kind, "quadratic")


def test_probabilities_are_posterior_means_and_calibrated():
    train, test = planted(n=60).split(train=0.5, seed=1)
    model = MrWTDB(rank=2, sweeps=60, burn_in=30).fit(train)
    p, entries = model.predict_proba(test), model._align(test)
    drawn = np.array([1 / (1 + np.exp(-x)) for x in (model._draw(state, *entries) for state in model.samples_)])
    np.testing.assert_allclose(p, drawn.mean(axis=0))
    np.testing.assert_allclose(model.predict_std(test), drawn.std(axis=0))
    assert np.mean(p[test.y > 0]) > 0.6
    assert np.mean(test.y[p > 0.5] > 0) == pytest.approx(p[p > 0.5].mean(), abs=0.12)
    assert np.isnan(BTF(rank=2, sweeps=3, burn_in=1).fit(train).predict_proba(test)).all()


def test_fewer_entries_give_a_larger_standard_deviation():
    data = planted("real")
    few, many = (MrWTDB(rank=2, sweeps=40, burn_in=20).fit(data.split(train=t, seed=0)[0]) for t in (0.08, 0.8))
    assert few.predict_std(data).mean() > 2 * many.predict_std(data).mean()


@pytest.mark.parametrize("method", BOTH)
def test_threads_do_not_change_results(method, monkeypatch):
    data = mixed_data(8, diagonal=True)
    single_threaded = method(rank=3, sweeps=5, burn_in=2).fit(data)
    monkeypatch.setattr(bilinear_chain, "threads_for", lambda entries: 3)
    together = method(rank=3, sweeps=5, burn_in=2).fit(data)
    np.testing.assert_array_equal(single_threaded.decision_function(data), together.decision_function(data))


@pytest.mark.parametrize("method", BOTH)
def test_weight_0_omits_an_entry_and_smaller_weights_count_less(method):
    data = planted("real")
    out = np.arange(len(data)) % 3 == 0
    without = data.subset(~out)
    weighted = [
        mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, np.where(out, w, 1.0))
        for w in (0.0, 0.5)
    ]
    fits = [method(rank=2, sweeps=10, burn_in=5).fit(entries) for entries in (without, *weighted)]
    without, at_zero, at_half = (entries.decision_function(data) for entries in fits)
    np.testing.assert_allclose(without, at_zero, atol=1e-9)
    assert np.abs(without - at_half).max() > 0.01


@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_sweep_can_be_stopped_between_two_relations(threads, monkeypatch):
    monkeypatch.setattr(sampler, "CALLBACK_SECONDS", -1.0)  # every sweep is a long one
    monkeypatch.setattr(bilinear_chain, "threads_for", lambda entries: threads)
    data = mrwtd.load_dataset("florentine")
    model = BTF(rank=2, sweeps=12, burn_in=4).fit(data, lambda step: step.stage.kind == "sweep" and step.number == 3)
    assert len(model.trace_) == 2
    assert "after 2 of 12 sweeps" in model.messages_[0]
    assert np.isfinite(model.decision_function(data)).all()


@pytest.mark.parametrize("method", BOTH)
def test_the_callback_sees_the_start_and_every_sweep_and_can_stop_in_both(method, monkeypatch):
    monkeypatch.setattr(sampler, "CALLBACK_SECONDS", np.inf)  # on a busy machine any sweep may be a long one
    data = planted()
    steps = []
    model = method(rank=2, sweeps=12, burn_in=4, samples=5).fit(data, steps.append)
    assert {step.stage.kind for step in steps} == {"start", "sampling"}
    sweeps = [step for step in steps if step.stage.kind == "sampling"]
    assert [step.number for step in sweeps] == list(range(1, 13))
    assert model.trace_["objective"].tolist() == [step.objective for step in sweeps]
    assert len(model.samples_) == 4  # every second of eight sweeps, because at most five are kept
    assert model.converged_
    early = method(rank=2, sweeps=12, burn_in=4).fit(data, lambda step: step.stage.kind == "start")
    assert len(early.trace_) == 0
    assert "after 0 of 12 sweeps" in early.messages_[0]
    assert np.isfinite(early.decision_function(data)).all()
    assert np.isnan(early.predict_std(data)).all()
    midway = method(rank=2, sweeps=12, burn_in=4).fit(
        data, lambda step: step.stage.kind == "sampling" and step.number == 6
    )
    assert (len(midway.trace_), len(midway.samples_), midway.converged_) == (6, 2, False)


def test_a_rank_that_needs_too_much_memory_is_refused_with_the_largest():
    with pytest.raises(mrwtd.DataError, match=r"expected at most 2.1 GB: rank 3663$"):
        BTF(rank=5_000).fit(planted())
    BTF(rank=3_663).check(planted())


@pytest.mark.parametrize("directed", [False, True])
def test_a_high_rank_is_drawn_in_blocks(directed, monkeypatch):
    monkeypatch.setattr(relation_conditional, "LARGEST_SYSTEM", 50)
    train, test = planted(directed=directed).split(train=0.4, seed=0)
    model = MrWTDB(rank=12, sweeps=12, burn_in=4).fit(train)
    assert np.corrcoef(model.predict(test), test.y)[0, 1] > 0.5


def test_the_cost_of_a_large_rank_is_reported(monkeypatch):
    monkeypatch.setattr(bayesian_factors, "SLOW", 10.0)
    assert "systems of 3 unknowns" in BTF(rank=2, sweeps=2, burn_in=0).fit(planted()).messages_[0]


def test_a_diagonal_that_slows_the_draws_is_reported(monkeypatch):
    monkeypatch.setattr(bilinear_chain, "REFUSED", 0.0)
    model = BTF(rank=2, sweeps=20, burn_in=0).fit(mixed_data(6, diagonal=True))
    assert any("diagonal entries" in message for message in model.messages_)


def test_large_states_are_thinned_to_limit_memory(monkeypatch):
    monkeypatch.setattr(sampler, "MAX_BYTES", 3 * 8 * (40 * 2 + 4 + 1 + 1))
    model = BTF(rank=2, sweeps=13, burn_in=1).fit(planted())
    assert len(model.samples_) == 3


def test_a_drifting_chain_is_reported(monkeypatch):
    def drift(chain, ended):
        chain.x = chain.x * 1.01
        return True

    monkeypatch.setattr(BilinearChain, "sweep", drift)
    model = MrWTDB(rank=2, sweeps=60, burn_in=10, chains=1).fit(planted())
    assert "chain_drifts" in [fact.code for fact in model.diagnostics_]


def test_a_fit_that_would_collapse_starts_with_less_regularization():
    data = planted().split(train=0.03, seed=0)[0]
    model = MrWTDB(rank=2, sweeps=3, burn_in=0).fit(data)
    assert np.abs(model.R_).max() > 1e-3


def test_a_stop_before_the_first_sweep_keeps_the_start(monkeypatch):
    data = mrwtd.load_dataset("florentine")

    def of(data):
        raise Cancelled

    monkeypatch.setattr(bilinear_chain.Meetings, "of", of)
    model = BTF(rank=2, sweeps=5, burn_in=1).fit(data)
    assert len(model.samples_) == 1
    assert "stopped after 0 of 5" in model.messages_[0]
    assert np.ptp(model.decision_function(data)) > 0.1
