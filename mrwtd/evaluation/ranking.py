"""`evaluate_ranking`: how high ties of the test entries rank among all objects, as in benchmarks of knowledge graphs.

Each tie i → j of the test entries gives two questions: which object is the target of i (tail), and which is the source
of j (head)? The model scores all objects, and the rank of the right answer counts. Other known ties are right answers
too, so they are removed first (filtered). With equal scores the rank is the mean of the best and the worst possible one
(realistic).
"""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ..data.arguments import short_repr
from ..data.possible_pairs import possible_pairs
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.cancellation import raise_if_cancelled
from ..model.predictor import Predictor
from ..typing import AnyArray, Array, BoolArray, IndexArray

CELLS = 4_000_000
"""Scores held at once."""

SIDES = ("head", "tail")
FREQUENCIES = ("rare", "medium", "frequent")
"""Thirds of the relations, by the number of their known ties."""

RANKING_METRICS: dict[str, Callable[[Array], Array]] = {
    "mrr": lambda ranks: 1 / ranks,
    "hits@1": lambda ranks: (ranks <= 1).astype(np.float64),
    "hits@3": lambda ranks: (ranks <= 3).astype(np.float64),
    "hits@10": lambda ranks: (ranks <= 10).astype(np.float64),
}
"""The metrics by name: the mean of these numbers over all ranks. MRR is the mean reciprocal rank."""


def evaluate_ranking(
    model: Predictor,
    test: RelationalData,
    known: RelationalData,
    progress: Callable[[int, int], object] | None = None,
) -> pd.DataFrame:
    """Filtered MRR and Hits@1, 3 and 10 of the ties among the test entries, by relation, side and frequency.

    Only ties of binary relations are ranked. The candidates are all objects, the given one included, as in the
    published benchmarks; in a relation that connects types of objects, those of the right type. In an undirected
    relation, each end of a tie is ranked among all partners of the other end; the head is the end that is stored first.

    A model that was trained on pairs without a tie has learned that these are wrong answers. With `absent="negative"`
    almost all candidates are such pairs, and after a random split the right answer is not: ranks are then far too good
    to compare with published ones. `published_split` therefore has held-out ties as negatives in training, too. With a
    few sampled negatives per tie, few candidates are trained on.

    Args:
        model: a fitted method.
        test: entries of the objects of the fit; its ties are ranked.
        known: all known entries (train, valid and test); their ties are no wrong answers.
        progress: called with the numbers of ranked and of all questions.

    Returns:
        One row for each relation, side ("head", "tail" or "both") and metric, with the value and the count of ranks.
        An empty relation stands for all: rows with a frequency cover the rare, medium or frequent third of the
        relations, by their known ties, and those without one all relations. Fewer than three relations have no thirds.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> train, test = data.split(train=0.6, seed=0)
    >>> scores = evaluate_ranking(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, known=data)
    >>> scores[(scores["relation"] == "") & (scores["metric"] == "mrr")][["side", "count"]]
       side  count
    0  head     17
    4  tail     17
    8  both     34
    """
    _check_objects(model, test, known)
    ties, all_ties = _ties(test), _ties(known)
    ranked = np.array([np.count_nonzero(ties.k == k) for k in range(ties.n_relations)])
    if not ranked.any():
        raise DataError(Problem("test entries without a tie of a binary relation", "at least one tie to rank"))
    ranks = {side: np.empty(len(ties)) for side in SIDES}
    frequency = np.zeros(ties.n_relations)
    done = 0
    for k in np.flatnonzero(ranked).tolist():
        pairs = _pairs(ties, k), _known_pairs(ties, all_ties, k)
        frequency[k] = len(pairs[1])
        for side in SIDES:
            for queries, values in _ranks(model, ties, k, side, *pairs):
                ranks[side][ties.slice(k)][queries] = values
                done += queries.size
                if progress is not None:
                    progress(done, 2 * len(ties))
    return _frame(ties, ranks, _thirds(frequency, ranked > 0))


def _check_objects(model: Predictor, test: RelationalData, known: RelationalData) -> None:
    if not isinstance(model, Predictor):
        raise DataError(Problem(f"{short_repr(model)} as a model", "a fitted method, such as mrwtd.MrWTD().fit(train)"))
    for noun, data in (("test entries", test), ("known entries", known)):
        if not isinstance(data, RelationalData):
            raise DataError(Problem(f"{type(data).__name__} as {noun}", "RelationalData (see mrwtd.read)"))
        if data.objects != model.fitted_objects():
            raise DataError(Problem(f"{noun} of other objects", "the objects of the fit, in the same order"))


