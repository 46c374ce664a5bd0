"""Tables of predictions: a probability or value with its error bars, the known value, and whether to trust it."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import mrwtd

from ....analysis.interpretation import format_number
from ....analysis.reliability import RELIABILITY_HELP
from ....model.factor_model import FactorModel
from ....model.method import Method
from ....stacking.mrwtd_e import MrWTDE
from ...widgets import explanation_panel, figures
from ...widgets.formatting import escape_markdown, signed
from . import predict_texts as texts

ENTRIES_PER_PARAMETER = 2
"""With fewer training entries per number in A and R, the error bars of an ensemble can be too small."""


def formatted(data: mrwtd.RelationalData, rows: pd.DataFrame) -> pd.DataFrame:
    """Predictions as text: relation, prediction, known, trust."""
    relations = [data.relations[data.relation_index(name)] for name in rows["relation"]]
    return pd.DataFrame(
        {
            "relation": rows["relation"],
            "prediction": predictions(relations, rows),
            "known": [
                f"{explanation_panel.value_text(relation, value)} ({part})" if part else "unknown"
                for relation, value, part in zip(relations, rows["known"], rows["part"], strict=True)
            ],
            "trust": trust(rows),
        }
    )


def trust(rows: pd.DataFrame) -> list[str]:
    """Whether to trust each prediction, with the reason for doubt."""
    return [f"⚠ {doubt}" if doubt else "trusted" for doubt in rows["doubt"]]


def predictions(relations: Sequence[mrwtd.Relation], rows: pd.DataFrame) -> list[str]:
    """Predictions as text: a probability if there is one, with its standard deviation.

    >>> rows = pd.DataFrame({"prediction": [1.0, 2.5], "probability": [0.7, math.nan], "spread": [0.05, math.nan],
    ...                      "score": [0.8, 0.1]})
    >>> predictions([mrwtd.Relation("likes", "binary", True), mrwtd.Relation("calls", "count", True)], rows)
    ['70% ± 5%', '2.5']
    >>> predictions([mrwtd.Relation("flights", "count", True)], rows.tail(1).assign(prediction=29_810.0, spread=1234.0))
    ['29,810 ± 1,234']
    """
    cells = []
    columns = (rows[name] for name in ("prediction", "probability", "spread", "score"))
    for relation, value, probability, spread, score in zip(relations, *columns, strict=True):
        has_spread = not math.isnan(spread)
        if not math.isnan(probability):
            cells.append(percent(probability) + f" ± {percent(spread)}" * has_spread)
        elif relation.kind == "binary":
            score_text = signed(score) + f" ± {spread:.2f}" * has_spread
            cells.append(f"{'tie' if value > 0 else 'no tie'} (score {score_text})")
        else:
            cells.append(format_number(value) + f" ± {format_number(spread, 2)}" * has_spread)
    return cells


def percent(fraction: float) -> str:
    """A percentage that is never 0% or 100%, which would read as never or always.

    >>> percent(0.001), percent(0.256), percent(0.9999)
    ('< 1%', '26%', '> 99%')
    """
    if fraction < 0.005:
        return "< 1%"
    return "> 99%" if fraction > 0.995 else f"{fraction:.0%}"


def error_bars(label: str, model: Method, spread: pd.Series) -> str:
    """The meaning of ± in the predictions of a method, or how to get error bars.

    >>> error_bars("CP", mrwtd.make_method("CP"), pd.Series([math.nan]))
    'CP has no error bars: use an ensemble of MrWTD (2 or more) or a Bayesian method.'
    >>> error_bars("MrWTD-E", mrwtd.make_method("MrWTD-E"), pd.Series([0.1]))
    '± is one standard deviation over the averaged methods and within each.'
    """
    if not spread.notna().any():
        return texts.NO_ERROR_BARS.format(method=escape_markdown(label))
    if isinstance(model, MrWTDE):
        return "± is one standard deviation over the averaged methods and within each."
    if not isinstance(model, FactorModel):
        return "± is one standard deviation of the posterior."
    refits = f"± is one standard deviation over {len(model.members_)} refits."
    if model.train_ is not None and len(model.train_) < ENTRIES_PER_PARAMETER * (model.A_.size + model.R_.size):
        return f"{refits} {texts.FEW_ENTRIES}"
    return refits


def show(table: Any, name: str, rows: pd.DataFrame, *, alt: str, height: Any, caption: str = "") -> None:
    """Draw a table with columns of `formatted`, and a button to download the rows that it was made from."""
    config = {
        "score": st.column_config.NumberColumn(help=texts.SCORE_HELP, width="small"),
        "prediction": st.column_config.TextColumn(help=texts.PREDICTION_HELP),
        "known": st.column_config.TextColumn(help=texts.KNOWN_HELP),
        "trust": st.column_config.TextColumn(help=RELIABILITY_HELP, width="medium"),
    }
    st.dataframe(table, hide_index=True, height=height, column_config=config, alt=alt)
    figures.download_buttons(name, rows, caption=caption)
