"""What became of each pair of a relation once a threshold turns scores into predicted ties.

A pair that the training part holds as a tie is known. A held-out pair is a hit, a false alarm or a missed tie; one that
is predicted and that no part of the data speaks of cannot be checked. The rest is no tie, and not listed.

Relations that are not binary have ties too, from a value on that the reader chooses (`tie_values`). All pairs are
scored up to `MAX_OBJECTS_FOR_ALL_PAIRS` objects. Above that, of the pairs without an entry, only the best by
`rank_pairs` are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..evaluation.thresholds import Confusion
from ..metrics.ranking_curve import average_precision
from ..model.factor_model import FactorModel
from ..model.method import Method
from ..typing import Array, BoolArray, IntArray

MAX_OBJECTS_FOR_ALL_PAIRS = 1_000
"""Up to so many objects, every pair can be scored by any method."""

MAX_UNKNOWN_PAIRS, TOP_UNKNOWN_PAIRS = 8_000, 2_000
"""Of pairs that the data does not speak of, so many are kept for few objects, and so many for more."""

OUTCOMES = {
    "hit": "predicted, held out, and a tie",
    "false alarm": "predicted, held out, and no tie",
    "missed": "held out and a tie, but not predicted",
    "known": "a tie that the model was trained on",
    "unchecked": "predicted, and the data does not say",
}
"""What can become of a pair, in the order in which people ask."""

TRAIN, TEST, UNKNOWN = 0, 1, 2


@dataclass(frozen=True)
class ScoredPairs:
    """The pairs of one relation that can become edges, as one method scores them.

    Attributes:
        relation: which it is.
        i, j: the two objects of each pair, by position.
        score: the method's score.
        part: `TRAIN`, `TEST` or `UNKNOWN`: where the data speaks of the pair.
        tie: whether it says that there is a tie; False for pairs of no part.
        train_tie_fraction: how many of the training pairs are ties.
        ranked: whether pairs that the data does not speak of were scored at all.
    """

    relation: Relation
    i: IntArray
    j: IntArray
    score: Array
    part: npt.NDArray[np.int8]
    tie: BoolArray
    train_tie_fraction: float
    ranked: bool

    @cached_property
    def _held_out(self) -> tuple[Array, Array]:
        """The scores of held-out ties and of the other held-out pairs, ascending."""
        tested = self.part == TEST
        return np.sort(self.score[tested & self.tie]), np.sort(self.score[tested & ~self.tie])

    def counts(self, threshold: float) -> Confusion:
        """How the held-out pairs fare where a score of `threshold` is a prediction."""
        ties, others = self._held_out
        missed, rejected = int(np.searchsorted(ties, threshold)), int(np.searchsorted(others, threshold))
        return Confusion(ties.size - missed, others.size - rejected, missed, rejected)

    def curve(self, points: int = 400) -> pd.DataFrame:
        """Threshold, precision and recall, from the highest threshold down, at no more than so many of them."""
        scores = np.unique(np.concatenate(self._held_out))[::-1]
        if scores.size > points:
            scores = scores[np.unique(np.linspace(0, scores.size - 1, points).round().astype(int))]
        found = [self.counts(float(score)) for score in scores]
        return pd.DataFrame(
            {
                "threshold": scores,
                "precision": [one.precision for one in found],
                "recall": [one.recall for one in found],
            }
        )

    def average_precision(self) -> float:
        """The area under the curve; NaN where the held-out pairs are all of one kind."""
        ties, others = self._held_out
        return average_precision(np.repeat([1.0, -1.0], [ties.size, others.size]), np.concatenate([ties, others]))

    def threshold_for(self, share: float) -> float:
        """The score that the given share of the held-out pairs reaches; without any, of all pairs that are scored."""
        scores = np.concatenate(self._held_out)
        scores = np.sort(scores if scores.size else self.score)
        count = round(min(max(share, 0.0), 1.0) * scores.size)
        if count == 0:
            return float(np.nextafter(scores[-1], np.inf)) if scores.size else 0.0
        return float(scores[-count])

    def fraction_above(self, threshold: float) -> float:
        """The share of the held-out pairs that reach a score."""
        scores = np.concatenate(self._held_out)
        return float(np.mean(scores >= threshold)) if scores.size else self.train_tie_fraction

    def edges(self, threshold: float) -> pd.DataFrame:
        """A row an edge: i, j, score, outcome. Best scores come first within an outcome; loops are left out."""
        above = self.score >= threshold
        outcome = np.full(self.i.size, -1, dtype=np.int8)
        names = list(OUTCOMES)
        tested = self.part == TEST
        outcome[tested & above & self.tie] = names.index("hit")
        outcome[tested & above & ~self.tie] = names.index("false alarm")
        outcome[tested & ~above & self.tie] = names.index("missed")
        outcome[(self.part == TRAIN) & self.tie] = names.index("known")
        outcome[(self.part == UNKNOWN) & above] = names.index("unchecked")
        outcome[self.i == self.j] = -1
        kept = np.flatnonzero(outcome >= 0)
        kept = kept[np.lexsort((-self.score[kept], outcome[kept]))]
        return pd.DataFrame(
            {
                "i": self.i[kept],
                "j": self.j[kept],
                "score": self.score[kept],
                "outcome": pd.Categorical.from_codes(outcome[kept].astype(np.intp), categories=pd.Index(names)),
            }
        )


def tie_values(data: RelationalData, relation: str) -> dict[str, float]:
    """The values from which on a relationship can be taken for a tie, by what people call them.

    >>> import mrwtd
    >>> tie_values(mrwtd.load_dataset("monastery"), "esteem")
    {'1 or more': 1.0, '2 or more': 2.0, '3 or more': 3.0}
    >>> tie_values(mrwtd.load_dataset("florentine"), "marriage")
    {'tie': 1.0}
    """
    k = data.relation_index(relation)
    own, values = data.relations[k], data.original_values(k)
    if own.kind == "binary":
        return {"tie": 1.0}
    if own.levels:
        return {f"{level:g} or more": float(level) for level in own.levels[1:]} or {"any": float(own.levels[0])}
    if not values.size:
        return {"any": 0.0}
    shares = {"upper quarter": 0.75, "upper half": 0.5, "upper tenth": 0.9}
    found = {name: float(np.quantile(values, share)) for name, share in shares.items()}
    return {"above 0": float(np.nextafter(0, 1)), **found} if own.kind == "count" and (values > 0).any() else found


def score_pairs(
    model: Method,
    train: RelationalData,
    test: RelationalData,
    relation: str,
    *,
    tie_from: float | None = None,
    top: int | None = None,
) -> ScoredPairs:
    """Score what the data speaks of, and the `top` best of all other pairs.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> pairs = score_pairs(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), train, test, "marriage")
    >>> pairs.counts(0.0).hits == (pairs.edges(0.0)["outcome"] == "hit").sum().item()
    True

    Args:
        model: a fitted method.
        train: what the model was trained on.
        test: what was held out.
        relation: the name of one relation.
        tie_from: the value, in the unit of the data, from which on a relationship is a tie; not for binary ones.
        top: how many pairs that no part speaks of are kept; None is as many as can be drawn, or `TOP_UNKNOWN_PAIRS`.
    """
    train, test = observed(train.select_relations([relation])), observed(test.select_relations([relation]))
    kind = train.relations[0]
    if tie_from is None:
        tie_from = next(iter(tie_values(train, relation).values()))
    positive = [(part.y > 0) if kind.kind == "binary" else part.original_values() >= tie_from for part in (train, test)]
    if top is None:
        top = MAX_UNKNOWN_PAIRS if train.n_objects <= MAX_OBJECTS_FOR_ALL_PAIRS else TOP_UNKNOWN_PAIRS
    i, j, score, ranked = unknown_pairs(model, train, test, top)
    sizes = [len(train), len(test), i.size]
    return ScoredPairs(
        kind,
        np.concatenate([train.i, test.i, i]),
        np.concatenate([train.j, test.j, j]),
        np.concatenate([model.decision_function(train), model.decision_function(test), score]),
        np.repeat(np.array([TRAIN, TEST, UNKNOWN], dtype=np.int8), sizes),
        np.concatenate([*positive, np.zeros(i.size, dtype=bool)]),
        train_tie_fraction=float(positive[0].mean()) if len(train) else 0.0,
        ranked=ranked,
    )


def unknown_pairs(
    model: Method, train: RelationalData, test: RelationalData, top: int
) -> tuple[IntArray, IntArray, Array, bool]:
    """The best pairs of different objects that neither part speaks of, best first, and whether they could be ranked.

    Both parts hold the same single relation. A method without factors has to score every pair, which it is
    asked for up to `MAX_OBJECTS_FOR_ALL_PAIRS` objects only.
    """
    relation, n = train.relations[0], train.n_objects
    if isinstance(model, FactorModel):
        found = model.rank_pairs(relation.name, top=top, exclude=_together(train, test))
        at = {name: position for position, name in enumerate(model.objects_)}
        ends = [found[end].map(at).to_numpy(dtype=np.int64) for end in ("source", "target")]
        return ends[0], ends[1], found["score"].to_numpy(), True
    if n > MAX_OBJECTS_FOR_ALL_PAIRS:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, np.zeros(0), False
    free = np.ones((n, n), dtype=bool) if relation.directed else np.triu(np.ones((n, n), dtype=bool))
    np.fill_diagonal(free, val=False)
    for part in (train, test):
        free[part.i, part.j] = False
    i, j = np.nonzero(free)
    asked = RelationalData(train.objects, [relation], i, j, np.zeros(i.size, dtype=int), np.ones(i.size))
    score = model.decision_function(asked)
    best = np.argsort(-score, kind="stable")[:top]
    return i[best], j[best], score[best], True


def _together(train: RelationalData, test: RelationalData) -> RelationalData:
    i, j, k, y = (np.concatenate([getattr(train, name), getattr(test, name)]) for name in ("i", "j", "k", "y"))
    return RelationalData(train.objects, train.relations, i, j, k, y)
