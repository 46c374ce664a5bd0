"""Time and memory of a fit, estimated from sizes alone; time is on one core of an ordinary machine.

The constants are measured. Times are accurate to a factor of about three.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..data.relational import RelationalData

FITS_OF_A_SEARCH = 6
"""A search for λ takes about as long as this many fits."""

FITS_OF_A_RANK_SEARCH = 20
"""A search for the rank takes about as long as this many fits at the default rank, after that for λ at it."""

ITERATIONS = 120
"""The number of evaluations of an ordinary fit."""

NANOSECONDS = 1.5
"""The time of one evaluation per entry and factor on one thread."""

STEP_SECONDS, OPERATIONS = 2e-4, 1e10
"""The minimum time of an iteration, and the operations per second of a core on large systems."""


@dataclass(frozen=True)
class Size:
    """The size of the data of a fit.

    Attributes:
        entries: the number of training entries.
        n_objects, n_relations: their numbers.
        directed: whether any relation is directed.
    """

    entries: float
    n_objects: int
    n_relations: int
    directed: bool

    @classmethod
    def of(cls, data: RelationalData, fraction: float = 1.0) -> Size:
        """The size of a fraction of the data.

        >>> import mrwtd
        >>> Size.of(mrwtd.load_dataset("florentine"), 0.5)
        Size(entries=105.0, n_objects=15, n_relations=2, directed=False)
        """
        directed = any(relation.directed for relation in data.relations)
        return cls(fraction * len(data), data.n_objects, data.n_relations, directed)


@dataclass(frozen=True)
class Cost:
    """The cost of a fit.

    Attributes:
        seconds: the time.
        memory: the peak in bytes, without the data.
    """

    seconds: float
    memory: float


def evaluation_seconds(size: Size, rank: int) -> float:
    """The time of one value and gradient of an objective.

    >>> evaluation_seconds(Size(1_000_000, 1_000, 2, False), 10) > 0.01
    True
    """
    return (NANOSECONDS * size.entries * rank + 1.2 * size.n_relations * size.n_objects * rank**2) * 1e-9


def factors_memory(size: Size, rank: int, copies: float) -> float:
    """The bytes of copies of A and R, and of the work space of the kernels.

    >>> factors_memory(Size(0, 100, 1, False), 10, copies=1) > 8 * 1_100
    True
    """
    numbers = size.n_objects * rank + size.n_relations * rank**2
    return 8.0 * (copies * numbers + 64 * size.n_objects * rank)
