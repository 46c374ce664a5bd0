"""The edges of a predicted network for other programs: a table, or data that `mrwtd.write` can write."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..evaluation.prediction_table import prediction_table
from ..model.method import Method
from .edges import OUTCOMES


def edge_table(model: Method, data: RelationalData, relation: str, edges: pd.DataFrame) -> pd.DataFrame:
    """A row an edge: source, relation, target, outcome, score, prediction, probability, spread; best scores first.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> edges = pd.DataFrame({"i": [0], "j": [8], "score": [1.5], "outcome": ["hit"]})
    >>> edge_table(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), data, "marriage", edges)[["source", "target", "outcome"]]
           source  target outcome
    0  Acciaiuoli  Medici     hit

    Args:
        model: a fitted method.
        data: whose objects and relations they are.
        relation: the relation of the edges.
        edges: i, j, score and outcome of each.
    """
    ordered = edges.sort_values(["i", "j"], ignore_index=True)
    own = data.relations[data.relation_index(relation)]
    value = np.full(len(ordered), 1.0 if own.kind == "binary" else 0.0)
    asked = RelationalData(
        data.objects, [own], ordered["i"], ordered["j"], np.zeros(len(ordered), dtype=int), value
    )  # fmt: skip
    told = prediction_table(model, asked).drop(columns="value")
    told.insert(3, "outcome", ordered["outcome"].astype(str).to_numpy())
    return told.sort_values("score", ascending=False, ignore_index=True, kind="stable")


def edge_data(data: RelationalData, edges: Mapping[str, pd.DataFrame]) -> RelationalData:
    """The edges as data: a relation for each outcome, such as "marriage: hit", whose values are the scores.

    Graph programs then show outcomes as kinds of edges, and scores as their values.

    >>> import mrwtd
    >>> edges = pd.DataFrame({"i": [0], "j": [8], "score": [1.5], "outcome": ["hit"]})
    >>> edge_data(mrwtd.load_dataset("florentine"), {"marriage": edges}).to_frame()
           source       relation  target  value  weight
    0  Acciaiuoli  marriage: hit  Medici    1.5     1.0

    Args:
        data: whose objects, attributes and relations they are.
        edges: i, j, score and outcome of the edges of each relation.
    """
    relations: list[Relation] = []
    parts: list[pd.DataFrame] = []
    for name, own in edges.items():
        directed = data.relations[data.relation_index(name)].directed
        for outcome in OUTCOMES:
            some = own[own["outcome"] == outcome]
            if len(some):
                parts.append(some[["i", "j", "score"]].assign(k=len(relations)))
                relations.append(Relation(f"{name}: {outcome}", "real", directed))
    if not parts:
        relations, parts = [Relation("nothing", "real", False)], [pd.DataFrame(columns=["i", "j", "score", "k"])]
    rows = pd.concat(parts, ignore_index=True)
    return RelationalData(
        data.objects, relations,
        rows["i"].to_numpy(dtype=np.int64), rows["j"].to_numpy(dtype=np.int64), rows["k"].to_numpy(dtype=np.int64),
        rows["score"].to_numpy(dtype=np.float64), attributes=data.attributes,
    )  # fmt: skip
