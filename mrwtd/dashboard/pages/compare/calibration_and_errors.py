"""Right and wrong: calibration, the four outcomes at a threshold, and the entries that are most wrong."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
import streamlit as st

from ....analysis.interpretation import number
from ....analysis.largest_errors import most_wrong
from ....evaluation.prediction_table import predictions
from ....evaluation.thresholds import confusion
from ....metrics import Metric, metrics_of
from ....plots.calibration import calibration, confusion_table, predicted_vs_true
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import joined, plain
from . import compare_cache
from .pr_curves import numbers, threshold_slider

TOP = 50
WORSE = "worse than the mean"
THOUSANDS = 1_000.0
"""Where there are values as large as this, they are written without decimals."""
SCORE = "What the method ranks pairs by, without unit: at the threshold and above it calls a pair a tie"


def show(result: Result) -> None:
    """For a binary relation probabilities and calls against the truth, for others numbers against numbers."""
    left, middle, right = st.columns([3, 3, 4])
    with left:
        relation = compare_cache.choose_relation(result, [one.name for one in result.data.relations])
    with middle:
        method = compare_cache.choose_method(result, "The method whose predictions are examined")
    kind = result.data.relations[result.data.relation_index(relation)].kind
    y, x = compare_cache.answers(result, method, relation)
    if not y.size:
        st.info("This relation has no test entries.", icon=":material/info:")
        return
    threshold = 0.0
    if kind == "binary":
        with right:
            threshold = threshold_slider(result, method)
        one, two = st.columns([5, 4], gap="medium")
        with one:
            _calibration(result, method, relation)
        with two:
            at = confusion(y, x, threshold)
            figures.show(
                confusion_table(at, dark=figures.dark()),
                f"confusion-{relation}",
                alt=f"{at.hits} hits, {at.misses} missed, {at.false_alarms} false alarms, {at.rejections} left out",
                height=230,
                data=pd.DataFrame([{"relation": relation, "method": method, "threshold": threshold, **asdict(at)}]),
                caption="Test entries at the threshold; the stronger the blue, the larger their share of the row.",
            )
            numbers(at)
    else:
        _numbers(result, method, relation, kind)
    _mistakes(result, method, relation, threshold, kind)


def _calibration(result: Result, method: str, relation: str) -> None:
    bins = compare_cache.bins(result, relation)
    silent = [name for name in result.models if name not in set(bins["method"])]
    without = f"{plain(joined(silent))} {'gives' if len(silent) == 1 else 'give'} no probability" if silent else ""
    if bins.empty:
        st.info(
            f"{without} of a tie for this relation. Train MrWTD with the logistic loss, whose x is the log-odds of a "
            "tie, to see how well its probabilities hold.",
            icon=":material/info:",
        )
        return
    scores = result.scores
    brier = scores[(scores["metric"] == "brier") & (scores["relation"] == relation) & scores["value"].notna()]
    rate = compare_cache.base_rates(result).get(relation, float("nan"))
    told = ", ".join(f"{plain(str(row.method))} {row.value:.4f}" for row in brier.itertuples())
    figures.show(
        calibration(bins, method, dark=figures.dark()),
        f"calibration-{relation}",
        alt=f"Share of pairs of {relation} that are ties, by their predicted probability",
        data=bins,
        height=400,
        caption=f"On the dotted line, a probability means what it says. Brier score (mean squared error of the "
        f"probability, lower is better): {told}; always saying the base rate scores {rate * (1 - rate):.4f}."
        + (f" {without}." if without else ""),
    )


def _numbers(result: Result, method: str, relation: str, kind: str) -> None:
    rows = _predicted(result, method, relation)
    own = result.scores[(result.scores["relation"] == relation) & (result.scores["method"] == method)]
    values = own.set_index("metric")["value"]
    picture, facts = st.columns([7, 3], gap="medium")
    with picture:
        figures.show(
            predicted_vs_true(
                rows["value"].to_numpy(), rows["prediction"].to_numpy(), relation, levels=kind == "ordinal",
                dark=figures.dark(),
            ),
            f"predicted-{relation}",
            alt=f"Predicted against true values of {relation}",
            data=rows,
            height=380,
            caption="Numbers: test entries. Colours: their share of the row, which has all of one true level. On the "
            "diagonal the level is right."
            if kind == "ordinal"
            else "Test entries; on the dotted line the prediction is right.",
        )  # fmt: skip
    with facts:
        for metric in metrics_of(kind):
            if metric.quantity != "score" and metric.name in values:
                _fact(metric, values[metric.name])


def _fact(metric: Metric, value: float) -> None:
    worse = metric.worse_than_constant(value)
    share = "none" if worse else f"{value:.1%}"
    text = share if metric.quantity == "share" else number(value, 3)
    st.metric(metric.title, text, WORSE if worse else None, "inverse", delta_arrow="off", help=metric.help)


@cached_data(max_entries=20)
def _predicted(result: Result, method: str, relation: str) -> pd.DataFrame:
    rows = predictions(result.models[method], result.scored.select_relations([relation]))
    return rows[["source", "target", "value", "prediction"]]


def _mistakes(result: Result, method: str, relation: str, threshold: float, kind: str) -> None:
    st.markdown("##### Most wrong")
    rows = most_wrong(result.models[method], result.scored, relation, TOP, threshold)
    if rows.empty:
        st.caption("Not one test entry is wrong here.")
        return
    shown = rows.drop(columns=["prediction"] if kind == "binary" else ["score", "probability"])
    if kind == "binary" and rows["probability"].isna().all():
        shown = shown.drop(columns="probability")
    binary, same = kind == "binary", "In levels" if kind == "ordinal" else f"In the unit of {plain(relation)}"
    outcome = "What the threshold makes of it" if binary else "Whether the prediction is above the truth or below it"
    truth = "1: a tie, −1: none" if binary else same
    help_ = "How far the score lies beyond the threshold" if binary else f"Prediction minus truth. {same}"
    shape, values = "%.4g", [name for name in ("value", "prediction", "error") if name in shown]
    if not binary and shown[values].abs().to_numpy().max(initial=0.0) >= THOUSANDS:
        shape, shown[values] = "localized", shown[values].round()
    st.dataframe(
        shown,
        hide_index=True,
        height="content" if len(shown) <= 8 else 320,
        column_config={
            "source": st.column_config.TextColumn("from"),
            "target": st.column_config.TextColumn("to"),
            "value": st.column_config.NumberColumn("truth", format=shape, help=truth),
            "prediction": st.column_config.NumberColumn("predicted", format=shape, help=same),
            "score": st.column_config.NumberColumn("score x", format="%.3f", help=SCORE),
            "probability": st.column_config.NumberColumn(
                "probability of a tie",
                format="percent",
                help="By the method; of an ensemble or of draws it is the mean of theirs, not that of the mean x",
            ),
            "error": st.column_config.NumberColumn("how wrong", format="%.3f" if binary else shape, help=help_),
            "outcome": st.column_config.TextColumn("outcome", help=outcome),
        },
        alt=f"The {len(shown)} test entries of {relation} that {method} is most wrong about",
    )
    figures.download(
        f"most-wrong-{relation}",
        rows,
        caption="Worst first: the place to look for errors in the data, and for what the model cannot see.",
    )
