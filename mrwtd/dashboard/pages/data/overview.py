"""A data set at a glance: which it is, what its relations are, and what one of them looks like."""

from __future__ import annotations

import re

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info
from ....data.description import COLUMNS, VALUES_HELP
from ....plots.adjacency import MAX_CELLS, adjacency
from ....plots.dataset_summary import correlation_figure, degree_figure, degrees, relation_correlations
from ....typing import Array
from ...state import user_datasets
from ...state.settings import ORDERS, Settings
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, pluralize

ORDER_NAMES = {"alike": "alike together", "listed": "as listed"}


def choose_data(settings: Settings) -> None:
    """The menu of data sets, and what the chosen one can answer."""
    own = user_datasets.is_uploaded(settings.data)
    source = None if own else f"Source: {escape_markdown(dataset_info(settings.data).citation)}"
    inputs.choose("Data set", "data", user_datasets.names(), format_func=user_datasets.title, help=source)
    if not own:
        st.markdown(dataset_info(settings.data).question)
        return
    notes = user_datasets.notes(settings.data)
    if notes:
        with st.expander(f"How it was read: {pluralize(len(notes), 'note')}"):
            st.code("\n".join(notes), language=None, height=120, wrap_lines=True)


def relations_table(settings: Settings) -> None:
    """A row a relation: what kind it is, what its values are like, and how much of it is not known."""
    facts = user_datasets.describe(settings.data)[["kind", "directed", "reciprocity", "entries", "missing"]]
    facts.insert(4, "values", user_datasets.value_summaries(settings.data))
    widest = 16 + 6 * max(map(len, facts.index))
    st.dataframe(
        facts,
        height=318 if len(facts) > 8 else "content",
        column_config={
            "relation": st.column_config.TextColumn(width=min(max(widest, 76), 98), pinned=True),
            "kind": st.column_config.TextColumn("kind", help=COLUMNS["kind"], width=54),
            "directed": st.column_config.CheckboxColumn("directed", help=COLUMNS["directed"], width=63),
            "reciprocity": st.column_config.NumberColumn(
                "mutual", help=f"Reciprocity {COLUMNS['reciprocity']}", format="%.2f", width=56
            ),
            "entries": st.column_config.NumberColumn(help=COLUMNS["entries"], format="localized", width=62),
            "values": st.column_config.TextColumn("values", help=VALUES_HELP, width=88),
            "missing": st.column_config.NumberColumn("not known", help=COLUMNS["missing"], format="percent", width=75),
        },
        placeholder="–",
        alt="The relations of the data set: kind, direction, reciprocity, entries, spread of values, share not known",
    )
    caveat = "" if user_datasets.is_uploaded(settings.data) else dataset_info(settings.data).caveat
    if caveat:  # below the table, whose tools cover what is above it on touch screens
        st.caption(f":material/warning: {escape_markdown(caveat)}")


def adjacency_picture(settings: Settings) -> None:
    """One relation as a heat map, with its data to download."""
    data = user_datasets.load(settings.data)
    which, how = st.columns([3, 2])
    within = user_datasets.choices(settings.data)
    with which:
        relation = inputs.choose("Relation", "relation", within.relations, index=within.default_relation)
    with how:
        order = inputs.choose(
            "Objects",
            "order",
            (*ORDERS, *within.attributes),
            format_func=lambda name: ORDER_NAMES.get(name, f"by {name}"),
            help="Alike together: objects that relate to the same others, over all relations, stand side by side.",
        )

    def build() -> go.Figure:
        return adjacency(data, relation, user_datasets.object_order(settings.data, order), dark=figures.dark())

    figure = figures.cached_figure("adjacency", (settings.data, relation, order), build, height=440)
    st.plotly_chart(
        figure,
        key="adjacency",
        alt=f"Adjacency picture of {relation}: a cell for each pair of objects, sources down and targets across",
        config={**figures.CONFIG, "toImageButtonOptions": {"filename": file_name(settings, relation), "scale": 2}},
    )
    says, takes = st.columns([3, 2], vertical_alignment="center")
    says.caption(_reading(data, relation))
    takes.download_button(
        "Entries (CSV)",
        data=lambda: figures.csv_text(data.select_relations([relation]).to_frame()),
        file_name=f"{file_name(settings, relation)}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        help="The known entries of this relation: source, relation, target, value, weight",
    )


