"""What a worker of a cluster does with the partition of the entries that it holds. `partitioned` asks it to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.observed import observed
from ...data.readers import read
from ...data.relational import RelationalData
from ...data.relations import Relation
from ...data.validation import is_one
from ...errors import DataError, Problem
from ...typing import AnyArray, Array, Int64Array
from ..losses import Loss
from ..objective import Objective
from ..threads import limit_threads
from .client import unpacked

if TYPE_CHECKING:
    from ..mrwtd import MrWTD

Term = tuple[float, Array]


class Share:
    """A partition, with the objective of its entries once there is a recipe for it: packed, what makes one of data.

    >>> import mrwtd
    >>> Share(mrwtd.load_dataset("florentine")).objective is None
    True
    """

    def __init__(self, data: RelationalData, recipe: bytes | None = None):
        self.data, self.recipe = data, recipe
        self.objective: Objective | None = None if recipe is None else unpacked(recipe)(data)

    def __reduce__(self) -> tuple[Any, ...]:
        return Share, (self.data, self.recipe)  # where it goes, the objective is built again

    def __sizeof__(self) -> int:
        # Dask moves what seems small: it must know that this is not.
        arrays = [getattr(self.data, name) for name in "ijky"]
        return int(sum(a.nbytes for a in arrays) + (0 if is_one(self.data.w) else self.data.w.nbytes))


@dataclass(frozen=True)
class Facts:
    """What others need to know of a partition.

    Attributes:
        names: a digest of its objects and relations.
        n, means, squares: of each relation, the number of values, their mean, and their squared distances from it.
        largest: the largest value of each relation, −∞ where there is none.
    """

    names: str
    n: Int64Array
    means: Array
    squares: Array
    largest: Array


def load(source: object) -> Share:
    """The entries themselves, those of a file, or what a function gives.

    >>> import mrwtd
    >>> load(lambda: mrwtd.load_dataset("florentine")).data
    RelationalData(15 objects, 2 relations, 210 entries)
    """
    if isinstance(source, (str, PathLike)):
        source = read(fspath(source))
    elif callable(source):
        source = source()
    if not isinstance(source, RelationalData):
        raise DataError(Problem(f"{type(source).__name__}", "RelationalData, or a file or function that gives it"))
    return Share(observed(source))


def facts(share: Share) -> Facts:
    """What others need to know of a partition.

    >>> import mrwtd
    >>> facts(Share(mrwtd.load_dataset("florentine"))).n
    array([105, 105])
    """
    data = share.data
    values = [data.y[data.slice(k)] for k in range(data.n_relations)]
    means = np.array([y.mean() if y.size else 0.0 for y in values])
    return Facts(
        names=sha256(repr((data.objects, data.relations)).encode()).hexdigest(),
        n=np.array([y.size for y in values]),
        means=means,
        squares=np.array([((y - mean) ** 2).sum() for y, mean in zip(values, means, strict=True)]),
        largest=np.array([y.max(initial=-np.inf) for y in values]),
    )


def names(share: Share) -> tuple[tuple[str, ...], tuple[Relation, ...]]:
    """Its objects and relations."""
    return share.data.objects, share.data.relations


def some(share: Share, fraction: float, seed: Sequence[int]) -> tuple[AnyArray, ...]:
    """i, j, k, y and w of a part of the entries, at random."""
    data = share.data
    if fraction < 1:
        data = data.subset(np.random.default_rng(seed).random(len(data)) < fraction)
    return data.i, data.j, data.k, data.y, np.array(data.w)


def equip(share: Share, recipe: bytes) -> Share:
    """The share with an objective."""
    return Share(share.data, recipe)


def objective(model: MrWTD, losses: Sequence[Loss], seed: Sequence[int] | None, data: RelationalData) -> Objective:
    """The objective of a model over some entries, with the random factors of a seed on them where there is one.

    Its λ is 0: who adds up the terms adds the regularisation.
    """
    whole = model._objective(data, list(losses), 0.0)
    return whole if seed is None else whole.reweighted(seed)


def term(share: Share, theta: Array) -> Term:
    """Value and gradient of the sum over the entries of a share."""
    if share.objective is None:
        raise TypeError("a share without an objective")
    with limit_threads(1):  # the worker's other threads have partitions of their own
        # A copy, because what arrives is read-only, and the kernels would be compiled anew for that.
        return share.objective.data_term(np.array(theta))


def add(one: Term, two: Term) -> Term:
    """The sum of two terms.

    >>> add((1.0, np.array([1.0])), (2.0, np.array([3.0])))
    (3.0, array([4.]))
    """
    return one[0] + two[0], one[1] + two[1]
