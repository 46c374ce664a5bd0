import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrwtd.data.readers import counting

NAMES = st.text("ab0é\0 ", max_size=9)


@given(prefix=st.sampled_from(["", "b", "object", "a longer one"]), chunks=st.lists(st.lists(NAMES), min_size=1))
def test_names_are_counted_as_arrow_counts_texts(prefix, chunks):
    column = pa.chunked_array([[prefix + name for name in [*chunk, "b"]] for chunk in chunks], pa.string())
    codes, names = counting.count(column)
    assert names.take(pa.array(codes)).to_pylist() == column.to_pylist()
    assert names.to_pylist() == column.unique().to_pylist()


@pytest.mark.parametrize("names", [["/m/01", "/m/02"], ["object0", "object1234567"], ["o1", "o1234567"], ["é1", "è2"]])
def test_short_names_are_counted_as_numbers(monkeypatch, names):
    kinds = []
    by_arrow = counting._counted
    monkeypatch.setattr(counting, "_counted", lambda column: kinds.append(column.type) or by_arrow(column))
    codes, found = counting.count(pa.chunked_array([names, names]))
    assert kinds == [pa.uint64()]
    assert codes.tolist() == [0, 1, 0, 1]
    assert found.to_pylist() == names


@pytest.mark.parametrize("late", ["c1", "object12345678", "obj", "", "nobody1"])
def test_a_name_that_does_not_fit_turns_up_late(late):
    column = pa.chunked_array([["object1", "object2"], ["object2", late, "object1"]])
    codes, names = counting.count(column)
    assert codes.tolist() == [0, 1, 1, 2, 0]
    assert names.to_pylist() == ["object1", "object2", late]


def test_letters_are_those_of_the_part_of_an_array_that_is_given():
    places, content = counting.letters(pa.array(["ann", "bo", "", "cat"]).slice(1))
    assert places.tolist() == [0, 2, 2, 5]
    assert bytes(content) == b"bocat"
