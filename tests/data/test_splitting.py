import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrwtd import DataError, Relation, RelationalData

STEADY = settings(derandomize=True, max_examples=50, deadline=None)


def make(sizes, kind="binary", positives=0.5, n=40, seed=0):
    """Data with so many entries in each relation."""
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


def test_the_share_is_the_share_asked_for_in_every_relation():
    train, test, validation = make([1000, 200]).split(train=0.3, validation=0.2)
    assert [part.slice(0).stop for part in (train, test, validation)] == [240, 700, 60]
    assert [len(part) - part.slice(0).stop for part in (train, test, validation)] == [48, 140, 12]


def test_the_seed_decides():
    data = make([200, 100])
    assert data.split(0.5, seed=1) == data.split(0.5, seed=1)
    assert data.split(0.5, seed=1) != data.split(0.5, seed=2)


def test_a_relation_is_split_the_same_whatever_stands_beside_it():
    data = make([100, 100])
    alone = data.only(["r0"])
    assert cells(data.split(0.5)[0].only(["r0"])) == cells(alone.split(0.5)[0])


@pytest.mark.parametrize("kind", ["binary", "ordinal"])
def test_stratified_parts_have_the_classes_in_their_share(kind):
    rng = np.random.default_rng(0)
    y = (rng.random(1000) < 0.1).astype(float)
    relation = Relation("r", "ordinal", True, (0, 1)) if kind == "ordinal" else Relation("r", "binary", True)
    y = y if kind == "ordinal" else 2 * y - 1
    at = np.arange(1000)
    data = RelationalData([str(i) for i in range(40)], [relation], at // 40, at % 40, at * 0, y)
    rare = np.count_nonzero(y == 1)
    for seed in range(5):
        parts = data.split(0.2, seed=seed, validation=0.25, stratify=True)
        found = [np.count_nonzero(part.y == 1) for part in parts]
        assert abs(found[0] - 0.15 * rare) <= 2
        assert abs(found[1] - 0.8 * rare) <= 1
        assert abs(found[2] - 0.05 * rare) <= 2


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


@pytest.mark.parametrize("options", [{"train": 0}, {"train": 1}, {"train": 1.5}, {"train": 0.5, "validation": 1}])
def test_shares_that_make_no_sense_are_refused(options):
    with pytest.raises(DataError, match=r"a fraction"):
        make([10]).split(**options)
