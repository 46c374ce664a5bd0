"""Calibration and errors: probabilities against the truth, the confusion at a threshold, and the largest errors."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from ....analysis.interpretation import format_number
from ....analysis.pair_predictions import largest_errors
from ....evaluation.curves import calibration_bins
from ....evaluation.prediction_table import prediction_table
from ....metrics import Metric, metrics_of
from ....plots.calibration import calibration, confusion_table, predicted_vs_true
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import escape_markdown, join_names
from ...widgets.tables import with_minus_signs
from . import compare_cache, compare_controls
from . import compare_texts as texts

TOP = 50
THOUSANDS = 1_000.0
"""Values this large are written without decimals."""


def render(result: Result) -> None:
    """Draw calibration and confusion of a binary relation, or predicted against true values of another kind."""
    kinds = {relation.name: relation.kind for relation in result.data.relations}
    threshold = 0.0
    with st.container(horizontal=True):
        relation = compare_controls.choose_relation(result)
        method = compare_controls.choose_method(result)
        kind = kinds[relation]
        y, _ = compare_cache.truth_and_scores(result, method, relation)
        if kind == "binary" and y.size:
            threshold = compare_controls.choose_threshold(result, method)
    if not y.size:
        st.info(texts.NO_TEST_ENTRIES, icon=":material/info:")
        return
    if kind == "binary":
        left, right = st.columns([5, 4], gap="medium")
        with left:
            _calibration(result, method, relation)
        with right:
            counts = compare_cache.confusion_at(result, method, relation, threshold)
            data = pd.DataFrame([{"relation": relation, "method": method, "threshold": threshold, **asdict(counts)}])
            figure, name = confusion_table(counts, dark=figures.dark()), f"confusion-{relation}"
            alt, caption = texts.CONFUSION_ALT.format(counts=counts), texts.CONFUSION_CAPTION
            figures.show(figure, name, alt=alt, height=230, data=data, caption=caption)
            compare_controls.show_confusion(counts)
    else:
        _values(result, method, relation, kind)
    _largest_errors(result, method, relation, threshold, kind)


def _calibration(result: Result, method: str, relation: str) -> None:
    bins = _bins(result, relation)
    missing = ""
    if without := [name for name in result.models if name not in set(bins["method"])]:
        missing = f"{escape_markdown(join_names(without))} {'gives' if len(without) == 1 else 'give'} no probability"
    if bins.empty:
        st.info(texts.NO_PROBABILITIES.format(missing=missing), icon=":material/info:")
        return
    scores = result.scores
    brier = scores[(scores["metric"] == "brier") & (scores["relation"] == relation) & scores["value"].notna()]
    rate = compare_cache.base_rates(result).get(relation, float("nan"))
    briers = ", ".join(f"{escape_markdown(str(row.method))} {row.value:.4f}" for row in brier.itertuples())
    caption = texts.CALIBRATION_CAPTION.format(scores=briers, constant=rate * (1 - rate))
    caption += f" {missing}." if missing else ""
    figure, name = calibration(bins, method, dark=figures.dark()), f"calibration-{relation}"
    alt = f"Fraction of pairs of {relation} that are ties, by predicted probability"
    figures.show(figure, name, alt=alt, data=bins, height=400, caption=caption)


@cached_data(max_entries=40)
def _bins(result: Result, relation: str) -> pd.DataFrame:
    """Predicted probabilities against observed frequencies, for the methods that give probabilities."""
    test = result.scored.select_relations([relation])
    parts = [calibration_bins(model, test).assign(method=label) for label, model in result.models.items()]
    return pd.concat(parts, ignore_index=True)


def _values(result: Result, method: str, relation: str, kind: str) -> None:
    """Predicted against true values, with the metrics of the relation."""
    rows = _predictions(result, method, relation)
    truth, predicted = rows["value"].to_numpy(), rows["prediction"].to_numpy()
    levels = kind == "ordinal"
    picture, metrics = st.columns([7, 3], gap="medium")
    with picture:
        figure = predicted_vs_true(truth, predicted, relation, levels=levels, dark=figures.dark())
        caption = texts.LEVELS_CAPTION if levels else texts.VALUES_CAPTION
        alt = f"Predicted against true values of {relation}"
        figures.show(figure, f"predicted-{relation}", alt=alt, data=rows, height=380, caption=caption)
    scores = result.scores[(result.scores["relation"] == relation) & (result.scores["method"] == method)]
    values = scores.set_index("metric")["value"]
    with metrics:
        for metric in metrics_of(kind):
            if metric.quantity != "score" and metric.name in values:
                _metric(metric, values[metric.name])


def _metric(metric: Metric, value: float) -> None:
    worse = metric.worse_than_constant(value)
    text = format_number(value, 3)
    if metric.quantity == "share":
        text = "none" if worse else f"{value:.1%}"
    st.metric(metric.title, text, texts.WORSE if worse else None, "inverse", delta_arrow="off", help=metric.help)


@cached_data(max_entries=20)
def _predictions(result: Result, method: str, relation: str) -> pd.DataFrame:
    rows = prediction_table(result.models[method], result.scored.select_relations([relation]))
    return rows[["source", "target", "value", "prediction"]]


def _largest_errors(result: Result, method: str, relation: str, threshold: float, kind: str) -> None:
    st.markdown("##### Largest errors")
    rows = largest_errors(result.models[method], result.scored, relation, TOP, threshold)
    if rows.empty:
        st.caption(texts.NO_ERRORS)
        return
    binary, decimals, values = kind == "binary", ".4g", ["value", "prediction", "error"]
    table = rows.drop(columns="prediction" if binary else ["score", "probability"])
    if binary:
        table = table.dropna(axis="columns", how="all")  # the probability of a method that gives none
        table["value"] = table["value"].map(lambda y: "tie" if y > 0 else "no tie")
    elif table[values].abs().to_numpy().max() >= THOUSANDS:
        decimals = ",.0f"
    unit = "In levels" if kind == "ordinal" else f"In the unit of {escape_markdown(relation)}"
    error_help = texts.BINARY_ERROR_HELP if binary else texts.ERROR_HELP.format(unit=unit)
    truth = st.column_config.NumberColumn("truth", help=unit)
    config = {
        "source": st.column_config.TextColumn("from"),
        "target": st.column_config.TextColumn("to"),
        "value": st.column_config.TextColumn("truth", help=texts.TRUTH_HELP) if binary else truth,
        "prediction": st.column_config.NumberColumn("predicted", help=unit),
        "score": st.column_config.NumberColumn("score x", help=texts.SCORE_HELP),
        "probability": st.column_config.NumberColumn(help=texts.PROBABILITY_HELP),
        "error": st.column_config.NumberColumn(help=error_help),
        "outcome": st.column_config.TextColumn(help=texts.BINARY_OUTCOME_HELP if binary else texts.OUTCOME_HELP),
    }
    alt = f"The {len(table)} largest errors of {method} on the test entries of {relation}"
    formats = {"score": ".3f", "probability": ".1%", "error": ".3f"} if binary else dict.fromkeys(values, decimals)
    table = with_minus_signs(table, formats)
    st.dataframe(table, hide_index=True, height="content" if len(rows) <= 8 else 320, column_config=config, alt=alt)
    figures.download_buttons(f"most-wrong-{relation}", rows, caption=texts.ERRORS_CAPTION)
