"""What the sections show, computed once for each run and kept."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from mrwtd.data.relational import RelationalData
from mrwtd.evaluation.curves import calibration_bins, precision_recall_curve
from mrwtd.evaluation.jackknife import MAIN
from mrwtd.evaluation.measures import counted
from mrwtd.evaluation.standings import MEAN, one_split
from mrwtd.plots.standings import NAMES

from .. import datasets, inputs
from ..results import Result
from ..words import joined, plain

Vector = npt.NDArray[np.float64]

PANEL_POINTS = 300
"""Points kept of each curve of a small panel."""

SCORES = (
    "AUPRC is the area under the precision-recall curve: 1 is perfect, the share of ties is guessing. MAE is how far "
    "levels are off: 0 is perfect. MSE ÷ variance is the squared error, where 1 is that of always saying the mean. λ "
    "is the strength of the regularisation, – where a method has none."
)
"""What the numbers of comparisons are, in short."""


def binary(result: Result) -> list[str]:
    """The binary relations with ties and no ties among the test entries: those that have a curve."""
    rows = result.scores
    return list(dict.fromkeys(rows.loc[(rows["metric"] == "auprc") & rows["value"].notna(), "relation"].astype(str)))


def choose_relation(result: Result, names: list[str]) -> str:
    """The relation that is looked at, of those given."""
    within = datasets.choices(result.run.settings["data"])
    first = within.relations[within.begin]
    begin = names.index(first) if first in names else 0
    return inputs.choose("Relation", "relation", names, begin=begin, hint="The relation whose test entries are shown")


def choose_method(result: Result, hint: str) -> str:
    """The method that is looked at."""
    return inputs.choose("Method", "method", tuple(result.models), hint=hint)


def standings(result: Result) -> pd.DataFrame:
    """Scores of all methods by relation, with the best and its ties."""
    return _standings(result.key, result)


def answers(result: Result, method: str, relation: str) -> tuple[Vector, Vector]:
    """Truth and score of each test entry of a relation."""
    test, x = _answers(result.key, method, result)
    at = test.slice(test.relation_index(relation))
    return test.y[at], x[at]


def curves(result: Result) -> pd.DataFrame:
    """Precision and recall of every method and binary relation: method, relation, threshold, precision, recall."""
    return _curves(result.key, "", PANEL_POINTS, result)


def curves_of(result: Result, relation: str) -> pd.DataFrame:
    """The same of one relation, in more detail."""
    return _curves(result.key, relation, 1_000, result)


def bins(result: Result, relation: str) -> pd.DataFrame:
    """Predicted probabilities against what came true, of the methods that give any."""
    return _bins(result.key, relation, result)


def base_rates(result: Result) -> dict[str, float]:
    """The share of ties among the test entries of each binary relation."""
    rows = result.scores[result.scores["metric"] == "auprc"].drop_duplicates("relation")
    shares = pd.to_numeric(rows["positives"]) / pd.to_numeric(rows["entries"])
    return dict(zip(rows["relation"].astype(str), shares.astype(float), strict=True))


def scores_frame(test: RelationalData, x: Vector) -> pd.DataFrame:
    """Test entries with their scores, for a download."""
    return test.to_frame().drop(columns="weight").assign(score=x)


def written(score: float) -> str:
    """A score as people read it: what is beyond all bounds is not spelled out.

    >>> written(0.5), written(50_018_542.994), written(np.nan)
    ('0.500', 'over 1,000', '–')
    """
    if not np.isfinite(score):
        return "–"
    return f"{score:.3f}" if score < 1_000 else "over 1,000"


def verdict(found: pd.DataFrame, where: str) -> str:
    """Who is best on average, and by how much, in a sentence for each kind of score. They begin with `where`."""
    sentences = []
    for kind, own in found[found["value"].notna()].groupby("kind", sort=False):
        metric, means = MAIN[str(kind)], own[own["relation"] == MEAN]
        if means.empty:
            continue
        ranked = means.sort_values("value", ascending=metric != "auprc")
        best, rest = ranked.iloc[0], ranked.iloc[1:]
        # The mean is over the relations that every method has a score for.
        scored = own[own["relation"] != MEAN].groupby("relation")["method"].nunique()
        n = int((scored == len(means)).sum())
        over = f"the {kind} relation" if n == 1 else f"{n} {kind} relations"
        what = average(metric, n)
        which = "the best" if len(rest) else "a" if n > 1 else "an"
        said = f"**{plain(str(best.method))}** has {which} {what} of {over}: **{written(best.value)}**"
        if metric == "nmse" and best.value >= 1:
            said += " (1 or more: no better than always saying the mean)"
        if len(rest):
            tied = rest.loc[rest["tied_with_best"], "method"]
            after = rest[~rest["tied_with_best"]]
            said += f", tied with {joined(tied)}" if len(tied) else ""
            if len(after):
                level = after.loc[after["value"].map(written) == written(after.iloc[0].value), "method"]
                are = "next is" if len(level) == 1 else "next are"
                said += f"; {are} {joined(level)} with {written(after.iloc[0].value)}"
        sentences.append(said + ".")
    return f"{where} {' '.join(sentences)}" if sentences else "No test entry of this run can be scored."


def average(metric: str, n: int) -> str:
    """What a score over so many relations is called.

    >>> average("auprc", 3), average("auprc", 1)
    ('mean AUPRC', 'AUPRC')
    """
    return NAMES[metric] if n == 1 else f"mean {NAMES[metric]}"


@st.cache_data(show_spinner="Comparing the methods …", max_entries=20)
def _standings(key: str, _result: Result) -> pd.DataFrame:  # noqa: ARG001
    return one_split(_result.models, _result.test)


@st.cache_resource(show_spinner=False, max_entries=6)
def _answers(key: str, method: str, _result: Result) -> tuple[RelationalData, Vector]:  # noqa: ARG001
    test = counted(_result.test)
    return test, _result.models[method].decision_function(test)


@st.cache_resource(show_spinner="Drawing the curves …", max_entries=40)
def _curves(key: str, relation: str, points: int, _result: Result) -> pd.DataFrame:  # noqa: ARG001
    test = _result.test.only([relation]) if relation else _result.test
    parts = [
        precision_recall_curve(model, test, points).assign(method=label) for label, model in _result.models.items()
    ]
    return pd.concat(parts, ignore_index=True)[["method", "relation", "threshold", "precision", "recall"]]


@st.cache_data(show_spinner=False, max_entries=40)
def _bins(key: str, relation: str, _result: Result) -> pd.DataFrame:  # noqa: ARG001
    test = _result.test.only([relation])
    parts = [calibration_bins(model, test).assign(method=label) for label, model in _result.models.items()]
    return pd.concat(parts, ignore_index=True)
