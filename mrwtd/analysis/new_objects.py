"""An object that was not there in training: what its few known relationships tell of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..evaluation.prediction_table import prediction_table
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..typing import Array
from .pair_predictions import entries_to_predict
from .projection import project
from .reliability import Reliability
from .rotation import principal_axes


@dataclass(frozen=True)
class KnownRelationship:
    """One known relationship of a new object.

    Attributes:
        relation: which one.
        other: the object that it is with.
        value: the value; of a binary relation, above 0 for a tie.
        outward: whether it runs from the new object, where direction matters.
    """

    relation: str
    other: str
    value: float = 1.0
    outward: bool = True


@dataclass(frozen=True)
class NewObject:
    """A new object in the eyes of a model.

    Attributes:
        model: the model that knows it; the new object is its last.
        points: all objects on the first two principal axes of the others, the new one last.
        axes: what the axes are called.
    """

    model: MrWTD
    points: Array
    axes: tuple[str, ...]

    def relationships(self, relation: str, trust: Reliability, top: int = 100) -> pd.DataFrame:
        """The strongest predicted ones: source, target, score, prediction, probability, spread, doubt."""
        n = len(self.model.objects_)
        k = [own.name for own in self.model.relations_].index(relation)
        others, itself = np.arange(n - 1), np.full(n - 1, n - 1)
        i, j = [others], [itself]
        if self.model.relations_[k].directed:
            i, j = [itself, others], [others, itself]
        shape = RelationalData(self.model.objects_, [self.model.relations_[k]], [], [], [], [])
        at = np.concatenate(i), np.concatenate(j)
        told = prediction_table(self.model, entries_to_predict(shape, *at, np.zeros(at[0].size, dtype=int)))
        told = told.sort_values(["probability", "score"], ascending=False, ignore_index=True, kind="stable").head(top)
        told["source"], told["target"] = told["source"].astype(str), told["target"].astype(str)
        told["doubt"] = trust.reasons([relation] * len(told), told["probability"])
        return told.drop(columns=["value", "relation"])


def fold_in_object(model: Method, name: str, known: Sequence[KnownRelationship]) -> NewObject:
    """Fold a new object in.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> fold_in_object(model, "Bardi", [KnownRelationship("marriage", "Medici")]).points.shape
    (16, 2)

    Args:
        model: a fitted MrWTD, of any loss.
        name: what the new object is called.
        known: some of its relationships with the others.
    """
    if not isinstance(model, MrWTD):
        raise DataError(Problem(f"a new object asked of {type(model).__name__}", "MrWTD, or CP"))
    name = name.strip()
    if not name or name in model.objects_:
        raise DataError(Problem(f"the name {name!r}", "a name that no object has yet"))
    if not known:
        raise DataError(Problem("no known relationship", "at least one with an object that is there"))
    here = set(model.objects_)
    strange = [one.other for one in known if one.other not in here]
    if strange:
        raise DataError(Problem(f"the object {strange[0]!r}", f"one of the {len(here):,} objects"))
    binary = {own.name for own in model.relations_ if own.kind == "binary"}
    frame = pd.DataFrame(
        {
            "source": [name if one.outward else one.other for one in known],
            "relation": [one.relation for one in known],
            "target": [one.other if one.outward else name for one in known],
            "value": [
                float(np.where(one.value > 0, 1.0, -1.0)) if one.relation in binary else one.value for one in known
            ],
        }
    )
    wider = model.fold_in(frame)
    axes = project(model.A_).axes
    turned = principal_axes(model.A_).transform(wider.A_)
    points = np.zeros((len(turned), 2))
    points[:, : min(2, turned.shape[1])] = turned[:, :2]
    return NewObject(wider, points, axes)


def example_relationships(data: RelationalData, relation: str, count: int = 3) -> list[KnownRelationship]:
    """Relationships to begin with: with the objects that have most of them.

    >>> import mrwtd
    >>> [one.other for one in example_relationships(mrwtd.load_dataset("florentine"), "marriage", count=2)]
    ['Medici', 'Guadagni']
    """
    data = observed(data)
    k = data.relation_index(relation)
    at, values = data.slice(k), data.original_values(k)
    positive = values[values > 0]
    value = float(np.median(positive)) if positive.size else 1.0
    if data.relations[k].levels:
        value = min(data.relations[k].levels, key=lambda level: abs(level - value))
    tied = values > 0
    ends = np.concatenate([data.i[at][tied], data.j[at][tied]])
    degrees = np.bincount(ends, minlength=data.n_objects)
    most = np.argsort(-degrees, kind="stable")[:count]
    return [KnownRelationship(relation, data.objects[position], value) for position in most.tolist()]
