"""Predictions as people read them: a probability with its spread, what is known, and whether to trust it."""

from __future__ import annotations

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
from ...widgets import explanation_panel
from ...widgets.formatting import escape_markdown

DOUBT = "⚠ "
"""Marks what is not to be trusted."""

PREDICTION = "Probability of a tie, or the value in the relation's unit, ± one standard deviation where there is one"
"""What the column of predictions holds."""

ENTRIES_FOR_A_NUMBER = 2
"""With fewer training entries for each number in A and R, error bars of an ensemble can be too small."""


def in_words(data: mrwtd.RelationalData, told: pd.DataFrame) -> pd.DataFrame:
    """Answers in words."""
    own = {relation.name: relation for relation in data.relations}
    kinds = [own[name] for name in told["relation"]]
    return pd.DataFrame(
        {
            "relation": told["relation"],
            "prediction": predicted(kinds, told),
            "known": [
                f"{explanation_panel.value_text(kind, value)} ({part})" if part else "not known"
                for kind, value, part in zip(kinds, told["known"], told["part"], strict=True)
            ],
            "trust": [DOUBT + doubt if doubt else "trusted" for doubt in told["doubt"]],
        }
    )


def predicted(kinds: Sequence[mrwtd.Relation], told: pd.DataFrame) -> list[str]:
    """Predictions in words: a probability where there is one, with its spread.

    >>> told = pd.DataFrame({"prediction": [1.0, 2.5], "probability": [0.7, math.nan], "spread": [0.05, math.nan],
    ...                      "score": [0.8, 0.1]})
    >>> predicted([mrwtd.Relation("likes", "binary", True), mrwtd.Relation("calls", "count", True)], told)
    ['70% ± 5%', '2.5']
    >>> predicted([mrwtd.Relation("flights", "count", True)], told.tail(1).assign(prediction=29_810.0, spread=1234.0))
    ['29,810 ± 1,234']
    """
    words = []
    columns = ("prediction", "probability", "spread", "score")
    for kind, (value, chance, spread, score) in zip(
        kinds, zip(*(told[name] for name in columns), strict=True), strict=True
    ):
        if not math.isnan(chance):
            more = "" if math.isnan(spread) else f" ± {percent(spread)}"
            words.append(f"{percent(chance)}{more}")
        elif kind.kind == "binary":
            more = "" if math.isnan(spread) else f" ± {spread:.2f}"
            words.append(f"{'tie' if value > 0 else 'no tie'} (score {score:.2f}{more})")
        else:
            more = "" if math.isnan(spread) else f" ± {format_number(spread, 2)}"
            words.append(f"{format_number(value)}{more}")
    return words


def percent(share: float) -> str:
    """A share for people, who would take 0% for never.

    >>> percent(0.001), percent(0.256), percent(0.9999)
    ('< 1%', '26%', '> 99%')
    """
    if share < 0.005:
        return "< 1%"
    return "> 99%" if share > 0.995 else f"{share:.0%}"


def trust_note() -> None:
    """What the marks of trust mean."""
    st.caption(f"{DOUBT}marks what is not to be trusted. {RELIABILITY_HELP}")


def error_bars(label: str, model: Method, spread: pd.Series) -> str:
    """What ± means in the predictions of a method, or how to get it.

    >>> error_bars("CP", mrwtd.make_method("CP"), pd.Series([math.nan]))
    'CP has no error bars: train MrWTD as an ensemble of 2 or more, or a Bayesian method.'
    """
    if not spread.notna().any():
        return (
            f"{escape_markdown(label)} has no error bars: train MrWTD as an ensemble of 2 or more, or a "
            "Bayesian method."
        )
    if not isinstance(model, FactorModel):
        return "± is one standard deviation of the posterior."
    refits = f"± is one standard deviation over {len(model.members_)} refits."
    known = None if model.train_ is None else len(model.train_)
    if known is not None and known < ENTRIES_FOR_A_NUMBER * (model.A_.size + model.R_.size):
        return f"{refits} It may be too small: there are few training entries for this rank."
    return refits


def columns() -> dict[str, Any]:
    """How the columns of `in_words` are shown."""
    return {
        "score": st.column_config.NumberColumn(format="%.2f", help="What pairs are ranked by", width="small"),
        "prediction": st.column_config.TextColumn(help=PREDICTION),
        "known": st.column_config.TextColumn(help="What the data says, and whether the model was trained on it"),
        "trust": st.column_config.TextColumn(help=RELIABILITY_HELP, width="medium"),
    }
