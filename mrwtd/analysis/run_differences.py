"""The differences of two runs: settings and scores."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.relations import KINDS
from ..metrics import METRICS, main_metric

TOLERANCE = 5e-4
"""Scores that differ by less are equal when rounded: neither is better."""

MISSING = "–"
"""The value of a setting that only the other run has."""


def setting_differences(a: Mapping[str, object], b: Mapping[str, object]) -> pd.DataFrame:
    """The settings that differ, one row each: setting, A, B.

    >>> setting_differences({"rank": "5", "lam": "auto"}, {"rank": "9", "lam": "auto", "seed": "1"})
      setting  A  B
    0    rank  5  9
    1    seed  –  1
    """
    names = dict.fromkeys([*a, *b])
    rows = [(name, str(a.get(name, MISSING)), str(b.get(name, MISSING))) for name in names]
    return pd.DataFrame([row for row in rows if row[1] != row[2]], columns=["setting", "A", "B"], dtype="str")


def score_differences(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """The change of the main score of each relation from run A to run B.

    Both are frames from `mrwtd.evaluate`, of one method each. Columns: relation, kind, metric, A, B, change (B − A) and
    `better`, which is "A", "B", or empty if they are equal when rounded or one of them has no score. Relations of only
    one of the runs have NaN for the other.

    >>> scores = pd.DataFrame({"relation": ["likes"], "kind": ["binary"], "metric": ["auprc"], "value": [0.5]})
    >>> score_differences(scores, scores.assign(value=0.75))
      relation    kind metric    A     B  change better
    0    likes  binary  auprc  0.5  0.75    0.25      B
    """
    keys = ["relation", "kind", "metric"]
    main = pd.DataFrame([(kind, main_metric(kind).name) for kind in KINDS], columns=["kind", "metric"])
    parts = [
        frame[[*keys, "value"]]
        .astype({"relation": "str"})
        .merge(main, on=["kind", "metric"])
        .rename(columns={"value": name})
        for frame, name in ((a, "A"), (b, "B"))
    ]
    # The order of A, then the relations of B alone: a merge would sort the relations by name.
    order = pd.concat([part[keys] for part in parts]).drop_duplicates()
    both = order.merge(parts[0], how="left", on=keys).merge(parts[1], how="left", on=keys)
    both["change"] = both["B"] - both["A"]
    signs = [1.0 if METRICS[name].direction == "higher" else -1.0 for name in both["metric"]]
    gain = both["change"] * signs
    both["better"] = np.select([gain > TOLERANCE, gain < -TOLERANCE], ["B", "A"], "")
    return both
