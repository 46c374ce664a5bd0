"""Who is looked at on the map: an object with its factors, neighbours and predictions, or a group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis.groups import distinguishing_features
from ....analysis.interpretation import format_number
from ....analysis.latent_factors import LatentFactors
from ....analysis.objects import DEGREE_LABELS, nearest_objects, strongest_unknown
from ....plots.factors import factor_bars, factor_table
from ....typing import IndexArray
from ...state import keys, session
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import encode_list, escape_markdown
from . import factor_data

MOST_SHOWN = 60
"""A network of more objects than this shows nothing."""

MOST_NAMED = 30
"""So many members of a group are named; all of them can be downloaded."""

MOST_RELATIONS = 60
"""Strongest predictions are looked for in so many relations at once."""


def one(result: Result, label: str, relation: str, found: LatentFactors, at: int) -> None:
    """One object."""
    data = result.data
    name = data.objects[at]
    facts = [f"{column}: {value}" for column, value in data.attributes.iloc[at].dropna().items()]
    k = data.relation_index(relation)
    degree = factor_data.degrees(result, relation)[at]
    facts.append(
        f"{DEGREE_LABELS[data.relations[k].kind]} in {relation}: "
        + ("not known" if np.isnan(degree) else format_number(degree))
    )
    st.markdown(f"#### {escape_markdown(name)}")
    st.caption(" · ".join(escape_markdown(fact) for fact in facts))
    predicted, near, factors = st.tabs(["Predicted", "Neighbours", "Factors"])
    with predicted:
        _predicted(result, label, relation, name)
    with near:
        frame = nearest_objects(found.A, at, top=10)
        frame["object"] = [data.objects[other] for other in frame["object"]]
        st.dataframe(
            frame,
            hide_index=True,
            height="content",
            column_config={
                "distance": st.column_config.NumberColumn(
                    format="%.3f", help="Between the rows of A: without unit, 0 is alike"
                )
            },
            alt=f"The objects nearest to {name}",
        )
    with factors:
        turned = factor_data.rotation(factor_data.factors(result, label, relation, found))
        points = turned.transform(found.A)
        figures.show(
            factor_bars(points[at], points, dark=figures.dark()),
            "factors-of-an-object",
            alt=f"The factors of {name} on principal axes",
            height=220,
            data=lambda: factor_table(points[at], points),
            caption="Grey: the middle half of all objects.",
        )


def _predicted(result: Result, label: str, relation: str, name: str) -> None:
    """The strongest predictions of relationships that the training entries do not tell."""
    names = [own.name for own in result.data.relations]
    names.remove(relation)
    shown = (relation, *names)[:MOST_RELATIONS]
    frame = _strongest(result, label, name, shown)
    out = frame["source"] == name
    directed = {own.name: own.directed for own in result.data.relations}
    arrows = np.where(frame["relation"].map(directed), np.where(out, "to ", "from "), "")
    table = pd.DataFrame(
        {
            "relation": frame["relation"],
            "with": arrows + np.where(out, frame["target"], frame["source"]).astype(object),
            "likely": 100 * frame["probability"],
            "prediction": [float(f"{value:.4g}") for value in frame["prediction"]],
        }
    )
    binary = table["relation"].map({own.name: own.kind == "binary" for own in result.data.relations}).astype(bool)
    if table["likely"].isna().all():
        table = table.drop(columns="likely")
    else:
        table["prediction"] = table["prediction"].mask(binary)
        if binary.all():
            table = table.drop(columns="prediction")
    st.dataframe(
        table,
        hide_index=True,
        height=282,
        column_config={
            "likely": st.column_config.ProgressColumn(
                "likely", format="%.0f%%", min_value=0, max_value=100, help="The predicted probability of a tie"
            ),
            "prediction": st.column_config.NumberColumn(format="localized", help="In the unit of the data"),
        },
        alt=f"The strongest predicted relationships of {name}",
    )


def group(result: Result, label: str, relation: str, found: LatentFactors, members: IndexArray) -> None:
    """A group: who is in it, and what distinguishes it."""
    data = result.data
    names = [data.objects[at] for at in members]
    st.markdown(f"#### {len(names):,} objects")
    rest = len(names) - MOST_NAMED
    st.caption(
        ", ".join(escape_markdown(name) for name in names[:MOST_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")
    )
    few = names[:MOST_SHOWN]
    show, clear = st.columns(2)
    if show.button(
        "Show in Network",
        type="primary",
        icon=":material/hub:",
        width="stretch",
        help="These objects, and how they relate, as a network",
    ):
        session.change(**{"network.group": encode_list(few)})
        session.go("network")
    clear.button("Let go", icon=":material/close:", width="stretch", help="Pick nobody", on_click=_let_go)
    if len(names) > len(few):
        st.caption(f"The network shows the first {len(few)} of them.")
    st.markdown("**What distinguishes them**")
    points = factor_data.rotation(factor_data.factors(result, label, relation, found)).transform(found.A)
    sentences = distinguishing_features(data, points, members)["description"]
    if len(sentences):
        st.markdown("\n".join(f"- {escape_markdown(sentence)}" for sentence in sentences))
    else:
        st.markdown("Nothing that is known of them sets them apart.")
    table = data.attributes.iloc[members].reset_index(drop=True)
    table.insert(0, "object", names, allow_duplicates=True)
    figures.download_buttons("group", table)


@cached_data(max_entries=200)
def _strongest(result: Result, label: str, name: str, relations: tuple[str, ...]) -> pd.DataFrame:
    return strongest_unknown(result.models[label], name, result.train, top=3, relations=relations)


def _let_go() -> None:
    st.session_state.pop(keys.GROUP, None)
