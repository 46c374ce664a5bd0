import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import MrWTD, RelationalData
from mrwtd.baselines.cp import CP
from mrwtd.baselines.cp_start import Core, corners
from mrwtd.data.relations import Relation
from mrwtd.model.cost import Size
from mrwtd.model.layout import Factors
from mrwtd.model.objective import Objective
from mrwtd.model.validation_splits import ValidationSplit
from tests.reference_baselines import cp_objective


def planted(n: int = 40, rank: int = 3, relations: int = 4) -> RelationalData:
    """Real relations that are sums of the same `rank` outer products, each with its own weights, without noise."""
    rng = np.random.default_rng(0)
    A, r = rng.normal(size=(n, rank)), rng.normal(size=(relations, rank))
    i, j = np.triu_indices(n, 1)
    y = np.concatenate([(A[i] * A[j]) @ weights for weights in r])
    k = np.repeat(np.arange(relations), i.size)
    names = [Relation(f"r{index}", "real", False) for index in range(relations)]
    return RelationalData(
        [f"o{index}" for index in range(n)], names, np.tile(i, relations), np.tile(j, relations), k, y
    )  # fmt: skip


def test_r_stays_diagonal_in_every_member():
    model = CP(rank=3, lam=0.5, ensemble=2, init="random").fit(mrwtd.load_dataset("florentine"))
    for member in model.members_:
        assert np.array_equal(member.R, member.R * np.eye(3))
        assert np.abs(member.R).max() > 0


def test_planted_outer_products_are_recovered():
    train, test = planted().split(train=0.5, seed=0)
    model = CP(rank=3, lam=1e-3, max_iter=2000, tol=1e-9).fit(train)
    assert np.corrcoef(model.predict(test), test.y)[0, 1] > 0.99


def test_a_full_r_fits_at_least_as_well():
    data = mrwtd.load_dataset("synth-binary", n_objects=40, n_relations=5, rank=3)
    diagonal, full = (method(rank=3, lam=0.1, tol=1e-7, max_iter=2000).fit(data).objective_ for method in (CP, MrWTD))
    assert full < diagonal


def test_rank_one_is_mrwtd():
    data = mrwtd.load_dataset("florentine")
    cp, bilinear = (method(rank=1, lam=0.5).fit(data).decision_function(data) for method in (CP, MrWTD))
    np.testing.assert_allclose(cp, bilinear)


def two_way_data(n: int = 9, seed: int = 0) -> RelationalData:
    """A directed and an undirected relation, with self-pairs and weights."""
    rng = np.random.default_rng(seed)
    relations = (Relation("to", "binary", True), Relation("with", "real", False))
    cells = [(i, j, 0) for i in range(n) for j in range(n)] + [(i, j, 1) for i in range(n) for j in range(i, n)]
    i, j, k = np.array(cells)[rng.random(len(cells)) < 0.6].T
    y = np.where(k == 0, rng.choice([-1.0, 1.0], k.size), rng.normal(size=k.size))
    w = rng.choice([0.25, 1.0], k.size)
    return RelationalData([f"o{index}" for index in range(n)], relations, i, j, k, y, w)


def planted_both_ways(n: int = 40, rank: int = 3) -> RelationalData:
    """Two directed relations and an undirected one, from factors of sources and of targets, without noise."""
    rng = np.random.default_rng(1)
    U, V, C = rng.normal(size=(n, rank)), rng.normal(size=(n, rank)), rng.normal(size=(3, rank))
    slices = [(U * c) @ V.T for c in C]
    slices[2] = slices[2] + slices[2].T
    off, half = np.nonzero(~np.eye(n, dtype=bool)), np.triu_indices(n, 1)
    pairs = [off, off, half]
    relations = [Relation("a", "real", True), Relation("b", "real", True), Relation("c", "real", False)]
    i, j = (np.concatenate([pair[end] for pair in pairs]) for end in (0, 1))
    y = np.concatenate([matrix[pair] for matrix, pair in zip(slices, pairs, strict=True)])
    k = np.repeat(np.arange(3), [pair[0].size for pair in pairs])
    return RelationalData([f"o{index}" for index in range(n)], relations, i, j, k, y)


