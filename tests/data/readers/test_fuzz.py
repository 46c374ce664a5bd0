"""Reading any file gives data or a `DataError`, and nothing else."""

import io
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mrwtd
from mrwtd import DataError, RelationalData
from mrwtd.data.readers import FORMATS, read_table
from tests.data.readers.example_files import EXAMPLES, unzipped, zipped

EXAMPLES_A_TEST = 30

CASES = [
    pytest.param(reader, name, data, id=f"{reader} {name}")
    for reader, files in EXAMPLES.items()
    for name, data in files.items()
]
ENDINGS = sorted({ending for reader in FORMATS.values() for ending in reader.extensions} | {"", "unknown"})
FUZZED = settings(derandomize=True, max_examples=EXAMPLES_A_TEST, deadline=None)


def file(name, data):
    stream = io.BytesIO(data)
    stream.name = name
    return stream


def reads_or_raises_data_error(name, data, **options):
    with suppress(DataError):
        assert isinstance(mrwtd.read(file(name, data), **options), RelationalData)


def test_every_reader_has_an_example():
    assert set(EXAMPLES) == set(FORMATS)


@pytest.mark.parametrize(("reader", "name", "data"), CASES)
def test_the_examples_are_valid_and_detected(reader, name, data):
    table = read_table(file(name, data))
    assert table.format == reader
    assert mrwtd.read(file(name, data)).n_objects >= 2


@pytest.mark.parametrize(("reader", "name", "data"), CASES)
def test_a_given_format_is_read_or_raises_an_error(reader, name, data):
    for file_format in FORMATS.values():
        reads_or_raises_data_error(name, data, format=file_format.name)


@pytest.mark.parametrize("ending", ENDINGS)
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=200).map(lambda text: text.encode(errors="replace"))))
@FUZZED
def test_any_content_under_any_file_name(ending, data):
    reads_or_raises_data_error(f"data.{ending}", data)


PIECES = st.one_of(
    st.binary(max_size=4),
    st.sampled_from(
        [
            b"\n",
            b",",
            b'"',
            b"\0",
            b"0",
            b"-1",
            b"1e999",
            b"99999999999",
            b"nan",
            b"inf",
            b"<",
            b">",
            b"&#xD800;",
            b"]",
            b"[",
        ]
    ),
)


@st.composite
def damaged(draw, data):
    """The bytes with a few changes, in a zip sometimes inside a member."""
    if data[:2] == b"PK" and draw(st.booleans()):
        members = unzipped(data)
        chosen = draw(st.sampled_from(sorted(members)))
        return zipped({**members, chosen: draw(damaged(members[chosen]))})
    for _ in range(draw(st.integers(1, 4))):
        position = draw(st.integers(0, max(len(data) - 1, 0)))
        length = draw(st.sampled_from([0, 0, 1, 1, 2, 8, 50]))
        piece = draw(st.one_of(PIECES, st.just(data[position : position + 20])))
        data = data[:position] + piece + data[position + length :]
    return data if draw(st.integers(0, 9)) else data[: draw(st.integers(0, len(data)))]


@pytest.mark.parametrize(("reader", "name", "data"), CASES)
@given(draws=st.data())
@FUZZED
def test_damaged_files(reader, name, data, draws):
    options = draws.draw(st.sampled_from([{}, {}, {"format": reader}, {"absent": "negative"}, {"absent": 2}]))
    reads_or_raises_data_error(name, draws.draw(damaged(data)), **options)


@pytest.mark.parametrize("option", ["mask", "attributes"])
@given(draws=st.data())
@FUZZED
def test_damaged_attribute_files_and_masks(option, draws):
    _, name, data = draws.draw(st.sampled_from([case.values for case in CASES]))
    table = b"object,group,age\nann,x,3\nbob,,4\n" if option == "attributes" else data
    reads_or_raises_data_error("a.csv", EXAMPLES["long"]["a.csv"], **{option: file(name, draws.draw(damaged(table)))})
