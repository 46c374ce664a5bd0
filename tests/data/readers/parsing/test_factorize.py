import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrwtd.data.readers.parsing import factorize

NAMES = st.text("ab0é\0\n ", max_size=9)
COLUMN = st.lists(st.lists(NAMES), min_size=1)
PREFIX = st.sampled_from(["", "b", "object", "8letters", "a longer one"])


def chunked(prefix: str, chunks: list[list[str]]) -> pa.ChunkedArray:
    """A column with an empty chunk, as parsers may return."""
    return pa.chunked_array([[prefix + name for name in [*chunk, "b"]] for chunk in chunks] + [[]], pa.string())


@settings(deadline=None, derandomize=True)
@given(first_prefix=PREFIX, second_prefix=PREFIX, columns=st.tuples(COLUMN, COLUMN))
def test_names_are_factorized_like_arrow(first_prefix, second_prefix, columns):
    first, second = chunked(first_prefix, columns[0]), chunked(second_prefix, columns[1])
    single, both = factorize.factorize([[first], [first, second]])
    together = pa.chunked_array([*first.chunks, *second.chunks])
    for (codes, names), group, texts in ((single, [first], first), (both, [first, second], together)):
        for column_codes, column in zip(codes, group, strict=True):
            assert [names[code] for code in column_codes] == column.to_pylist()
        assert names == texts.unique().to_pylist()


@pytest.mark.parametrize(
    "names", [["/m/01", "/m/02"], ["person1", "person234567"], ["Q1", "Q12345678"], ["é1", "è2"], ["", "8letters"]]
)
def test_short_names_are_factorized_as_numbers(names):
    column = pa.chunked_array([names, names])
    start = factorize._common_prefix(column)
    counted = factorize._encode(column, start)
    assert counted.distinct.type == pa.uint64()
    assert counted.codes.tolist() == [0, 1, 0, 1]
    assert factorize._names(counted.distinct, start) == names


@pytest.mark.parametrize("late", ["c1", "object1234567", "obj", "", "nobody1", "object\0", "object\n"])
def test_a_long_name_after_short_ones_is_factorized(monkeypatch, late):
    monkeypatch.setattr(factorize, "SAMPLE", 2)
    column = pa.chunked_array([["object1", "object22345"], ["object22345", late, "object1"]])
    assert factorize._common_prefix(column) == b"object"
    ((codes,), names), ((_, again), shared) = factorize.factorize([[column], [column[:2], column]])
    assert codes.tolist() == again.tolist() == [0, 1, 1, 2, 0]
    assert names == shared == ["object1", "object22345", late]


@pytest.mark.parametrize("prefix", ["b", "object", "8letters", "a longer one"])
def test_names_in_the_middle_of_the_bytes(monkeypatch, prefix):
    monkeypatch.setattr(factorize, "BLOCK", 3)
    suffixes = [letter * length for length in range(9) for letter in "aé"[: 1 + (length < 5)]]
    column = pa.chunked_array([[prefix + suffix for suffix in [*suffixes, *suffixes[::-1]]]])
    integers = factorize._as_integers(column, prefix.encode())
    assert integers is not None
    ((codes,), names), *_ = factorize.factorize([[column]])
    assert [names[code] for code in codes] == column.to_pylist()
    other = pa.chunked_array([[f"{prefix}1", f"x{prefix[1:]}2", *(f"{prefix}{n}" for n in range(10, 30))]])
    assert factorize._as_integers(other, prefix.encode()) is None


def test_a_slice_of_an_array_is_encoded_without_the_rest():
    names = pa.array(["a\nn", "bo", "", "cat", "c\0t"])
    assert factorize._encode(pa.chunked_array([names.slice(1, 3)]), b"").distinct.type == pa.uint64()


@pytest.mark.parametrize("names", [["a", "a", "a"], ["a", "aa", ""], ["é", "é"], ["", ""], ["aa", "a", "aaa"]])
def test_names_of_the_same_bytes_stay_different(names):
    column = pa.chunked_array([["b", *names], names, names]).slice(1)
    (codes,), distinct = factorize.factorize([[column]])[0]
    assert [distinct[code] for code in codes] == names * 3
