import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mrwtd
from mrwtd import DataError, Relation, RelationalData
from mrwtd.data.validation import is_one, radix_argsort

STEADY = settings(derandomize=True, max_examples=50, deadline=None)

LIKES = Relation("likes", "binary", directed=True)
MEETS = Relation("meets", "binary", directed=False)
TRUST = Relation("trust", "ordinal", directed=True, levels=(1, 2, 5))
CALLS = Relation("calls", "count", directed=True)
RELATIONS = (LIKES, MEETS, TRUST, CALLS)


def small(**changes):
    options = {
        "objects": ["ann", "bob", "cat"],
        "relations": RELATIONS,
        "i": [0, 1, 2, 0, 2],
        "j": [1, 0, 0, 2, 1],
        "k": [0, 0, 1, 2, 3],
        "y": [1, -1, 1, 2, 17],
        "w": [1, 0.5, 1, 1, 0],
        "attributes": pd.DataFrame({"group": ["x", "y"]}, index=["bob", "ann"]),
    }
    return RelationalData(**(options | changes))


@st.composite
def drawn(draw):
    """Any data of a few objects, with attributes and weights or without."""
    n = draw(st.integers(2, 5))
    cells = st.tuples(st.integers(0, 3), st.integers(0, n - 1), st.integers(0, n - 1))
    chosen = draw(st.lists(cells, unique_by=lambda c: c if c[0] != 1 else (1, min(c[1:]), max(c[1:]))))
    y = [draw(st.sampled_from(([-1, 1], [-1, 1], [0, 1, 2], [0, 3, 10**9])[k])) for k, _, _ in chosen]
    w = draw(st.none() | st.lists(st.floats(0, 1), min_size=len(chosen), max_size=len(chosen)))
    k, i, j = np.array(chosen, dtype=int).reshape(-1, 3).T
    objects = draw(st.lists(st.text(min_size=1), min_size=n, max_size=n, unique=True))
    columns = draw(st.none() | st.just(pd.DataFrame({"group": list(range(n))}, index=objects)))
    return RelationalData(objects, RELATIONS, i, j, k, y, w, columns)


def test_entries_are_sorted_and_undirected_ones_normalized():
    data = small()
    assert [(k, i, j) for k, i, j in zip(data.k, data.i, data.j, strict=True)] == [
        (0, 0, 1), (0, 1, 0), (1, 0, 2), (2, 0, 2), (3, 2, 1),
    ]  # fmt: skip
    assert data.y.tolist() == [1, -1, 1, 2, 17]
    assert data.slice(0) == slice(0, 2)
    assert data.slice(3) == slice(4, 5)


@STEADY
@given(drawn(), st.randoms(use_true_random=False))
def test_the_order_of_entries_does_not_matter(data, random):
    order = list(range(len(data)))
    random.shuffle(order)
    again = RelationalData(
        data.objects, data.relations, data.i[order], data.j[order], data.k[order], data.y[order], data.w[order],
        data.attributes,
    )  # fmt: skip
    assert again == data
    assert again.digest() == data.digest()


@STEADY
@given(drawn())
def test_a_frame_restores_the_same_data(data):
    assert RelationalData.from_frame(data.to_frame()) == data


@STEADY
@given(drawn())
def test_data_survives_pickling(data):
    back = pickle.loads(pickle.dumps(data))
    assert back == data
    assert back.digest() == data.digest()
    assert is_one(back.w) == is_one(data.w)
    for array in (back.i, back.j, back.k, back.y, back.w):
        assert not array.flags.writeable


@pytest.mark.parametrize("name", ["i", "j", "k", "y", "w"])
def test_arrays_cannot_be_written(name):
    for data in (small(), small(w=None), small().subset([0, 2]), small().select_relations(["calls"])):
        with pytest.raises(ValueError, match=r"read-only"):
            getattr(data, name)[0] = 0


@pytest.mark.parametrize("name", ["i", "y", "objects", "relations", "notes"])
def test_parts_cannot_be_replaced(name):
    with pytest.raises(AttributeError):
        setattr(small(), name, ())


def test_data_does_not_change_with_its_input_arrays():
    y, w, group = np.array([1.0, -1, 1, 2, 17]), np.array([1, 0.5, 1, 1, 0]), pd.DataFrame({"g": [1]}, index=["ann"])
    data = small(y=y, w=w, attributes=group)
    before = data.digest()
    y[:], w[:] = 1, 0
    group.loc["ann", "g"] = 9
    shown, listed = data.attributes, data.to_frame()
    shown["g"], listed["value"] = 7, 3
    assert data.digest() == before


@pytest.mark.parametrize(
    "change",
    [
        {"objects": ["ann", "bob", "dan"]},
        {"y": [1, -1, 1, 2, 18]},
        {"w": None},
        {"i": [0, 1, 2, 1, 2]},
        {"relations": (LIKES, MEETS, TRUST, Relation("calls", "real", directed=True))},
        {"attributes": None},
        {"attributes": pd.DataFrame({"group": ["x", "z"]}, index=["bob", "ann"])},
    ],
)
def test_different_data_are_unequal_and_have_another_digest(change):
    assert small() == small()
    assert small() != small(**change)
    assert small().digest() != small(**change).digest()