def degree_distribution(settings: Settings) -> None:
    """How many ties objects have in the relation that is looked at."""
    data, within = user_datasets.load(settings.data), user_datasets.choices(settings.data)
    relation = inputs.choose("Relation", "relation", within.relations, index=within.default_relation)
    own = data.relations[data.relation_index(relation)]
    counts, directed, kind = degrees(data, relation), own.directed, own.kind
    most = counts.iloc[int(counts["ties"].to_numpy().argmax())]
    like = int((counts["ties"] == most["ties"]).sum())
    who = f"{escape_markdown(str(most['object']))} has the most ties, {most['ties']:,}"
    if like > 1:
        who = (
            f"{escape_markdown(str(most['object']))} and {pluralize(like - 1, 'other')} have the most ties, "
            f"{most['ties']:,}"
        )
    if like == len(counts):
        who = f"each object has {pluralize(int(most['ties']), 'tie')}"
    figures.show(
        lambda: degree_figure(counts, dark=figures.dark()),
        file_name(settings, f"degrees-{relation}"),
        cache_key=(settings.data,),
        alt=f"How many objects have how many ties in {relation}",
        data=lambda: counts.sort_values("ties", ascending=False),
        caption=f"{escape_markdown(relation)}: {who}."
        + " Ties from an object and ties to it are counted together." * directed
        + " A tie is any known value other than 0." * (kind != "binary"),
    )


def resemblance(settings: Settings) -> None:
    """Which relations resemble each other."""
    data = user_datasets.load(settings.data)
    if data.n_relations < 2:
        st.caption("There is only one relation.")
        return
    names = [relation.name for relation in data.relations]
    values = _agreement(settings.data)
    figures.show(
        lambda: correlation_figure(names, values, dark=figures.dark()),
        file_name(settings, "relations-alike"),
        cache_key=(settings.data,),
        alt="Correlation of each two relations over the pairs that both know",
        data=lambda: pd.DataFrame(values, index=names, columns=names).reset_index(names="relation"),
        caption=f"{'Pale' if figures.dark() else 'Dark'} blue: pairs that have one, or more of it, tend to have the "
        "other; orange: they tend not to. Grey: too few pairs are known in both, or one is the same in all of them.",
    )


PICTURES = {
    "Who with whom": adjacency_picture,
    "Ties of an object": degree_distribution,
    "Relations alike": resemblance,
}
"""What can be looked at, by the name of its button."""


def pictures(settings: Settings) -> None:
    """The pictures of the data set, of which the one that is looked at is drawn."""
    chosen = inputs.choose("What to look at", "data.picture", tuple(PICTURES), style="buttons", show_label=False)
    PICTURES[chosen](settings)


@st.cache_data(show_spinner="Comparing the relations …", max_entries=20)
def _agreement(name: str) -> Array:
    return relation_correlations(user_datasets.load(name))


def _reading(data: mrwtd.RelationalData, relation: str) -> str:
    block = -(-data.n_objects // MAX_CELLS)
    rows = "A row an object" if block == 1 else f"A row for {block} objects"
    states = block == 1 and data.relations[data.relation_index(relation)].kind == "binary"
    return f"{rows}, sources down, targets across." + ("" if states else " Colours: as the bar says; grey: not known.")


def file_name(settings: Settings, what: str) -> str:
    """What a download is called, without its ending: the data set, or the files that it was uploaded as, and what."""
    name = settings.data
    if user_datasets.is_uploaded(name):
        name = re.sub(r"\.\w+(?=[, ]|$)", "", user_datasets.display_name(name))
    return figures.file_name(f"{name}-{what}")
