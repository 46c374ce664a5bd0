import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mrwtd
from mrwtd import DataError, Relation, RelationalData

STEADY = settings(derandomize=True, max_examples=50, deadline=None)


def make(sizes, kind="binary", positives=0.5, n=40, seed=0):
    """Data with given numbers of entries per relation."""
    rng = np.random.default_rng(seed)
    cells = [rng.choice(n * n, size, replace=False) for size in sizes]
    k = np.repeat(np.arange(len(sizes)), sizes)
    cell = np.concatenate([*cells, np.zeros(0, dtype=int)]).astype(int)
    y = np.where(rng.random(cell.size) < positives, 1.0, -1.0 if kind == "binary" else 0.0)
    relations = [Relation(f"r{position}", kind, directed=True) for position in range(len(sizes))]
    return RelationalData([str(i) for i in range(n)], relations, cell // n, cell % n, k, y)


def cells(data):
    return set(zip(data.k.tolist(), data.i.tolist(), data.j.tolist(), data.y.tolist(), strict=True))


fractions = st.floats(0.01, 0.99)


@STEADY
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=4), fractions, st.floats(0, 0.9), st.integers(0, 9), st.booleans()
)
def test_every_entry_is_in_one_part_and_train_knows_every_relation(sizes, train, validation, seed, stratify):
    data = make(sizes)
    parts = data.split(train, seed=seed, validation=validation, stratify=stratify)
    assert len(parts) == (3 if validation > 0 else 2)
    assert sum(map(len, parts)) == len(data)
    assert set().union(*map(cells, parts)) == cells(data)
    for part in parts:
        assert part.objects == data.objects
        assert part.relations == data.relations
    for k, size in enumerate(sizes):
        held = [part.slice(k).stop - part.slice(k).start for part in parts]
        if size >= 2:
            assert held[0] >= 1
            assert held[1] >= 1
        elif size == 1:
            assert held[0] == 1


def test_the_training_fraction_is_correct_in_every_relation():
    train, test, validation = make([1000, 200]).split(train=0.3, validation=0.2)
    assert [part.slice(0).stop for part in (train, test, validation)] == [240, 700, 60]
    assert [len(part) - part.slice(0).stop for part in (train, test, validation)] == [48, 140, 12]


def test_the_seed_decides():
    data = make([200, 100])
    assert data.split(0.5, seed=1) == data.split(0.5, seed=1)
    assert data.split(0.5, seed=1) != data.split(0.5, seed=2)


def test_a_split_does_not_depend_on_other_relations():
    data = make([100, 100])
    single = data.select_relations(["r0"])
    assert cells(data.split(0.5)[0].select_relations(["r0"])) == cells(single.split(0.5)[0])


