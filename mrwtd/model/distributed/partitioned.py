"""A fit with more entries than fit on one machine: each worker of a Dask cluster stores a partition of them.

F is a sum over entries, so its value and gradient are sums over the partitions. Every evaluation sends theta to the
workers, where `Objective.data_term` runs on each partition, and adds the results in pairs, in an order that does not
depend on timing. Some steps would need all entries at once; they use less:

    scales and dispersions   each partition's number of values, mean and sum of squares, which combine exactly;
    the start                a random sample of `ENTRIES_PER_PARAMETER` entries for each number of A and R (all entries
                             if there are few), about the memory of the solver itself; `MrWTD` also warms up on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from copy import copy
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.arguments import check_choice
from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...typing import Array
from ..initialization import sample_fraction
from ..objective import Objective
from ..scaling import sampling_rates
from . import worker
from .client import distributed, make_ready, packed, sent

if TYPE_CHECKING:
    from ..mrwtd import MrWTD

Partition = RelationalData | str | PathLike[str] | Callable[[], RelationalData]
"""Entries; a file, memory-mapped folder or function that a worker reads or calls; or a Dask future of entries."""


class Partitions:
    """The entries of one data set on the workers of the current Dask client, each partition on one worker.

    All partitions have the same objects and relations, in the same order, and no entry is in two of them.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> with distributed().Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     halves = Partitions([data.subset(data.y > 0), lambda: data.subset(data.y < 0)])
    ...     halves.sample(1.0, seed=0)
    RelationalData(15 objects, 2 relations, 210 entries)
    """

    def __init__(self, sources: object, backend: str = "dask"):
        check_choice("backend", backend, ("dask",))
        package = distributed()
        if isinstance(sources, (RelationalData, str, PathLike)) or not isinstance(sources, Iterable):
            raise DataError(Problem(f"{type(sources).__name__} as training data", "a list of partitions for Dask"))
        source_list: list[Any] = [*sources]
        if not source_list:
            raise DataError(Problem("no partition", "at least one partition"))
        try:
            self._client: Any = package.default_client()
        except ValueError:
            expected = "a client: create distributed.Client(address) before fit"
            raise DataError(Problem("no Dask client", expected)) from None
        make_ready(self._client)
        self._placements = self._assign_workers(len(source_list))
        self._partitions = [self._place(*pair) for pair in zip(source_list, self._placements, strict=True)]
        futures = [self._client.submit(worker.summarize, partition, pure=False) for partition in self._partitions]
        self._summaries = [_summary(number, future) for number, future in enumerate(futures)]
        for number, summary in enumerate(self._summaries):
            if summary.names != self._summaries[0].names:
                problem = f"partition {number} with other objects or relations than the first"
                raise DataError(Problem(problem, "the same objects and relations in all partitions, in the same order"))
        objects, relations, types = self._client.submit(worker.names, self._partitions[0], pure=False).result()
        self._blank = RelationalData(objects, relations, [], [], [], [], object_types=types)

    def __len__(self) -> int:
        return int(sum(summary.n.sum() for summary in self._summaries))

    def sample_for(self, model: MrWTD) -> RelationalData:
        """The entries for the warm-up of the model; a `DataError` if the model cannot be fitted to partitions."""
        model._check(self.typical())
        if model.lam == "auto":
            expected = (
                "a number for partitions, such as MrWTD(lam='auto').fit(some).lam_, where some has part of the entries"
            )
            raise DataError(Problem("lam = 'auto'", expected))
        if model.rank == "auto":
            raise DataError(Problem("rank = 'auto'", "a number for partitions"))
        n = self._blank.n_objects
        fraction = sample_fraction(n, self._blank.n_relations, model.rank_for(n), len(self))
        return self.sample(fraction, model.seed)

    def sample(self, fraction: float, seed: int) -> RelationalData:
        """A random sample of about this fraction of all entries."""
        futures = [
            self._client.submit(worker.sample, partition, fraction, [seed, number], pure=False)
            for number, partition in enumerate(self._partitions)
        ]
        i, j, k, y, w = (np.concatenate(column) for column in zip(*self._client.gather(futures), strict=True))
        weights = None if (w == 1).all() else w
        blank = self._blank
        return RelationalData(blank.objects, blank.relations, i, j, k, y, weights, object_types=blank.object_types)

    def typical(self) -> RelationalData:
        """Two values for each relation, with the mean and deviation of all its entries."""
        n = np.array([summary.n for summary in self._summaries])
        means = np.array([summary.means for summary in self._summaries])
        total = np.maximum(n.sum(axis=0), 1)
        mean = (n * means).sum(axis=0) / total
        squares = sum(summary.squares for summary in self._summaries) + (n * (means - mean) ** 2).sum(axis=0)
        deviation = np.sqrt(squares / total)
        deviation[deviation < 1e-12 * np.abs(mean)] = 0  # rounding errors of a constant
        k = np.repeat(np.flatnonzero(n.sum(axis=0)), 2).astype(np.int32)
        zeros = np.zeros_like(k)
        y = mean[k] + np.where(np.arange(k.size) % 2, 1.0, -1.0) * deviation[k]
        # Without the constructor, which would refuse counts that are not whole: only the scales use them.
        return self._blank._with(i=zeros, j=zeros, k=k, y=y, w=None)

    def largest_counts(self) -> Array:
        """The largest value of each count relation over all partitions; NaN for other kinds."""
        largest = np.max([summary.largest for summary in self._summaries], axis=0)
        counts = [relation.kind == "count" for relation in self._blank.relations]
        return np.where(counts, np.where(np.isfinite(largest), largest, np.inf), np.nan)

    def sampling_rates(self) -> Array:
        """The rate at which negatives of each relation were sampled, over all partitions."""
        return sampling_rates(np.sum([summary.negatives for summary in self._summaries], axis=0))

    def objective(self, of_sample: Objective, model: MrWTD) -> Objective:
        """The objective over all entries, given that over the sample."""
        bare = copy(model)
        vars(bare).clear()
        vars(bare).update(model.get_params(), scales_=model.scales_, dispersions_=model.dispersions_)

        def total(seed: Sequence[int] | None) -> Callable[[Array], worker.Term]:
            objectives = []
            for number, (partition, placement) in enumerate(zip(self._partitions, self._placements, strict=True)):
                part_seed = None if seed is None else [*seed, number]
                recipe = packed(partial(worker.objective, bare, of_sample.losses, part_seed))
                submitted = self._client.submit(worker.with_objective, partition, recipe, pure=False, **placement)
                objectives.append(submitted)
            return partial(self._total, objectives)

        return PartitionedObjective(of_sample, len(self), total)

    def _total(self, objectives: list[Any], theta: Array) -> worker.Term:
        """The sum over the partitions of value and gradient at theta."""
        client, sent_theta = self._client, sent(self._client, theta)
        pairs = zip(objectives, self._placements, strict=True)
        terms = [client.submit(worker.term, part, sent_theta, pure=False, **placement) for part, placement in pairs]
        while len(terms) > 1:
            pairs_of_terms = [terms[first : first + 2] for first in range(0, len(terms), 2)]
            terms = [
                client.submit(worker.add, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs_of_terms
            ]
        try:
            value, gradient = terms[0].result()
        except (CancelledError, distributed().KilledWorker) as error:
            reason = " ".join(str(error).split())
            problem = Problem(f"a cluster that failed ({reason})", "a scheduler and workers that run during the fit")
            raise DataError(problem) from None
        return float(value), np.array(gradient)  # the received array is read-only

    def _assign_workers(self, count: int) -> list[dict[str, Any]]:
        """A worker for each partition, by the number of threads; neighbours share one, which adds up their terms."""
        threads = sorted(self._client.nthreads().items())
        workers = [address for address, count in threads for _ in range(count)]
        places = [workers[number * len(workers) // count] for number in range(count)]
        return [{"workers": [place], "allow_other_workers": True} for place in places]

    def _place(self, source: Any, placement: dict[str, Any]) -> Any:
        """A future of the partition that a worker loads from a source; another worker reloads it if that one dies."""
        if hasattr(source, "__dask_graph__"):
            source = self._client.compute(source)
        elif isinstance(source, RelationalData):
            source = sent(self._client, source)
        return self._client.submit(worker.load, source, pure=False, **placement)


class PartitionedObjective(Objective):
    """The objective of all entries: that of a sample, except for the sum over entries, which the cluster computes."""

    def __init__(
        self,
        of_sample: Objective,
        entries: int,
        total_of: Callable[[Sequence[int] | None], Callable[[Array], worker.Term]],
        seed: Sequence[int] | None = None,
    ):
        vars(self).update(vars(of_sample))
        self.entries, self._total_of, self._total = entries, total_of, total_of(seed)

    def reweighted(self, seed: Sequence[int]) -> Objective:
        """The same objective with a random factor on each entry, drawn by each partition."""
        return PartitionedObjective(super().reweighted(seed), self.entries, self._total_of, seed)

    def sample(self, fraction: float, rng: np.random.Generator) -> RelationalData:
        """The sample."""
        return self.data

    def data_term(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient of the sum over the entries of all partitions."""
        self.evaluations += 1
        return self._total(theta)


def _summary(number: int, future: Any) -> worker.Summary:
    try:
        summary: worker.Summary = future.result()
    except DataError as error:
        raise DataError(error.problems, file=f"partition {number}" + f", {error.file}" * bool(error.file)) from None
    except Exception as error:  # a function of the user can raise anything
        problem = " ".join(f"{type(error).__name__}: {error}".split())
        expected = "RelationalData, its file, or a function that returns it"
        raise DataError(Problem(problem, expected), file=f"partition {number}") from error
    return summary
