"""Counting the names of a column of Arrow: the different ones once, and for each row the position of its name.

Most lists name their objects shortly, or after a pattern: /m/0abc, Q42, object17. Where no name is longer than seven
letters beyond what all begin with, a name is one number of 64 bits: its letters, and how many they are. Numbers are
counted in about three quarters of the time of texts, and two columns at once, in two threads, in about half.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

MOST = 7
"""How many bytes of a name go into a number, below the byte that says how many."""

_WORD = np.dtype("<u8")
_MASKS = np.array([(1 << 8 * length) - 1 for length in range(9)], dtype=_WORD)


def count(column: Any) -> tuple[Indices, Any]:
    """For each row of a chunked column of texts the position of its name, and the names as they first appear.

    >>> import pyarrow as pa
    >>> codes, names = count(pa.chunked_array([["ann", "bob"], ["ann"]]))
    >>> codes, names.to_pylist()
    (array([0, 1, 0], dtype=int32), ['ann', 'bob'])
    """
    import pyarrow as pa

    chunks = [chunk for chunk in column.chunks if len(chunk)]
    shared = _shared(chunks[0])
    words: list[Words] = []
    for chunk in chunks:
        found = _words(chunk, shared)
        if found is None:
            return _counted(column)
        words.append(found)
    codes, different = _counted(pa.chunked_array([pa.array(own) for own in words]))
    return codes, _names(different.to_numpy(), shared)


def letters(names: Any) -> tuple[Indices, npt.NDArray[np.uint8]]:
    """Where each text of an array of Arrow begins and the last one ends, and the bytes of all."""
    _, offsets, content = names.buffers()
    places = np.frombuffer(offsets, dtype=np.int32)[names.offset : names.offset + len(names) + 1]
    return places - places[0], np.frombuffer(content or b"", dtype=np.uint8)[places[0] : places[-1]]


def _counted(column: Any) -> tuple[Indices, Any]:
    counted = column.dictionary_encode()
    return np.concatenate([chunk.indices.to_numpy() for chunk in counted.chunks]), counted.chunk(0).dictionary


def _shared(names: Any) -> bytes:
    """What all names begin with, as far as a number holds it."""
    import pyarrow.compute as pc

    ends = pc.min_max(names)
    low, high = (bytes(ends[end].as_buffer()) for end in ("min", "max"))
    same = [one == two for one, two in zip(low, high, strict=False)][: _WORD.itemsize]
    return low[: [*same, False].index(False)]


def _words(names: Any, shared: bytes) -> Words | None:
    """A number for each name, the same for the same name; None where one is too long or begins otherwise."""
    places, content = letters(names)
    start, own = places[:-1], np.diff(places) - len(shared)
    if own.min() < 0 or own.max() > MOST:
        return None
    padded = np.zeros(content.size + 2 * _WORD.itemsize, dtype=np.uint8)
    padded[: content.size] = content
    # The eight bytes from each place on, as one number.
    words: Words = np.ndarray(content.size + _WORD.itemsize, dtype=_WORD, buffer=padded, strides=(1,))
    if shared and ((words[start] & _MASKS[len(shared)]) != int.from_bytes(shared, "little")).any():
        return None
    found = words[start + len(shared)]
    found &= _MASKS[own]
    found |= own.astype(_WORD) << np.uint64(8 * MOST)
    return found


def _names(words: Words, shared: bytes) -> Any:
    """The names that the numbers stand for."""
    import pyarrow as pa

    lengths = (words >> np.uint64(8 * MOST)).astype(np.int32) + len(shared)
    content = np.empty((words.size, len(shared) + MOST), dtype=np.uint8)
    content[:, : len(shared)] = np.frombuffer(shared, dtype=np.uint8)
    content[:, len(shared) :] = words.astype(_WORD).view(np.uint8).reshape(-1, _WORD.itemsize)[:, :MOST]
    used = content[np.arange(content.shape[1]) < lengths[:, None]]
    places = np.zeros(words.size + 1, dtype=np.int32)
    np.cumsum(lengths, out=places[1:])
    return pa.StringArray.from_buffers(words.size, pa.py_buffer(places), pa.py_buffer(used))
