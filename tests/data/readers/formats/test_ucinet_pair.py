"""UCINET's own files: a header and the numbers."""

import io
import struct

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import read_table
from mrwtd.data.readers.formats.ucinet_pair import read_header
from tests.data.readers.example_files import ucinet_header, zipped

MATRIX = np.array([[0, 1, 2.5], [4, 0, 1e38], [0, 3, 0]])
OLD = {"version": b"DATE:", "wide": False}


def pair(header, numbers, name="advice"):
    return [file(f"{name}.##h", header), file(f"{name}.##d", numbers)]


def file(name, content):
    stream = io.BytesIO(content)
    stream.name = name
    return stream


@pytest.mark.parametrize("options", [{}, OLD], ids=["V6404", "DATE:"])
@pytest.mark.parametrize(("code", "dtype"), [(7, "<f4"), (9, "<f8")])
def test_numbers_follow_each_other_row_by_row(options, code, dtype):
    data = mrwtd.read(pair(ucinet_header(dtype=code, **options), MATRIX.astype(dtype).tobytes()))
    assert data.objects == ("ann", "bob", "cat")
    frame = data.to_frame().set_index(["source", "target"])["value"]
    assert frame["ann", "cat"] == 2.5
    assert frame["bob", "ann"] == 4
    assert ("bob", "cat") not in frame.index  # unobserved
    assert data.relations[0].name == "advice"


@pytest.mark.parametrize(("code", "dtype"), [(1, "u1"), (3, "i1"), (4, "<u2"), (5, "<i2"), (6, "<i4"), (10, "<i8")])
def test_whole_numbers(code, dtype):
    numbers = np.array([[0, 1], [7, 0]], dtype=dtype)
    table = read_table(pair(ucinet_header(("ann", "bob"), dtype=code), numbers.tobytes()))
    assert table.values.tolist() == [0, 1, 7, 0]


def test_several_matrices_and_several_pairs_are_relations():
    numbers = np.arange(18, dtype="<f4").tobytes()
    first = pair(ucinet_header(matrices=("likes", "helps")), numbers)
    table = read_table([*first, *pair(ucinet_header(("cat", "bob", "ann")), numbers[:36], "kin")])
    assert table.relations == ("likes", "helps", "kin")
    by_pair = {(table.relations[k], table.objects[i], table.objects[j]): y for k, i, j, y in
               zip(table.k, table.i, table.j, table.values, strict=True)}  # fmt: skip
    assert by_pair["helps", "ann", "cat"] == 11
    assert by_pair["kin", "cat", "ann"] == 2


def test_a_pair_can_be_in_a_zip_with_notes_for_readers():
    members = {"x/a.##h": ucinet_header(), "x/a.##d": MATRIX.astype("<f4").tobytes(), "README.txt": b"about\n"}
    assert read_table(file("a.zip", zipped(members))).relations == ("a",)


@pytest.mark.parametrize("columns", [("e1", "e2"), ("e1", "e2", "e3")])
def test_other_labels_of_columns_are_objects_of_another_type(columns):
    numbers = np.arange(3 * len(columns), dtype="<f4")
    data = mrwtd.read(pair(ucinet_header(columns=columns), numbers.tobytes()))
    assert data.objects == ("ann", "bob", "cat", *columns)
    assert data.object_types == ("row",) * 3 + ("column",) * len(columns)
    frame = data.to_frame().set_index(["source", "target"])["value"]
    assert frame["bob", "e1"] == len(columns)


@pytest.mark.parametrize("part", [0, 1])
def test_one_file_of_a_pair_asks_for_the_other(part):
    with pytest.raises(DataError, match=r"both files of the pair, advice\.##h and advice\.##d"):
        mrwtd.read(pair(ucinet_header(), MATRIX.astype("<f4").tobytes())[part])


def with_sizes(columns, rows):
    header = ucinet_header(("ann", "bob"))
    return header[:19] + struct.pack("<II", columns, rows) + header[27:]


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (ucinet_header()[:40], "a complete header"),
        (with_sizes(2**32 - 1, 2**32 - 1), "a complete header"),
        (with_sizes(2**32 - 1, 2**32 - 1)[:27] + b"\0\0\0", "cells; expected at most"),
        (with_sizes(0, 0)[:27] + b"\0\0\0", "bytes; expected 0"),
        (ucinet_header(dtype=8), "numbers of the type 8"),
        (ucinet_header(version=b"V9999"), "the version 'V9999'"),
        (ucinet_header(("ann", "ann", "bob")), "a different label"),
        (ucinet_header(("ann", "bob", "cat"), ("ann", "cat", "bob")), "no common label in two-mode data"),
        (ucinet_header(("ann", "bob")), "36 bytes; expected 16"),
        (b"\x05", "a complete header"),
    ],
)
def test_damaged_headers(header, text):
    with pytest.raises(DataError, match=text):
        mrwtd.read(pair(header, MATRIX.astype("<f4").tobytes()))


def test_a_header_from_bytes():
    # As UCINET writes it: 8 January 2001, labels with one byte per character, bytes as numbers, 2 × 2, the title "Go".
    data = bytes.fromhex("05444154453a0100010008000200 0200 01 0200 0200 0200 02 476f 01 01") + b"\3\0ABE\3\0BOB" * 2
    header = read_header(data)
    assert (header.dtype, header.sizes, header.labels) == ("u1", (2, 2), (("ABE", "BOB"), ("ABE", "BOB")))
