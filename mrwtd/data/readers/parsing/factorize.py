"""Counting the names of columns of Arrow: the different ones once, and for each row the position of its name.

Most lists name their objects shortly, or after a pattern: /m/0abc, Q42, object17. Arrow's views of texts hold names of
up to twelve letters in place. Where no name is longer than eight letters beyond what all begin with, it becomes one
number of 64 bits there, and numbers are counted in a third of the time of texts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....typing import Int32Array

Words = npt.NDArray[np.uint64]

SAMPLE = 20_000
"""How many rows tell what all names begin with."""

_LETTERS, _START, _NEWLINE = 8, 4, 10
"""How many letters go into a number, how many all names may begin with, and the letter that parts names."""


def factorize(groups: Sequence[Sequence[Any]]) -> list[tuple[list[Int32Array], list[str]]]:
    """For each group of chunked columns of texts: the position of each row's name, and the names as they first appear.

    The columns of a group share one list of names.

    >>> import pyarrow as pa
    >>> factorize([[pa.chunked_array([["ann", "bob"]]), pa.chunked_array([["cat"], ["ann"]])]])
    [([array([0, 1], dtype=int32), array([2, 0], dtype=int32)], ['ann', 'bob', 'cat'])]
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Arrow leaves other threads alone while it counts
        counting = [[pool.submit(_count, column, _start(group[0])) for column in group] for group in groups]
        return [_joined([column.result() for column in group]) for group in counting]


@dataclass(frozen=True)
class _Counted:
    """The position of each row's name, and the names or the numbers that stand for them, as an array of Arrow."""

    codes: Int32Array
    different: Any
    start: bytes | None
    """What the names begin with that are numbers; None where they are texts."""


def _count(texts: Any, start: bytes) -> _Counted:
    import pyarrow as pa

    words = _words(texts, start)
    counted = (texts.combine_chunks() if words is None else pa.array(words)).dictionary_encode()
    return _Counted(counted.indices.to_numpy(), counted.dictionary, None if words is None else start)


def _joined(columns: list[_Counted]) -> tuple[list[Int32Array], list[str]]:
    """Columns of one list of names: those of the first, then what the next one adds."""
    import pyarrow as pa

    first, *rest = columns
    if not rest:
        return [first.codes], _names(first.different, first.start)
    if any(column.start != first.start for column in rest):
        texts = [pa.array(_names(column.different, column.start), pa.string()) for column in columns]
        columns = [_Counted(column.codes, own, None) for column, own in zip(columns, texts, strict=True)]
    lists = pa.chunked_array([column.different for column in columns]).dictionary_encode()
    places = [chunk.indices.to_numpy() for chunk in lists.chunks[1:]]
    codes = [first.codes, *(at[column.codes] for at, column in zip(places, rest, strict=True))]
    return codes, _names(lists.chunk(0).dictionary, columns[0].start)


def _start(texts: Any) -> bytes:
    """What names begin with, up to four letters; nothing where each name is one number as it is."""
    import pyarrow.compute as pc

    names = texts.slice(0, SAMPLE)
    if pc.max(pc.binary_length(names)).as_py() <= _LETTERS:
        return b""
    ends = pc.min_max(names)
    low, high = (bytes(ends[end].as_buffer())[:_START] for end in ("min", "max"))
    alike = [one == two for one, two in zip(low, high, strict=False)]
    return low[: [*alike, False].index(False)]


def _words(texts: Any, start: bytes) -> Words | None:
    """A number for each name, the same for the same name; None where one is too long or begins otherwise."""
    import pyarrow as pa

    words, end = np.empty(len(texts), dtype="<u8"), 0
    skipped = 8 * len(start)
    for chunk in filter(len, texts.chunks):
        _, places, content = chunk.buffers()
        bounds = np.frombuffer(places, dtype=np.int32)[[chunk.offset, chunk.offset + len(chunk)]]
        if np.frombuffer(content or b"", dtype=np.uint8)[slice(*bounds)].min(initial=_NEWLINE + 1) <= _NEWLINE:
            return None  # a letter that is needed to fill numbers up, or to part names
        # A view is the length, in four bytes, and twelve letters, or as many as there are and zeros.
        seen = chunk.cast(pa.string_view())
        views = np.frombuffer(seen.buffers()[1], dtype="<u8").reshape(-1, 2)[seen.offset : seen.offset + len(seen)]
        length, head, tail = views.view("<u4")[:, 0], views[:, 0] >> np.uint64(32), views[:, 1]
        if length.max() > len(start) + _LETTERS:
            return None
        if start and (head & np.uint64((1 << skipped) - 1) != int.from_bytes(start, "little")).any():
            return None
        own = words[end : (end := end + len(chunk))]
        np.left_shift(tail, np.uint64(32 - skipped), out=own)
        own |= head >> np.uint64(skipped)
    return words


def _names(different: Any, start: bytes | None) -> list[str]:
    """The names, where they are numbers by what these stand for."""
    if start is None:
        texts: list[str] = different.to_numpy(zero_copy_only=False).tolist()
        return texts
    content = np.empty((len(different), len(start) + _LETTERS + 1), dtype=np.uint8)
    content[:, : len(start)] = np.frombuffer(start, dtype=np.uint8)
    content[:, len(start) : -1] = different.to_numpy().astype("<u8").view(np.uint8).reshape(-1, _LETTERS)
    content[:, -1] = _NEWLINE
    return content.tobytes().translate(None, b"\0").decode().split("\n")[:-1]
