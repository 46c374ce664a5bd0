"""The edges of a predicted network for other programs: a table, or data that `mrwtd.write` can write."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..evaluation.prediction_table import entries_to_predict, prediction_table
from ..model.method import Method
from .edges import OUTCOMES


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
        directed = data.relations[data.relation_index(name)].directed
        for outcome in OUTCOMES:
            outcome_edges = relation_edges[relation_edges["outcome"] == outcome]
            if len(outcome_edges):
                parts.append(outcome_edges[["i", "j", "score"]].assign(k=len(relations)))
                relations.append(Relation(f"{name}: {outcome}", "real", directed))
    if not parts:
        relations, parts = [Relation("nothing", "real", False)], [pd.DataFrame(columns=["i", "j", "score", "k"])]
    rows = pd.concat(parts, ignore_index=True)
    i, j, k = (rows[name].to_numpy(dtype=np.int64) for name in ("i", "j", "k"))
    y = rows["score"].to_numpy(dtype=np.float64)
    return RelationalData(data.objects, relations, i, j, k, y, attributes=data.attributes)
