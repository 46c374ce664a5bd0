import io
import subprocess
import sys
import zipfile

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import FORMATS, list_formats, read_table


def file(content, name="ties.csv"):
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    stream.name = name
    return stream


TIES = "source,relation,target\nann,likes,bob\nbob,likes,cat\nann,knows,cat\n"


def test_a_path_and_an_open_file_give_the_same_data(tmp_path):
    (tmp_path / "ties.csv").write_text(TIES)
    data = mrwtd.read(tmp_path / "ties.csv")
    assert data == mrwtd.read(str(tmp_path / "ties.csv"))
    assert data == mrwtd.read(io.StringIO(TIES))
    with (tmp_path / "ties.csv").open("rb") as opened:
        assert data == mrwtd.read(opened)


@pytest.mark.parametrize("reader", list(FORMATS.values()), ids=lambda reader: reader.name)
def test_every_format_has_a_description(reader):
    assert list_formats()[reader.name] == reader.description
    assert reader.extensions
    assert all(ending == ending.lower().strip(".") for ending in reader.extensions)


def test_the_names_of_formats_are_unique():
    assert len({reader.name for reader in FORMATS.values()}) == len(FORMATS.values())


def test_kinds_directions_and_absent_are_applied():
    data = mrwtd.read(file(TIES), kinds={"knows": "count"}, directed={"knows": False}, absent="negative")
    assert [(r.name, r.kind, r.directed) for r in data.relations] == [
        ("likes", "binary", True),
        ("knows", "count", False),
    ]
    assert len(data) == 6 + 3
    sampled = mrwtd.read(file(TIES), absent=1, seed=1)
    assert len(sampled) == 2 * 3
    assert sampled == mrwtd.read(file(TIES), absent=1, seed=1)


def test_a_mask_of_another_format_hides_pairs():
    mask = file(",ann,bob,cat\nann,1,0,1\nbob,1,1,1\ncat,1,1,1\n", "mask.csv")
    data = mrwtd.read(file(TIES), absent="negative", mask=mask)
    assert len(data) == 2 * 5
    named = file("source,relation,target,value\nann,likes,bob,false\nbob,likes,cat,true\n", "mask.csv")
    assert len(mrwtd.read(file(TIES), absent="negative", mask=named)) == 2 * 6 - 1


def test_a_bad_mask_names_its_own_file():
    with pytest.raises(DataError, match=r"seen.csv: found a mask without values"):
        mrwtd.read(file(TIES), mask=file("ann,bob\n", "seen.csv"))
    with pytest.raises(DataError, match=r"seen.csv, line 2: found the object 'dan'"):
        mrwtd.read(file(TIES), mask=file("source,target,value\ndan,bob,1\n", "seen.csv"))


def test_attributes_of_a_second_file_have_priority():
    schema = (
        '# mrwtd {"objects": ["ann", "bob"], "relations": [{"name": "r", "kind": "binary", "directed": true, '
        '"levels": []}], "attributes": {"group": ["x", "y"], "age": [1, 2]}}\n'
    )
    text = schema + "source,relation,target,value\nann,r,bob,1\n"
    assert mrwtd.read(file(text)).attributes.columns.tolist() == ["group", "age"]
    frame = mrwtd.read(file(text), attributes=file("name,group\nann,z\n")).attributes
    assert frame.loc["ann", ["age", "group"]].tolist() == [1, "z"]


def test_a_preview_shows_the_rows():
    table = read_table(file("from,to,weight,year\na,b,2,1999\n"))
    assert table.format == "long"
    assert any("'weight' is read as the value" in note for note in table.notes)
    assert any("'year' is not used" in note for note in table.notes)
    assert table.file == "ties.csv"


