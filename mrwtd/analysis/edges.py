"""The outcome of each pair of a relation, once a threshold turns scores into predicted ties.

A tie of the training part is known. A held-out pair is a hit, a false alarm or a missed tie. A predicted pair without
an entry cannot be checked. All other pairs are not ties, and are not listed.

Relations that are not binary have ties too: values at or above a chosen one (`tie_values`). All pairs are scored up to
`MAX_OBJECTS_FOR_ALL_PAIRS` objects. Above that, of the pairs without an entry, only the best by `rank_pairs` are. For
other programs, edges become a table, or data that `mrwtd.write` can write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.possible_pairs import possible_pairs
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..evaluation.curves import Confusion
from ..evaluation.prediction_table import entries_to_predict, prediction_table
from ..metrics.predictions import mean_of
from ..metrics.ranking_curve import RankingCurve
from ..model.factor_model import FactorModel
from ..model.method import Method
from ..typing import Array, BoolArray, IntArray

MAX_OBJECTS_FOR_ALL_PAIRS = 1_000
"""Any method can score every pair of at most this many objects."""

MAX_UNKNOWN_PAIRS, TOP_UNKNOWN_PAIRS = 8_000, 2_000
"""The number of pairs without an entry that are listed, for few and for many objects."""

OUTCOMES = {
    "hit": "predicted, held out, and a tie",
    "false alarm": "predicted, held out, and no tie",
    "missed": "held out and a tie, but not predicted",
    "known": "a tie that the model was trained on",
    "unchecked": "predicted, and the data does not say",
}
"""The outcomes of a pair, in the order of their importance to readers."""

TRAIN, TEST, UNKNOWN = 0, 1, 2


@dataclass(frozen=True)
class ScoredPairs:
    """The pairs of one relation that can become edges, with the scores of one method.

    Attributes:
        relation: the relation.
        i, j: the two objects of each pair, by position.
        score: the method's score.
        part: the part of the data with an entry for the pair: `TRAIN`, `TEST` or `UNKNOWN`.
        tie: whether that entry is a tie; False for unknown pairs.
        train_tie_fraction: the fraction of ties among the training pairs.
        ranked: whether pairs without an entry were scored at all.
        represents: the number of pairs that the entry of each pair represents: more than 1 for sampled negatives.
    """

    relation: Relation
    i: IntArray
    j: IntArray
    score: Array
    part: npt.NDArray[np.int8]
    tie: BoolArray
    train_tie_fraction: float
    ranked: bool
    represents: Array

    @cached_property
    def _ascending(self) -> list[tuple[Array, Array]]:
        """The ascending scores of held-out ties and of the others, each with the pairs represented below each rank."""
        groups = []
        for chosen in ((self.part == TEST) & self.tie, (self.part == TEST) & ~self.tie):
            order = np.argsort(self.score[chosen], kind="stable")
            below = np.append(0.0, np.cumsum(self.represents[chosen][order]))
            groups.append((self.score[chosen][order], below))
        return groups

    def counts(self, threshold: float) -> Confusion:
        """The confusion matrix of the held-out pairs at a threshold, over all pairs that they represent."""
        (ties, ties_below), (others, others_below) = self._ascending
        missed = float(ties_below[np.searchsorted(ties, threshold)])
        rejected = float(others_below[np.searchsorted(others, threshold)])
        return Confusion(float(ties_below[-1]) - missed, float(others_below[-1]) - rejected, missed, rejected)

    def curve(self, points: int = 400) -> pd.DataFrame:
        """Threshold, precision and recall at up to `points` thresholds, from the highest down."""
        scores = np.unique(np.concatenate([scores for scores, _ in self._ascending]))[::-1]
        if scores.size > points:
            scores = scores[np.unique(np.linspace(0, scores.size - 1, points).round().astype(int))]
        counts = map(self.counts, scores.tolist())
        rows = [(score, at_score.precision, at_score.recall) for score, at_score in zip(scores, counts, strict=True)]
        return pd.DataFrame(rows, columns=["threshold", "precision", "recall"], dtype=np.float64)

    def average_precision(self) -> float:
        """The area under the curve; NaN if the held-out pairs are all ties, or none is."""
        tested = self.part == TEST
        pairs = self.represents[tested] if (self.represents > 1).any() else None
        return RankingCurve.of(self.tie[tested], self.score[tested], pairs).average_precision

    def threshold_for(self, fraction: float) -> float:
        """The score that the given fraction of the held-out pairs reaches; without any, of all scored pairs."""
        tested = self.part == TEST
        chosen = tested if tested.any() else np.ones(tested.size, dtype=bool)
        order = np.argsort(-self.score[chosen], kind="stable")
        scores, reached = self.score[chosen][order], np.cumsum(self.represents[chosen][order])
        count = round(min(max(fraction, 0.0), 1.0) * float(reached[-1])) if scores.size else 0
        if count == 0:
            return float(np.nextafter(scores[0], np.inf)) if scores.size else 0.0
        return float(scores[min(int(np.searchsorted(reached, count - 1e-9)), scores.size - 1)])

    def fraction_above(self, threshold: float) -> float:
        """The fraction of the held-out pairs that reach a score."""
        counts = self.counts(threshold)
        return (counts.hits + counts.false_alarms) / counts.entries if counts.entries else self.train_tie_fraction

    def edges(self, threshold: float) -> pd.DataFrame:
        """One row per edge: i, j, score, outcome. Best scores come first within an outcome; self-loops are left out."""
        above, tested, names = self.score >= threshold, self.part == TEST, list(OUTCOMES)
        conditions = {
            "hit": tested & above & self.tie,
            "false alarm": tested & above & ~self.tie,
            "missed": tested & ~above & self.tie,
            "known": (self.part == TRAIN) & self.tie,
            "unchecked": (self.part == UNKNOWN) & above,
        }
        outcome = np.select(list(conditions.values()), range(len(names)), -1)
        rows = np.flatnonzero((outcome >= 0) & (self.i != self.j))
        rows = rows[np.lexsort((-self.score[rows], outcome[rows]))]
        edges = pd.DataFrame({"i": self.i[rows], "j": self.j[rows], "score": self.score[rows]})
        return edges.assign(outcome=pd.Categorical.from_codes(outcome[rows], categories=pd.Index(names)))


def tie_values(data: RelationalData, relation: str) -> dict[str, float]:
    """Values from which on a relationship can count as a tie, by their label.

    >>> import mrwtd
    >>> tie_values(mrwtd.load_dataset("monastery"), "esteem")
    {'1 or more': 1.0, '2 or more': 2.0, '3 or more': 3.0}
    >>> tie_values(mrwtd.load_dataset("florentine"), "marriage")
    {'tie': 1.0}
    """
    k = data.relation_index(relation)
    kind, levels, values = data.relations[k].kind, data.relations[k].levels, data.original_values(k)
    if kind == "binary":
        return {"tie": 1.0}
    if levels:
        return {f"{level:g} or more": float(level) for level in levels[1:]} or {"any": float(levels[0])}
    if not values.size:
        return {"any": 0.0}
    quantiles = {"upper quarter": 0.75, "upper half": 0.5, "upper tenth": 0.9}
    ties = {name: float(np.quantile(values, quantile)) for name, quantile in quantiles.items()}
    return {"above 0": float(np.nextafter(0, 1)), **ties} if kind == "count" and (values > 0).any() else ties


def score_pairs(
    model: Method,
    train: RelationalData,
    test: RelationalData,
    relation: str,
    *,
    tie_from: float | None = None,
) -> ScoredPairs:
    """Score the pairs with an entry, and the best of all other pairs: of many objects fewer than of few.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> pairs = score_pairs(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), train, test, "marriage")
    >>> pairs.counts(0.0).hits == (pairs.edges(0.0)["outcome"] == "hit").sum().item()
    True

    Args:
        model: a fitted method.
        train: the training entries.
        test: the held-out entries.
        relation: the name of one relation.
        tie_from: the value, in the unit of the data, from which on a relationship is a tie; not for binary ones.
    """
    train, test = train.select_relations([relation]).observed(), test.select_relations([relation]).observed()
    if tie_from is None:
        tie_from = next(iter(tie_values(train, relation).values()))
    binary = train.relations[0].kind == "binary"
    ties = [(part.y > 0) if binary else part.original_values() >= tie_from for part in (train, test)]
    top = MAX_UNKNOWN_PAIRS if train.n_objects <= MAX_OBJECTS_FOR_ALL_PAIRS else TOP_UNKNOWN_PAIRS
    i, j, score, ranked = unknown_pairs(model, train, test, top)
    return ScoredPairs(
        train.relations[0],
        np.concatenate([train.i, test.i, i]),
        np.concatenate([train.j, test.j, j]),
        np.concatenate([model.decision_function(train), model.decision_function(test), score]),
        np.repeat(np.array([TRAIN, TEST, UNKNOWN], dtype=np.int8), [len(train), len(test), i.size]),
        np.concatenate([*ties, np.zeros(i.size, dtype=bool)]),
        train_tie_fraction=mean_of(ties[0], train.represents) if len(train) else 0.0,
        ranked=ranked,
        represents=np.concatenate([train.represents, test.represents, np.ones(i.size)]),
    )


def unknown_pairs(
    model: Method, train: RelationalData, test: RelationalData, top: int
) -> tuple[IntArray, IntArray, Array, bool]:
    """The best possible pairs of different objects without an entry, best first, and whether they could be ranked.

    Both parts hold the same single relation. A method without factors has to score every pair, so it is used for at
    most `MAX_OBJECTS_FOR_ALL_PAIRS` objects.
    """
    relation, n = train.relations[0], train.n_objects
    if isinstance(model, FactorModel):
        i, j, k, y = (np.concatenate([getattr(train, name), getattr(test, name)]) for name in ("i", "j", "k", "y"))
        known = RelationalData(train.objects, [relation], i, j, k, y, object_types=train.object_types)
        pairs = model.rank_pairs(relation.name, top=top, exclude=known)
        positions = {name: position for position, name in enumerate(model.objects_)}
        i, j = (pairs[end].map(positions).to_numpy(dtype=np.int64) for end in ("source", "target"))
        return i, j, pairs["score"].to_numpy(), True
    if n > MAX_OBJECTS_FOR_ALL_PAIRS:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), False
    free = np.zeros(n * n, dtype=bool)
    free[possible_pairs(train, 0).cells()] = True
    for part in (train, test):
        free[part.i.astype(np.int64) * n + part.j] = False
    i, j = np.divmod(np.flatnonzero(free), n)
    score = model.decision_function(entries_to_predict(train, i, j))
    best = np.argsort(-score, kind="stable")[:top]
    return i[best], j[best], score[best], True


def edge_table(model: Method, data: RelationalData, relation: str, edges: pd.DataFrame) -> pd.DataFrame:
    """One row per edge: source, relation, target, outcome, score, prediction, probability, spread; best scores first.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> edges = pd.DataFrame({"i": [0], "j": [8], "score": [1.5], "outcome": ["hit"]})
    >>> edge_table(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), data, "marriage", edges)[["source", "target", "outcome"]]
           source  target outcome
    0  Acciaiuoli  Medici     hit

    Args:
        model: a fitted method.
        data: data with the same objects and relations.
        relation: the relation of the edges.
        edges: i, j, score and outcome of each edge.
    """
    ordered = edges.sort_values(["i", "j"], ignore_index=True)
    pairs = entries_to_predict(data.select_relations([relation]), ordered["i"], ordered["j"])
    table = prediction_table(model, pairs).drop(columns="value")
    table.insert(3, "outcome", ordered["outcome"].astype(str).to_numpy())
    return table.sort_values("score", ascending=False, ignore_index=True, kind="stable")


def edge_data(data: RelationalData, edges: Mapping[str, pd.DataFrame]) -> RelationalData:
    """The edges as data: one relation per outcome, such as "marriage: hit", with the scores as values.

    Graph programs then show outcomes as types of edges, and scores as their weights.

    >>> import mrwtd
    >>> edges = pd.DataFrame({"i": [0], "j": [8], "score": [1.5], "outcome": ["hit"]})
    >>> edge_data(mrwtd.load_dataset("florentine"), {"marriage": edges}).to_frame()
           source       relation  target  value  weight
    0  Acciaiuoli  marriage: hit  Medici    1.5     1.0

    Args:
        data: data with the same objects, attributes and relations.
        edges: i, j, score and outcome of the edges of each relation.
    """
    relations: list[Relation] = []
    parts: list[pd.DataFrame] = []
    for name, relation_edges in edges.items():
        relation = data.relations[data.relation_index(name)]
        for outcome in OUTCOMES:
            outcome_edges = relation_edges[relation_edges["outcome"] == outcome]
            if len(outcome_edges):
                parts.append(outcome_edges[["i", "j", "score"]].assign(k=len(relations)))
                relations.append(replace(relation, name=f"{name}: {outcome}", kind="real", levels=()))
    if not parts:
        relations, parts = [Relation("nothing", "real", False)], [pd.DataFrame(columns=["i", "j", "score", "k"])]
    rows = pd.concat(parts, ignore_index=True)
    i, j, k = (rows[name].to_numpy(dtype=np.int64) for name in ("i", "j", "k"))
    y = rows["score"].to_numpy(dtype=np.float64)
    return RelationalData(
        data.objects, relations, i, j, k, y, attributes=data.attributes, object_types=data.object_types
    )
