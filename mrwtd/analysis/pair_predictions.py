"""Predictions for a pair of objects, and the best predictions among pairs without an entry."""

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..data.validation import entry_keys
from ..errors import DataError, Problem
from ..evaluation.prediction_table import entries_to_predict, prediction_table
from ..model.method import Method
from .edges import MAX_OBJECTS_FOR_ALL_PAIRS, unknown_pairs
from .reliability import Reliability

COLUMNS = ["source", "relation", "target", "score", "prediction", "probability", "spread", "known", "part", "doubt"]


def predict_pair(
    model: Method, train: RelationalData, test: RelationalData, reliability: Reliability, source: int, target: int
) -> pd.DataFrame:
    """One row per relation: the prediction from one object to another, the known value, and a doubt.

    `known` is the value in the data, NaN if there is none, and `part` is where it comes from: "training", "held out" or
    empty. `doubt` is empty if the prediction is trusted.

    >>> import mrwtd
    >>> from mrwtd.analysis.reliability import assess_reliability
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    >>> predict_pair(model, train, test, assess_reliability(model, test), 0, 8)[["relation", "known", "part"]]
       relation  known      part
    0  business   -1.0  held out
    1  marriage    1.0  held out

    Args:
        model: a fitted method.
        train: the training entries.
        test: the held-out entries.
        reliability: how far the method can be trusted.
        source: the position of one object.
        target: the position of another.
    """
    if source == target:
        raise DataError(Problem("an object and itself", "two different objects"))
    directed = np.array([relation.directed for relation in train.relations])
    i = np.where(directed, source, min(source, target))
    j = np.where(directed, target, max(source, target))
    return _table(model, train, test, reliability, entries_to_predict(train, i, j, np.arange(train.n_relations)))


def best_unknown_pairs(
    model: Method, train: RelationalData, test: RelationalData, reliability: Reliability, relation: str, top: int = 100,
    *, exclude_test: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """The best-scoring pairs without a training entry, best first, with the columns of `predict_pair`.

    >>> import mrwtd
    >>> from mrwtd.analysis.reliability import assess_reliability
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    >>> best_unknown_pairs(model, train, test, assess_reliability(model, test), "marriage", top=3)["part"].tolist()
    ['held out', 'held out', 'held out']

    Args:
        model: a fitted method.
        train: the training entries.
        test: the held-out entries.
        reliability: how far the method can be trusted.
        relation: the name of the relation.
        top: the number of pairs.
        exclude_test: whether to leave out held-out pairs, whose value is in the data.
    """
    train, test = train.select_relations([relation]), test.select_relations([relation])
    i, j, _, ranked = unknown_pairs(model, train, test if exclude_test else test.subset([]), top)
    if not ranked:
        raise DataError(
            Problem(
                f"a method without factors and {train.n_objects:,} objects, too many to rank all pairs",
                f"a method with factors A, R, or at most {MAX_OBJECTS_FOR_ALL_PAIRS:,} objects",
            )
        )
    table = _table(model, train, test, reliability, entries_to_predict(train, i, j))
    # The mean probability of an ensemble need not rank pairs as its mean score does.
    return table.sort_values(["probability", "score"], ascending=False, ignore_index=True, kind="stable")


def count_unknown_pairs(data: RelationalData, relation: str) -> int:
    """The number of pairs of different objects without an entry.

    >>> import mrwtd
    >>> count_unknown_pairs(mrwtd.load_dataset("florentine"), "marriage")
    0
    """
    data = data.select_relations([relation])
    possible = data.n_objects * (data.n_objects - 1) // (1 if data.relations[0].directed else 2)
    return possible - int(np.count_nonzero(data.i != data.j))


def _table(
    model: Method, train: RelationalData, test: RelationalData, reliability: Reliability, entries: RelationalData
) -> pd.DataFrame:
    table = prediction_table(model, entries).astype({"source": "str", "relation": "str", "target": "str"})
    known, part = np.full(len(entries), np.nan), np.full(len(entries), "", dtype=object)
    wanted = entry_keys(entries.i, entries.j, entries.k, entries.n_objects)
    for name, data in (("training", train.observed()), ("held out", test.observed())):
        keys = entry_keys(data.i, data.j, data.k, data.n_objects)
        if keys.size:  # which are sorted, as entries are in the order of (k, i, j)
            index = np.searchsorted(keys, wanted).clip(max=keys.size - 1)
            rows = np.flatnonzero(keys[index] == wanted)
            known[rows], part[rows] = data.original_values()[index[rows]], name
    doubt = reliability.reasons(table["relation"].tolist(), table["probability"])
    return table.assign(known=known, part=part, doubt=doubt)[COLUMNS]
