"""The table of relations: a loss and a positive weight for each, and why its loss is suggested."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

import mrwtd

from ....model.losses import LOSSES, default_loss
from ....model.parameters import LOSS, POSITIVE_WEIGHT
from ....plots.loss_curves import sparkline
from ...state import keys, session, user_datasets
from ...state.settings import PER_RELATION, Settings
from ...widgets.tables import relation_column
from .train_texts import CURVE_HELP, LOSSES_ALT, SUGGESTION_HELP, WEIGHT_HELP

ROWS = 8
"""Longer tables scroll, to keep the results below them in view."""


def render(settings: Settings) -> None:
    """Draw the table: one row per relation. Edits change the settings at once."""
    relations = user_datasets.load(settings.data).relations
    losses = {r.name: settings.loss.get(r.name, default_loss(r.kind)) for r in relations}
    rows = pd.DataFrame(
        {
            "kind": [relation.kind for relation in relations],
            "entries": user_datasets.describe(settings.data)["entries"].to_numpy(),
            "loss": list(losses.values()),
            "curve": [sparkline(name) for name in losses.values()],
            "weight": [settings.weight.get(name, 1.0) for name in losses],
            "suggestion": [default_loss(relation.kind) for relation in relations],
        },
        index=pd.Index(losses, name="relation"),
    )
    # A change makes a new table from the settings. The old one would keep edits that were undone or refused.
    refused = st.session_state.get(keys.REFUSALS, 0)
    key = keys.LOSSES + keys.digest(settings.data, settings.loss, settings.weight, refused)
    low, high = POSITIVE_WEIGHT.bounds
    column = st.column_config
    st.data_editor(
        rows,
        key=key,
        height="content" if len(rows) <= ROWS else 318,
        disabled=["relation", "kind", "entries", "curve", "suggestion"],
        on_change=_apply_edits,
        args=(key,),
        column_config={
            "relation": relation_column(losses),
            "kind": column.TextColumn(help="The kind of its values", width=62),
            "entries": column.NumberColumn(help="Known entries", format="localized", width=62),
            "loss": column.SelectboxColumn(help=LOSS.help, options=list(LOSSES), required=True, width=104),
            "curve": column.LineChartColumn("loss curve", help=CURVE_HELP, width=62),
            "weight": column.NumberColumn(
                "positive weight", help=WEIGHT_HELP, min_value=low, max_value=high, step=0.01, format="%.2f",
                required=True, width=112,
            ),
            "suggestion": column.TextColumn(help=SUGGESTION_HELP),
        },
        alt=LOSSES_ALT,
    )  # fmt: skip


def _apply_edits(key: str) -> None:
    settings = session.settings()
    changed, messages = edited(settings, user_datasets.load(settings.data), st.session_state[key]["edited_rows"])
    session.change(loss=changed.loss, weight=changed.weight)
    st.session_state[keys.REFUSALS] = st.session_state.get(keys.REFUSALS, 0) + len(messages)
    session.add_message(*messages)


def edited(
    settings: Settings, data: mrwtd.RelationalData, rows: Mapping[int, Mapping[str, Any]]
) -> tuple[Settings, tuple[str, ...]]:
    """The settings after edits of the table, by row, and a message for each refused edit.

    >>> florence = mrwtd.load_dataset("florentine")
    >>> changed, messages = edited(Settings("florentine"), florence, {1: {"loss": "smooth-hinge"}})
    >>> changed.loss, messages
    ({'marriage': 'smooth-hinge'}, ())
    """
    chosen, messages = {key: dict(settings.get(key)) for key in PER_RELATION}, []
    for row, edits in rows.items():
        name, kind = data.relations[int(row)].name, data.relations[int(row)].kind
        defaults = {"loss": default_loss(kind), "weight": 1.0}
        for key, value in edits.items():
            try:
                chosen[key][name] = PER_RELATION[key].parse_for(str(value), kind, name)
            except ValueError as error:
                reason = f": {LOSSES[value].refusal}" if key == "loss" and LOSSES[value].refusal else ""
                messages.append(f"{name}: the {PER_RELATION[key].label.lower()} {value} {error}{reason}.")
            if chosen[key].get(name) == defaults[key]:
                del chosen[key][name]
    return settings.change(**chosen), tuple(messages)
