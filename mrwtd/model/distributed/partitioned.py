"""One fit whose entries outgrow a machine: each worker of a Dask cluster holds some of them, and never parts with them.

F is a sum over entries, so its value and gradient are the sums of those of the partitions. Every evaluation sends theta
to the workers, where `Objective.data_term` runs on each partition, and adds the answers in pairs, in an order that does
not depend on timing. What needs all entries at once is made of less:

    scales and dispersions   from each partition's number of values, mean and sum of squares, which combine exactly;
    the start                from a random sample, of all entries where they are few: `ENTRIES_A_NUMBER` for each number
                             of A and R, about the memory that the solver itself takes; `MrWTD` also warms up on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from copy import copy
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.relational import RelationalData
from ...data.validation import ONE
from ...errors import DataError, Problem
from ...typing import Array
from ..initialization import sample_share
from ..objective import Objective
from . import worker
from .client import distributed, make_ready, packed, sent

if TYPE_CHECKING:
    from ..mrwtd import MrWTD

Partition = RelationalData | str | PathLike[str] | Callable[[], RelationalData]
"""Entries; or a file or a function, which a worker reads or calls; or a Dask future or delayed value of entries."""


class Partitions:
    """The entries of one data set on the workers of the Dask client in use, each partition on one of them.

    All partitions have the same objects and relations, in the same order, and no entry is in two of them.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> with distributed().Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     halves = Partitions([data.subset(data.y > 0), lambda: data.subset(data.y < 0)])
    ...     halves.sample(1.0, seed=0)
    RelationalData(15 objects, 2 relations, 210 entries)
    """

    def __init__(self, sources: object, backend: str = "dask"):
        if backend != "dask":
            raise DataError(Problem(f"backend = {backend!r}", "'dask', or none"))
        package = distributed()
        if isinstance(sources, (RelationalData, str, PathLike)) or not isinstance(sources, Iterable):
            raise DataError(Problem(f"{type(sources).__name__} as training data", "a list of partitions for Dask"))
        given: list[Any] = [*sources]
        if not given:
            raise DataError(Problem("no partition", "at least one"))
        try:
            self._client: Any = package.default_client()
        except ValueError:
            expected = "one to use: distributed.Client(address) before fit"
            raise DataError(Problem("no Dask client", expected)) from None
        make_ready(self._client)
        self._homes = self._shared_out(len(given))
        self._held = [self._placed(source, home) for source, home in zip(given, self._homes, strict=True)]
        asked = [self._client.submit(worker.facts, held, pure=False) for held in self._held]
        self._facts = [_facts(number, future) for number, future in enumerate(asked)]
        for number, facts in enumerate(self._facts):
            if facts.names != self._facts[0].names:
                found = f"other objects or relations in partition {number} than in the first"
                raise DataError(Problem(found, "the same in all, in the same order"))
        objects, relations = self._client.submit(worker.names, self._held[0], pure=False).result()
        self._blank = RelationalData(objects, relations, [], [], [], [])

    def __len__(self) -> int:
        return int(sum(facts.n.sum() for facts in self._facts))

    def sample_for(self, model: MrWTD) -> RelationalData:
        """The entries that a fit of the model begins on; or a `DataError`, where it cannot be fitted to partitions."""
        model._check(self.typical())
        if model.lam == "auto":
            expected = "a number for partitions; search it on some of the entries, MrWTD(lam='auto').fit(some).lam_"
            raise DataError(Problem("lam = 'auto'", expected))
        share = sample_share(
            self._blank.n_objects, self._blank.n_relations, model.rank_for(self._blank.n_objects), len(self)
        )
        return self.sample(share, model.seed)

    def sample(self, share: float, seed: int) -> RelationalData:
        """About that share of all entries, at random."""
        asked = [
            self._client.submit(worker.some, held, share, [seed, number], pure=False)
            for number, held in enumerate(self._held)
        ]
        i, j, k, y, w = (np.concatenate(column) for column in zip(*self._client.gather(asked), strict=True))
        weights = None if (w == 1).all() else w
        return RelationalData(self._blank.objects, self._blank.relations, i, j, k, y, weights)

    def typical(self) -> RelationalData:
        """Two values for each relation, whose mean and deviation are those of all its entries."""
        n = np.array([facts.n for facts in self._facts])
        means = np.array([facts.means for facts in self._facts])
        total = np.maximum(n.sum(axis=0), 1)
        mean = (n * means).sum(axis=0) / total
        squares = sum(facts.squares for facts in self._facts) + (n * (means - mean) ** 2).sum(axis=0)
        deviation = np.sqrt(squares / total)
        deviation[deviation < 1e-12 * np.abs(mean)] = 0  # rounding, of a value that is always the same
        k = np.repeat(np.flatnonzero(n.sum(axis=0)), 2).astype(np.int32)
        at = np.zeros_like(k)
        y = mean[k] + np.where(np.arange(k.size) % 2, 1.0, -1.0) * deviation[k]
        # Not by its constructor, which would refuse counts that are not whole: nobody but the scales sees them.
        return self._blank._with_entries(self._blank.relations, at, at, k, y, np.broadcast_to(ONE, y.shape))

    def largest_counts(self) -> Array:
        """The largest value of each count relation over all partitions; NaN of other kinds."""
        largest = np.max([facts.largest for facts in self._facts], axis=0)
        counts = [relation.kind == "count" for relation in self._blank.relations]
        return np.where(counts, np.where(np.isfinite(largest), largest, np.inf), np.nan)

    def objective(self, of_sample: Objective, model: MrWTD) -> Objective:
        """The objective over all entries, where the model's own over the sample is given."""
        bare = copy(model)
        vars(bare).clear()
        vars(bare).update(model.get_params(), scales_=model.scales_, dispersions_=model.dispersions_)

        def total(seed: Sequence[int] | None) -> Callable[[Array], worker.Term]:
            equipped = []
            for number, (held, home) in enumerate(zip(self._held, self._homes, strict=True)):
                of_part = None if seed is None else [*seed, number]
                recipe = packed(partial(worker.objective, bare, of_sample.losses, of_part))
                equipped.append(self._client.submit(worker.equip, held, recipe, pure=False, **home))
            return partial(self._total, equipped)

        return PartitionedObjective(of_sample, len(self), total)

    def _total(self, equipped: list[Any], theta: Array) -> worker.Term:
        """The sum over the partitions of value and gradient at theta."""
        client, there = self._client, sent(self._client, theta)
        pairs = zip(equipped, self._homes, strict=True)
        terms = [client.submit(worker.term, held, there, pure=False, **home) for held, home in pairs]
        while len(terms) > 1:
            twos = [terms[at : at + 2] for at in range(0, len(terms), 2)]
            terms = [client.submit(worker.add, *two, pure=False) if len(two) == 2 else two[0] for two in twos]
        try:
            value, gradient = terms[0].result()
        except (CancelledError, distributed().KilledWorker) as error:
            reason = " ".join(str(error).split())
            raise DataError(
                Problem(f"a cluster that broke down ({reason})", "a scheduler and workers that stay")
            ) from None
        return float(value), np.array(gradient)  # what arrives may not be written to

    def _shared_out(self, count: int) -> list[dict[str, Any]]:
        """A worker for each partition, by their threads: the same for neighbours, whose answers it can then add up."""
        threads = sorted(self._client.nthreads().items())
        workers = [address for address, count in threads for _ in range(count)]
        places = [workers[number * len(workers) // count] for number in range(count)]
        return [{"workers": [place], "allow_other_workers": True} for place in places]

    def _placed(self, source: Any, home: dict[str, Any]) -> Any:
        """A future of the share that a worker makes of a source, and makes again where another has died with it."""
        if hasattr(source, "__dask_graph__"):
            source = self._client.compute(source)
        elif isinstance(source, RelationalData):
            source = sent(self._client, source)
        return self._client.submit(worker.load, source, pure=False, **home)


class PartitionedObjective(Objective):
    """The objective of all entries: that of a sample, but for the sum over entries, which the cluster adds up."""

    def __init__(
        self,
        of_sample: Objective,
        entries: int,
        total_of: Callable[[Sequence[int] | None], Callable[[Array], worker.Term]],
        seed: Sequence[int] | None = None,
    ):
        vars(self).update(vars(of_sample))
        self._entries, self._total_of, self._total = entries, total_of, total_of(seed)

    def reweighted(self, seed: Sequence[int]) -> Objective:
        """The same with a random factor on each entry; every partition draws its own."""
        return PartitionedObjective(super().reweighted(seed), self._entries, self._total_of, seed)

    @property
    def entries(self) -> int:
        """How many entries the sum runs over."""
        return self._entries

    def some(self, share: float, rng: np.random.Generator) -> RelationalData:
        """The sample."""
        del share, rng
        return self.data

    def data_term(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient of the sum over the entries of all partitions."""
        self.evaluations += 1
        return self._total(theta)


def _facts(number: int, future: Any) -> worker.Facts:
    try:
        facts: worker.Facts = future.result()
    except DataError as error:
        raise DataError(error.problems, file=f"partition {number}" + f", {error.file}" * bool(error.file)) from None
    except Exception as error:  # whatever a function of the user's raises
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise DataError(Problem(said, "RelationalData, or what gives it"), file=f"partition {number}") from error
    return facts
