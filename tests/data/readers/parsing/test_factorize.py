import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrwtd.data.readers.parsing import factorize

NAMES = st.text("ab0é\0\n ", max_size=9)
COLUMN = st.lists(st.lists(NAMES), min_size=1)
PREFIX = st.sampled_from(["", "b", "object", "8letters", "a longer one"])


def chunked(prefix: str, chunks: list[list[str]]) -> pa.ChunkedArray:
    """A column that has a chunk without rows, as a parser may leave one."""
    return pa.chunked_array([[prefix + name for name in [*chunk, "b"]] for chunk in chunks] + [[]], pa.string())


@settings(deadline=None, derandomize=True)
@given(one=PREFIX, two=PREFIX, columns=st.tuples(COLUMN, COLUMN))
def test_names_are_counted_as_arrow_counts_texts(one, two, columns):
    first, second = chunked(one, columns[0]), chunked(two, columns[1])
    single, both = factorize.factorize([[first], [first, second]])
    together = pa.chunked_array([*first.chunks, *second.chunks])
    for (codes, names), group, texts in ((single, [first], first), (both, [first, second], together)):
        for column_codes, column in zip(codes, group, strict=True):
            assert [names[code] for code in column_codes] == column.to_pylist()
        assert names == texts.unique().to_pylist()


@pytest.mark.parametrize(
    "names", [["/m/01", "/m/02"], ["person1", "person234567"], ["Q1", "Q12345678"], ["é1", "è2"], ["", "8letters"]]
)
def test_short_names_are_counted_as_numbers(names):
    column = pa.chunked_array([names, names])
    start = factorize._common_prefix(column)
    counted = factorize._encode(column, start)
    assert counted.distinct.type == pa.uint64()
    assert counted.codes.tolist() == [0, 1, 0, 1]
    assert factorize._names(counted.distinct, start) == names


@pytest.mark.parametrize("late", ["c1", "object1234567", "obj", "", "nobody1", "object\0", "object\n"])
def test_a_name_that_does_not_fit_turns_up_late(monkeypatch, late):
    monkeypatch.setattr(factorize, "SAMPLE", 2)
    column = pa.chunked_array([["object1", "object22345"], ["object22345", late, "object1"]])
    assert factorize._common_prefix(column) == b"obje"
    ((codes,), names), ((_, again), shared) = factorize.factorize([[column], [column[:2], column]])
    assert codes.tolist() == again.tolist() == [0, 1, 1, 2, 0]
    assert names == shared == ["object1", "object22345", late]


def test_a_part_of_an_array_is_counted_by_its_own_names():
    names = pa.array(["a\nn", "bo", "", "cat", "c\0t"])
    assert factorize._encode(pa.chunked_array([names.slice(1, 3)]), b"").distinct.type == pa.uint64()
