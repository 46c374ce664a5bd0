"""A new object that was not in training: predictions from a few of its known relationships."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.possible_pairs import PossiblePairs
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import DataError, Problem
from ..evaluation.prediction_table import entries_to_predict, prediction_table
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..typing import Array
from .projection import principal_axes, project
from .reliability import Reliability


@dataclass(frozen=True)
class KnownRelationship:
    """One known relationship of a new object.

    Attributes:
        relation: the relation.
        other: the other object.
        value: the value; of a binary relation, above 0 for a tie.
        outward: whether it goes from the new object to the other, if direction matters.
    """

    relation: str
    other: str
    value: float = 1.0
    outward: bool = True


@dataclass(frozen=True)
class NewObject:
    """A new object, folded into a model.

    Attributes:
        model: the model with the new object as its last.
        points: all objects on the first two principal axes of the others, the new one last.
        axes: the labels of the axes.
    """

    model: MrWTD
    points: Array
    axes: tuple[str, ...]

    def relationships(self, relation: str, reliability: Reliability, top: int = 100) -> pd.DataFrame:
        """The strongest predicted ones: source, target, score, prediction, probability, spread, doubt."""
        n, types = len(self.model.objects_), self.model.object_types_
        (kind,) = [known for known in self.model.relations_ if known.name == relation]
        others, new = np.arange(n - 1), np.full(n - 1, n - 1)
        i, j = (np.append(new, others), np.append(others, new)) if kind.directed else (others, new)
        possible = PossiblePairs.of(kind, types or n).contains(i, j)
        empty = RelationalData(self.model.objects_, [kind], [], [], [], [], object_types=types)
        entries = entries_to_predict(empty, i[possible], j[possible])
        table = prediction_table(self.model, entries).astype({"source": "str", "target": "str"})
        table = table.sort_values(["probability", "score"], ascending=False, ignore_index=True, kind="stable").head(top)
        table["doubt"] = reliability.reasons([relation] * len(table), table["probability"])
        return table.drop(columns=["value", "relation"])


def fold_in_object(model: Method, name: str, known: Sequence[KnownRelationship]) -> NewObject:
    """Fold a new object into a fitted model.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> fold_in_object(model, "Bardi", [KnownRelationship("marriage", "Medici")]).points.shape
    (16, 2)

    Args:
        model: a fitted MrWTD, with any loss.
        name: the name of the new object.
        known: some of its relationships with the other objects.
    """
    if not isinstance(model, MrWTD):
        expected = "a method that can add objects: MrWTD or CP"
        raise DataError(Problem(f"a new object for {type(model).__name__}", expected))
    name = name.strip()
    if not name or name in model.objects_:
        raise DataError(Problem(f"the name {name!r}", "a name that no object has yet"))
    if not known:
        raise DataError(Problem("no known relationship", "at least one relationship with an object of the data"))
    strange = [item.other for item in known if item.other not in set(model.objects_)]
    if strange:
        raise DataError(Problem(f"the object {strange[0]!r}", f"one of the {len(model.objects_):,} objects"))
    binary = {relation.name for relation in model.relations_ if relation.kind == "binary"}
    rows = [
        (
            *((name, item.other) if item.outward else (item.other, name)),
            item.relation,
            float(np.where(item.value > 0, 1.0, -1.0)) if item.relation in binary else item.value,
        )
        for item in known
    ]
    folded = model.fold_in(pd.DataFrame(rows, columns=["source", "target", "relation", "value"]))
    return NewObject(folded, principal_axes(model.A_).transform(folded.A_, dimensions=2), project(model.A_).axes)


def direction_with(relation: Relation, kind: str, other_kind: str) -> bool | None:
    """Whether a relation goes from objects of a type to those of another; None if it cannot connect them.

    In a relation with both directions, it is True.

    >>> attends = Relation("attends", "binary", True, types=("woman", "event"))
    >>> [direction_with(attends, *kinds) for kinds in (("woman", "event"), ("event", "woman"), ("event", "event"))]
    [True, False, None]
    """
    if relation.types is None or relation.types == (kind, other_kind):
        return True
    return False if relation.types == (other_kind, kind) else None


def example_relationships(
    data: RelationalData, relation: str, count: int = 3, kind: str = ""
) -> list[KnownRelationship]:
    """Relationships to start with: with the objects of the highest degree.

    >>> import mrwtd
    >>> [item.other for item in example_relationships(mrwtd.load_dataset("florentine"), "marriage", count=2)]
    ['Medici', 'Guadagni']

    Args:
        data: the data.
        relation: the name of the relation.
        count: the number of relationships.
        kind: the type of the new object, if objects have types; by default that of the relation's sources.
    """
    data = data.select_relations([relation]).observed()
    (known,), values = data.relations, data.original_values()
    tied = values > 0
    value = float(np.median(values[tied])) if tied.any() else 1.0
    if known.levels:
        value = min(known.levels, key=lambda level: abs(level - value))
    types, outward = known.types, True
    ends = np.concatenate([data.i[tied], data.j[tied]])
    if types is not None:  # the others are at the other end of the relation
        kind = kind or types[0]
        if kind not in types:
            return []
        outward = kind == types[0]
        ends = (data.j if outward else data.i)[tied]
    degrees = np.bincount(ends, minlength=data.n_objects)
    top = [position for position in np.argsort(-degrees, kind="stable")[:count].tolist() if degrees[position]]
    return [KnownRelationship(relation, data.objects[position], value, outward) for position in top]
