"""Matrices, one per relation, as a `Table`: each cell is an entry, and NaN marks a pair as unobserved."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import DataError, Problem
from ....typing import AnyArray, BoolArray
from ...table import Table

MAX_CELLS = 50_000_000
"""Maximum number of cells: a small compressed file can contain matrices that fill the memory."""


def grid_table(
    matrices: Sequence[Any],
    objects: Sequence[str],
    relations: Sequence[str],
    *,
    weights: Sequence[AnyArray] | None = None,
    listed: BoolArray | None = None,
    **rest: Any,
) -> Table:
    """A table of the cells of square matrices; of sparse SciPy matrices, only the stored cells.

    `listed` is a mask of the cells of dense matrices that are entries; by default all are.

    >>> grid_table([np.array([[0, 1], [np.nan, 0]])], ["a", "b"], ["likes"]).values
    array([ 0.,  1., nan,  0.])
    """
    n = len(objects)
    check_size(sum(matrix.nnz if hasattr(matrix, "nnz") else n * n for matrix in matrices))
    cells = np.arange(n * n) if listed is None else np.flatnonzero(listed)
    rows_and_columns = np.divmod(cells, max(n, 1))
    parts = []
    for matrix in matrices:
        if hasattr(matrix, "nnz"):
            stored = matrix.tocoo()
            stored.sum_duplicates()
            parts.append((stored.row, stored.col, stored.data))
        else:
            parts.append((*rows_and_columns, matrix.reshape(-1)[cells]))
    sizes = [len(values) for _, _, values in parts]
    i, j, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Table(
        objects=tuple(objects),
        relations=tuple(relations),
        i=i.astype(np.int32),
        j=j.astype(np.int32),
        k=np.repeat(np.arange(len(parts), dtype=np.int32), sizes),
        values=values.astype(np.float64),
        weights=None if weights is None else np.concatenate([w.reshape(-1)[cells] for w in weights]).astype(np.float64),
        **rest,
    )


def check_size(cells: int) -> None:
    """Raise an error if there are too many cells.

    >>> check_size(10**9)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found 1,000,000,000 cells; expected at most 50,000,000; ...
    """
    if cells > MAX_CELLS:
        expected = f"at most {MAX_CELLS:,}; list the known entries in a CSV or Parquet file instead"
        raise DataError(Problem(f"{cells:,} cells", expected))
