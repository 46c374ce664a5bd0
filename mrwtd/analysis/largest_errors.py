"""The test entries about which a method is most wrong, in the words of the data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..evaluation.prediction_table import prediction_table
from ..model.method import Method
from ..typing import Array, IndexArray


def largest_errors(
    model: Method, test: RelationalData, relation: str, top: int = 50, threshold: float = 0.0
) -> pd.DataFrame:
    """The `top` entries of a relation whose prediction is furthest from the truth, the worst first.

    Of a binary relation, those on the wrong side of the threshold, and `error` is how far beyond it the score lies;
    `outcome` says whether they are missed ties or false alarms. Of the other kinds, `error` is prediction minus
    value, in levels or in the unit of the data, and `outcome` says whether that is too high or too low.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> found = largest_errors(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, "marriage", top=3)
    >>> found.columns.tolist()
    ['source', 'target', 'value', 'prediction', 'score', 'probability', 'error', 'outcome']
    >>> bool((found["error"].diff().dropna() <= 0).all())
    True
    """
    own = observed(test.select_relations([relation]))
    binary = own.relations[0].kind == "binary"
    if binary:
        x = model.decision_function(own)
        size = np.where((x >= threshold) != (own.y > 0), np.abs(x - threshold), -np.inf)
        error = size
    else:
        error = model.predict(own) - own.y
        size = np.where(error == 0, -np.inf, np.abs(error))
    worst = _largest(size, top)
    # Entries keep their order in `take`, so the rows have to be put in ours.
    rows = prediction_table(model, own.subset(worst)).drop(columns=["relation", "spread"])
    rows["error"] = error[np.sort(worst)]
    high = rows["score"] >= threshold if binary else rows["error"] > 0
    words = ("false alarm", "missed") if binary else ("too high", "too low")
    rows["outcome"] = np.where(high, *words)
    if binary:
        rows["prediction"] = np.where(high, 1.0, -1.0)
    place = np.argsort(np.argsort(worst))
    rows = rows.iloc[place].reset_index(drop=True)
    return rows[["source", "target", "value", "prediction", "score", "probability", "error", "outcome"]]


def _largest(size: Array, top: int) -> IndexArray:
    """Positions of the largest finite numbers, the largest first; of equal ones, the first."""
    some = np.argpartition(-size, top - 1)[:top] if size.size > top else np.arange(size.size)
    some = some[np.isfinite(size[some])]
    return some[np.lexsort((some, -size[some]))]