def two_way_objective(rank: int = 2, lam: float = 0.7) -> tuple[RelationalData, Objective]:
    data = two_way_data()
    model = CP(rank=rank)
    losses = model._prepare(data)
    model.scales_ = np.array([[0.0, 1.0]] * 2)  # values as they are
    return data, model._objective(data, losses, lam)


def test_the_objective_of_both_directions_equals_a_dense_reference():
    data, objective = two_way_objective()
    rng = np.random.default_rng(5)
    U, V, C = rng.normal(size=(9, 2)), rng.normal(size=(9, 2)), rng.normal(size=(2, 2))
    biases = [0.3, -0.4]
    R = np.zeros((2, 4, 4))
    for f in range(2):
        R[0, f, 2 + f] = C[0, f]
        R[1, f, 2 + f] = R[1, 2 + f, f] = C[1, f] / 2
    theta = objective.layout.pack(Factors(np.hstack([U, V]), R, tuple(np.array([bias]) for bias in biases)))
    expected = cp_objective(data, ["logistic", "quadratic"], 0.7, U, V, C, biases)
    assert objective(theta)[0] == pytest.approx(expected, rel=1e-12)


def test_the_gradient_agrees_with_finite_differences_of_the_dense_reference():
    data, objective = two_way_objective()
    rng = np.random.default_rng(6)
    U, V, C = rng.normal(size=(9, 2)), rng.normal(size=(9, 2)), rng.normal(size=(2, 2))
    A, R = np.hstack([U, V]), np.stack([corners(C[0], True), corners(C[1], False)])
    gradient = objective.layout.unpack(objective(objective.layout.pack(Factors(A, R, (np.zeros(1),) * 2)))[1])

    def value(*changed: np.ndarray) -> float:
        return cp_objective(data, ["logistic", "quadratic"], 0.7, *changed, [0.0, 0.0])

    for number, side in enumerate((U, V, C)):
        for cell in [(0, 0), (1, 1)]:
            ends = []
            for sign in (1, -1):
                parts = [U.copy(), V.copy(), C.copy()]
                parts[number][cell] = side[cell] + sign * 1e-6
                ends.append(value(*parts))
            numeric = (ends[0] - ends[1]) / 2e-6
            k, f = cell
            if number == 2:  # an undirected weight is halved into two cells
                cells = gradient.R[k, f, 2 + f], gradient.R[k, 2 + f, f]
                assert numeric == pytest.approx(cells[0] if k == 0 else sum(cells) / 2, rel=1e-5, abs=1e-6)
            else:
                assert numeric == pytest.approx(gradient.A[k, 2 * number + f], rel=1e-5, abs=1e-6)
    assert not gradient.R[R == 0].any()


