"""A data set at a glance: which it is, what its relations are, and what one of them looks like."""

from __future__ import annotations

import re

import streamlit as st

import mrwtd
from mrwtd.data.describing import COLUMNS
from mrwtd.data.readers import readers
from mrwtd.data.samples import about
from mrwtd.plots.adjacency import MOST_CELLS, adjacency

from . import datasets, frame, inputs, keys, session
from .settings import ORDERS, Settings

ORDER_NAMES = {"alike": "alike together", "listed": "as listed"}

ABSENT = {
    "unobserved": "not known",
    "negative": "known to be no tie, or 0",
}
"""What a pair that a file does not list can mean, in the words of the page."""


def choose_data(settings: Settings) -> None:
    """The menu of data sets, and what the chosen one can answer."""
    own = datasets.is_own(settings.data)
    source = None if own else f"Source: {frame.plain(about(settings.data).citation)}"
    inputs.choose("Data set", "data", datasets.names(), show=datasets.title, hint=source)
    if not own:
        st.markdown(about(settings.data).question)
        return
    notes = datasets.load(settings.data).notes
    if notes:
        with st.expander(f"How it was read: {len(notes)} notes"):
            st.code("\n".join(notes), language=None, height=120)


def relations_table(settings: Settings) -> None:
    """A row a relation: what kind it is, how many ties it has, and how much of it is not known."""
    facts = datasets.describe(settings.data)[["kind", "directed", "density", "missing", "entries"]]
    names = {"density": "ties", "missing": "not known", "entries": "entries"}
    numbers = {
        name: st.column_config.NumberColumn(names[name], help=COLUMNS[name], format=shape)
        for name, shape in (("density", "percent"), ("missing", "percent"), ("entries", "localized"))
    }
    st.dataframe(
        facts,
        height=318 if len(facts) > 8 else "content",
        column_config={
            "kind": st.column_config.TextColumn("kind", help=COLUMNS["kind"]),
            "directed": st.column_config.CheckboxColumn("directed", help=COLUMNS["directed"]),
            **numbers,
        },
        alt="The relations of the data set: kind, direction, share of ties, share not known, entries",
    )


def adjacency_picture(settings: Settings) -> None:
    """One relation as a heat map, with its data to download."""
    data = datasets.load(settings.data)
    which, how = st.columns([3, 2])
    within = datasets.choices(settings.data)
    with which:
        relation = inputs.choose("Relation", "relation", within.relations, begin=within.begin)
    with how:
        order = inputs.choose(
            "Objects",
            "order",
            (*ORDERS, *within.attributes),
            show=lambda name: ORDER_NAMES.get(name, f"by {name}"),
            hint="Alike together: objects that relate to the same others, over all relations, stand side by side.",
        )
    positions = datasets.order(settings.data, order)
    figure = adjacency(data, relation, positions, dark=st.context.theme.type == "dark")
    figure.update_layout(height=440)
    st.plotly_chart(
        figure,
        key="adjacency",
        alt=f"Adjacency picture of {relation}: a cell for each pair of objects, sources down and targets across",
        config={"displaylogo": False, "toImageButtonOptions": {"filename": _file_name(settings, relation)}},
    )
    says, takes = st.columns([3, 2], vertical_alignment="center")
    says.caption(_reading(data))
    takes.download_button(
        "Entries (CSV)",
        data=lambda: data.only([relation]).to_frame().to_csv(index=False),
        file_name=f"{_file_name(settings, relation)}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        help="The known entries of this relation: source, relation, target, value, weight",
    )


def upload() -> None:
    """The visitor's own file. What was there before stays until a file has been read without a problem."""
    with st.expander("Upload your own", icon=":material/upload_file:"):
        endings = sorted({ending for reader in readers() for ending in reader.extensions} | {"gz"})
        absent = st.selectbox(
            "A pair that the file does not list is …", list(ABSENT), key=keys.ABSENT, format_func=ABSENT.__getitem__
        )
        file = st.file_uploader("A file of relations", type=endings, key=keys.FILE)
        if file is None or not st.button("Use this file", type="primary"):
            return
        try:
            data = mrwtd.read(file, absent=absent)
        except mrwtd.DataError as error:
            frame.problem(error)
            st.caption("The data set that you had is still in use.")
            return
        session.change(data=datasets.keep(data, file.name, absent=absent))
        st.rerun()


def _reading(data: mrwtd.RelationalData) -> str:
    block = -(-data.n_objects // MOST_CELLS)
    rows = "A row an object" if block == 1 else f"A row for {block} objects"
    return f"{rows}, sources down, targets across."


def _file_name(settings: Settings, relation: str) -> str:
    return re.sub(r"[^\w.-]+", "-", f"{settings.data}-{relation}").strip("-")