@pytest.mark.parametrize(
    ("content", "name", "text"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0", "ties.csv", "a binary file of unknown format"),
        (b"\0" * 100, "ties.tsv", "a binary file"),
        (b"", "ties.csv", "an empty file"),
        (b"\n\n", "ties.csv", "an empty file"),
        (b"\n<!DOCTYPE html>\n<html><body>a,b</body></html>", "ties.csv", "a web page; expected .* the file itself"),
        (b"\xef\xbb\xbf<!-- saved --> <HTML lang=en>\n<p>a,b,c</p>\n", "ties.csv", "a web page"),
        (b"\0\1\2", "ties.npz", r"not in NumPy's format; expected .*\.npz"),
        (b"text", "ties.npy", r"not in NumPy's format; expected .*\.npy"),
        (b"PK\x03\x04\0\0", "ties.npz", "a damaged NumPy file; expected a complete"),
        (b"PK\x03\x04\0\0", "ties.xlsx", "a damaged Excel workbook; expected a complete"),
        (b"\xd0\xcf\x11\xe0\0\0", "ties.xls", r"old .* saved as \.xlsx"),
        (b"\0\1\2", "ties.parquet", "a damaged Parquet file; expected a complete"),
        (b"PK\x03\x04\0\0", "ties.zip", "a damaged or empty zip archive; expected a complete"),
        (b"PK\x03\x04\0\0", "ties.ods", r"a spreadsheet in another format; expected .*\.xlsx"),
        (b"%PDF-1.7\n\0", "ties.pdf", "a text document; expected the table"),
        (b"\x89PNG\r\n\x1a\n\0", "ties.png", "an image; expected the data"),
        (b'<svg width="9">\n<path d="M0 0"/>\n</svg>\n', "ties.svg", "an image; expected the data"),
        (b"{\\rtf1 a b c}\n", "ties.rtf", "a text document; expected the table"),
    ],
)
def test_files_without_data_raise_an_error(content, name, text):
    with pytest.raises(DataError, match=text) as caught:
        mrwtd.read(file(content, name))
    assert caught.value.file == name
    assert len(str(caught.value)) < 150 or "unknown format" in str(caught.value)


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({}, r"likes.csv \(a list\), logo.png \(an image\); expected only .* remove logo.png"),
        ({f"{n}.csv": TIES for n in range(12)}, r"7.csv \(a list\), …; expected only .* remove logo.png"),
        ({"b/likes.csv": TIES}, r"likes.csv \(a list\), .*likes.csv \(a list\).*; .* remove logo.png"),
        ({"likes.gml": "graph [ node [ id 1 ] ]"}, "lists, matrices or graphs"),
    ],
)
def test_files_without_data_in_a_zip_are_named(others, text):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in ({"a/likes.csv": TIES, "logo.png": b"\x89PNG\0"} | others).items():
            archive.writestr(name, content)
    with pytest.raises(DataError, match=text):
        mrwtd.read(file(stream.getvalue(), "ties.zip"))


def test_a_web_page_in_a_zip_raises_an_error():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("ties.csv", "<!doctype html><p>source,target\n")
    with pytest.raises(DataError, match=r"ties\.csv: found a web page"):
        mrwtd.read(file(stream.getvalue(), "all.zip"))


def test_an_unknown_format_lists_the_known():
    with pytest.raises(DataError, match=r"format 'xml'; expected one of .*long"):
        mrwtd.read(file(TIES), format="xml")


@pytest.mark.parametrize("name", ["long", "wide", "matrices"])
def test_a_wrong_format_option_is_a_data_error(name):
    with pytest.raises(DataError):
        mrwtd.read(file(b"\x00\x01\x02\xff" * 50), format=name)


def test_a_zip_of_nothing_known_is_a_data_error():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.exe", "x")
        archive.writestr("b.exe", "x")
    with pytest.raises(DataError, match=r"unknown format"):
        mrwtd.read(file(stream.getvalue(), "all.zip"))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"a.csv": ",x,y\nx,0,1\ny,1,0\n", "b.net": "*Vertices 2\n*Arcs\n1 2\n"},
            r"a\.csv \(matrices\), b\.net \(pajek\)",
        ),
        (
            {"plain.csv": "source,target\nx,y\n", "rubbish.csv": "no columns\nat all, and no sense\n"},
            r"cannot be read together: plain\.csv \(a list\), rubbish\.csv \(unknown format\)",
        ),
        (
            {"plain.csv": "source,target\nx,y\n", "rubbish.csv": b"\x89PNG\0\1\2"},
            r"cannot be read together: plain\.csv \(a list\), rubbish\.csv \(unknown format\)",
        ),
        (
            {"plain.csv": "source,target\nx,y\n", "square.csv": ",x,y\nx,0,1\ny,1,0\n", "two.csv": "x,y\ny,z\n"},
            r"plain\.csv \(a list\), square\.csv \(matrices\), two\.csv \(a list without column names\)",
        ),
        ({"a.csv": ",x,y\nx,0,1\ny,1,0\n", "b.csv": ""}, r"file 'b\.csv': found an empty file"),
        ({"a.csv": "source,target\nx,y\n", "b.csv": ""}, r"file 'b\.csv': found an empty file"),
    ],
)
def test_incompatible_files_are_named(members, message):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    with pytest.raises(DataError, match=message) as caught:
        mrwtd.read(file(stream.getvalue(), "all.zip"))
    assert len(str(caught.value)) < 300


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, mrwtd; print([m for m in ('sklearn', 'networkx', 'openpyxl', 'streamlit') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
