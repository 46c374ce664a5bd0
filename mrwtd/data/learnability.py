"""What keeps a model from learning a relation: facts that the data shows before any training, with a suggested fix.

`find_obstacles` returns `Obstacle`s as data: `message()` is the text, `change` the option of `mrwtd.read` that helps.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..typing import Array
from .possible_pairs import possible_pairs
from .relational import RelationalData
from .units import MAX_LEVELS

HEAVY_TAIL = 100
"""From this ratio of the largest value to the median of the values other than 0, a few values decide everything."""

MIN_RANKS = 3
"""The smallest number of ranks of an object that count as a ranking."""

MAX_FILLED = 2_000_000
"""Up to this many pairs, all unlisted ones are set to "no tie"; in larger data some are sampled."""

SAMPLED_PER_TIE = 5


@dataclass(frozen=True)
class Obstacle:
    """One fact about a relation that keeps a model from learning it.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> [obstacle.message() for obstacle in find_obstacles(data.subset(data.y > 0))][0]
    'Only ties are known, and no pair without a tie: nothing shows what makes a tie.'

    Attributes:
        code: "only_ties", "only_counted", "one_value", "ranks_as_counts" or "heavy_tail".
        relation: the name of the relation.
        values: the numbers of the message.
        change: the option of `mrwtd.read` that helps, with its value for the relation; empty if none does.
    """

    code: str
    relation: str
    values: Mapping[str, Any] = field(default_factory=dict)
    change: Mapping[str, Any] = field(default_factory=dict)

    def message(self) -> str:
        """The fact as text."""
        return MESSAGES[self.code].format_map(self.values)


MESSAGES = {
    "only_ties": "Only ties are known, and no pair without a tie: nothing shows what makes a tie.",
    "only_counted": (
        "No pair without a tie is known: a model can learn how large values are, but not which pairs have none."
    ),
    "one_value": "All {entries:,} known values are {value}: there is nothing to learn.",
    "ranks_as_counts": (
        "The values look like ranks: each object ranks the others 1, 2, 3, …. Ranks are ordinal; as counts, the last "
        "rank is the strongest tie."
    ),
    "heavy_tail": (
        "The largest value is {ratio:,.0f} times the median of those other than 0: a few values decide the fit. "
        "log(1 + y) is on a better scale."
    ),
}
"""The text of each fact, with its values."""


def by_code(obstacles: Iterable[Obstacle]) -> list[tuple[Obstacle, ...]]:
    """The obstacles in groups with the same code and the same change, which one button can make for all relations.

    >>> [len(group) for group in by_code([Obstacle("only_ties", "a"), Obstacle("only_ties", "b")])]
    [2]
    """
    groups: dict[str, list[Obstacle]] = {}
    for obstacle in obstacles:
        groups.setdefault(f"{obstacle.code} {dict(obstacle.change)}", []).append(obstacle)
    return [tuple(group) for group in groups.values()]


def find_obstacles(data: RelationalData) -> tuple[Obstacle, ...]:
    """What keeps a model from learning relations of the data, at most one fact per relation.

    >>> import mrwtd
    >>> find_obstacles(mrwtd.load_dataset("florentine"))
    ()
    """
    data = data.observed()
    obstacles = []
    for k in range(data.n_relations):
        if data.slice(k).start < data.slice(k).stop:
            obstacles += list(filter(None, (check(data, k) for check in CHECKS)))[:1]
    return tuple(obstacles)


def only_ties(data: RelationalData, k: int) -> Obstacle | None:
    """The obstacle of a relation that lists nothing but ties, and not those of all pairs."""
    relation, values = data.relations[k], data.original_values(k)
    rows = data.slice(k)
    with_self = bool((data.i[rows] == data.j[rows]).any())
    pairs = possible_pairs(data, k, with_self).count
    if relation.kind not in ("binary", "count") or not (values > 0).all() or values.size >= pairs:
        return None
    meaning = "negative" if pairs <= MAX_FILLED // data.n_relations else SAMPLED_PER_TIE
    code = "only_ties" if values.min() == values.max() else "only_counted"
    return Obstacle(code, relation.name, change={"absent": meaning})


def _one_value(data: RelationalData, k: int) -> Obstacle | None:
    relation, values = data.relations[k], data.original_values(k)
    if values.min() < values.max():
        return None
    value = "no tie" if relation.kind == "binary" and values[0] < 0 else f"{values[0]:g}"
    return Obstacle("one_value", relation.name, {"entries": values.size, "value": value})


def _ranks_as_counts(data: RelationalData, k: int) -> Obstacle | None:
    """Whether each source gives the values 1, 2, …, m to others; self-pairs and unlisted pairs are 0."""
    relation, rows = data.relations[k], data.slice(k)
    if relation.kind != "count":
        return None
    i, j, values = data.i[rows], data.j[rows], data.original_values(k)
    given = (i != j) & (values > 0)
    i, values = i[given], values[given]
    if not values.size:
        return None
    order = np.lexsort((values, i))
    i, values = i[order], values[order]
    starts = np.flatnonzero(np.append(True, i[1:] != i[:-1]))
    sizes = np.diff(np.append(starts, i.size))
    is_ranking = np.array_equal(values, np.arange(i.size) - np.repeat(starts, sizes) + 1)
    if not is_ranking or sizes.max() < MIN_RANKS or sizes.size < 2:
        return None
    change = {"kinds": "ordinal"} if np.unique(data.original_values(k)).size <= MAX_LEVELS else {}
    return Obstacle("ranks_as_counts", relation.name, change=change)


def _heavy_tail(data: RelationalData, k: int) -> Obstacle | None:
    relation, values = data.relations[k], data.original_values(k)
    if relation.kind not in ("count", "real") or values.min() < 0:
        return None
    high, ratio = float(values.max()), _spread(values)
    # Where all values are small, log(1 + y) is about y and does not help.
    if ratio <= HEAVY_TAIL or _spread(np.log1p(values)) > HEAVY_TAIL:
        return None
    return Obstacle("heavy_tail", relation.name, {"high": high, "ratio": ratio}, {"transform": "log1p"})


def _spread(values: Array) -> float:
    """The largest value divided by the median of those other than 0."""
    positive = values[values > 0]
    return float(positive.max() / np.median(positive)) if positive.size else 1.0


CHECKS: tuple[Callable[[RelationalData, int], Obstacle | None], ...] = (
    _ranks_as_counts, _heavy_tail, only_ties, _one_value,
)  # fmt: skip
"""The checks, the most specific first."""
