"""The overview of a data set: which one it is, and a table of its relations."""

from collections import Counter

import streamlit as st

from ....data.datasets.samples import dataset_info
from ....data.description import COLUMNS, VALUES_HELP
from ....data.negatives import sampled_pairs
from ...state import user_datasets
from ...state.settings import Settings
from ...widgets import inputs, obstacles_panel
from ...widgets.formatting import arrow, escape_markdown, join_names, pluralize, signed
from ...widgets.tables import relation_column
from . import editing
from .data_texts import CONNECTS_HELP, OBJECTS_BY_TYPE, RELATIONS_ALT, SAMPLED_PAIRS, choice_notes


def render(settings: Settings) -> None:
    """Draw the menu of data sets, and the question, the relations and the known defects of the chosen one."""
    sample = None if user_datasets.is_uploaded(settings.data) else dataset_info(settings.data)
    source = f"Source: {escape_markdown(sample.citation)}" if sample else None
    inputs.choose("Data set", "data", {name: user_datasets.title(name) for name in user_datasets.names()}, help=source)
    info = {} if sample else user_datasets.upload_info(settings.data)
    if sample:
        st.markdown(sample.question)
    elif notes := [*map(str, info.get("notes", ())), *choice_notes(info.get("how", {}))]:
        with st.expander(f"How it was read: {pluralize(len(notes), 'note')}"):
            st.code("\n".join(notes), language=None, height=120, wrap_lines=True)
    editing.button(settings)  # above the table: the section that it opens is at the top of the page
    _relations_table(settings.data)
    data = user_datasets.load(settings.data)
    if data.object_types:
        counts = [f"{escape_markdown(kind)} ({count:,})" for kind, count in Counter(data.object_types).items()]
        st.caption(OBJECTS_BY_TYPE.format(join_names(counts)))
    if sampled := sampled_pairs(data):
        represented = data.represents[data.represents > 1].sum()
        st.caption(SAMPLED_PAIRS.format(sampled=sampled, represented=represented))
    obstacles_panel.render(settings)
    if sample and sample.caveat:  # below the table, whose toolbar covers what is above it on touch screens
        st.caption(f":material/warning: {escape_markdown(sample.caveat)}")


def _relations_table(name: str) -> None:
    """One row per relation: its kind, its values, and how much of it is unknown."""
    described = user_datasets.describe(name)
    facts = described[["kind", "directed", "reciprocity", "entries", "missing"]]
    # Where only ties are known, each tie that is known in both directions is mutual.
    only_ties = (described["kind"] == "binary") & (described["balance"] == 1)
    facts = facts.assign(reciprocity=facts["reciprocity"].mask(only_ties).map(signed, na_action="ignore"))
    facts.insert(4, "values", user_datasets.value_summaries(name))
    relations = user_datasets.load(name).relations
    if any(relation.types for relation in relations):
        connected = [f" {arrow(relation)} ".join(relation.types or ()) for relation in relations]
        facts.insert(1, "connects", connected)
    if all(relation.is_two_mode for relation in relations):  # pairs have one direction
        facts = facts.drop(columns=["directed", "reciprocity"])
    column, mutual_help = st.column_config, f"Reciprocity {COLUMNS['reciprocity']}"
    st.dataframe(
        facts,
        height=318 if len(facts) > 8 else "content",
        column_config={
            "relation": relation_column(facts.index, widest=122),
            "kind": column.TextColumn(help=COLUMNS["kind"], width=54),
            "connects": column.TextColumn(help=CONNECTS_HELP, width=117),
            "directed": column.CheckboxColumn(help=COLUMNS["directed"], width=63),
            "reciprocity": column.TextColumn("mutual", help=mutual_help, width=56),
            "entries": column.NumberColumn(help=COLUMNS["entries"], format="localized", width=62),
            "values": column.TextColumn(help=VALUES_HELP, width=88),
            "missing": column.NumberColumn("unknown", help=COLUMNS["missing"], format="percent", width=75),
        },
        placeholder="–",
        alt=RELATIONS_ALT,
    )
