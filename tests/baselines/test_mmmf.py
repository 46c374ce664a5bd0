import numpy as np
import pytest

import mrwtd
from mrwtd import DataError, MrWTD, RelationalData
from mrwtd.baselines.mmmf import MMMF
from mrwtd.baselines.mmmf_plus import MMMFPlus
from mrwtd.baselines.pair_objective import PairObjective
from mrwtd.data.relations import Relation
from mrwtd.metrics.ranking_curve import average_precision
from mrwtd.model.losses import LOSSES
from mrwtd.model.solver import SolverOptions
from mrwtd.model.validation_splits import ValidationSplit
from tests.reference_baselines import mmmf_objective

BY_LOSS = {"poisson": "count", "ordinal": "ordinal", "quadratic": "real", "huber": "real"}


def one_relation(name: str, directed: bool, n: int = 6) -> RelationalData:
    """Some entries of one relation that the loss supports, with self-pairs and weights."""
    rng = np.random.default_rng(len(name))
    kind = BY_LOSS.get(name, "binary")
    relation = Relation("r", kind, directed, (0.0, 1.0, 2.0) if kind == "ordinal" else ())
    pairs = np.array([(i, j) for i in range(n) for j in range(0 if directed else i, n)])
    i, j = pairs[rng.random(len(pairs)) < 0.6].T
    y = {
        "binary": rng.choice([-1.0, 1.0], i.size),
        "ordinal": rng.integers(0, 3, i.size),
        "count": rng.poisson(2.0, i.size),
        "real": rng.normal(size=i.size),
    }[kind]
    return RelationalData(
        [f"o{index}" for index in range(n)], [relation], i, j, np.zeros_like(i), y, rng.random(i.size)
    )


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", list(LOSSES))
def test_value_and_gradient(name, directed):
    data, rank = one_relation(name, directed), 2
    objective = PairObjective(data, data.y, LOSSES[name], rank, 0.3)
    theta = np.random.default_rng(1).normal(scale=0.5, size=objective.layout.size)
    if name == "ordinal":
        theta[-2:] = -0.4, 0.8
    U, V = theta[: 2 * 6 * rank].reshape(2, 6, rank)
    value, gradient = objective(theta)
    assert value == pytest.approx(mmmf_objective(data, name, 0.3, U, V, theta[24:].tolist()))
    h = 1e-6
    for index in range(theta.size):
        step = np.zeros_like(theta)
        step[index] = h
        assert (objective(theta + step)[0] - objective(theta - step)[0]) / (2 * h) == pytest.approx(
            gradient[index], abs=1e-4
        )


@pytest.mark.parametrize("rank", [3, 23])
def test_wide_factors_are_handled_in_chunks(rank):
    data = one_relation("logistic", False)
    objective = PairObjective(data, data.y, LOSSES["logistic"], rank, 0.3)
    theta = np.random.default_rng(1).normal(scale=0.3, size=objective.layout.size)
    U, V = theta[:-1].reshape(2, 6, rank)
    assert objective(theta)[0] == pytest.approx(mmmf_objective(data, "logistic", 0.3, U, V, [theta[-1]]))


def test_counts_are_weighted_by_their_dispersion():
    # Mean 5 and variance 25, of which a fit leaves 0.7.
    relation = Relation("calls", "count", True)
    data = RelationalData([*"abc"], [relation], [0, 0, 1, 1], [1, 2, 0, 2], [0] * 4, [0.0, 0.0, 10.0, 10.0])
    objective = PairObjective(data, data.y, LOSSES["poisson"], 1, 0.0)
    theta = np.array([0.5, 1.0, -1.0, 0.3, 0.2, 0.1, 0.4])
    full = mmmf_objective(data, "poisson", 0.0, theta[:3, None], theta[3:6, None], [0.4])
    assert objective(theta)[0] == pytest.approx(full / 3.5)


def test_a_vanished_relation_restarts_at_the_next_lambda():
    data = mrwtd.load_dataset("synth-binary", n_objects=30, n_relations=2, rank=2, positives=0.3)
    model = MMMF(rank=2)
    model._prepare(data)
    problem = model._problem(data)
    first, second = problem[0].start.size, problem[1].start.size
    solution = model._solve(problem, 1.0, np.concatenate([np.zeros(first), np.ones(second)]), SolverOptions(30, 1e-4))
    assert np.abs(solution.theta[: first - 1]).max() > 0.1


def test_cut_points_are_kept_in_ascending_order():
    """A stopped fit may leave them in any order, but levels are looked up in sorted cut points."""
    data = one_relation("ordinal", directed=True)
    model = MMMF(rank=2, lam=1.0).fit(data)
    problem = model._problem(data)
    model._store(problem, np.append(problem[0].start[:-2], [1.5, -0.5]))
    np.testing.assert_array_equal(model.cuts_["r"], [-0.5, 1.5])


def test_the_prediction_of_an_undirected_pair_is_the_mean_of_both_directions():
    data = mrwtd.load_dataset("florentine")
    model = MMMF(rank=3, lam=0.5).fit(data)
    X = np.stack([U @ V.T + b for U, V, b in zip(model.U_, model.V_, model.b_, strict=True)])
    expected = 0.5 * (X[data.k, data.i, data.j] + X[data.k, data.j, data.i])
    np.testing.assert_allclose(model.decision_function(data), expected)


def test_a_directed_relation_keeps_its_direction():
    data = mrwtd.load_dataset("synth-kinds", n_objects=25, rank=2, directed=True).select_relations(["real 1"])
    model = MMMF(rank=2, lam=0.1).fit(data)
    assert np.corrcoef(model.predict(data), data.y)[0, 1] > 0.9
    X = model.U_[0] @ model.V_[0].T
    assert not np.allclose(X, X.T, atol=0.1)


