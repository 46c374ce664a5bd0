"""The table of relations on the Train page: a loss and a positive weight for each, and why that loss is suggested."""

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

WHY = {
    "binary": ("probabilities", "Logistic gives probabilities"),
    "ordinal": ("cut points", "ordinal learns where levels begin"),
    "count": ("for counts", "Poisson's spread grows with the mean"),
    "real": ("squared error", "quadratic is the usual squared error"),
}
"""Why the usual loss of each kind is suggested, for a cell and for the hint of its column."""

ROWS = 8
"""More rows than these are scrolled, so that the outcome below them is seen."""


def table(settings: Settings) -> None:
    """A row a relation. What is changed goes to the settings at once."""
    data, facts = user_datasets.load(settings.data), user_datasets.describe(settings.data)
    losses = {r.name: settings.loss.get(r.name, default_loss(r.kind)) for r in data.relations}
    rows = pd.DataFrame(
        {
            "kind": [relation.kind for relation in data.relations],
            "entries": facts["entries"].to_numpy(),
            "loss": list(losses.values()),
            "curve": [sparkline(name) for name in losses.values()],
            "weight": [settings.weight.get(name, 1.0) for name in losses],
            "why": [f"{default_loss(r.kind)}: {WHY[r.kind][0]}" for r in data.relations],
        },
        index=pd.Index(losses, name="relation"),
    )
    # A change makes a new table out of the settings: an old one would keep edits that an undo has taken back, or that
    # were refused.
    refused = st.session_state.get(keys.REFUSALS, 0)
    state = sha256(repr((settings.data, settings.loss, settings.weight, refused)).encode()).hexdigest()[:12]
    key = keys.LOSSES + state
    low, high = POSITIVE_WEIGHT.bounds
    st.data_editor(
        rows,
        key=key,
        height="content" if len(rows) <= ROWS else 318,
        disabled=["relation", "kind", "entries", "curve", "why"],
        on_change=_take,
        args=(key,),
        column_config={
            "relation": relation_column(losses),
            "kind": st.column_config.TextColumn("kind", help="What its values are", width=62),
            "entries": st.column_config.NumberColumn("entries", help="Known entries", format="localized", width=62),
            "loss": st.column_config.SelectboxColumn(
                "loss", help=LOSS.help, options=list(LOSSES), required=True, width=104
            ),
            "curve": st.column_config.LineChartColumn(
                "loss curve", width=62,
                help="The loss as x goes from −3 to 3, where the truth is a tie, 0, level 1 or a count of 3",
            ),
            "weight": st.column_config.NumberColumn(
                "positive weight",
                help="How many times a tie counts against a pair without one; binary relations only",
                min_value=low, max_value=high, step=0.01, format="%.2f", required=True, width=112,
            ),
            "why": st.column_config.TextColumn(
                "suggested, and why", help=f"{', '.join(why for _, why in WHY.values())}."
            ),
        },
        alt="The relations, with a loss and a positive weight for each",
    )  # fmt: skip


def _take(key: str) -> None:
    settings = session.settings()
    changed, notes = edited(settings, user_datasets.load(settings.data), st.session_state[key]["edited_rows"])
    session.change(loss=changed.loss, weight=changed.weight)
    st.session_state[keys.REFUSALS] = st.session_state.get(keys.REFUSALS, 0) + len(notes)
    for sentence in notes:
        session.add_message(sentence)


def edited(
    settings: Settings, data: mrwtd.RelationalData, rows: Mapping[int, Mapping[str, Any]]
) -> tuple[Settings, tuple[str, ...]]:
    """The settings after edits of the table, by row, and a sentence for each that cannot be.

    >>> florence = mrwtd.load_dataset("florentine")
    >>> changed, notes = edited(Settings("florentine"), florence, {1: {"loss": "smooth-hinge"}})
    >>> changed.loss, notes
    ({'marriage': 'smooth-hinge'}, ())
    """
    loss, weight, notes = dict(settings.loss), dict(settings.weight), []
    for row, edits in rows.items():
        relation = data.relations[int(row)]
        name, kind = relation.name, relation.kind
        if "loss" in edits:
            chosen = LOSSES[edits["loss"]]
            if kind in chosen.kinds:
                loss[name] = chosen.name
            else:
                why = f": {chosen.refusal}" if chosen.refusal else ""
                notes.append(f"The loss {chosen.name} is not for {kind} relations such as {name}{why}.")
        if "weight" in edits:
            if kind == "binary":
                weight[name] = float(edits["weight"])
            else:
                notes.append(f"A positive weight is for binary relations: {name} holds {kind} values.")
        if loss.get(name) == default_loss(kind):
            del loss[name]
        if weight.get(name) == 1.0:
            del weight[name]
    return settings.change(loss=loss, weight=weight), tuple(notes)
