"""How far a prediction can be trusted, judged by the held-out pairs.

A probability is trusted where it held true: at least `MIN_PAIRS` held-out pairs of the same relation have a similar
probability (the same tenth), and the fraction of ties among them is within `MAX_GAP` of what was predicted.
A number is trusted if the method predicts the held-out values of its relation better than their mean, by the main
metric of tables (`main_metric`): MSE ÷ variance below 1, or an MAE in levels below that of the median. All other
predictions are marked, with the reason.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from ..evaluation.curves import calibration_bins
from ..evaluation.evaluate import predictions_of
from ..metrics import main_metric
from ..model.method import Method

MIN_PAIRS = 10
"""The smallest number of held-out pairs to judge by."""

MAX_GAP = 0.15
"""The largest difference of predicted and observed fractions that counts as reliable."""

UNTESTED = "nothing held out to judge it by"

BINS = 10
EDGES = np.linspace(0, 1, BINS + 1)

RELIABILITY_HELP = (
    f"A probability is trusted where it held true: at least {MIN_PAIRS} held-out pairs of the same relation are in the "
    "same tenth of probability, and the fraction of ties among them is within "
    f"{100 * MAX_GAP:.0f} percentage points of the prediction. "
    "A number is trusted where MSE ÷ variance on the held-out values is below 1, a level where the MAE is "
    "below that of the median: better than one prediction for all pairs. The prediction of a held-out pair is judged "
    "by that pair, too."
)
"""The meaning of "trusted", for users."""


@dataclass(frozen=True)
class Reliability:
    """How far the predictions of one method can be trusted, by its held-out pairs.

    Attributes:
        bins: the rows of `calibration_bins`.
        gains: for each relation that is not binary, the gain over a constant prediction of its held-out values
            (`Metric.gain` of the main metric): 1 is perfect, 0 is no gain, NaN means nothing is held out. For counts
            this is not the deviance, which a prediction far above all counts hardly changes.
        flat: the binary relations whose held-out pairs all have the same score, as after a collapse.
        tested: whether anything is held out.
    """

    bins: pd.DataFrame
    gains: dict[str, float]
    flat: frozenset[str] = frozenset()
    tested: bool = True

    @cached_property
    def _by_bin(self) -> dict[tuple[str, int], dict[str, Any]]:
        rows: list[dict[str, Any]] = self.bins.to_dict("records")  # type: ignore[assignment]
        return {(row["relation"], round(row["low"] * BINS)): row for row in rows}

    def reason(self, relation: str, probability: float) -> str:
        """The reason not to trust a prediction; empty if it is trusted.

        >>> bins = pd.DataFrame({"relation": ["r"], "low": [0.5], "high": [0.6], "predicted": [0.55],
        ...                      "observed": [0.2], "entries": [40]})
        >>> Reliability(bins, {}).reason("r", 0.52)
        '20% of 40 such pairs were ties'
        >>> Reliability(bins, {}).reason("r", 0.91)
        'no such pair was held out'
        """
        if not self.tested:
            return UNTESTED
        if relation in self.flat:
            return "all pairs have one score"
        if np.isnan(probability):
            return self._without_probability(relation)
        # The last bin includes its upper end.
        number = min(int(np.searchsorted(EDGES, probability, side="right")) - 1, BINS - 1)
        row = self._by_bin.get((relation, number))
        if row is None:
            return "no such pair was held out"
        observed_fraction, entries = row["observed"], row["entries"]
        if entries < MIN_PAIRS:
            return f"only {entries} such pair{'s were' if entries != 1 else ' was'} held out"
        if abs(observed_fraction - row["predicted"]) > MAX_GAP:
            return f"{observed_fraction:.0%} of {entries:,} such pairs were ties"
        # One more sampled negative must not change the verdict: it would represent many pairs.
        represented, largest = row.get("represented", entries), row.get("largest", 1.0)
        if largest > 1 and abs(observed_fraction * represented / (represented + largest) - row["predicted"]) > MAX_GAP:
            return "too few sampled pairs to judge it by"
        return ""

    def reasons(self, relations: pd.Series | list[str], probability: npt.ArrayLike) -> list[str]:
        """`reason` for many predictions."""
        values = np.asarray(probability, dtype=np.float64).tolist()
        return [self.reason(str(relation), value) for relation, value in zip(relations, values, strict=True)]

    def _without_probability(self, relation: str) -> str:
        if relation not in self.gains:
            return "the method gives no probability"
        gain = self.gains[relation]
        if np.isnan(gain):
            return UNTESTED
        return "" if gain > 0 else "no better than the average"


def assess_reliability(model: Method, test: RelationalData) -> Reliability:
    """Assess the predictions of a method on held-out entries.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> assess_reliability(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test).reason("marriage", 0.99)
    'only 3 such pairs were held out'
    """
    test = test.observed()
    bins = calibration_bins(model, test, bins=BINS)
    outputs = model.predict_all(test)
    gains, flat = dict[str, float](), set[str]()
    for k, relation in enumerate(test.relations):
        predictions = predictions_of(test, k, outputs)
        if relation.kind != "binary":
            gains[relation.name] = main_metric(relation.kind).gain(predictions)
        elif predictions.x.size > 1 and np.ptp(predictions.x) == 0:
            flat.add(relation.name)
    return Reliability(bins, gains, frozenset(flat), tested=len(test) > 0)
