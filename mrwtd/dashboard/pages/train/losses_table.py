"""The table of relations: a loss and a positive weight for each, and why its loss is suggested."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import pandas as pd
import streamlit as st

import mrwtd

from ....model.losses import LOSSES, default_loss
from ....model.parameters import LOSS, POSITIVE_WEIGHT
from ....plots.loss_curves import sparkline
from ...state import keys, session, user_datasets
from ...state.settings import Settings
from ...widgets.tables import relation_column
from .train_texts import CURVE_HELP, LOSSES_ALT, SUGGESTION_HELP, SUGGESTIONS, WEIGHT_HELP

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
            "why": [f"{default_loss(r.kind)}: {SUGGESTIONS[r.kind]}" for r in relations],
        },
        index=pd.Index(losses, name="relation"),
    )
    # A change makes a new table from the settings. The old one would keep edits that were undone or refused.
    refused = st.session_state.get(keys.REFUSALS, 0)
    state = sha256(repr((settings.data, settings.loss, settings.weight, refused)).encode()).hexdigest()[:12]
    key = keys.LOSSES + state
    low, high = POSITIVE_WEIGHT.bounds
    column = st.column_config
    st.data_editor(
        rows,
        key=key,
        height="content" if len(rows) <= ROWS else 318,
        disabled=["relation", "kind", "entries", "curve", "why"],
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
            "why": column.TextColumn("suggestion", help=SUGGESTION_HELP),
        },
        alt=LOSSES_ALT,
    )  # fmt: skip


def _apply_edits(key: str) -> None:
    settings = session.settings()
    changed, messages = edited(settings, user_datasets.load(settings.data), st.session_state[key]["edited_rows"])
    session.change(loss=changed.loss, weight=changed.weight)
    st.session_state[keys.REFUSALS] = st.session_state.get(keys.REFUSALS, 0) + len(messages)
    for message in messages:
        session.add_message(message)


def edited(
    settings: Settings, data: mrwtd.RelationalData, rows: Mapping[int, Mapping[str, Any]]
) -> tuple[Settings, tuple[str, ...]]:
    """The settings after edits of the table, by row, and a message for each refused edit.

    >>> florence = mrwtd.load_dataset("florentine")
    >>> changed, messages = edited(Settings("florentine"), florence, {1: {"loss": "smooth-hinge"}})
    >>> changed.loss, messages
    ({'marriage': 'smooth-hinge'}, ())
    """
    losses = {relation.name: default_loss(relation.kind) for relation in data.relations} | settings.loss
    weights, messages = dict(settings.weight), []
    for row, edits in rows.items():
        name, kind = data.relations[int(row)].name, data.relations[int(row)].kind
        loss = LOSSES[edits.get("loss", losses[name])]
        if kind in loss.kinds:
            losses[name] = loss.name
        else:
            reason = f": {loss.refusal}" if loss.refusal else ""
            messages.append(f"The loss {loss.name} is not for {kind} relations such as {name}{reason}.")
        if "weight" in edits and kind == "binary":
            weights[name] = float(edits["weight"])
        elif "weight" in edits:
            messages.append(f"A positive weight is for binary relations: {name} has {kind} values.")
    changed = {r.name: losses[r.name] for r in data.relations if losses[r.name] != default_loss(r.kind)}
    weight = {name: value for name, value in weights.items() if value != 1.0}
    return settings.change(loss=changed, weight=weight), tuple(messages)