def test_the_gradient_of_the_core_agrees_with_finite_differences():
    rng = np.random.default_rng(0)
    core = Core(rng.normal(size=(3, 4, 4)), 2)
    theta = rng.normal(size=(2 * 4 + 3) * 2)
    steps = 1e-6 * np.eye(theta.size)
    numeric = [(core(theta + step)[0] - core(theta - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(core(theta)[1], numeric, atol=1e-6)


@pytest.mark.parametrize("init", ["spectral", "eigen", "random"])
def test_planted_sources_and_targets_are_recovered(init):
    train, test = planted_both_ways().split(train=0.5, seed=0)
    model = CP(rank=3, lam=1e-3, max_iter=3000, tol=1e-9, init=init).fit(train)
    for k, _ in enumerate(test.relations):
        part = test.slice(k)
        assert np.corrcoef(model.predict(test)[part], test.y[part])[0, 1] > 0.99
    one_sided = CP(rank=3, lam=1e-3, max_iter=3000, tol=1e-9)
    undirected = [Relation(relation.name, "real", False) for relation in train.relations]
    below = train.subset(train.i < train.j)
    symmetric = RelationalData(train.objects, undirected, below.i, below.j, below.k, below.y)
    assert one_sided.fit(symmetric).A_.shape == (40, 3)
    assert model.A_.shape == (40, 6)


def test_directed_scores_differ_by_direction_and_undirected_ones_do_not():
    data = planted_both_ways()
    model = CP(rank=3, lam=0.1).fit(data)
    i, j, k = np.array([[0, 1, 2] * 3, [5, 6, 7] * 3, [0] * 3 + [1] * 3 + [2] * 3])
    there, back = (RelationalData(data.objects, data.relations, *ends, k, np.zeros(9)) for ends in ((i, j), (j, i)))
    apart = np.abs(model.decision_function(there) - model.decision_function(back))
    assert (apart[:6] > 1e-3).all()
    assert apart[6:].max() < 1e-9


def test_a_directed_model_does_everything_that_an_undirected_one_does():
    data = mrwtd.load_dataset("nations")
    train, test = data.split(train=0.5, seed=0)
    model = CP(rank=3, lam=1.0, ensemble=2, snapshots=3).fit(train)
    file = io.BytesIO()
    model.save(file)
    loaded = mrwtd.load_model(io.BytesIO(file.getvalue()))
    assert np.array_equal(loaded.decision_function(test), model.decision_function(test))
    assert model.at_snapshot(model.snapshots_[0]).A_.shape == (14, 6)
    source, target, relation = data.objects[0], data.objects[1], data.relations[0].name
    pair = RelationalData(data.objects, data.relations[:1], [0], [1], [0], [1.0])
    why = model.explain(source, target, relation)
    assert why.x == pytest.approx(model.decision_function(pair)[0])
    assert why.x == pytest.approx(why.bias + why.factors["contribution"].sum())
    own = why.factors["target_factor"] - why.factors["source_factor"] == 3
    assert not why.factors.loc[~own, "contribution"].any()
    assert why.factors.loc[own, "contribution"].any()
    every = RelationalData(data.objects, data.relations[:1], *np.nonzero(~np.eye(14, dtype=bool)), np.zeros(182, int),
                           np.ones(182))  # fmt: skip
    assert model.rank_pairs(relation, top=1)["score"][0] == pytest.approx(model.decision_function(every).max())
    new = pd.DataFrame({"source": ["atlantis"] * 2, "relation": relation, "target": data.objects[:2], "value": 1.0})
    folded = model.fold_in(new)
    np.testing.assert_allclose(folded.A_[:14], model.A_)
    assert folded.A_.shape == (15, 6)
    # Nothing is known about the new object as a target.
    assert np.abs(folded.A_[14, :3]).max() > 10 * np.abs(folded.A_[14, 3:]).max()


def test_the_known_entries_explain_a_converged_directed_fit():
    data = two_way_data()
    model = CP(rank=2, lam=0.5, max_iter=3000, tol=1e-12).fit(data)
    why = model.explain("o1", "o2", "to")
    assert max(map(abs, why.left_over)) < 1e-3 * max(1.0, abs(why.x))


def test_two_sides_cost_more():
    data = mrwtd.load_dataset("nations")
    directed = Size.of(data)
    undirected = replace(directed, directed=False)
    model = CP(rank=10, lam=1.0)
    assert model.cost(undirected).seconds < model.cost(directed).seconds
    assert model.cost(undirected).memory < model.cost(directed).memory
    assert model.rank == 10
    searched = CP(rank="auto", lam=1.0)
    assert searched.cost(directed).seconds > 5 * CP(lam=1.0).cost(directed).seconds
    assert searched.cost(undirected).memory < searched.cost(directed).memory


def test_a_fit_with_vanished_factors_is_not_resumable():
    train, held = mrwtd.load_dataset("synth-binary", n_objects=40, n_relations=3, rank=3, positives=0.3).split(
        train=0.7
    )
    model = CP(rank=3)
    attempt = model._trial(ValidationSplit(train, held), None)
    result = attempt(1.0, None, "")
    assert result.resumable
    before = result.state.copy()
    before[: 40 * 3].reshape(40, 3)[:, 1] = 0.0
    before[40 * 3 : -3].reshape(3, 3, 3)[:, 1, 1] = 0.0
    assert not attempt(0.5, before, "").resumable
