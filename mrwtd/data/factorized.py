"""Columns of names: the different names once, and for each row the position of its name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, Problem
from ..typing import AnyArray, Int32Array
from .arguments import short_repr


@dataclass(frozen=True)
class Factorized:
    """A column of names: the different ones once, and for each row the position of its name.

    >>> Factorized.from_column(["ann", "bob", "ann"])
    Factorized(codes=array([0, 1, 0], dtype=int32), names=['ann', 'bob'])

    Attributes:
        codes: a position in `names` for each row.
        names: the names, in the order of their first appearance.
        distinct: whether each name is known to stand there once.
    """

    codes: Int32Array
    names: Sequence[str]
    distinct: bool = field(default=False, repr=False)

    @classmethod
    def from_column(cls, column: Sequence[Any] | AnyArray | pd.Series) -> Factorized:
        """The names of a column of anything; each is what `str` makes of it."""
        series = column if isinstance(column, pd.Series) else pd.Series(column, dtype=object)
        try:
            codes, uniques = pd.factorize(series)
        except TypeError:  # what cannot be a key of a dictionary, such as a list
            strange = next(name for name in series if not isinstance(name, Hashable))
            raise DataError(Problem(f"{short_repr(strange)} as a name", "a text or a number")) from None
        return cls(codes.astype(np.int32), [str(name) for name in uniques])

    def used(self) -> list[str]:
        """The names that stand in a row.

        >>> Factorized(np.array([1, 1], dtype=np.int32), ["ann", "bob"]).used()
        ['bob']
        """
        times = np.bincount(self.codes, minlength=len(self.names))
        return [name for name, n in zip(self.names, times.tolist(), strict=True) if n]


def positions(columns: Sequence[Factorized], known: Sequence[str]) -> tuple[list[Int32Array], tuple[str, ...]]:
    """The position of each row's name, for each column, and the names: the known first, then as they appear.

    >>> columns = [Factorized.from_column(["ann", "bob"]), Factorized.from_column(["cat", "ann"])]
    >>> (source, target), names = positions(columns, known=["dan"])
    >>> names, target
    (('dan', 'ann', 'bob', 'cat'), array([3, 1], dtype=int32))
    """
    names = columns[0].names
    shared = not known and all(column.names is names for column in columns)
    if shared and (columns[0].distinct or len(set(names)) == len(names)):
        return [column.codes for column in columns], tuple(names)
    index: dict[str, int] = dict(zip(dict.fromkeys(map(str, known)), count(), strict=False))
    found = []
    for column in columns:
        fresh = dict.fromkeys(name for name in column.names if name not in index)
        index.update(zip(fresh, count(len(index)), strict=False))
        at = np.fromiter(map(index.__getitem__, column.names), dtype=np.int32, count=len(column.names))
        found.append(at[column.codes] if column.codes.size else column.codes)
    return found, tuple(index)
