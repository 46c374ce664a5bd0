"""Published splits: files or a column that say which entries are for training, test and validation.

The part of an entry is a number, its position in `PARTS`. Entries made from unlisted pairs are for training. An entry
that is listed in several parts is a test entry if one of them is the test part, so a test entry is never trained on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import DataError, Problem
from ..typing import Int8Array, Int64Array

if TYPE_CHECKING:
    from .relational import RelationalData

PARTS = ("train", "test", "valid")
"""The parts of a published split, in the order of `RelationalData.published_split`."""

TRAIN, TEST, VALID = range(len(PARTS))

PUBLISHED = "published"
"""The split of the files, where one of `SPLIT_BY` says how a random split is drawn."""

_WORDS: Mapping[str, int] = {
    "train": TRAIN, "training": TRAIN, "test": TEST, "testing": TEST,
    "valid": VALID, "validation": VALID, "val": VALID, "dev": VALID,
}  # fmt: skip

_COLUMNS = frozenset(("part", "split", "subset", "partition", "set"))


def part_of_name(name: str) -> tuple[int | None, tuple[str, ...]]:
    """The part that a name contains, None if it contains none or several, and the other words of the name.

    >>> [part_of_name(name) for name in ("train", "wn18rr-dev", "test2id", "latest", "train-test")]
    [(0, ()), (2, ('wn', 'rr')), (1, ('id',)), (None, ('latest',)), (None, ())]
    """
    words = [word for word in re.split(r"[\W\d_]+", name.lower()) if word]
    parts = {_WORDS[word] for word in words if word in _WORDS}
    return parts.pop() if len(parts) == 1 else None, tuple(word for word in words if word not in _WORDS)


def is_part_column(name: str) -> bool:
    """Whether a column with this name can have the part of each row.

    >>> is_part_column("Split"), is_part_column("relation")
    (True, False)
    """
    return name.strip().lower() in _COLUMNS


def part_codes(names: Sequence[Any]) -> Int8Array | None:
    """The parts with some names, or None if a name is not that of a part.

    >>> part_codes(["train", "dev", "Test"]), part_codes(["train", "1"])
    (array([0, 2, 1], dtype=int8), None)
    """
    words = [str(name).strip().lower() for name in names]
    return np.array([_WORDS[word] for word in words], dtype=np.int8) if all(w in _WORDS for w in words) else None


def column_parts(column: pd.Series) -> Int8Array | None:
    """The part of each row of a column, or None if a cell names no part.

    >>> column_parts(pd.Series(["train", "test", "train"]))
    array([0, 1, 0], dtype=int8)
    """
    codes, names = pd.factorize(column)
    parts = part_codes(names.tolist()) if len(codes) and codes.min() >= 0 else None
    return None if parts is None else parts[codes]


def as_parts(part: npt.ArrayLike | None, size: int) -> Int8Array | None:
    """The part of each entry as 8-bit integers; a `DataError` if there is another number than 0, 1 and 2."""
    if part is None:
        return None
    codes = np.asarray(part).reshape(-1)
    if codes.size != size or (size and not np.isin(codes, range(len(PARTS))).all()):
        raise DataError(Problem(f"parts of {codes.size:,} entries", f"0, 1 or 2 ({', '.join(PARTS)}) for each entry"))
    return codes.astype(np.int8)


def entry_parts(part: Int8Array, row_keys: Int64Array, keys: Int64Array) -> tuple[Int8Array, list[str]]:
    """The part of each entry, and notes, from the part and the key of each row of a file.

    `keys` are the sorted keys of the entries. Those without a row are for training.

    >>> parts, notes = entry_parts(np.int8([0, 1, 2]), np.array([7, 7, 3]), np.array([3, 5, 7]))
    >>> parts.tolist()
    [2, 0, 1]
    >>> notes
    ['1 entry is listed in several parts: it is a test entry if test lists it, otherwise a validation entry.']
    """
    position = np.searchsorted(keys, row_keys)
    known = position < keys.size
    known[known] = keys[position[known]] == row_keys[known]
    listed = np.zeros((len(PARTS), keys.size), dtype=bool)
    listed[part[known], position[known]] = True
    parts = np.zeros(keys.size, dtype=np.int8)
    parts[listed[VALID]] = VALID
    parts[listed[TEST]] = TEST
    several = int(np.count_nonzero(listed.sum(axis=0) > 1))
    if not several:
        return parts, []
    is_it = "entry is" if several == 1 else "entries are"
    rule = "a test entry if test lists it, otherwise a validation entry"
    return parts, [f"{several:,} {is_it} listed in several parts: {'it' if several == 1 else 'each'} is {rule}."]


def published_parts(data: RelationalData) -> Int8Array:
    """The part of each entry; a `DataError` if the data has no published split."""
    if data.part is None:
        expected = "files called train, valid and test, or a column called split with these words"
        raise DataError(Problem("data without a published split", expected))
    return data.part


def has_published_test(data: RelationalData) -> bool:
    """Whether the data has a published split with test entries.

    >>> import mrwtd
    >>> has_published_test(mrwtd.load_dataset("florentine"))
    False
    """
    return data.part is not None and bool(((data.part == TEST) & (data.w > 0)).any())