@pytest.mark.parametrize("kind", ["binary", "ordinal"])
def test_stratified_parts_have_equal_fractions_of_classes(kind):
    rng = np.random.default_rng(0)
    y = (rng.random(1000) < 0.1).astype(float)
    relation = Relation("r", "ordinal", True, (0, 1)) if kind == "ordinal" else Relation("r", "binary", True)
    y = y if kind == "ordinal" else 2 * y - 1
    indices = np.arange(1000)
    data = RelationalData([str(i) for i in range(40)], [relation], indices // 40, indices % 40, indices * 0, y)
    rare = np.count_nonzero(y == 1)
    for seed in range(5):
        parts = data.split(0.2, seed=seed, validation=0.25, stratify=True)
        result = [np.count_nonzero(part.y == 1) for part in parts]
        assert abs(result[0] - 0.15 * rare) <= 2
        assert abs(result[1] - 0.8 * rare) <= 1
        assert abs(result[2] - 0.05 * rare) <= 2


def test_entries_are_drawn_evenly():
    data = make([100])
    times = np.zeros(100)
    for seed in range(300):
        train = data.split(0.2, seed=seed)[0]
        keys = data.i * 40 + data.j
        times += np.isin(keys, train.i * 40 + train.j)
    # 60 expected, with a deviation of 7.
    assert times.min() > 30
    assert times.max() < 95


@pytest.mark.parametrize("options", [{"train": 0}, {"train": 1.5}, {"train": 0.5, "validation": 1}])
def test_invalid_fractions_raise_an_error(options):
    with pytest.raises(DataError, match=r"a fraction"):
        make([10]).split(**options)


@pytest.mark.parametrize("by", ["entry", "pair", "auto"])
@pytest.mark.parametrize("stratify", [False, True])
def test_with_a_fraction_of_one_nothing_is_held_out(by, stratify):
    for name in ("airports", "florentine"):
        data = mrwtd.load_dataset(name)
        train, test = data.split(train=1.0, by=by, stratify=stratify)
        assert train.digest() == data.digest()
        assert (len(test), test.objects, test.relations) == (0, data.objects, data.relations)


def test_validation_entries_are_drawn_from_all_entries_with_a_fraction_of_one():
    train, test, validation = make([100]).split(train=1, validation=0.2, by="pair")
    assert (len(train), len(test), len(validation)) == (80, 0, 20)


def fingerprint(data, parts):
    """A digest of the positions of the entries of each part."""
    shape = (data.n_relations, data.n_objects, data.n_objects)
    keys = np.ravel_multi_index((data.k, data.i, data.j), shape)
    rows = [np.searchsorted(keys, np.ravel_multi_index((part.k, part.i, part.j), shape)) for part in parts]
    return hashlib.sha256(b"".join(column.astype("<i8").tobytes() for column in rows)).hexdigest()[:12]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"train": 0.1}, "84ab34ea98a8"),
        ({"train": 0.37, "seed": 5, "validation": 0.25, "stratify": True}, "30dbe67a54bf"),
        ({"train": 0.8, "seed": 3, "validation": 0.3}, "a104788ac2c8"),
    ],
)
def test_splits_by_entry_do_not_change_between_versions(options, expected):
    data = make([300, 70], positives=0.2)
    assert fingerprint(data, data.split(**options)) == expected
    assert data.split(**options, by="entry") == data.split(**options)


def mutual(size=12, kind="binary", seed=0, known=0.8, self_pairs=True):
    """A relation whose directions mostly agree, with pairs that are known in one direction only."""
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 2, (size, size)) if kind != "real" else rng.normal(size=(size, size))
    value = np.triu(value) + np.triu(value, 1).T
    value = np.where(rng.random((size, size)) < 0.03, value.T[::-1], value)
    keep = rng.random((size, size)) < known
    if not self_pairs:
        np.fill_diagonal(keep, val=False)
    i, j = np.nonzero(keep)
    y = 2 * value[i, j] - 1 if kind == "binary" else value[i, j]
    relations = [Relation("r", kind, directed=True)]
    return RelationalData([str(index) for index in range(size)], relations, i, j, i * 0, y)


def unordered(data):
    return set(zip(np.minimum(data.i, data.j).tolist(), np.maximum(data.i, data.j).tolist(), strict=True))


@STEADY
@given(
    st.integers(2, 14), st.sampled_from(["binary", "count", "real"]), st.floats(0.1, 1), fractions, st.floats(0, 0.9),
    st.integers(0, 9), st.booleans(),
)  # fmt: skip
def test_by_pair_no_pair_is_in_two_parts(size, kind, known, train, validation, seed, stratify):
    data = mutual(size, kind, seed, known)
    parts = data.split(train, seed=seed, validation=validation, stratify=stratify, by="pair")
    assert sum(map(len, parts)) == len(data)
    assert set().union(*map(cells, parts)) == cells(data)
    assert sum(len(unordered(part)) for part in parts) == len(unordered(data))
    trained = len(data) - len(parts[1])
    pairs = len(unordered(data))
    if pairs:
        assert len(parts[0])
    if pairs > 1:
        assert len(parts[1])
        assert abs(trained - train * len(data)) <= 2
        assert len(parts) == 2 or abs(len(parts[2]) - validation * trained) <= 3
    assert data.split(train, seed=seed, validation=validation, stratify=stratify, by="pair") == parts


def test_by_pair_the_training_fraction_is_correct():
    data = mutual(60, seed=2)
    for seed in range(20):
        train, test, validation = data.split(0.3, seed=seed, validation=0.2, by="pair")
        assert abs(len(train) + len(validation) - 0.3 * len(data)) < 2
        assert abs(len(validation) - 0.2 * 0.3 * len(data)) < 3
        assert not unordered(train) & unordered(test)