def _ties(data: RelationalData) -> RelationalData:
    """The ties of binary relations."""
    binary = np.array([relation.kind == "binary" for relation in data.relations])
    return data.subset(binary[data.k] & (data.y > 0) & (data.w > 0))


def _pairs(ties: RelationalData, k: int) -> IndexArray:
    """The head and the tail of each tie of relation k, one row per tie."""
    part = ties.slice(k)
    return np.stack([ties.i[part], ties.j[part]], axis=1).astype(np.intp)


def _known_pairs(ties: RelationalData, known: RelationalData, k: int) -> IndexArray:
    """The known ties of relation k, with those that are ranked, each once and undirected ones in both directions."""
    relation = ties.relations[k]
    pairs = [_pairs(ties, k)]
    pairs += [_pairs(known, other) for other, same in enumerate(known.relations) if same.name == relation.name]
    pairs += [] if relation.directed else [both[:, ::-1] for both in pairs]
    n = ties.n_objects
    keys = np.unique(np.concatenate([both[:, 0] * n + both[:, 1] for both in pairs]))
    return np.stack([keys // n, keys % n], axis=1)


def _ranks(
    model: Predictor, ties: RelationalData, k: int, side: str, pairs: IndexArray, known: IndexArray
) -> Iterator[tuple[IndexArray, Array]]:
    """The positions of some ties of relation k, and the ranks of their heads or tails, block by block."""
    given, answer = (pairs[:, 0], pairs[:, 1]) if side == "tail" else (pairs[:, 1], pairs[:, 0])
    known_given, known_answer = (known[:, 0], known[:, 1]) if side == "tail" else (known[:, 1], known[:, 0])
    by_given = np.argsort(known_given, kind="stable")
    known_given, known_answer = known_given[by_given], known_answer[by_given]
    order = np.argsort(given, kind="stable")  # the scores of each object are computed once
    size = max(1, CELLS // ties.n_objects)
    possible = possible_pairs(ties, k)
    is_candidate = np.zeros(ties.n_objects, dtype=bool)
    is_candidate[possible.target_positions if side == "tail" else possible.source_positions] = True
    for first in range(0, order.size, size):
        raise_if_cancelled()
        queries = order[first : first + size]
        objects, row = np.unique(given[queries], return_inverse=True)
        scores = model.candidate_scores(ties.relations[k].name, objects, side)
        right = scores[row, answer[queries]]
        scores[:, ~is_candidate] = -np.inf
        low, high = (np.searchsorted(known_given, objects, end) for end in ("left", "right"))
        of_row = np.repeat(np.arange(objects.size), high - low)
        within = np.arange(of_row.size) - np.repeat(np.cumsum(high - low) - (high - low), high - low)
        scores[of_row, known_answer[np.repeat(low, high - low) + within]] = -np.inf
        yield queries, _realistic_ranks(scores[row], right)


def _realistic_ranks(scores: Array, right: Array) -> Array:
    """The mean of the best and the worst rank of the right answers, whose scores are not among the others."""
    better = np.count_nonzero(scores > right[:, None], axis=1)
    equal = np.count_nonzero(scores == right[:, None], axis=1)
    return np.where(np.isfinite(right), 1 + better + equal / 2, np.nan)


def _thirds(frequency: Array, is_ranked: BoolArray) -> list[str]:
    """The third of each relation; empty if it is not ranked or there are fewer than three."""
    thirds = [""] * frequency.size
    positions = np.flatnonzero(is_ranked)
    if positions.size >= len(FREQUENCIES):
        by_frequency = positions[np.argsort(frequency[positions], kind="stable")]
        for name, part in zip(FREQUENCIES, np.array_split(by_frequency, len(FREQUENCIES)), strict=True):
            for position in part.tolist():
                thirds[position] = name
    return thirds


def _frame(ties: RelationalData, ranks: dict[str, Array], thirds: list[str]) -> pd.DataFrame:
    """The rows of all relations together, of each third, and of each relation."""
    third = np.array(thirds)[ties.k]
    groups: list[tuple[str, str, AnyArray | slice]] = [("", "", slice(None))]
    groups += [("", name, third == name) for name in FREQUENCIES if name in thirds]
    groups += [(ties.relations[k].name, thirds[k], ties.slice(k)) for k in np.unique(ties.k).tolist()]
    rows = []
    for relation, frequency, entries in groups:
        sides = {side: ranks[side][entries] for side in SIDES}
        for side, values in (sides | {"both": np.concatenate(list(sides.values()))}).items():
            for metric, score in RANKING_METRICS.items():
                value = float(np.mean(np.where(np.isnan(values), np.nan, score(values))))
                rows.append((relation, frequency, side, metric, value, values.size))
    return pd.DataFrame(rows, columns=["relation", "frequency", "side", "metric", "value", "count"])
