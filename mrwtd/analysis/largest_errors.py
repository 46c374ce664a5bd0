"""The test entries with the largest errors of a method, in the units of the data."""

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..evaluation.prediction_table import prediction_table
from ..model.method import Method


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
