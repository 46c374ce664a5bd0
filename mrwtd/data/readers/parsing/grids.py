"""Whole matrices, one a relation, as a `Table`: every cell is an entry, and NaN is a pair said to be unobserved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import DataError, Problem
from ....typing import AnyArray, BoolArray
from ...table import Table

MOST_CELLS = 50_000_000
"""More cells than this are not read: a small compressed file can hold matrices that fill the memory as entries."""


def grid_table(
    matrices: Sequence[Any],
    objects: Sequence[str],
    relations: Sequence[str],
    *,
    file: str,
    weights: Sequence[AnyArray] | None = None,
    listed: BoolArray | None = None,
    **rest: Any,
) -> Table:
    """A table of the cells of square matrices; of a sparse one (SciPy's) only those that it stores.

    `listed` says which cells of a dense matrix count, all unless it is given.

    >>> grid_table([np.array([[0, 1], [np.nan, 0]])], ["a", "b"], ["likes"], file="a.npy").values
    array([ 0.,  1., nan,  0.])
    """
    n = len(objects)
    refuse_many(sum(matrix.nnz if hasattr(matrix, "nnz") else n * n for matrix in matrices), file)
    here = np.arange(n * n) if listed is None else np.flatnonzero(listed)
    whole = np.divmod(here, max(n, 1))
    parts = []
    for matrix in matrices:
        if hasattr(matrix, "nnz"):
            stored = matrix.tocoo()
            stored.sum_duplicates()
            parts.append((stored.row, stored.col, stored.data))
        else:
            parts.append((*whole, matrix.reshape(-1)[here]))
    sizes = [len(values) for _, _, values in parts]
    i, j, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Table(
        objects=tuple(objects),
        relations=tuple(relations),
        i=i.astype(np.int32),
        j=j.astype(np.int32),
        k=np.repeat(np.arange(len(parts), dtype=np.int32), sizes),
        values=values.astype(np.float64),
        weights=None if weights is None else np.concatenate([w.reshape(-1)[here] for w in weights]).astype(np.float64),
        file=file,
        **rest,
    )


def refuse_many(cells: int, file: str) -> None:
    """Fail where there are more cells than can be entries.

    >>> refuse_many(10**9, "a.npy")
    Traceback (most recent call last):
    mrwtd.errors.DataError: a.npy: found 1,000,000,000 cells; expected at most 50,000,000; ...
    """
    if cells > MOST_CELLS:
        expected = f"at most {MOST_CELLS:,}; list the known entries in a CSV or Parquet file instead"
        raise DataError(Problem(f"{cells:,} cells", expected), file=file)
