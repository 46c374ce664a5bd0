"""The functions that `partitioned` runs on the workers of a cluster, each on one partition of the entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from sys import getsizeof
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.mapped import is_mapped, read_mapped
from ...data.readers import read
from ...data.relational import RelationalData
from ...data.relations import Relation
from ...data.validation import is_one
from ...errors import DataError, Problem
from ...typing import AnyArray, Array, Int64Array
from ..losses import Loss
from ..objective import Objective
from ..scaling import represented_negatives
from ..threads import limit_threads
from .client import unpacked

if TYPE_CHECKING:
    from ..mrwtd import MrWTD

Term = tuple[float, Array]


class PartitionData:
    """A partition, with the objective of its entries if there is a recipe: a packed function that makes it from data.

    The entries of a memory-mapped folder stay in its files: another worker opens the folder again.

    >>> import mrwtd
    >>> PartitionData(mrwtd.load_dataset("florentine")).objective is None
    True
    """

    def __init__(self, data: RelationalData, recipe: bytes | None = None, folder: str | None = None):
        self.data, self.recipe, self.folder = data, recipe, folder
        self.objective: Objective | None = None if recipe is None else unpacked(recipe)(data)

    def __reduce__(self) -> tuple[Any, ...]:
        # The receiver rebuilds the objective.
        return (opened, (self.folder, self.recipe)) if self.folder else (PartitionData, (self.data, self.recipe))

    def __sizeof__(self) -> int:
        if self.folder:
            return getsizeof(self.folder)
        # Dask moves small values between workers: it must know that this is not small.
        arrays = [getattr(self.data, name) for name in (*"ijkyw", "represents")]
        return int(sum(a.nbytes for a in arrays if not is_one(a)))


@dataclass(frozen=True)
class Summary:
    """Statistics of a partition.

    Attributes:
        names: a digest of its objects and relations.
        n, means, squares: for each relation, the number of values, their mean, and the sum of squared deviations.
        largest: the largest value of each relation, −∞ if there is none.
        negatives: as from `represented_negatives`.
    """

    names: str
    n: Int64Array
    means: Array
    squares: Array
    largest: Array
    negatives: Array


def opened(folder: str, recipe: bytes | None = None) -> PartitionData:
    """The partition of a memory-mapped folder."""
    return PartitionData(read_mapped(folder), recipe, folder)


def load(source: object) -> PartitionData:
    """The partition of the given entries, of a file, or of the result of a function.

    >>> import mrwtd
    >>> load(lambda: mrwtd.load_dataset("florentine")).data
    RelationalData(15 objects, 2 relations, 210 entries)
    """
    if isinstance(source, (str, PathLike)):
        if is_mapped(source):
            return opened(str(Path(source).resolve()))
        source = read(fspath(source))
    elif callable(source):
        source = source()
    if not isinstance(source, RelationalData):
        raise DataError(Problem(f"{type(source).__name__}", "RelationalData, its file, or a function that returns it"))
    return PartitionData(source.observed())


def summarize(partition: PartitionData) -> Summary:
    """The statistics of a partition.

    >>> import mrwtd
    >>> summarize(PartitionData(mrwtd.load_dataset("florentine"))).n
    array([105, 105])
    """
    data = partition.data
    values = [data.y[data.slice(k)] for k in range(data.n_relations)]
    means = np.array([y.mean() if y.size else 0.0 for y in values])
    return Summary(
        names=sha256(repr((data.objects, data.relations, data.object_types)).encode()).hexdigest(),
        n=np.array([y.size for y in values]),
        means=means,
        squares=np.array([((y - mean) ** 2).sum() for y, mean in zip(values, means, strict=True)]),
        largest=np.array([y.max(initial=-np.inf) for y in values]),
        negatives=represented_negatives(data),
    )


def names(partition: PartitionData) -> tuple[tuple[str, ...], tuple[Relation, ...], tuple[str, ...] | None]:
    """The objects and relations of a partition, and the types of its objects."""
    return partition.data.objects, partition.data.relations, partition.data.object_types


def sample(partition: PartitionData, fraction: float, seed: Sequence[int]) -> tuple[AnyArray, ...]:
    """i, j, k, y and w of a random sample of the entries."""
    data = partition.data
    if fraction < 1:
        data = data.subset(np.random.default_rng(seed).random(len(data)) < fraction)
    return data.i, data.j, data.k, data.y, np.array(data.w)


def with_objective(partition: PartitionData, recipe: bytes) -> PartitionData:
    """The partition with an objective."""
    return PartitionData(partition.data, recipe, partition.folder)


def objective(model: MrWTD, losses: Sequence[Loss], seed: Sequence[int] | None, data: RelationalData) -> Objective:
    """The objective of a model over some entries, with random factors if there is a seed.

    Its λ is 0: the regularization is added to the sum of the partitions.
    """
    objective = model._objective(data, list(losses), 0.0)
    return objective if seed is None else objective.reweighted(seed)


def term(partition: PartitionData, theta: Array) -> Term:
    """Value and gradient of the sum over the entries of a partition."""
    assert partition.objective is not None
    with limit_threads(1):  # the worker's other threads have their own partitions
        # A copy: the received array is read-only, and the kernels would be compiled again for that.
        return partition.objective.data_term(np.array(theta))


def add(first: Term, second: Term) -> Term:
    """The sum of two terms.

    >>> add((1.0, np.array([1.0])), (2.0, np.array([3.0])))
    (3.0, array([4.]))
    """
    return first[0] + second[0], first[1] + second[1]
