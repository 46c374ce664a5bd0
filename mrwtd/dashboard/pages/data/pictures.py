"""The pictures of a data set: adjacency matrix, degrees, and similarity of its relations."""

import re

import pandas as pd
import streamlit as st

from ....data.possible_pairs import possible_pairs
from ....data.relational import RelationalData
from ....data.relations import Relation
from ....plots.adjacency import MAX_CELLS, adjacency
from ....plots.dataset_summary import correlation_figure, degree_figure, degrees, relation_correlations
from ...state import user_datasets
from ...state.settings import ORDERS, Settings
from ...widgets import figures, inputs, pickers
from ...widgets.formatting import escape_markdown, pluralize
from . import data_texts as texts


def render(settings: Settings) -> None:
    """Draw the chosen picture."""
    labels = {name: label for name, (label, _) in PICTURES.items()}
    PICTURES[inputs.choose("Picture", "data.picture", labels, style="tabs")][1](settings)


def _adjacency_matrix(settings: Settings) -> None:
    """One relation as a heat map."""
    data = user_datasets.load(settings.data)
    with st.container(horizontal=True):
        relation = _relation(settings)
        names = (*ORDERS, *user_datasets.choices(settings.data).attributes)
        labels = {name: texts.ORDER_NAMES.get(name, f"by {name}") for name in names}
        order = inputs.choose("Objects", "order", labels, help=texts.ORDER_HELP)
    may_copy = user_datasets.may_copy(settings.data)
    figures.show(
        lambda: adjacency(data, relation.name, user_datasets.object_order(settings.data, order), dark=figures.dark()),
        _file_name(settings, relation.name),
        cache_key=(settings.data, relation.name, order),
        height=440,
        alt=f"Adjacency matrix of {relation.name}: one cell per pair of objects, sources in rows, targets in columns",
        data=(lambda: data.select_relations([relation.name]).to_frame()) if may_copy else None,
        caption=_sides(data, relation),
    )


def _sides(data: RelationalData, relation: Relation) -> str:
    """What rows and columns of the adjacency matrix are."""
    possible = possible_pairs(data, data.relation_index(relation.name))
    blocks = [-(-side.size // MAX_CELLS) for side in (possible.source_positions, possible.target_positions)]
    caption = texts.ROWS_ARE_SOURCES if max(blocks) == 1 else texts.ROWS_ARE_BLOCKS.format(*blocks)
    types = [escape_markdown(name) for name in relation.types or ()]
    return caption + texts.ROWS_HAVE_TYPE.format(*types) if types else caption


def _degrees(settings: Settings) -> None:
    """How many objects have how many ties in one relation."""
    relation = _relation(settings)
    counts = degrees(user_datasets.load(settings.data), relation.name)
    counts = counts.sort_values("ties", ascending=False, kind="stable")
    name, ties = escape_markdown(str(counts["object"].iloc[0])), int(counts["ties"].iloc[0])
    others = int((counts["ties"] == ties).sum()) - 1
    most = f"{name} has the most ties ({ties:,})"
    if others:
        most = f"{name} and {pluralize(others, 'other')} have the most ties ({ties:,})"
    if others == len(counts) - 1:
        most = f"each object has {pluralize(ties, 'tie')}"
    caption = f"{escape_markdown(relation.name)}: {most}." + texts.BOTH_DIRECTIONS * relation.directed
    figures.show(
        lambda: degree_figure(counts, dark=figures.dark()),
        _file_name(settings, f"degrees-{relation.name}"),
        cache_key=(settings.data, relation.name),
        alt=f"How many objects have how many ties in {relation.name}",
        data=counts,
        caption=caption + texts.ANY_VALUE * (relation.kind != "binary"),
    )


def _similarity(settings: Settings) -> None:
    """Which relations are similar to each other."""
    names = list(user_datasets.choices(settings.data).relations)
    if len(names) < 2:
        st.caption("There is only one relation.")
        return
    data = user_datasets.load(settings.data)
    figures.show(
        lambda: correlation_figure(names, relation_correlations(data), dark=figures.dark()),
        _file_name(settings, "relations-alike"),
        cache_key=(settings.data,),
        alt=texts.SIMILARITY_ALT,
        data=lambda: pd.DataFrame(relation_correlations(data), names, names).reset_index(names="relation"),
        caption=texts.SIMILARITY.format("Pale" if figures.dark() else "Dark"),
    )


PICTURES = {
    "Who with whom": ("Adjacency matrix", _adjacency_matrix),
    "Ties of an object": ("Degrees", _degrees),
    "Relations alike": ("Similarity of relations", _similarity),
}
"""The label and the function of each picture, by its name in URLs."""


def _relation(settings: Settings) -> Relation:
    data = user_datasets.load(settings.data)
    return data.relations[data.relation_index(pickers.relation_picker(settings.data))]


def _file_name(settings: Settings, picture: str) -> str:
    """The name of a download without its suffix: the data set, or the files that were uploaded, and the picture."""
    name = settings.data
    if user_datasets.is_uploaded(name):
        name = re.sub(r"\.\w+(?=[, ]|$)", "", user_datasets.display_name(name))
    return figures.file_name(f"{name}-{picture}")
