import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrwtd.data.readers import counting

NAMES = st.text("ab0é\0 ", max_size=9)
COLUMN = st.lists(st.lists(NAMES), min_size=1)
PREFIX = st.sampled_from(["", "b", "object", "8letters", "a longer one"])


def chunked(prefix: str, chunks: list[list[str]]) -> pa.ChunkedArray:
    """A column that has a chunk without rows, as a parser may leave one."""
    return pa.chunked_array([[prefix + name for name in [*chunk, "b"]] for chunk in chunks] + [[]], pa.string())


@given(one=PREFIX, two=PREFIX, columns=st.tuples(COLUMN, COLUMN))
def test_names_are_counted_as_arrow_counts_texts(one, two, columns):
    first, second = chunked(one, columns[0]), chunked(two, columns[1])
    alone, both = counting.count([[first], [first, second]])
    together = pa.chunked_array([*first.chunks, *second.chunks])
    for (codes, names), group, texts in ((alone, [first], first), (both, [first, second], together)):
        for own, column in zip(codes, group, strict=True):
            assert names.take(pa.array(own)).to_pylist() == column.to_pylist()
        assert names.to_pylist() == texts.unique().to_pylist()


@pytest.mark.parametrize(
    "names", [["/m/01", "/m/02"], ["object0", "object12345678"], ["o1", "o1234567"], ["é1", "è2"], ["", "8letters"]]
)
def test_short_names_are_counted_as_numbers(names):
    counted = counting._count(pa.chunked_array([names, names]), counting._shared(pa.chunked_array([names])))
    assert counted.different.type == pa.uint64()
    assert counted.codes.tolist() == [0, 1, 0, 1]
    assert counted.names.to_pylist() == names


@pytest.mark.parametrize("late", ["c1", "object123456789", "obj", "", "nobody1", "object\0"])
def test_a_name_that_does_not_fit_turns_up_late(monkeypatch, late):
    monkeypatch.setattr(counting, "SAMPLE", 2)
    column = pa.chunked_array([["object1", "object22345"], ["object22345", late, "object1"]])
    assert counting._shared(column) == b"object"
    ((codes,), names), ((_, again), shared) = counting.count([[column], [column[:2], column]])
    assert codes.tolist() == again.tolist() == [0, 1, 1, 2, 0]
    assert names.to_pylist() == shared.to_pylist() == ["object1", "object22345", late]


def test_letters_are_those_of_the_part_of_an_array_that_is_given():
    places, content = counting.letters(pa.array(["ann", "bo", "", "cat"]).slice(1))
    assert places.tolist() == [0, 2, 2, 5]
    assert bytes(content) == b"bocat"
