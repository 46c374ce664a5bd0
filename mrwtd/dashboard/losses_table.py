"""The table of relations on the Train page: a loss and a positive weight for each, and why that loss is suggested."""

from __future__ import annotations

from hashlib import sha256

import pandas as pd
import streamlit as st

from mrwtd.model.losses import LOSSES, default_loss, loss_named
from mrwtd.plots.losses import sparkline

from . import datasets, keys, session
from .settings import WEIGHTS, Settings

WHY = {
    "binary": "yes or no: gives probabilities",
    "ordinal": "few ordered levels: learns where each begins",
    "count": "counts from 0 up: the spread grows with the mean",
    "real": "real numbers: the usual squared error",
}


def table(settings: Settings) -> None:
    """A row a relation. What is changed goes to the settings at once."""
    data, facts = datasets.load(settings.data), datasets.describe(settings.data)
    losses = {r.name: settings.loss.get(r.name, default_loss(r.kind)) for r in data.relations}
    rows = pd.DataFrame(
        {
            "kind": [relation.kind for relation in data.relations],
            "entries": facts["entries"].to_numpy(),
            "loss": list(losses.values()),
            "curve": [sparkline(name) for name in losses.values()],
            "weight": [settings.weight.get(name, 1.0) for name in losses],
            "why": [f"{default_loss(r.kind)}. {WHY.get(r.kind, '')}" for r in data.relations],
        },
        index=pd.Index(losses, name="relation"),
    )
    # A change makes a new table out of the settings: an old one would keep edits that an undo has taken back.
    state = sha256(repr((settings.data, settings.loss, settings.weight)).encode()).hexdigest()[:12]
    key = keys.LOSSES + state
    st.data_editor(
        rows,
        key=key,
        height=min(38 + 35 * len(rows), 318),
        disabled=["relation", "kind", "entries", "curve", "why"],
        on_change=_take,
        args=(key, tuple(losses)),
        column_config={
            "relation": st.column_config.TextColumn("relation", width="small", pinned=True),
            "kind": st.column_config.TextColumn("kind", help="What its values are", width=70),
            "entries": st.column_config.NumberColumn("entries", help="Known entries", format="localized", width=70),
            "loss": st.column_config.SelectboxColumn(
                "loss", help="How a wrong prediction is charged", options=list(LOSSES), required=True, width=120
            ),
            "curve": st.column_config.LineChartColumn(
                "its curve", help="The loss of a tie, as the prediction x goes from −3 to 3", width=80
            ),
            "weight": st.column_config.NumberColumn(
                "× ties",
                help="Positive weight: how many times a tie counts against a pair without one; binary relations only",
                min_value=WEIGHTS[0], max_value=WEIGHTS[1], step=0.01, format="%.2f", required=True, width=65,
            ),
            "why": st.column_config.TextColumn("suggested, and why", help="The usual loss of the relation's kind"),
        },
        alt="The relations, with a loss and a positive weight for each",
    )  # fmt: skip


def _take(key: str, relations: tuple[str, ...]) -> None:
    settings = session.settings()
    data = datasets.load(settings.data)
    loss, weight = dict(settings.loss), dict(settings.weight)
    for row, edits in st.session_state[key]["edited_rows"].items():
        relation = data.relations[int(row)]
        name = relations[int(row)]
        chosen = edits.get("loss", loss.get(name, default_loss(relation.kind)))
        if relation.kind in loss_named(chosen).kinds:
            loss[name] = chosen
        else:
            why = loss_named(chosen).refusal
            session.note(f"The loss {chosen} is not for {relation.kind} relations such as {name}. {why}".strip())
        if relation.kind == "binary":
            weight[name] = float(edits.get("weight", weight.get(name, 1.0)))
        elif "weight" in edits:
            session.note(f"A positive weight is for binary relations: {name} holds {relation.kind} values.")
        if loss.get(name) == default_loss(relation.kind):
            loss.pop(name)
        if weight.get(name) == 1.0:
            weight.pop(name)
    session.change(loss=loss, weight=weight)
