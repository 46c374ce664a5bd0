import io

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import RelationalData
from mrwtd.baselines.rescal import CODINGS, RESCAL, FilledTensor, alternate
from mrwtd.data.relations import Relation
from mrwtd.metrics.ranking_curve import average_precision
from mrwtd.model.cancellation import cancel_when
from mrwtd.model.cost import Size
from mrwtd.model.layout import Factors
from mrwtd.model.solver import SolverOptions
from tests.reference_baselines import best_r, dense_slices, next_a, rescal_objective


def some_data(seed: int = 0, n: int = 12, weights: bool = True) -> RelationalData:
    """A directed and an undirected relation, with self-pairs and some weights below 1."""
    rng = np.random.default_rng(seed)
    relations = (Relation("to", "binary", True), Relation("with", "real", False))
    cells = [(i, j, 0) for i in range(n) for j in range(n)] + [(i, j, 1) for i in range(n) for j in range(i, n)]
    i, j, k = np.array(cells)[rng.random(len(cells)) < 0.4].T
    y = np.where(k == 0, rng.choice([-1.0, 1.0], k.size), rng.normal(size=k.size))
    w = rng.choice([0.25, 1.0], k.size) if weights else None
    return RelationalData([f"o{index}" for index in range(n)], relations, i, j, k, y, w)


def problem_of(data: RelationalData, rank: int = 3) -> tuple[FilledTensor, np.ndarray, np.ndarray]:
    problem = FilledTensor(data, data.y, rank)
    return problem, dense_slices(data, data.y), np.random.default_rng(3).normal(size=(data.n_objects, rank))


@pytest.mark.parametrize("lam", [0.1, 5.0])
def test_a_sweep_equals_the_dense_reference(lam):
    problem, Y, A = problem_of(some_data())
    done = problem.sweep(A, lam)
    np.testing.assert_allclose(done.R, best_r(Y, A, lam), atol=1e-9)
    np.testing.assert_allclose(done.next_a, next_a(Y, A, done.R, lam), atol=1e-9)
    assert done.value == pytest.approx(rescal_objective(Y, A, done.R, lam))


def test_the_update_of_r_is_the_minimum():
    problem, Y, A = problem_of(some_data())
    R = problem.sweep(A, 0.7).R
    least = rescal_objective(Y, A, R, 0.7)
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.1, 3.0):
        assert rescal_objective(Y, A, R + size * rng.normal(size=R.shape), 0.7) > least


def test_the_gradient_in_a_agrees_with_finite_differences():
    problem, Y, A = problem_of(some_data())
    done, h = problem.sweep(A, 0.7), 1e-5
    gradient = np.zeros_like(A)
    for cell in np.ndindex(A.shape):
        step = np.zeros_like(A)
        step[cell] = h
        up, down = (rescal_objective(Y, A + sign * step, done.R, 0.7) for sign in (1, -1))
        gradient[cell] = (up - down) / (2 * h)
    assert done.gradient_norm == pytest.approx(np.linalg.norm(gradient), rel=1e-6)


def test_a_stationary_point_is_a_fixed_point():
    problem, _, _ = problem_of(some_data(weights=False))
    solution = alternate(problem, problem.start(0), 2.0, SolverOptions(max_iter=3000, tol=0.0))
    A = problem.layout.unpack(solution.theta).A
    done = problem.sweep(A, 2.0)
    assert done.gradient_norm < 1e-5
    np.testing.assert_allclose(done.next_a, A, atol=1e-6)


def test_the_best_sweep_is_kept():
    # A seed for which the updates of A eventually increase the objective.
    data, A = some_data(seed=27), np.random.default_rng(27).normal(size=(12, 4))
    problem, Y = FilledTensor(data, data.y, 4), dense_slices(data, data.y)
    solution = alternate(problem, A, 1.0, SolverOptions(max_iter=40, tol=0.0))
    objectives = [step.objective for step in solution.trace]
    assert objectives[-1] > min(objectives) + 0.01
    assert solution.value == min(objectives)
    factors = problem.layout.unpack(solution.theta)
    assert rescal_objective(Y, factors.A, factors.R, 1.0) == pytest.approx(solution.value)


def test_a_vanished_factor_is_restarted():
    data = mrwtd.load_dataset("synth-binary", n_objects=40, rank=3, positives=0.3)
    model = RESCAL(rank=3)
    problem = FilledTensor(data, data.y, 3)
    A = np.random.default_rng(0).normal(size=(40, 3))
    A[:, 1] = 0.0
    before = problem.layout.pack(Factors(A, np.zeros((3, 3, 3)), ()))
    after = problem.layout.unpack(model._solve(problem, 1.0, before, SolverOptions(20, 1e-4)).theta).A
    assert (np.linalg.norm(after, axis=0) > 0.1).all()


