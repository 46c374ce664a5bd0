"""Parameters that are given for all relations or for some of them, as one value per relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..data.relations import KINDS, Relation
from ..errors import DataError, Problem
from ..typing import Array
from .losses import LOSSES, Loss, default_loss
from .method import in_range


def losses_of(loss: str | Mapping[str, str], relations: Sequence[Relation]) -> list[Loss]:
    """The loss of each relation: a name for all, or {relation or kind: name}; "auto" goes by the kind.

    >>> relations = [Relation("calls", "count", True), Relation("distance", "real", True)]
    >>> [one.name for one in losses_of({"calls": "huber"}, relations)]
    ['huber', 'quadratic']
    """
    if not isinstance(loss, (str, Mapping)):
        raise DataError(Problem(f"loss = {loss!r}", f"a name ({', '.join(LOSSES)}), 'auto' or a mapping"))
    given = {} if isinstance(loss, str) else loss
    _check_relations("loss", [name for name in given if name not in KINDS], relations)
    names = [loss if isinstance(loss, str) else given.get(r.name, given.get(r.kind, "auto")) for r in relations]
    return [
        LOSSES[default_loss(relation.kind) if name == "auto" else str(name)]
        for name, relation in zip(names, relations, strict=True)
    ]


def positive_weights(given: float | Mapping[str, float], relations: Sequence[Relation]) -> Array:
    """The factor on positive entries of each relation: a number for all, or {relation: number}, 1 by default.

    >>> positive_weights({"likes": 3}, [Relation("likes", "binary", True), Relation("calls", "binary", True)])
    array([3., 1.])
    """
    if isinstance(given, Mapping):
        _check_relations("positive_weight", given, relations)
        weights = [given.get(relation.name, 1.0) for relation in relations]
    else:
        weights = [given] * len(relations)
    for weight in weights:
        in_range("positive_weight", weight, 0)
    return np.array(weights, dtype=np.float64)


def _check_relations(parameter: str, given: Iterable[str], relations: Sequence[Relation]) -> None:
    names = [relation.name for relation in relations]
    for name in given:
        if name not in names:
            raise DataError(Problem(f"the relation {name!r} in {parameter}", f"one of {', '.join(map(repr, names))}"))
