"""Fast factorization of Arrow columns: the distinct names, and for each row the position of its name.

Most names are short or follow a pattern: /m/0abc, Q42, object17. Arrow's string views store up to twelve bytes of a
text in place. If no name is longer than eight bytes after the common prefix, each name becomes a 64-bit integer, and
integers are factorized in a third of the time of texts.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ....typing import Int32Array

Integers = npt.NDArray[np.uint64]

SAMPLE = 20_000
"""Number of rows used to find the common prefix."""

_BYTES, _MAX_PREFIX, _NEWLINE = 8, 4, 10
"""Bytes of an integer, maximum length of the common prefix, and the byte that separates names."""


def factorize(groups: Sequence[Sequence[Any]]) -> list[tuple[list[Int32Array], list[str]]]:
    """For each group of chunked text columns: the position of each row's name, and the names by first appearance.

    The columns of a group share one list of names.

    >>> import pyarrow as pa
    >>> factorize([[pa.chunked_array([["ann", "bob"]]), pa.chunked_array([["cat"], ["ann"]])]])
    [([array([0, 1], dtype=int32), array([2, 0], dtype=int32)], ['ann', 'bob', 'cat'])]
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Arrow releases the interpreter lock
        futures = [[pool.submit(_encode, column, _common_prefix(group[0])) for column in group] for group in groups]
        return [_join([column.result() for column in group]) for group in futures]


@dataclass(frozen=True)
class _Encoded:
    """The position of each row's name, and an Arrow array of the distinct names or of their integers."""

    codes: Int32Array
    distinct: Any
    prefix: bytes | None
    """The common prefix if the names are integers; None if they are texts."""


def _encode(texts: Any, prefix: bytes) -> _Encoded:
    import pyarrow as pa

    integers = _as_integers(texts, prefix)
    encoded = (texts.combine_chunks() if integers is None else pa.array(integers)).dictionary_encode()
    return _Encoded(encoded.indices.to_numpy(), encoded.dictionary, None if integers is None else prefix)


def _join(columns: list[_Encoded]) -> tuple[list[Int32Array], list[str]]:
    """Columns with one list of names: those of the first column, then the new ones of the others."""
    import pyarrow as pa

    first, *rest = columns
    if not rest:
        return [first.codes], _names(first.distinct, first.prefix)
    if any(column.prefix != first.prefix for column in rest):
        texts = [pa.array(_names(column.distinct, column.prefix), pa.string()) for column in columns]
        columns = [_Encoded(column.codes, names, None) for column, names in zip(columns, texts, strict=True)]
    lists = pa.chunked_array([column.distinct for column in columns]).dictionary_encode()
    positions = [chunk.indices.to_numpy() for chunk in lists.chunks[1:]]
    codes = [first.codes, *(index[column.codes] for index, column in zip(positions, rest, strict=True))]
    return codes, _names(lists.chunk(0).dictionary, columns[0].prefix)


def _common_prefix(texts: Any) -> bytes:
    """The common prefix of the names, up to four bytes; empty if each name fits an integer without it."""
    import pyarrow.compute as pc

    names = texts.slice(0, SAMPLE)
    if pc.max(pc.binary_length(names)).as_py() <= _BYTES:
        return b""
    ends = pc.min_max(names)
    low, high = (bytes(ends[end].as_buffer())[:_MAX_PREFIX] for end in ("min", "max"))
    equal = [a == b for a, b in zip(low, high, strict=False)]
    return low[: [*equal, False].index(False)]


def _as_integers(texts: Any, prefix: bytes) -> Integers | None:
    """An integer for each name, equal for equal names; None if a name is too long or has another prefix."""
    import pyarrow as pa

    integers, end = np.empty(len(texts), dtype="<u8"), 0
    skipped = 8 * len(prefix)
    for chunk in filter(len, texts.chunks):
        _, offsets, content = chunk.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int32)[[chunk.offset, chunk.offset + len(chunk)]]
        if np.frombuffer(content or b"", dtype=np.uint8)[slice(*bounds)].min(initial=_NEWLINE + 1) <= _NEWLINE:
            return None  # a byte that is needed to pad integers, or to separate names
        # A view is the length, in four bytes, and twelve bytes of text, padded with zeros.
        view = chunk.cast(pa.string_view())
        views = np.frombuffer(view.buffers()[1], dtype="<u8").reshape(-1, 2)[view.offset : view.offset + len(view)]
        length, head, tail = views.view("<u4")[:, 0], views[:, 0] >> np.uint64(32), views[:, 1]
        if length.max() > len(prefix) + _BYTES:
            return None
        if prefix and (head & np.uint64((1 << skipped) - 1) != int.from_bytes(prefix, "little")).any():
            return None
        part = integers[end : (end := end + len(chunk))]
        np.left_shift(tail, np.uint64(32 - skipped), out=part)
        part |= head >> np.uint64(skipped)
    return integers


def _names(distinct: Any, prefix: bytes | None) -> list[str]:
    """The names as texts, decoded from integers if they have a prefix."""
    if prefix is None:
        texts: list[str] = distinct.to_numpy(zero_copy_only=False).tolist()
        return texts
    content = np.empty((len(distinct), len(prefix) + _BYTES + 1), dtype=np.uint8)
    content[:, : len(prefix)] = np.frombuffer(prefix, dtype=np.uint8)
    content[:, len(prefix) : -1] = distinct.to_numpy().astype("<u8").view(np.uint8).reshape(-1, _BYTES)
    content[:, -1] = _NEWLINE
    return content.tobytes().translate(None, b"\0").decode().split("\n")[:-1]