def test_the_sum_of_squares_equals_that_of_the_full_tensor():
    problem, Y, _ = problem_of(some_data())
    assert problem.square == pytest.approx((Y**2).sum())


def test_several_threads_give_identical_results():
    problem, _, A = problem_of(some_data())
    assert np.array_equal(problem.sweep(A, 1.0, threads=2).next_a, problem.sweep(A, 1.0).next_a)


@pytest.mark.parametrize("lam", [0.0, 1.0])
def test_a_rank_above_that_of_the_data_does_no_harm(lam):
    data = mrwtd.load_dataset("florentine")
    model = RESCAL(rank=18, lam=lam).fit(data)
    assert np.isfinite(model.decision_function(data)).all()
    assert any("rank 18" in message for message in model.messages_)


def test_an_entry_of_weight_zero_is_unknown():
    data = some_data(weights=False)
    hidden = np.arange(len(data)) % 3 == 0
    at_zero = RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, np.where(hidden, 0.0, 1.0))
    masked, unlisted = (FilledTensor(part, part.y, 2) for part in (at_zero, data.subset(~hidden)))
    A = np.random.default_rng(0).normal(size=(data.n_objects, 2))
    np.testing.assert_allclose(masked.sweep(A, 1.0).next_a, unlisted.sweep(A, 1.0).next_a)


def test_symmetric_data_scores_the_same_as_directed_or_undirected():
    undirected = mrwtd.load_dataset("florentine")
    frame = undirected.to_frame()
    both = np.concatenate([undirected.i, undirected.j]), np.concatenate([undirected.j, undirected.i])
    relations = [Relation(relation.name, relation.kind, True) for relation in undirected.relations]
    directed = RelationalData(undirected.objects, relations, *both, np.tile(undirected.k, 2), np.tile(undirected.y, 2))
    assert len(directed) == 2 * len(frame)
    scores, directed_scores = (
        RESCAL(rank=2, lam=1.0, coding="signs").fit(data).decision_function(undirected)
        for data in (undirected, directed)
    )
    np.testing.assert_allclose(scores, directed_scores, atol=1e-6)


@pytest.mark.parametrize("coding", CODINGS)
def test_planted_structure_is_recovered(coding):
    data = mrwtd.load_dataset("synth-binary", n_objects=80, n_relations=3, rank=3, seed=1)
    train, test = data.split(train=0.5, seed=0)
    model = RESCAL(rank=3, lam=1.0, coding=coding).fit(train)
    x, predicted = model.decision_function(test), model.predict(test)
    assert average_precision(test.y, x) > 0.5  # the base rate is 0.1
    assert set(predicted) == {-1.0, 1.0}
    assert model.converged_
    assert model.lam_path_.empty


def test_with_zeros_and_ones_a_negative_equals_an_unknown_pair():
    data = mrwtd.load_dataset("florentine")
    with_negatives, positives_only = (
        RESCAL(rank=2, lam=1.0, coding="binary").fit(part) for part in (data, data.subset(data.y > 0))
    )
    assert np.array_equal(with_negatives.decision_function(data), positives_only.decision_function(data))
    assert with_negatives.decision_function(data).mean() < 0.5
    assert (with_negatives.predict(data) == np.where(with_negatives.decision_function(data) >= 0.5, 1.0, -1.0)).all()


def planted_ties(seed: int, mostly_ties: bool = False) -> tuple[RelationalData, RelationalData]:
    """Known and other pairs: a random sample where 15% are ties, or mostly clear ties and a few clear opposites."""
    rng = np.random.default_rng(seed)
    n, rank = 60, 3
    A, R = rng.normal(size=(n, rank)), rng.normal(size=(2, rank, rank))
    if mostly_ties:
        A, R = A + 1, np.eye(rank) + 0.3 * R
    i, j = np.nonzero(~np.eye(n, dtype=bool))
    x = np.concatenate([np.einsum("ef,fg,eg->e", A[i], slice_, A[j]) for slice_ in R])
    y, known = np.where(x > (0 if mostly_ties else np.quantile(x, 0.85)), 1.0, -1.0), rng.random(x.size) < 0.3
    if mostly_ties:
        known &= np.abs(x) > np.quantile(np.abs(x), 0.7)
    relations = [Relation(name, "binary", True) for name in "ab"]
    objects = [f"o{index}" for index in range(n)]
    data = RelationalData(objects, relations, np.tile(i, 2), np.tile(j, 2), np.repeat([0, 1], i.size), y)
    return data.subset(known), data.subset(~known)


