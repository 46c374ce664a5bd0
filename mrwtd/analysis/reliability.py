"""How far a prediction can be trusted, judged by the held-out pairs.

A probability is trusted where it held true: at least `MIN_PAIRS` held-out pairs of the same relation have a similar
probability (the same tenth), and the fraction of ties among them is within `MAX_GAP` of what was predicted.
A number is trusted where the method predicts the held-out values of its relation better than their mean
does, by the score that tables show first (`main_metric`): MSE ÷ variance below 1, or a MAE in levels below that of
the median. All else is marked, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..evaluation.curves import calibration_bins
from ..metrics import Predictions, main_metric
from ..model.method import Method

MIN_PAIRS = 10
"""Fewer held-out pairs than this tell nothing."""

MAX_GAP = 0.15
"""The largest distance of what was predicted from what came true that passes for honest."""

BINS = 10

RELIABILITY_HELP = (
    f"A probability is trusted where it held true: at least {MIN_PAIRS} held-out pairs of the same relation are in the "
    "same tenth of probability, and the fraction of ties among them is within "
    f"{100 * MAX_GAP:.0f} percentage points of the prediction. "
    "A number is trusted where MSE ÷ variance on the held-out values is below 1, a level where the MAE is "
    "below that of the median: better than one prediction for all pairs. A held-out pair is among those that judge it."
)
"""What trust means, for people."""


@dataclass(frozen=True)
class Reliability:
    """What the held-out pairs say of one method's predictions.

    Attributes:
        bins: the rows of `calibration_bins`.
        gains: by relation that is not binary, how much better than by a constant its held-out values are predicted
            (`Metric.gain` of the main metric): 1 is perfect, 0 no better. NaN where there is nothing to judge by. For
            counts that is not the deviance, which a prediction far beyond all counts hardly changes.
        flat: the binary relations whose held-out pairs all have one score, as after a collapse.
    """

    bins: pd.DataFrame
    gains: dict[str, float]
    flat: frozenset[str] = frozenset()

    def reason(self, relation: str, probability: float) -> str:
        """Why a prediction is not to be trusted; empty where it is.

        >>> bins = pd.DataFrame({"relation": ["r"], "low": [0.5], "high": [0.6], "predicted": [0.55],
        ...                      "observed": [0.2], "entries": [40]})
        >>> Reliability(bins, {}).reason("r", 0.52)
        '20% of 40 such pairs were ties'
        >>> Reliability(bins, {}).reason("r", 0.91)
        'no such pair was held out'
        """
        if relation in self.flat:
            return "all pairs have one score"
        if np.isnan(probability):
            return self._without_probability(relation)
        own = self.bins[self.bins["relation"] == relation]
        # The last bin holds its upper end as well.
        like = own[(own["low"] <= probability) & ((probability < own["high"]) | (own["high"] >= 1))]
        if like.empty:
            return "no such pair was held out"
        found = like.iloc[0]
        if found["entries"] < MIN_PAIRS:
            count = int(found["entries"])
            return f"only {count} such pair{'s were' if count != 1 else ' was'} held out"
        if abs(found["observed"] - found["predicted"]) > MAX_GAP:
            return f"{found['observed']:.0%} of {found['entries']:,.0f} such pairs were ties"
        return ""

    def reasons(self, relations: pd.Series | list[str], probability: npt.ArrayLike) -> list[str]:
        """`reason` for many predictions."""
        given = np.asarray(probability, dtype=np.float64)
        # Predictions of one relation and one bin share their reason.
        bins = np.where(np.isnan(given), -1, np.clip(np.nan_to_num(given) * BINS, 0, BINS - 1).astype(int))
        known: dict[tuple[str, int], str] = {}
        told = []
        for relation, own, bin_ in zip(relations, given, bins, strict=True):
            key = (str(relation), int(bin_))
            if key not in known:
                known[key] = self.reason(str(relation), float(own))
            told.append(known[key])
        return told

    def _without_probability(self, relation: str) -> str:
        if relation not in self.gains:
            return "the method gives no probability"
        gain = self.gains[relation]
        if np.isnan(gain):
            return "nothing held out to judge it by"
        return "" if gain > 0 else "no better than the average"


def assess_reliability(model: Method, test: RelationalData) -> Reliability:
    """Judge a method by held-out entries.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> assess_reliability(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test).reason("marriage", 0.99)
    'only 3 such pairs were held out'
    """
    test = observed(test)
    bins = calibration_bins(model, test, bins=BINS)
    x, predicted, _ = model.predict_all(test)
    gains, flat = dict[str, float](), set[str]()
    for k, relation in enumerate(test.relations):
        part = test.slice(k)
        if relation.kind != "binary":
            predictions = Predictions(relation.kind, test.y[part], x[part], predicted[part])
            gains[relation.name] = main_metric(relation.kind).gain(predictions)
        elif x[part].size > 1 and np.ptp(x[part]) == 0:
            flat.add(relation.name)
    return Reliability(bins, gains, frozenset(flat))
