"""Predictions for pairs of objects: of one pair, the best of unknown pairs, the largest errors, and explanations."""

import numpy as np
import pandas as pd

from ..data.possible_pairs import possible_pairs
from ..data.relational import RelationalData
from ..data.validation import entry_keys
from ..errors import DataError, Problem
from ..evaluation.prediction_table import entries_to_predict, prediction_table
from ..model.explanation import Explanation
from ..model.factor_model import FactorModel
from ..model.method import Method
from ..model.mrwtd import MrWTD
from .edges import MAX_OBJECTS_FOR_ALL_PAIRS, unknown_pairs
from .projection import principal_axes
from .reliability import Reliability

COLUMNS = ["source", "relation", "target", "score", "prediction", "probability", "spread", "known", "part", "doubt"]


def predict_pair(
    model: Method, train: RelationalData, test: RelationalData, reliability: Reliability, source: int, target: int
) -> pd.DataFrame:
    """One row per relation that can connect two objects: the prediction, the known value, and a doubt.

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
    pairs = [(k, pair) for k in range(train.n_relations) if (pair := pair_of(train, k, source, target))]
    i, j = (np.array([pair[end] for _, pair in pairs], dtype=np.int64) for end in (0, 1))
    return _table(model, train, test, reliability, entries_to_predict(train, i, j, [k for k, _ in pairs]))


def pair_of(
    data: RelationalData, k: int, source: int, target: int, *, with_self: bool = False
) -> tuple[int, int] | None:
    """Two objects as relation k stores the pair; None if it cannot connect them.

    The order counts only if the relation has both directions: it has one in undirected relations, and in relations
    between two types of objects.

    >>> import mrwtd
    >>> pair_of(mrwtd.load_dataset("florentine"), 0, 5, 2)
    (2, 5)
    """
    possible = possible_pairs(data, k, with_self)
    orders = ((source, target), (target, source))
    if possible.is_two_mode or not possible.directed:
        return next((pair for pair in orders if possible.contains(*pair)), None)
    return orders[0] if possible.contains(*orders[0]) else None


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
        actual = f"a method without factors and {train.n_objects:,} objects, too many to rank all pairs"
        expected = f"a method with latent factors, such as MrWTD, or at most {MAX_OBJECTS_FOR_ALL_PAIRS:,} objects"
        raise DataError(Problem(actual, expected))
    table = _table(model, train, test, reliability, entries_to_predict(train, i, j))
    # The mean probability of an ensemble need not rank pairs as its mean score does.
    return table.sort_values(["probability", "score"], ascending=False, ignore_index=True, kind="stable")


def count_unknown_pairs(data: RelationalData, relation: str) -> int:
    """The number of possible pairs of different objects without an entry.

    >>> import mrwtd
    >>> count_unknown_pairs(mrwtd.load_dataset("florentine"), "marriage")
    0
    """
    data = data.select_relations([relation])
    return possible_pairs(data, 0).count - int(np.count_nonzero(data.i != data.j))


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


def largest_errors(
    model: Method, test: RelationalData, relation: str, top: int = 50, threshold: float = 0.0
) -> pd.DataFrame:
    """The `top` entries of a relation whose prediction is furthest from the truth, the worst first.

    For a binary relation, these are entries on the wrong side of the threshold: `error` is the distance of the score
    from it, and `outcome` is "missed" or "false alarm". For other kinds, `error` is prediction minus value, in levels
    or in the unit of the data, and `outcome` is "too high" or "too low".

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> errors = largest_errors(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, "marriage", top=3)
    >>> errors.columns.tolist()
    ['source', 'target', 'value', 'prediction', 'score', 'probability', 'error', 'outcome']
    >>> bool((errors["error"].diff().dropna() <= 0).all())
    True
    """
    entries = test.select_relations([relation]).observed()
    binary = entries.relations[0].kind == "binary"
    if binary:
        x = model.decision_function(entries)
        error = size = np.where((x >= threshold) != (entries.y > 0), np.abs(x - threshold), -np.inf)
    else:
        error = model.predict(entries) - entries.y
        size = np.where(error == 0, -np.inf, np.abs(error))
    worst = np.argpartition(-size, top - 1)[:top] if size.size > top else np.arange(size.size)
    worst = worst[np.isfinite(size[worst])]
    worst = worst[np.lexsort((worst, -size[worst]))]
    # `subset` keeps the order of the entries, so the rows are sorted afterwards.
    rows = prediction_table(model, entries.subset(worst)).drop(columns=["relation", "spread"])
    rows["error"] = error[np.sort(worst)]
    high = rows["score"] >= threshold if binary else rows["error"] > 0
    rows["outcome"] = np.where(high, *(("false alarm", "missed") if binary else ("too high", "too low")))
    if binary:
        rows["prediction"] = np.where(high, 1.0, -1.0)
    rows = rows.iloc[np.argsort(np.argsort(worst))].reset_index(drop=True)
    return rows[["source", "target", "value", "prediction", "score", "probability", "error", "outcome"]]


def explain_prediction(
    model: Method, source: str, target: str, relation: str, train: RelationalData | None = None
) -> Explanation | None:
    """The contributions to a prediction, or None if the method cannot explain it.

    The columns of A have no order and no meaning alone, so contributions of factors are given along the principal axes
    of A. They add up to the same score.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = explain_prediction(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "Medici", "Ridolfi", "marriage")
    >>> bool(abs(why.bias + why.factors["contribution"].sum() - why.x) < 1e-9)
    True
    """
    if not isinstance(model, FactorModel):
        return None
    # Only MrWTD can attribute a score to single training entries.
    known = train if isinstance(model, MrWTD) else None
    return model.explain(source, target, relation, known, principal_axes(model.A_).basis)


def known_relationships(why: Explanation, top: int = 8) -> pd.DataFrame:
    """The known relationships of both objects with the largest contributions.

    Columns: of, source, relation, target, value, contribution. `of` is the object whose factors they shape. The
    contributions of each object alone add up to the score, so the two lists are two explanations of the same score.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = explain_prediction(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "Medici", "Ridolfi", "marriage")
    >>> known_relationships(why, top=2)["of"].tolist()
    ['Medici', 'Medici', 'Ridolfi', 'Ridolfi']
    """
    sides = [(why.source, why.source_entries), (why.target, why.target_entries)]
    parts = [entries.head(top).assign(of=name) for name, entries in sides if len(entries)]
    columns = ["of", "source", "relation", "target", "value", "contribution"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)
