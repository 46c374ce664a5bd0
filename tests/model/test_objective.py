from dataclasses import replace

import numpy as np
import pytest

from mrwtd.data.relational import RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model import kernels
from mrwtd.model.layout import Factors
from mrwtd.model.losses import LOSSES
from mrwtd.model.objective import BLOCK, Objective, reconstruct
from tests.model.conftest import make_data
from tests.reference import dense_objective

MIX = ["logistic", "smooth-hinge", "quadratic", "quadratic", "huber", "poisson", "logistic", "ordinal"]


def theta_for(objective: Objective, seed: int = 1) -> np.ndarray:
    """Random factors, with R_k symmetric where the relation is undirected."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(scale=0.6, size=objective.layout.size)
    symmetric(objective, theta)
    return theta


def symmetric(objective: Objective, theta: np.ndarray) -> None:
    R = objective.layout.unpack(theta).R
    for k, relation in enumerate(objective.data.relations):
        if not relation.directed:
            R[k] = (R[k] + R[k].T) / 2


def objective_of(data: RelationalData, names: list[str], rank: int = 3, lam: float = 0.7, **options) -> Objective:
    return Objective(data, [LOSSES[name] for name in names], rank, lam, **options)


def check_gradient(objective: Objective) -> None:
    theta = theta_for(objective)
    gradient = objective(theta)[1]
    rng = np.random.default_rng(2)
    for _ in range(6):
        way = rng.normal(size=theta.size)
        symmetric(objective, way)
        if objective.pattern is not None:
            objective.layout.unpack(way).R[...] *= objective.pattern
        step = 1e-6
        numeric = (objective(theta + step * way)[0] - objective(theta - step * way)[0]) / (2 * step)
        assert gradient @ way == pytest.approx(numeric, rel=1e-5, abs=1e-5)


def test_a_mix_of_all_losses_agrees_with_the_dense_reference_and_finite_differences(mixed):
    objective = objective_of(mixed, MIX, positive_weight=np.full(8, 2.5))
    theta = theta_for(objective)
    A, R, extras = (lambda f: (f.A, f.R, [list(e) for e in f.extras]))(objective.layout.unpack(theta))
    assert objective(theta)[0] == pytest.approx(dense_objective(mixed, MIX, 0.7, A, R, extras, 2.5), rel=1e-12)
    check_gradient(objective)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_agrees_with_the_dense_reference_and_finite_differences(name, directed):
    kind = LOSSES[name].kinds[-1]
    relation = Relation("r", kind, directed, (0, 1, 2) if kind == "ordinal" else ())
    data = make_data([relation, replace(relation, name="s")], seed=3)
    objective = objective_of(data, [name] * 2, rank=2)
    theta = theta_for(objective)
    factors = objective.layout.unpack(theta)
    extras = [list(extra) for extra in factors.extras]
    expected = dense_objective(data, [name] * 2, 0.7, factors.A, factors.R, extras)
    assert objective(theta)[0] == pytest.approx(expected, rel=1e-12)
    check_gradient(objective)


@pytest.mark.parametrize("weighted", [True, False])
def test_relations_with_cut_points_are_evaluated_together_or_apart(weighted):
    names, sizes = ("a", "empty", "b", "c", "d"), (3, 3, 3, 4, 4)
    data = make_data([Relation(name, "ordinal", True, tuple(range(n))) for name, n in zip(names, sizes, strict=True)])
    data = data if weighted else with_equal_weights(data)
    objective = objective_of(data, ["ordinal"] * 5)
    theta = theta_for(objective)
    factors = objective.layout.unpack(theta)
    extras = [list(extra) for extra in factors.extras]
    expected = dense_objective(data, ["ordinal"] * 5, 0.7, factors.A, factors.R, extras)
    assert objective(theta)[0] == pytest.approx(expected, rel=1e-12)
    check_gradient(objective)


def with_equal_weights(data: RelationalData) -> RelationalData:
    """The same data with equal weights."""
    return RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y)


@pytest.mark.parametrize("rank", [1, 10, 11, 25])
def test_ranks_with_one_chunk_and_with_several(mixed, rank):
    check_gradient(objective_of(mixed, MIX, rank=rank))


def test_a_diagonal_r_has_a_gradient_on_its_diagonal_only(mixed):
    objective = objective_of(mixed, MIX, pattern=np.eye(3, dtype=bool))
    theta = theta_for(objective)
    objective.layout.unpack(theta).R[...] *= np.eye(3)
    grad = objective.layout.unpack(objective(theta)[1])
    assert not (grad.R * (1 - np.eye(3))).any()
    assert grad.R.any()
    check_gradient(objective)


def test_a_weight_of_zero_equals_deletion(mixed):
    half = mixed.w.copy()
    half[::2] = 0
    zeroed = RelationalData(mixed.objects, mixed.relations, mixed.i, mixed.j, mixed.k, mixed.y, half)
    deleted = mixed.subset(half > 0)
    a, b = objective_of(zeroed, MIX), objective_of(deleted, MIX)
    theta = theta_for(a)
    assert a(theta)[0] == pytest.approx(b(theta)[0], rel=1e-12)
    assert a(theta)[1] == pytest.approx(b(theta)[1], abs=1e-12)


def test_halving_all_weights_and_lambda_halves_everything(mixed):
    half = RelationalData(mixed.objects, mixed.relations, mixed.i, mixed.j, mixed.k, mixed.y, mixed.w / 2)
    a, b = objective_of(mixed, MIX, lam=0.8), objective_of(half, MIX, lam=0.4)
    theta = theta_for(a)
    assert a(theta)[0] == pytest.approx(2 * b(theta)[0], rel=1e-12)
    assert a(theta)[1] == pytest.approx(2 * b(theta)[1], rel=1e-9)


def test_relabelling_objects_permutes_the_rows_of_a_and_nothing_else(mixed):
    order = np.random.default_rng(5).permutation(mixed.n_objects)
    names = [mixed.objects[index] for index in np.argsort(order)]
    moved = RelationalData(names, mixed.relations, order[mixed.i], order[mixed.j], mixed.k, mixed.y, mixed.w)
    a, b = objective_of(mixed, MIX), objective_of(moved, MIX)
    theta = theta_for(a)
    factors = a.layout.unpack(theta)
    permuted = b.layout.pack(Factors(factors.A[np.argsort(order)], factors.R, factors.extras))
    assert a(theta)[0] == pytest.approx(b(permuted)[0], rel=1e-12)
    gradient, permuted_gradient = a.layout.unpack(a(theta)[1]), b.layout.unpack(b(permuted)[1])
    assert gradient.A[np.argsort(order)] == pytest.approx(permuted_gradient.A, abs=1e-12)
    assert pytest.approx(permuted_gradient.R, abs=1e-12) == gradient.R


def test_threads_and_blocks_change_rounding_only():
    rng = np.random.default_rng(0)
    n = 400
    i, j = np.triu_indices(n, 1)
    relations = [Relation("a", "binary", False), Relation("b", "binary", True)]
    data = RelationalData(
        map(str, range(n)),
        relations,
        np.concatenate([i, j]),
        np.concatenate([j, i]),
        np.repeat([0, 1], i.size),
        rng.choice([-1.0, 1.0], 2 * i.size),
    )
    assert len(data) > 4 * BLOCK
    single_threaded, threaded = (objective_of(data, ["logistic"] * 2, rank=4, threads=threads) for threads in (1, 2))
    theta = theta_for(single_threaded)
    value, gradient = single_threaded(theta)
    assert threaded(theta)[0] == pytest.approx(value, rel=1e-12)
    assert threaded(theta)[1] == pytest.approx(gradient, rel=1e-9, abs=1e-9)
    assert np.array_equal(threaded(theta)[1], threaded(theta)[1]), "bitwise identical"
    parts = [data.subset(np.arange(len(data)) % 3 == part) for part in range(3)]
    summed = sum(objective_of(part, ["logistic"] * 2, rank=4).data_term(theta)[0] for part in parts)
    assert summed == pytest.approx(single_threaded.data_term(theta)[0], rel=1e-12)


def test_without_numba_the_numbers_are_the_same(mixed, monkeypatch):
    objective = objective_of(mixed, MIX, rank=12)
    theta = theta_for(objective)
    value, gradient = objective(theta)
    monkeypatch.setattr(kernels, "compiled_module", lambda name: None)
    slow_value, slow_gradient = objective(theta)
    assert slow_value == pytest.approx(value, rel=1e-12)
    assert slow_gradient == pytest.approx(gradient, rel=1e-9, abs=1e-11)


def test_prefetched_rows_give_the_same_numbers(mixed, monkeypatch):
    objective = objective_of(mixed, MIX, rank=12)
    theta = theta_for(objective)
    value, gradient = objective(theta)
    x = reconstruct(objective.layout.unpack(theta), np.zeros(8), mixed)
    monkeypatch.setattr(kernels, "FAR", 0)
    far_value, far_gradient = objective(theta)
    assert (far_value, far_gradient.tolist()) == (value, gradient.tolist())
    assert reconstruct(objective.layout.unpack(theta), np.zeros(8), mixed).tolist() == x.tolist()


def test_reconstruction_is_the_matrix_product(mixed):
    rng = np.random.default_rng(0)
    A, R, b = rng.normal(size=(6, 11)), rng.normal(size=(8, 11, 11)), rng.normal(size=8)
    X = A @ R @ A.T + b[:, None, None]
    assert reconstruct(Factors(A, R, ()), b, mixed) == pytest.approx(X[mixed.k, mixed.i, mixed.j])


def test_no_array_grows_with_entries_times_rank():
    import tracemalloc

    rng = np.random.default_rng(0)
    n, rank = 500, 40
    i, j = np.triu_indices(n, 1)
    relation = Relation("r", "binary", False)
    data = RelationalData(map(str, range(n)), [relation], i, j, np.zeros_like(i), rng.choice([-1.0, 1.0], i.size))
    objective = objective_of(data, ["logistic"], rank=rank)
    theta = theta_for(objective)
    objective(theta)
    tracemalloc.start()
    objective(theta)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * len(data) * rank * 8
