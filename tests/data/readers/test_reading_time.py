"""The time to read a repetitive file grows at most with the square of its size.

A pattern that backtracks, or a loop that goes over all lines for each of them, lets a small file block a server for
days. Times are of this process alone and only compared with each other.
"""

import io
import itertools
import pkgutil
import re
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

import pytest

import mrwtd.data
from mrwtd import DataError
from mrwtd.data.readers import FORMATS, read_table
from mrwtd.data.readers.parsing.attributes import read_nodes

PIECES = [
    b"<!---->", b"<!-- a -->\n", b"<a>", b"<key id='a'/>", b"&", b" ", b"\n", b"\r\n", b"\t", b",", b";", b"=", b":",
    b"[", b'"', b'""', b'"a ', b' ""b', b"a", b"1", b"1,", b"1.", b"-1e", b"#", b"# a\n", b"% a\n", b"-- a\n", b"*",
    b"*arcs\n", b"graph ", b"graph\n", b"labels ", b"a b\n", b"a,b\n", b"a\tb\t1\n", b"( 1)", b".1",
]  # fmt: skip

STARTS = {
    "pajek": b"*Vertices 3\n*Arcs\n",
    "ucinet": b"dl n=3 format=edgelist1\nlabels:\n",
    "multinet": b"#TYPE multiplex\n#EDGES\n",
    "graphs": b"<graphml>",
    "long": b"source,target,relation\n",
    "wide": b"source,target,likes\n",
    "arrays": b"\x93NUMPY\x01\x00\x76\x00",
    "parquet": b"PAR1",
}
ENDINGS = {
    "pajek": "net",
    "ucinet": "dl",
    "multinet": "mpx",
    "graphs": "graphml",
    "arrays": "npy",
    "parquet": "parquet",
}
ZIPPED = ("lists", "matrices")

SIZES = (4, 6, 9, 13, 19, 28, 42, 170, 700)
"""Small steps at first, so that exponential growth is detected before it takes minutes."""

FLOOR = 0.002
"""Seconds below which times are not compared."""

ENOUGH = 0.05
"""Seconds after which a file is not made larger."""

SLACK = 2.5
"""How much more than the square of the size the time may grow by: small times are noisy."""


def seconds(work: Callable[[bytes], object], data: bytes) -> float:
    began = time.process_time()
    with suppress(DataError):
        work(data)
    return time.process_time() - began


def grows_too_fast(work: Callable[[bytes], object], content: Callable[[int], bytes]) -> str:
    """The step at which the time grows faster than the square of the size, or nothing."""
    before = max(FLOOR, min(seconds(work, content(SIZES[0])) for _ in range(2)))
    for small, large in itertools.pairwise(SIZES):
        allowed = SLACK * (large / small) ** 2
        now = seconds(work, content(large))
        tries = 0
        while now > allowed * before and now < 1 and tries < 4:  # other load may have interfered
            now, tries = min(now, seconds(work, content(large))), tries + 1
        if now > allowed * before:
            return f"{small} → {large} pieces: {before:.4f} → {now:.4f} s"
        if now > ENOUGH:
            break
        before = max(now, FLOOR)
    return ""


def packed(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.csv", content)
        archive.writestr("b.csv", content)
    return stream.getvalue()


def as_format(name: str | None) -> Callable[[bytes], object]:
    def work(data: bytes) -> object:
        stream = io.BytesIO(packed(data) if name in ZIPPED else data)
        stream.name = "data." + ("zip" if name in ZIPPED else ENDINGS.get(name or "", "txt"))
        return read_table(stream, format=name)

    return work


NAMES = [None, *FORMATS]


@pytest.mark.parametrize("name", NAMES, ids=str)
def test_repeated_content_is_rejected_quickly(name: str | None) -> None:
    work, start = as_format(name), STARTS.get(name or "", b"")
    seconds(work, start + b"a,b\n")  # lazy imports
    slow = {piece: grows_too_fast(work, lambda n, piece=piece: start + piece * n + b"\nx") for piece in PIECES}
    assert {piece: texts for piece, texts in slow.items() if texts} == {}


def test_repeated_attributes_are_rejected_quickly() -> None:
    def work(data: bytes) -> object:
        return read_nodes(io.BytesIO(data), ["1", "a"])

    seconds(work, b"object,a\n1,2\n")
    slow = {piece: grows_too_fast(work, lambda n, piece=piece: b"object,a\n" + piece * n) for piece in PIECES}
    assert {piece: texts for piece, texts in slow.items() if texts} == {}


def patterns() -> dict[str, re.Pattern[bytes] | re.Pattern[str]]:
    """Every compiled pattern in the modules that read files."""
    names = [package.name for package in pkgutil.walk_packages(mrwtd.data.__path__, "mrwtd.data.")]
    modules = [import_module(name) for name in [*names, "mrwtd.runs.file_checks", "mrwtd.runs.store"]]
    return {
        f"{module.__name__}.{name}": value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern)
    }


@pytest.mark.parametrize("name", patterns())
def test_no_pattern_backtracks(name: str) -> None:
    pattern = patterns()[name]

    def work(data: bytes) -> object:
        text = data if isinstance(pattern.pattern, bytes) else data.decode("latin-1")
        return [pattern.match(text), pattern.fullmatch(text), sum(1 for _ in pattern.finditer(text))]

    slow = {piece: grows_too_fast(work, lambda n, piece=piece: piece * n + b"\x00") for piece in PIECES}
    assert {piece: texts for piece, texts in slow.items() if texts} == {}