def test_data_does_not_equal_other_types():
    assert small() != "data"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"objects": ["ann", "bob", "ann"]}, "the object 'ann' twice"),
        ({"relations": (LIKES, MEETS, TRUST, LIKES)}, "the relation 'likes' twice"),
        ({"objects": ["ann"]}, "1 object; expected at least two"),
        ({"relations": ()}, "no relation"),
        ({"i": [0, 1, 2, 0]}, "arrays of"),
        ({"i": [0, 1, 2, 0, 3]}, "i outside 0…2"),
        ({"j": [-1, 0, 0, 2, 1]}, "j outside"),
        ({"k": [0, 0, 1, 2, 4]}, "k outside"),
        ({"i": [0.0, 1, 2, 0, 2]}, "i of type float64"),
        ({"i": [0, 0, 2, 0, 2], "j": [1, 1, 0, 2, 1]}, "two entries for 'ann' – 'bob' in 'likes'"),
        ({"y": [1, 0, 1, 2, 17]}, "value 0; expected −1 or"),
        ({"y": [1, -1, 1, 3, 17]}, "value 3; expected a level 0…2"),
        ({"y": [1, -1, 1, 2, 1.5]}, "value 1.5; expected 0, 1, 2"),
        ({"y": [1, -1, 1, 2, np.nan]}, "value nan"),
        ({"w": [1, 1.5, 1, 1, 0]}, "weight 1.5"),
        ({"w": [1, np.nan, 1, 1, 0]}, "weight nan"),
        ({"attributes": pd.DataFrame({"g": [1, 2]}, index=["ann", "ann"])}, "attributes for 'ann'"),
    ],
)
def test_invalid_files_raise_an_error(change, text):
    with pytest.raises(DataError, match=text):
        small(**change)


def test_ten_million_entries_take_under_400_mb():
    # A tenth of them, in a tenth of the memory: every array grows with the entries.
    size, n = 1_000_000, 2_000
    cells = np.arange(size)
    i, j, y = (cells // n).astype(np.int32), (cells % n).astype(np.int32), np.ones(size)
    k = np.zeros(size, dtype=np.int32)
    names = [str(position) for position in range(n)]
    tracemalloc.start()
    data = RelationalData(names, [LIKES], i, j, k, y)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 40_000_000
    assert sum(array.nbytes for array in (data.i, data.j, data.k, data.y)) == 20 * size
    assert data.w.base is not None
    assert is_one(data.w)
    assert {array.dtype.name for array in (data.i, data.j, data.k)} == {"int32"}
    assert len(pickle.dumps(data)) < 20 * size + 100_000


def test_a_subset_has_all_objects_and_relations():
    data = small()
    part = data.subset(data.y > 0)
    assert part.objects == data.objects
    assert part.relations == data.relations
    assert part.y.tolist() == [1, 1, 2, 17]
    assert part.w.tolist() == [1, 1, 1, 0]
    assert data.subset([4, 0]) == data.subset([0, 4])
    assert data.subset(np.ones(5, dtype=bool)) == data
    assert len(data.subset([])) == 0
    with pytest.raises(DataError, match=r"twice"):
        data.subset([0, 0])


def test_selected_relations_have_the_given_order():
    part = small().select_relations(["calls", "likes"])
    assert [relation.name for relation in part.relations] == ["calls", "likes"]
    assert part.y.tolist() == [17, 1, -1]
    assert part.objects == small().objects
    with pytest.raises(DataError, match=r"each relation once"):
        small().select_relations(["calls", "calls"])
    with pytest.raises(DataError, match=r"relation 'none'"):
        small().select_relations(["none"])


def test_levels_are_restored_as_original_values():
    data = small()
    assert data.original_values(2).tolist() == [5]
    assert data.original_values().tolist() == [1, -1, 1, 5, 17]
    assert data.to_frame()["value"].tolist() == [1, -1, 1, 5, 17]


def test_attributes_follow_the_objects():
    frame = small().attributes
    assert frame.index.tolist() == ["ann", "bob", "cat"]
    assert frame["group"].tolist()[:2] == ["y", "x"]
    assert frame["group"].isna().tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("r", "many", True), "kind 'many'"),
        (("r", "count", True, (1, 2)), "only ordinal relations"),
        (("r", "ordinal", True, (2, 1)), "ascending order"),
    ],
)
def test_an_invalid_relation_raises_an_error(arguments, text):
    with pytest.raises(DataError, match=text):
        Relation(*arguments)


@pytest.mark.parametrize("below", [1, 300, 65_536, 65_537, 10_000_000_000])
def test_order_of_sorts_stably(below):
    numbers = np.random.default_rng(0).integers(below, size=5_000)
    np.testing.assert_array_equal(radix_argsort(numbers, below), np.argsort(numbers, kind="stable"))


def test_positions_are_sorted_and_unique():
    data = mrwtd.load_dataset("florentine")
    subset = data.subset([7, 3, 5])
    np.testing.assert_array_equal(subset.i, data.i[[3, 5, 7]])
    with pytest.raises(DataError, match="twice"):
        data.subset([7, 3, 7])
