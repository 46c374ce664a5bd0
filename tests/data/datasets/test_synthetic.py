import tracemalloc

import numpy as np
import pytest

import mrwtd
from mrwtd.data.datasets import synthetic

SETS = [name for name in mrwtd.list_datasets() if name.startswith("synth-")]


def dense(n_objects, n_relations, rank, seed):
    """The signal between all objects, which the generator itself never forms."""
    A, R = synthetic.factors(n_objects, n_relations, rank, seed)
    return np.stack([A @ slice_ @ A.T for slice_ in R])


@pytest.mark.parametrize("name", SETS)
def test_the_same_seed_gives_the_same_data(name):
    first, second, other = (mrwtd.load_dataset(name, n_objects=30, seed=seed) for seed in (7, 7, 8))
    assert first == second
    assert first != other


@pytest.mark.parametrize("name", SETS)
def test_undirected_pairs_of_different_objects(name):
    data = mrwtd.load_dataset(name, n_objects=31)
    assert len(data) == 31 * 15 * data.n_relations
    assert not any(relation.directed for relation in data.relations)
    assert (data.i < data.j).all()


def test_one_threshold_makes_ten_percent_positive():
    data = synthetic.binary(n_objects=200, n_relations=4)
    assert (data.y > 0).mean() == pytest.approx(0.1, abs=1e-4)
    by_relation = data.describe()["balance"]
    assert by_relation.max() - by_relation.min() > 0.005
    assert (synthetic.binary(n_objects=200, positives=0.3).y > 0).mean() == pytest.approx(0.3, abs=1e-4)


def test_without_noise_positives_are_the_largest_values():
    data = synthetic.binary(n_objects=60, n_relations=2, rank=4, noise=0, seed=3)
    x = dense(60, 2, 4, 3)[data.k, data.i, data.j]
    assert x[data.y > 0].min() > x[data.y < 0].max()


def test_the_real_relation_is_the_scaled_signal():
    data = synthetic.mixed(n_objects=60, rank=4, noise=0, seed=3)
    part = data.slice(1)
    x = dense(60, 2, 4, 3)[1, data.i[part], data.j[part]]
    assert data.y[part].std() == pytest.approx(1)
    assert np.corrcoef(x, data.y[part])[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_noise_is_a_fraction_of_the_signal(noise):
    part = synthetic.mixed(n_objects=300, rank=4).slice(1)
    clean, noisy = (synthetic.mixed(n_objects=300, rank=4, noise=level).y[part] for level in (0, noise))
    slope = np.dot(clean, noisy) / np.dot(clean, clean)
    assert (noisy / slope - clean).std() == pytest.approx(noise, rel=0.03)


def test_observed_is_a_fraction_of_the_pairs_and_differs_by_relation():
    data = synthetic.binary(n_objects=100, n_relations=2, observed=0.25)
    pairs = [set(zip(data.i[data.slice(k)], data.j[data.slice(k)], strict=True)) for k in range(2)]
    assert [len(observed) for observed in pairs] == [round(0.25 * 4_950)] * 2
    assert pairs[0] != pairs[1]


def test_observed_entries_equal_those_of_the_complete_data():
    complete, part = (
        synthetic.mixed(n_objects=60, noise=0, observed=share).select_relations(["real 1"]) for share in (1.0, 0.3)
    )
    values = dict(zip(zip(complete.i, complete.j, strict=True), complete.y, strict=True))
    ratio = np.array([values[i, j] for i, j in zip(part.i, part.j, strict=True)]) / part.y
    assert np.allclose(ratio, ratio[0])


def test_memory_grows_with_the_entries_and_not_with_all_pairs():
    tracemalloc.start()
    try:
        data = synthetic.binary(n_objects=20_000, n_relations=2, rank=3, observed=1e-4)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(data) == 2 * round(1e-4 * 20_000 * 19_999 / 2)
    assert peak < 20_000 * 20_000 / 16  # bytes: far below one bit per pair


def test_blocks_do_not_change_the_data(monkeypatch):
    reference = synthetic.binary(n_objects=40)
    monkeypatch.setattr(synthetic, "BLOCK", 7)
    assert synthetic.binary(n_objects=40) == reference


@pytest.mark.parametrize("size", [1, 4, 5, 9, 10])
def test_numbers_are_sampled_uniformly(size):
    draws = [synthetic.sample(10, size, np.random.default_rng(seed)) for seed in range(2_000)]
    assert all(draw.size == size and (np.diff(draw) > 0).all() for draw in draws)
    shares = np.bincount(np.concatenate(draws), minlength=10) / len(draws)
    assert np.abs(shares - size / 10).max() < 0.06


def test_each_kind_uses_its_range():
    data = synthetic.kinds(n_objects=80)
    binary, ordinal, count, real = (data.y[data.slice(k)] for k in range(4))
    assert set(binary) == {-1, 1}
    assert set(ordinal) == {0, 1, 2, 3}
    assert count.min() == 0
    assert count.max() > 3
    assert real.std() == pytest.approx(1)


def test_directed_pairs_are_listed_in_both_directions():
    data = synthetic.kinds(n_objects=12, directed=True, noise=0)
    assert all(relation.directed for relation in data.relations)
    assert len(data) == 4 * 12 * 11
    assert (data.i != data.j).all()
    assert data.describe().loc["real 1", "symmetry"] == 0


@pytest.mark.parametrize(
    "options",
    [
        {"n_objects": 1},
        {"n_objects": 2.5},
        {"n_objects": "many"},
        {"n_objects": True},
        {"n_objects": 100_000},
        {"n_relations": 0},
        {"rank": 0},
        {"seed": -1},
        {"noise": -0.1},
        {"noise": float("nan")},
        {"noise": float("inf")},
        {"positives": 0},
        {"positives": 1},
        {"observed": 0},
        {"observed": 1.5},
        {"observed": None},
    ],
)
def test_bad_options_are_named(options):
    (name,) = options
    with pytest.raises(mrwtd.DataError, match=name):
        mrwtd.load_dataset("synth-binary", **options)


def test_the_smallest_possible_data():
    assert len(synthetic.binary(n_objects=2, n_relations=1)) == 1
    assert len(synthetic.kinds(n_objects=3, observed=0.01)) == 4
