"""`evaluate`: the scores of a fitted method by relation, and their mean over the relations."""

from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from ..data.arguments import short_repr
from ..data.negatives import represented_pairs, sampled_pairs
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..metrics import METRICS, Predictions, metrics_of
from ..model.method import Method
from ..model.threads import SERIAL_BELOW, thread_map, threads_for
from ..typing import Array

COLUMNS = {
    "relation": "str",
    "kind": "str",
    "metric": "str",
    "value": "float64",
    "entries": "Int64",
    "positives": "Int64",
    "sampled_pairs": "Int64",
    "reason": "str",
    "held_out": "str",
}
"""The columns of `evaluate`, with their types."""

PARTS = 16
"""Large test data is split into this many parts of neighbouring relations, for any number of threads."""

VALUE_COLUMNS = (
    "relation", "value", "entries", "positives", "sampled_pairs", "reason", "held_out", "lam", "seconds", "evaluations",
    "messages",
)  # fmt: skip
"""Columns that vary within an average; every other column identifies the average."""


def evaluate(model: Method, test: RelationalData) -> pd.DataFrame:
    """One row for each relation of the test entries and each metric of its kind.

    Columns: relation, kind, metric (its name in `mrwtd.metrics.METRICS`), value, entries, positives (of binary
    relations), sampled_pairs, reason (why the value is NaN, else empty) and held_out (what the split held out: "entry",
    or "pair" for both directions together). Relations whose test entries are all of one class have no scores. Entries
    of weight 0 are left out; all others count the same, except negatives sampled from unlisted pairs: each counts as
    the pairs that it represents, and `sampled_pairs` is their number. There is no row for averages: see
    `mrwtd.evaluation.average`.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> scores = evaluate(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    >>> scores.query("metric == 'auprc'")[["relation", "entries", "positives"]]
       relation  entries  positives
    0  business       42          8
    7  marriage       42          9
    """
    if not isinstance(model, Method):
        raise DataError(Problem(f"{short_repr(model)} as a model", "a fitted method, such as mrwtd.MrWTD().fit(train)"))
    if not isinstance(test, RelationalData):
        raise DataError(Problem(f"{type(test).__name__} as test data", "RelationalData, such as a part of data.split"))
    test = test.observed()
    parts = [test] if len(test) < SERIAL_BELOW else _split_by_relation(test, PARTS)
    rows = [row for part in thread_map(partial(_rows, model), parts, threads_for(len(test))) for row in part]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _split_by_relation(test: RelationalData, parts: int) -> list[RelationalData]:
    """The entries in parts of neighbouring relations, of about equal size."""
    edges = np.unique(np.searchsorted(test.bounds, np.linspace(0, len(test), parts + 1)))
    names = [relation.name for relation in test.relations]
    return [test.select_relations(names[first:end]) for first, end in pairwise([0, *edges[1:-1].tolist(), len(names)])]


def _rows(model: Method, test: RelationalData) -> list[dict[str, object]]:
    outputs, rows = model.predict_all(test), list[dict[str, object]]()
    for k, relation in enumerate(test.relations):
        predictions = predictions_of(test, k, outputs)
        y = predictions.y
        common = {
            "relation": relation.name,
            "kind": relation.kind,
            "entries": y.size,
            "positives": np.count_nonzero(y > 0) if relation.kind == "binary" else None,
            "sampled_pairs": sampled_pairs(test, k),
            "held_out": test.drawn_by.get(relation.name, ""),
        }
        for metric in metrics_of(relation.kind):
            score = metric.score(predictions)
            value, reason = (np.nan, score) if isinstance(score, str) else (score, "")
            rows.append(common | {"metric": metric.name, "value": value, "reason": reason})
    return rows


def predictions_of(test: RelationalData, k: int, outputs: tuple[Array, Array, Array]) -> Predictions:
    """The predictions for relation k, given those of `Method.predict_all` for all test entries."""
    part, (x, predicted, probability) = test.slice(k), outputs
    kind, pairs = test.relations[k].kind, represented_pairs(test, k)
    return Predictions(kind, test.y[part], x[part], predicted[part], probability[part], pairs)


def average(frame: pd.DataFrame) -> pd.DataFrame:
    """The mean of each metric over the relations of a kind, as in the paper, of scores from `evaluate` or `compare`.

    The mean covers `relations` of `out_of` relations: those without a score are left out, and the average of none is
    NaN.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> means = average(evaluate(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test))
    >>> means.loc[means["metric"] == "auprc", ["kind", "metric", "relations", "out_of"]]
         kind metric  relations  out_of
    0  binary  auprc          2       2
    """
    scores = frame[frame["metric"] != ""]  # a failed method has a row without a metric
    keys = [name for name in frame.columns if name not in VALUE_COLUMNS]
    grouped = scores.groupby(keys, sort=False, dropna=False, observed=True)["value"]
    return grouped.agg(value="mean", relations="count", out_of="size").reset_index()


def summarize_scores(scores: pd.DataFrame) -> dict[str, float]:
    """One number per method, for lists of runs: the mean over the relations of the first main metric with values.

    >>> rows = [("MrWTD", "auprc", 0.5), ("MrWTD", "auprc", 0.7), ("MrWTD", "brier", 0.1)]
    >>> summarize_scores(pd.DataFrame(rows, columns=["method", "metric", "value"]))
    {'MrWTD': 0.6}
    """
    for metric in (metric for metric in METRICS.values() if metric.main_for):
        rows = scores[(scores["metric"] == metric.name) & scores["value"].notna()]
        if len(rows):
            means = rows.groupby("method", sort=False)["value"].mean()
            return {str(method): round(float(value), 6) for method, value in means.items()}
    return {}
