"""The work that a file can cause depends on its size, and what is left of large data is read right."""

import io
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

import mrwtd
from mrwtd import DataError
from mrwtd.data.limits import ENTRIES, EXPANDED, Limit
from mrwtd.data.readers import read_table
from mrwtd.data.table import Table
from tests.data.readers.crafted_files import as_parquet, cell, columns, deflated, graphml, npy, pajek_relations, sheet
from tests.data.readers.example_files import saved, zipped

TIES = b"source,target\nann,bob\n"


def file(name: str, content: bytes) -> io.BytesIO:
    stream = io.BytesIO(content)
    stream.name = name
    return stream


def read(name: str, content: bytes, **options: Any) -> mrwtd.RelationalData:
    return mrwtd.read(file(name, content), **options)


def test_a_limit_grows_with_the_file_up_to_its_most() -> None:
    limit = Limit("things", 10, 2, 100, "use less")
    assert [limit.of(size) for size in (0, 20, 1_000, None)] == [10, 50, 100, 100]
    limit.check(50, 20)
    with pytest.raises(DataError, match=r"51 things; expected at most 50 in a file of 20 bytes; use less"):
        limit.check(51, 20)


def test_a_sparse_matrix_of_many_objects_has_its_ties_only() -> None:
    ties = sparse.csc_array((np.arange(1.0, 6.0), (range(5), range(59_995, 60_000))), shape=(60_000, 60_000))
    data = read("likes.mat", saved(savemat, {"likes": ties}))
    assert (data.n_objects, len(data)) == (60_000, 5)
    assert (data.objects[data.i[0]], data.objects[data.j[0]]) == ("1", "59996")


def test_sparse_and_dense_matrices_are_read_together() -> None:
    arrays = {"dense": np.eye(3), "sparse": sparse.csc_array(([2.0], ([0], [1])), shape=(3, 3))}
    table = read_table(file("a.mat", saved(savemat, arrays)))
    assert (table.relations, np.bincount(table.k).tolist()) == (("dense", "sparse"), [9, 1])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.net", b"*Vertices 1000000\n*Arcs\n1 2\n", "1,000,000 objects without labels"),
        ("a.dl", b"dl n=2 nm=50000 format=edgelist1\ndata:\n1 2\n", "50,000 relations"),
        ("a.npy", npy((0, 0, 12_000_000)), "0 × 0 × 12000000"),
        ("a.npy", npy((-3, -3), bytes(72)), "shape"),
        ("a.npz", deflated({"a.npy": npy((2, 2, 20_000), bytes(640_000))}), "20,000 relations"),
        ("a.npz", deflated({"a.npy": npy((3_500, 3_500), bytes(3_500**2), "|b1")}), "12,250,000 cells"),
        ("a.csv", b"1," * 200_000, "columns; expected at most 100,000"),
        ("a.csv", b"source,target\na," + b"b" * 20_000, "20,000 characters in one name"),
        ("a.xlsx", sheet(cell(999_999_999)), "row 999,999,999"),
        ("a.xlsx", sheet("".join(cell(row, "XFD") for row in range(1, 1_000))), "cells"),
        ("a.parquet", as_parquet(source=["a" * 20_000] * 9, target=["b"] * 9), "characters in one name"),
        ("a.zip", deflated({"a.csv": TIES}, zipfile.ZIP_LZMA), "compression 'lzma'"),
    ],
)
def test_numbers_in_a_file_do_not_decide_how_much_work_it_is(name: str, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(name, content)


def test_unlisted_pairs_are_limited_by_the_file_and_counted_in_the_message() -> None:
    content = b"*Vertices 6500\n*Arcs\n1 2\n"
    assert read("a.net", content).n_objects == 6_500
    with pytest.raises(DataError, match=r"42,243,500 entries .* 6,500 objects; .* sample negatives"):
        read("a.net", content, absent="negative")
    assert ENTRIES.of(len(content)) < 42_243_500 < ENTRIES.of(4_000_000)


def test_a_compressed_file_may_expand_to_a_multiple_of_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mrwtd.data.readers.source.EXPANDED", Limit(EXPANDED.noun, 1_000, 2, 10**9, EXPANDED.advice))
    assert len(read("a.zip", zipped({"a.csv": TIES}))) == 1
    with pytest.raises(DataError, match="decompressed file"):
        read("a.zip", deflated({"a.csv": TIES * 1_000}))


def test_a_dimension_of_a_sheet_is_not_believed() -> None:
    pairs = {1: ("source", "target"), 2: ("ann", "bob"), 9: ("bob", "cat")}
    cells = '<row r="{0}"><c r="A{0}" t="str"><v>{1}</v></c><c r="B{0}" t="str"><v>{2}</v></c></row>'
    rows = "".join(cells.format(row, *pair) for row, pair in pairs.items())
    for reference in ("A1", "A1:XFD1048576"):
        content = sheet(rows, f'<dimension ref="{reference}"/>')
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist() if "sheet2" not in name}
        workbook = members["xl/workbook.xml"]
        first = workbook[: workbook.index(b"/>", workbook.index(b"<sheet ")) + 2]
        members["xl/workbook.xml"] = first + workbook[workbook.index(b"</sheets>") :]
        table = read_table(file("a.xlsx", zipped(members)))
        assert (table.objects, table.line(1)) == (("ann", "bob", "cat"), 9)