@pytest.mark.parametrize("method", [MMMF, MMMFPlus])
def test_planted_structure_is_recovered(method):
    train, test = mrwtd.load_dataset("synth-binary", n_objects=80, n_relations=2, rank=2, seed=1).split(train=0.5)
    model = method(rank=2, lam=1.0).fit(train)
    assert average_precision(test.y, model.decision_function(test)) > 0.6  # the base rate is 0.1


def test_the_usual_losses_are_large_margin():
    data = mrwtd.load_dataset("synth-kinds", n_objects=12, rank=2)
    assert list(MMMF(rank=1, lam=1.0).fit(data).losses_.values()) == ["smooth-hinge", "ordinal", "poisson", "quadratic"]
    with_huber = MMMF(rank=1, lam=1.0, loss={"real 1": "huber"}).fit(data)
    assert list(with_huber.losses_.values()) == ["smooth-hinge", "ordinal", "poisson", "huber"]
    with pytest.raises(DataError, match="logistic"):
        MMMF(loss="logistic").fit(data)
    with pytest.raises(DataError, match="loss = 3"):
        MMMF(loss=3).fit(data)


def test_mmmf_plus_equals_mrwtd_on_each_relation():
    data = mrwtd.load_dataset("synth-kinds", n_objects=20, rank=2)
    plus, objectives = MMMFPlus(rank=2, lam=0.5, seed=3).fit(data), []
    for k, relation in enumerate(data.relations):
        single = MrWTD(rank=2, lam=0.5, seed=3).fit(data.select_relations([relation.name]))
        objectives.append(single.objective_)
        np.testing.assert_allclose(plus.A_[k], single.A_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(plus.R_[k], single.R_[0], rtol=1e-6, atol=1e-9)
        part = data.slice(k)
        np.testing.assert_allclose(
            plus.predict(data)[part], single.predict(data.select_relations([relation.name])), rtol=1e-6
        )
    assert plus.objective_ == pytest.approx(sum(objectives))
    assert plus.trace_["objective"].iloc[-1] == pytest.approx(sum(objectives))
    assert (plus.trace_["objective"].diff().dropna() <= 1e-9).all()  # no jump at the start of the next relation


def test_a_vanished_relation_restarts_in_mmmf_plus():
    train, held = mrwtd.load_dataset("florentine").split(train=0.75)
    model = MMMFPlus(rank=2)
    model.begin(train)
    attempt = model._trial_of(model._models(train), ValidationSplit(train, held), None)
    assert attempt(1e4, None, "λ = 10000").state == [None, None]
    assert all(state is not None for state in attempt(0.1, [None, None], "λ = 0.1").state)


def test_mmmf_plus_does_not_report_a_rank_too_high_for_one_relation():
    train, _ = mrwtd.load_dataset("aucs").split(train=0.3, seed=0)
    single = mrwtd.MrWTD(rank=12, lam=1.0).fit(train.select_relations(["lunch"]))
    assert [fact.code for fact in single.diagnostics_] == ["rank_unused"]
    assert MMMFPlus(rank=12, lam=1.0).fit(train).messages_ == ()


@pytest.mark.parametrize("method", [MMMF, MMMFPlus])
def test_counts_are_scored_by_their_rates(method):
    counts = mrwtd.load_dataset("synth-kinds", n_objects=40, rank=2).select_relations(["count 1"])
    path = method(rank=2, max_iter=50).fit(counts).lam_path_
    assert 0 < path["score"].max() < 1  # the deviance explained, of rates and not of their logarithms


@pytest.mark.parametrize("method", [MMMF, MMMFPlus])
def test_a_relation_does_not_depend_on_the_others(method):
    data = mrwtd.load_dataset("florentine")
    both, single = method(rank=2, lam=0.5).fit(data), method(rank=2, lam=0.5).fit(data.select_relations(["marriage"]))
    np.testing.assert_allclose(
        both.decision_function(data)[data.slice(1)], single.decision_function(data.select_relations(["marriage"]))
    )


@pytest.mark.parametrize("method", [MMMF, MMMFPlus])
def test_one_lambda_is_chosen_by_the_mean_over_the_relations(method):
    train, _ = mrwtd.load_dataset("synth-binary", n_objects=60, n_relations=2, rank=2, seed=1).split(train=0.4)
    model = method(rank=2, max_iter=60).fit(train)
    path = model.lam_path_
    assert model.lam_ in path["lam"].to_numpy()
    assert path["score"].max() > 1.5 * path["score"].iloc[0]
    assert path["lam"].is_monotonic_decreasing


def test_the_trace_shows_the_sum_over_the_relations():
    model = MMMF(rank=2, lam=0.5).fit(mrwtd.load_dataset("florentine"))
    assert model.trace_["objective"].is_monotonic_decreasing
    assert model.trace_["iteration"].tolist() == list(range(1, len(model.trace_) + 1))
    assert model.trace_["objective"].iloc[-1] == pytest.approx(model.objective_)


def test_relations_not_reached_before_a_stop_stay_at_their_start():
    data = mrwtd.load_dataset("florentine")
    model = MMMF(rank=2, lam=0.5).fit(data, callback=lambda step: step.number == 3)
    assert len(model.trace_) == 3
    assert not model.converged_
    assert any("stopped" in message for message in model.messages_)
    assert np.isfinite(model.decision_function(data)).all()


def test_relations_not_reached_before_a_stop_are_not_reported_as_collapsed():
    data = mrwtd.load_dataset("bankwiring")
    stopped = MMMFPlus(rank=2, lam="auto").fit(data, callback=lambda step: True)
    assert np.isfinite(stopped.decision_function(data)).all()
    assert not any("collapsed" in message for message in stopped.messages_)
