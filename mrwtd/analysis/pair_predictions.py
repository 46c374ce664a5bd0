"""Answers for someone with a question: what holds between two objects, and which unknown pairs are likeliest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..evaluation.prediction_table import prediction_table
from ..model.method import Method
from ..typing import Int64Array
from .edges import MAX_OBJECTS_FOR_ALL_PAIRS, unknown_pairs
from .reliability import Reliability

COLUMNS = ["source", "relation", "target", "score", "prediction", "probability", "spread", "known", "part", "doubt"]


def predict_pair(
    model: Method, train: RelationalData, test: RelationalData, reliability: Reliability, source: int, target: int
) -> pd.DataFrame:
    """A row a relation: what is predicted from one object to another, what is known, and what to doubt.

    `known` is the value that the data holds, NaN where it holds none, and `part` where that stands: "training",
    "held out" or nothing. `doubt` is empty where the prediction is trusted.

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
        train: what it was trained on.
        test: what was held out.
        reliability: how far the method can be trusted.
        source: the position of one object.
        target: that of another.
    """
    if source == target:
        raise DataError(Problem("an object and itself", "two different objects"))
    every = np.arange(train.n_relations)
    pairs = [
        (source, target) if own.directed else (min(source, target), max(source, target)) for own in train.relations
    ]
    i, j = (np.array(ends) for ends in zip(*pairs, strict=True))
    return _told(model, train, test, reliability, entries_to_predict(train, i, j, every))


def best_unknown_pairs(
    model: Method, train: RelationalData, test: RelationalData, reliability: Reliability, relation: str, top: int = 100,
    *, exclude_test: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """The best-scoring pairs that the model was not trained on, best first, with the columns of `predict_pair`.

    >>> import mrwtd
    >>> from mrwtd.analysis.reliability import assess_reliability
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(train)
    >>> best_unknown_pairs(model, train, test, assess_reliability(model, test), "marriage", top=3)["part"].tolist()
    ['held out', 'held out', 'held out']

    Args:
        model: a fitted method.
        train: what it was trained on.
        test: what was held out.
        reliability: how far the method can be trusted.
        relation: which one.
        top: how many pairs.
        exclude_test: whether to leave out pairs that were held out, whose answer is in the data.
    """
    own = train.select_relations([relation])
    rest = test.select_relations([relation])
    i, j, _, ranked = unknown_pairs(model, own, rest if exclude_test else rest.subset([]), top)
    if not ranked:
        raise DataError(
            Problem(
                f"the best of all pairs of {own.n_objects:,} objects, asked of a method without factors",
                f"a method with factors A, R, or at most {MAX_OBJECTS_FOR_ALL_PAIRS:,} objects",
            )
        )
    found = _told(model, own, rest, reliability, entries_to_predict(own, i, j, np.zeros(i.size, dtype=int)))
    # The mean of an ensemble's probabilities need not rank as the mean of its scores does.
    return found.sort_values(["probability", "score"], ascending=False, ignore_index=True, kind="stable")


def count_unknown_pairs(data: RelationalData, relation: str) -> int:
    """How many pairs of different objects the data says nothing of.

    >>> import mrwtd
    >>> count_unknown_pairs(mrwtd.load_dataset("florentine"), "marriage")
    0
    """
    k = data.relation_index(relation)
    at, n = data.slice(k), data.n_objects
    possible = n * (n - 1) // (1 if data.relations[k].directed else 2)
    return possible - int(np.count_nonzero(data.i[at] != data.j[at]))


def entries_to_predict(data: RelationalData, i: npt.ArrayLike, j: npt.ArrayLike, k: npt.ArrayLike) -> RelationalData:
    """Pairs to predict, as entries with a value that their relation allows.

    >>> import mrwtd
    >>> entries_to_predict(mrwtd.load_dataset("monastery"), [0], [1], [2])
    RelationalData(18 objects, 10 relations, 1 entries)
    """
    binary = np.array([own.kind == "binary" for own in data.relations])
    which = np.asarray(k, dtype=np.intp)
    return RelationalData(data.objects, data.relations, i, j, which, np.where(binary[which], 1.0, 0.0))


def _told(
    model: Method, train: RelationalData, test: RelationalData, trust: Reliability, entries: RelationalData
) -> pd.DataFrame:
    told = prediction_table(model, entries).drop(columns="value")
    told["source"], told["relation"], told["target"] = (
        told[name].astype(str) for name in ("source", "relation", "target")
    )
    known, part = np.full(len(entries), np.nan), np.full(len(entries), "", dtype=object)
    wanted = _numbers(entries)
    for name, data in (("training", observed(train)), ("held out", observed(test))):
        have = _numbers(data)
        # Entries are in order of (k, i, j), and so are their numbers.
        at = np.searchsorted(have, wanted)
        inside = at < have.size
        hit = np.flatnonzero(inside)[have[at[inside]] == wanted[inside]]
        known[hit], part[hit] = data.original_values()[at[hit]], name
    told["known"], told["part"] = known, part
    told["doubt"] = trust.reasons(told["relation"].tolist(), told["probability"])
    return told[COLUMNS]


def _numbers(data: RelationalData) -> Int64Array:
    n = np.int64(data.n_objects)
    return (data.k.astype(np.int64) * n + data.i) * n + data.j
