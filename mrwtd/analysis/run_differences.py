"""Two runs side by side: what was asked differently, and what came out differently."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.relations import KINDS
from ..metrics import METRICS, main_metric

EVEN = 5e-4
"""Scores that differ by less are shown alike: neither is better."""

NONE = "–"
"""What stands for a setting that only the other run has."""


def setting_differences(one: Mapping[str, object], two: Mapping[str, object]) -> pd.DataFrame:
    """The settings that differ, a row each: setting, A, B.

    >>> setting_differences({"rank": "5", "lam": "auto"}, {"rank": "9", "lam": "auto", "seed": "1"})
      setting  A  B
    0    rank  5  9
    1    seed  –  1
    """
    names = dict.fromkeys([*one, *two])
    rows = [(name, str(one.get(name, NONE)), str(two.get(name, NONE))) for name in names]
    return pd.DataFrame([row for row in rows if row[1] != row[2]], columns=["setting", "A", "B"], dtype="str")


def score_differences(one: pd.DataFrame, two: pd.DataFrame) -> pd.DataFrame:
    """What changed in the main score of each relation from run A to run B.

    Both are frames of `mrwtd.evaluate`, of one method each. Columns: relation, kind, metric, A, B, change (B − A) and
    `better`, which is "A", "B", or empty where they are as good as equal or one of them has no score. Relations
    that only one of the runs has are there, with NaN for the other.

    >>> one = pd.DataFrame({"relation": ["likes"], "kind": ["binary"], "metric": ["auprc"], "value": [0.5]})
    >>> score_differences(one, one.assign(value=0.75))
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
        for frame, name in ((one, "A"), (two, "B"))
    ]
    # The order of A, then what only B has: a merge would sort the relations by name.
    order = pd.concat([part[keys] for part in parts]).drop_duplicates()
    both = order.merge(parts[0], how="left", on=keys).merge(parts[1], how="left", on=keys)
    both["change"] = both["B"] - both["A"]
    signs = [1.0 if METRICS[name].direction == "higher" else -1.0 for name in both["metric"]]
    gained = both["change"] * signs
    both["better"] = np.select([gained > EVEN, gained < -EVEN], ["B", "A"], "")
    return both