def test_by_pair_every_entry_is_as_likely_to_train():
    data = mutual(9, known=0.7)
    keys = data.i * 9 + data.j
    both = np.isin(data.j * 9 + data.i, keys) & (data.i != data.j)
    times = np.zeros(len(data))
    for seed in range(600):
        train = data.split(0.3, seed=seed, by="pair")[0]
        times += np.isin(keys, train.i * 9 + train.j)
    # 180 expected, with a deviation of 11.
    assert abs(times - 180).max() < 50
    assert times[both].mean() == pytest.approx(180, rel=0.1)
    assert times[~both].mean() == pytest.approx(180, rel=0.1)


def test_by_pair_the_training_fraction_is_correct_on_average():
    i, j = np.nonzero(~np.eye(5, dtype=bool))
    data = RelationalData("abcde", [Relation("r", "binary", True)], i, j, i * 0, np.ones(20))
    sizes = [len(data.split(0.25, seed=seed, by="pair")[0]) for seed in range(200)]
    assert set(sizes) == {4, 6}
    assert np.mean(sizes) == pytest.approx(5, abs=0.3)


def test_by_pair_stratified_parts_have_equal_fractions_of_ties():
    data = mutual(50, seed=1)
    ties = len(unordered(data.subset(data.y > 0)))
    for seed in range(5):
        train, test = data.split(0.2, seed=seed, stratify=True, by="pair")
        assert abs(len(unordered(train.subset(train.y > 0))) - 0.2 * ties) <= 3
        assert abs(len(unordered(test.subset(test.y > 0))) - 0.8 * ties) <= 3


def test_a_tie_of_weight_0_makes_no_pair_a_tie():
    i, j = np.nonzero(~np.eye(20, dtype=bool))
    y = np.where((i < j) & ((i + j) % 3 == 0), 1.0, -1.0)
    data = RelationalData(map(str, range(20)), [Relation("r", "binary", True)], i, j, i * 0, y, np.where(y > 0, 0, 1))
    train, test = data.split(0.5, stratify=True, by="pair")
    # All pairs are of one class, as if nothing were stratified.
    assert (train, test) == data.split(0.5, by="pair")


@pytest.mark.parametrize("by", ["pair", "auto"])
@pytest.mark.parametrize("name", ["aucs", "florentine", "synth-kinds"])
def test_undirected_relations_have_the_same_split_for_every_by(name, by):
    data = mrwtd.load_dataset(name)
    for options in ({"train": 0.3}, {"train": 0.5, "seed": 4, "validation": 0.2, "stratify": True}):
        assert data.split(**options, by=by) == data.split(**options)


def test_without_a_reverse_pairs_are_entries():
    i, j = np.triu_indices(30, 1)
    y = np.where(np.random.default_rng(0).random(i.size) < 0.3, 1, -1)
    data = RelationalData(map(str, range(30)), [Relation("r", "binary", True)], i, j, i * 0, y)
    options = {"train": 0.3, "validation": 0.2, "stratify": True}
    assert data.split(**options, by="pair") == data.split(**options)


def test_auto_holds_out_pairs_of_the_relations_that_are_mutual_and_of_no_others():
    data = mrwtd.load_dataset("airports")
    auto, entry, pair = (data.split(0.5, by=by) for by in ("auto", "entry", "pair"))
    assert auto == pair != entry
    kinship = mrwtd.load_dataset("kinship")
    parts = kinship.split(0.5, by="auto")
    pairs_together = {
        relation.name
        for relation in kinship.relations
        if not unordered(parts[0].select_relations([relation.name]))
        & unordered(parts[1].select_relations([relation.name]))
    }
    described = kinship.describe()
    assert pairs_together == set(described.index[described["reciprocity"] >= 0.8])
    assert len(pairs_together) == 5
    others = [relation.name for relation in kinship.relations if relation.name not in pairs_together]
    by_entry = kinship.split(0.5)
    assert all(
        part.select_relations(others) == plain.select_relations(others)
        for part, plain in zip(parts, by_entry, strict=True)
    )


def test_a_relation_of_a_single_pair_trains_it():
    data = RelationalData("ab", [Relation("r", "binary", True)], [0, 1], [1, 0], [0, 0], [1, 1])
    assert [len(part) for part in data.split(0.5, by="pair")] == [2, 0]
    assert [len(part) for part in data.split(0.5, by="entry")] == [1, 1]


def test_invalid_values_of_by_raise_an_error():
    with pytest.raises(DataError, match=r"by = 'row'.*'auto', 'entry', 'pair'"):
        make([10]).split(0.5, by="row")