def test_a_coding_whose_zero_is_an_average_pair_is_chosen_for_a_random_sample():
    known, others = planted_ties(seed=0)
    model = RESCAL(rank=3).fit(known)
    assert set(model.coding_scores_) == set(CODINGS)
    assert model.coding_ == "centred"
    assert model.coding_scores_["centred"] > model.coding_scores_["signs"] + 0.05
    assert model.lam_ in model.lam_path_["lam"].to_numpy()
    chosen, paper = (
        average_precision(others.y, fit.decision_function(others))
        for fit in (model, RESCAL(rank=3, coding="signs").fit(known))
    )
    assert chosen > paper + 0.05
    given = RESCAL(rank=3, lam=model.lam_).fit(known)
    assert given.coding_ == "centred"
    assert given.lam_path_.empty


def test_a_coding_that_collapses_is_not_chosen():
    known, _ = planted_ties(seed=1, mostly_ties=True)
    model = RESCAL(rank=3, lam=10.0).fit(known)
    assert np.isnan(model.coding_scores_["centred"])  # less their mean, the values are almost 0
    assert model.coding_ in ("signs", "binary")
    file = io.BytesIO()
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert loaded.coding_ == model.coding_


def test_constant_entries_vanish_when_centred():
    data = mrwtd.load_dataset("florentine")
    ties = data.subset(data.y > 0)
    assert np.allclose(RESCAL(rank=2, lam=1.0, coding="centred").fit(ties).decision_function(data), 0)
    assert not np.allclose(RESCAL(rank=2, lam=1.0, coding="signs").fit(ties).decision_function(data), 0)


def test_complete_data_without_noise_is_reproduced():
    data = mrwtd.load_dataset("synth-mixed", n_objects=40, rank=3, noise=0.0)
    both = data.select_relations(["real 1"])
    model = RESCAL(rank=3, lam=1e-3, max_iter=500, tol=0.0).fit(both)
    # The diagonal is unknown and counts as 0, which costs a little accuracy.
    assert np.corrcoef(model.predict(both), both.y)[0, 1] > 0.99


def test_an_unknown_coding_is_refused():
    with pytest.raises(mrwtd.DataError, match="coding = 'none'; expected one of 'auto'"):
        RESCAL(coding="none").fit(mrwtd.load_dataset("florentine"))


def test_new_objects_are_refused_with_the_reason():
    data = mrwtd.load_dataset("florentine")
    model = RESCAL(rank=2, lam=1.0).fit(data)
    assert len(model.rank_pairs("marriage", top=3)) == 3
    with pytest.raises(mrwtd.DataError, match="unknown pairs"):
        model.fold_in(pd.DataFrame({"source": ["Bardi"], "relation": "marriage", "target": "Medici", "value": 1.0}))


def test_a_collapse_at_a_large_lambda_is_reported():
    model = RESCAL(rank=2, lam=1e4).fit(mrwtd.load_dataset("florentine"))
    assert any("collapsed" in message for message in model.messages_)


def test_a_given_coding_is_not_compared():
    data = mrwtd.load_dataset("florentine")
    model = mrwtd.make_method("RESCAL-signs", rank=2, lam=1.0).fit(data)
    assert (model.coding_, model.coding_scores_) == ("signs", {})
    assert set(RESCAL(rank=2, lam=1.0).fit(data).coding_scores_) == set(CODINGS)


def test_without_binary_relations_there_is_nothing_to_choose():
    data = mrwtd.load_dataset("synth-mixed", n_objects=30, rank=2).select_relations(["real 1"])
    assert len(RESCAL(rank=2).fit(data).coding_scores_) <= 1


def test_a_stop_among_the_codings_keeps_the_best_one_so_far():
    data, stages = mrwtd.load_dataset("synth-binary", n_objects=40, rank=3, positives=0.3), []
    model = RESCAL(rank=3).fit(data, callback=lambda step: stages.append(step.stage) or step.stage.option == "binary")
    assert {stage.option for stage in stages} == {"signs", "binary"}
    assert model.coding_ in ("signs", "binary")
    assert any("three quarters" in message for message in model.messages_)
    stages.clear()
    with cancel_when(lambda: any(stage.option == "binary" for stage in stages)):
        again = RESCAL(rank=3).fit(data, callback=lambda step: bool(stages.append(step.stage)))
    assert any("three quarters" in message for message in again.messages_)
    assert np.isfinite(again.decision_function(data)).all()


def test_the_search_of_codings_costs_three_times_as_much():
    size = Size(1e6, 1000, 3, False)
    searched, given = (RESCAL(rank=10, coding=coding).cost(size).seconds for coding in ("auto", "signs"))
    assert 2 < searched / given < 3