@pytest.mark.parametrize(
    ("name", "content", "note"),
    [
        ("ties.xlsx", TIES, "not an Excel workbook"),
        ("ties.parquet", TIES, "called .parquet"),
        ("ties.csv", zipped({"inside.csv": TIES}), "zip archive"),
        ("ties.csv", as_parquet(source=["ann"], target=["bob"]), "called .csv"),
        ("ties.csv", graphml(0, 1), "called .csv"),
        ("ties.zip", saved(np.save, np.eye(2)), "called .zip"),
    ],
)
def test_a_file_named_for_another_format_is_read_with_a_note(name: str, content: bytes, note: str) -> None:
    data = read(name, content)
    assert data.n_objects == 2
    assert any(note in text for text in data.notes)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ties.graphml", TIES, "not XML"),
        ("ties.npz", TIES, "NumPy"),
        ("ties.csv", b'[{"name": "a", "size": 3}]', "JSON"),
        ("ties.csv", b'<?xml version="1.0"?><svg a="b,c"/>', "XML that is not a graph"),
        ("ties.csv", b"%PDF-1.4\na,b\n", "text document"),
        ("ties.xlsx", b"\xd0\xcf\x11\xe0" + bytes(100), "old .* or encrypted"),
    ],
)
def test_a_file_of_another_kind_is_refused(name: str, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(name, content)


def test_files_with_their_own_names_have_no_note_on_them() -> None:
    assert not [note for note in read("ties.csv", TIES).notes if "called" in note or "whatever" in note]


def steps(work: Callable[[], object]) -> int:
    """The number of lines of Python that are run."""
    count = 0

    def trace(*_: object) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


REPEATED: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "keys and graphs": ("a.graphml", lambda n: graphml(n, n)),
    "Pajek relations": ("a.net", pajek_relations),
    "columns": ("a.csv", columns),
    "matrices": ("a.zip", lambda n: zipped({f"{k}.csv": b",a,b\na,0,1\nb,1,0\n" for k in range(n)})),
    "arrays": ("a.npz", lambda n: saved(np.savez, **{f"r{k}": np.eye(2) for k in range(n)})),
    "attributes of edges": (
        "a.gml",
        lambda n: (
            b"graph [ node [ id 0 ] node [ id 1 ] "
            + b"".join(b"edge [ source 0 target 1 b%d 1 ] " % k for k in range(n))
            + b"]"
        ),
    ),
    "layers": ("a.mpx", lambda n: b"#EDGES\n" + b"".join(b"a,b,l%d\n" % k for k in range(n))),
}


@pytest.mark.parametrize("kind", REPEATED)
def test_the_work_grows_with_the_size_of_the_file(kind: str) -> None:
    name, content = REPEATED[kind]

    def work(n: int) -> Table:
        return read_table(file(name, content(n)))

    work(2)  # what is imported at first use
    small, large = (steps(lambda n=n: work(n)) for n in (100, 400))
    assert large < 5 * small
