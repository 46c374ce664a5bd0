"""Factorized columns: the distinct names of a column, and for each row the position of its name."""

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

Column = Sequence[Any] | AnyArray | pd.Series
"""A column of names."""


@dataclass(frozen=True)
class Factorized:
    """A column of names, as codes and distinct names.

    >>> Factorized.from_column(["ann", "bob", "ann"])
    Factorized(codes=array([0, 1, 0], dtype=int32), names=['ann', 'bob'])

    Attributes:
        codes: for each row, a position in `names`.
        names: the names, in order of first appearance.
        distinct: whether the names are known to be distinct.
    """

    codes: Int32Array
    names: Sequence[str]
    distinct: bool = field(default=False, repr=False)

    @classmethod
    def from_column(cls, column: Column) -> Factorized:
        """Factorize a column of any hashable values; their names are made by `str`."""
        series = column if isinstance(column, pd.Series) else pd.Series(column, dtype=object)
        try:
            codes, uniques = pd.factorize(series)
        except TypeError:  # a value without a hash, such as a list
            unhashable = next(name for name in series if not isinstance(name, Hashable))
            raise DataError(Problem(f"{short_repr(unhashable)} as a name", "a text or a number")) from None
        return cls(codes.astype(np.int32), [str(name) for name in uniques])

    def used_names(self) -> list[str]:
        """The names that occur in a row.

        >>> Factorized(np.array([1, 1], dtype=np.int32), ["ann", "bob"]).used_names()
        ['bob']
        """
        counts = np.bincount(self.codes, minlength=len(self.names))
        return [name for name, n in zip(self.names, counts.tolist(), strict=True) if n]


def positions(columns: Sequence[Factorized], known: Sequence[str]) -> tuple[list[Int32Array], tuple[str, ...]]:
    """For each column the position of each row's name, and all names: the known ones first, then as they appear.

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
    positions = []
    for column in columns:
        new_names = dict.fromkeys(name for name in column.names if name not in index)
        index.update(zip(new_names, count(len(index)), strict=False))
        codes = np.fromiter(map(index.__getitem__, column.names), dtype=np.int32, count=len(column.names))
        positions.append(codes[column.codes] if column.codes.size else column.codes)
    return positions, tuple(index)
