import gzip
import io
import zipfile

import pytest

from mrwtd import DataError
from mrwtd.data.readers.source import HEAD, MAPPED, Source


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def opened(data, name="a.csv", **options):
    stream = io.BytesIO(data)
    stream.name = name
    return Source.open(stream, **options)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1"])
def test_text_is_decoded(encoding):
    text = "café,thé\n"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    source = opened(mark + text.encode(encoding))
    assert source.is_text
    assert source.text == text
    assert source.utf8 == text.encode()
    assert source.head == text


def test_plain_text_is_not_copied():
    source = opened(b"a,b\n")
    assert source.utf8 is source.data


@pytest.mark.parametrize("letter", ["b", "é"])
def test_a_large_file_is_read_like_an_open_one(tmp_path, letter):
    content = f"a,{letter}\n".encode() * MAPPED
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    mapped, stream = Source.open(path), opened(content)
    assert mapped.head == stream.head
    assert bytes(mapped.utf8) == stream.utf8
    assert mapped.data == content


def test_a_large_file_cut_short_after_it_was_opened_is_a_data_error(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n" * MAPPED)
    source = Source.open(path)
    path.write_bytes(b"a,b\n")
    with pytest.raises(DataError, match="truncated"):
        source.text  # noqa: B018


@pytest.mark.parametrize(
    "data", [b"a,b\n\0", b"\x89PNG\r\n\x1a\n\0\0", bytes(range(128, 256)) + b"\x01\x02", b"\xff\xfea"]
)
def test_binary_files_are_no_text(data):
    with pytest.raises(DataError, match=r"a.csv: found a binary file"):
        _ = opened(data).text


def test_a_zero_byte_far_in_the_file_is_found():
    with pytest.raises(DataError, match=r"binary"):
        _ = opened(b"a,b\n" * HEAD + b"\0").text


def test_the_head_of_a_long_text_has_complete_lines():
    source = opened(("é" * 30 + "\n").encode() * 5000)
    assert source.is_text
    assert set(source.head.split("\n")) == {"é" * 30, ""}
    assert 0.9 * HEAD < len(source.head.encode()) <= HEAD


def test_gzip_is_undone():
    source = opened(gzip.compress(b"a,b\n"), "ties.csv.GZ")
    assert (source.name, source.data, source.extension, source.stem) == ("ties.csv", b"a,b\n", "csv", "ties")


def test_open_text_files_are_read():
    assert Source.open(io.StringIO("a,b\n")).text == "a,b\n"


def test_paths_are_read(tmp_path):
    (tmp_path / "ties.csv").write_bytes(b"a,b\n")
    assert Source.open(tmp_path / "ties.csv").name == "ties.csv"
    assert Source.open(str(tmp_path / "ties.csv")).data == b"a,b\n"


@pytest.mark.parametrize("path", ["nowhere.csv", ".", "a\0b"])
def test_unreadable_files_are_a_data_error(tmp_path, path):
    with pytest.raises(DataError, match=r"expected an? .*file that can be read"):
        Source.open(tmp_path / path)


def test_a_text_file_opened_in_the_wrong_encoding_is_a_data_error(tmp_path):
    (tmp_path / "a.csv").write_bytes("é".encode("latin-1"))
    with (tmp_path / "a.csv").open(encoding="utf-8") as file, pytest.raises(DataError, match=r"unreadable"):
        Source.open(file)


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", gzip.compress(b"", mtime=0), b"\n" * (2 * HEAD)])
def test_an_empty_file_raises_an_error(data):
    with pytest.raises(DataError, match=r"found an empty file"):
        opened(data)


def test_a_truncated_gzip_raises_an_error():
    with pytest.raises(DataError, match=r"a damaged gzip"):
        opened(gzip.compress(b"a,b,c\n" * 1000)[:-15], "a.csv.gz")
    with pytest.raises(DataError, match=r"a damaged gzip"):
        opened(b"\x1f\x8b\x08nonsense", "a.csv.gz")


def test_a_gzip_beyond_the_size_limit_raises_an_error():
    with pytest.raises(DataError, match=r"more than 1,000 bytes after decompression"):
        opened(gzip.compress(b"0" * 10**6), limit=1000)


def test_members_of_a_zip_are_sorted_without_hidden_files():
    data = zipped(**{"b.csv": "1", "folder/a.csv": "2", "__MACOSX/b.csv": "3", ".DS_Store": "4", "folder/": ""})
    source = opened(data, "all.zip")
    assert source.is_zip
    assert source.member_names == ("b.csv", "folder/a.csv")
    assert [(member.name, member.data) for member in source.members] == [("b.csv", b"1"), ("a.csv", b"2")]


@pytest.mark.parametrize("name", ["../a.csv", "/etc/a.csv", "x/../../a.csv", "..\\a.csv"])
def test_paths_outside_the_archive_raise_an_error(name):
    with pytest.raises(DataError, match=r"paths inside the archive"):
        _ = opened(zipped(**{name: "1"}), "all.zip").members


def test_a_zip_beyond_the_size_limit_raises_an_error():
    source = opened(zipped(a="0" * 600, b="0" * 600), "all.zip", limit=1000)
    with pytest.raises(DataError, match=r"more than 1,000 bytes after decompression"):
        _ = source.members


def test_a_damaged_zip_raises_an_error():
    data = zipped(a="hello" * 100)
    for damaged in (data[:40], data[:35] + b"xxxxx" + data[40:]):
        with pytest.raises(DataError, match=r"a damaged zip"):
            _ = opened(damaged, "all.zip").members
    assert opened(data[:40], "all.zip").member_names == ()
