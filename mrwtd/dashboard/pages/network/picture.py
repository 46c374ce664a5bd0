"""The picture of the Network page: drawn, clicked, and taken away as a file."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256

import numpy as np
import pandas as pd
import streamlit as st

import mrwtd

from ....analysis.edges import MAX_OBJECTS_FOR_ALL_PAIRS
from ....analysis.neighbourhoods import VisibleNetwork, select_visible
from ....analysis.network_export import edge_data, edge_table
from ....data.xml_writers import invalid_characters
from ....plots.network_chart import MAX_EDGES, MAX_NODES, NetworkChart, network, outcome_layers, relation_layers
from ....plots.network_series import Layer, Panel
from ....typing import IndexArray
from ...state import keys, run_cache, session
from ...widgets import figures
from ...widgets.formatting import escape_markdown
from .selection import View, chosen_edge, legend, limits

HEIGHT = 452

Item = tuple[str, int]
"""A series of the chart, and the number of one of its items."""


@dataclass(frozen=True)
class Clicks:
    """What was clicked in a chart.

    A chart tells all that is selected in it, by number, and shows it even where the numbers stand for other edges by
    now. So a chart in which something is selected is replaced by a new one when its edges change.

    Attributes:
        chart: what is drawn, apart from what a threshold changes.
        edges: what a threshold changes.
        number: how often the chart has been replaced.
        selected: what is selected in it.
    """

    chart: str
    edges: str
    number: int = 0
    selected: frozenset[Item] = frozenset()

    @property
    def key(self) -> str:
        """The chart's name in the session."""
        return f"network-{self.chart}-{self.number}"


def draw(view: View) -> None:
    """The network or networks, what is left out of them, and the files to take away."""
    data = view.result.data
    pairs = zip(view.labels, view.thresholds, strict=True)
    edges = [view.all_edges(label, threshold) for label, threshold in pairs]
    drawn = _drawn(view, edges)
    clicks = _clicks(view)
    embedded = view.labels[0] if view.layout == "embedding" else ""
    picture = network(
        _panels(view, drawn),
        run_cache.positions(view.result, view.relation, view.tie_from, view.layout, embedded),
        _nodes(drawn),
        data.objects,
        labels=view.names,
        marked=view.centres,
        # The chart itself shows what is selected: it is not drawn anew, which would undo the zoom.
        chosen=None if clicks.selected else chosen_edge(data.n_objects),
        file=figures.file_name(f"{view.result.data_name}-{view.relation}"),
        dark=figures.dark(),
    )
    st.echarts_chart(
        picture.option,
        height=HEIGHT,
        key=clicks.key,
        on_select=partial(_clicked, picture, data.objects),
        alt=f"Network of {view.relation}: {len(_nodes(drawn)):,} objects and {sum(len(one.edges) for one in drawn):,} "
        f"edges by outcome, predicted by {' and '.join(view.labels)}",
    )
    _below(view, edges, sum(one.left_out for one in drawn))


def _drawn(view: View, panels: list[dict[str, pd.DataFrame]]) -> list[VisibleNetwork]:
    """What of them is drawn: a relation's name goes along in a column of its own."""
    n = view.result.data.n_objects
    everyone = n if n <= MAX_OBJECTS_FOR_ALL_PAIRS and not view.centres else None
    return [
        select_visible(
            pd.concat([edges.assign(relation=name) for name, edges in panel.items()], ignore_index=True),
            MAX_EDGES // len(panels),
            MAX_NODES,
            view.centres,
            everyone,
        )
        for panel in panels
    ]


def _nodes(drawn: list[VisibleNetwork]) -> IndexArray:
    """The objects of all panels: both show the same ones."""
    return np.unique(np.concatenate([one.nodes for one in drawn]))


def _panels(view: View, drawn: list[VisibleNetwork]) -> list[Panel]:
    data = view.result.data
    ways = [data.relations[data.relation_index(name)].directed for name in (view.relation, *view.overlaid)]
    panels = []
    for label, one in zip(view.labels, drawn, strict=True):
        if view.overlaid:
            layers: list[Layer] = []
            for number, name in enumerate((view.relation, *view.overlaid)):
                own = one.edges[one.edges["relation"] == name]
                layers += relation_layers(name, number, own, _texts(view, own))
        else:
            layers = outcome_layers(one.edges, _texts(view, one.edges))
        panels.append(Panel(label, layers, all(ways)))
    return panels


def _texts(view: View, edges: pd.DataFrame) -> list[str]:
    """What the pointer says of each edge."""
    objects, data = view.result.data.objects, view.result.data
    directed = {own.name: own.directed for own in data.relations}
    return [
        f"{objects[i]} {'→' if directed[name] else '–'} {objects[j]}, score {score:.2f}"
        + (f" ({outcome})" if view.overlaid else "")
        for i, j, score, name, outcome in zip(
            edges["i"], edges["j"], edges["score"], edges["relation"], edges["outcome"], strict=True
        )
    ]


def _clicks(view: View) -> Clicks:
    """What is selected in the chart that shows this view."""
    result = view.result
    what = (result.key, view.relation, view.tie_from, view.labels, view.overlaid, view.centres, view.depth)
    chart = sha256(repr((*what, view.layout, view.names, figures.dark())).encode()).hexdigest()[:12]
    edges = repr(view.thresholds)
    held: Clicks | None = st.session_state.get(keys.CLICKED)
    if held is None or held.chart != chart:
        held = Clicks(chart, edges)
    elif held.edges != edges:
        held = Clicks(chart, edges, held.number + bool(held.selected))
    st.session_state[keys.CLICKED] = held
    return held


def _clicked(picture: NetworkChart, objects: tuple[str, ...]) -> None:
    """Look at the object, or at the edge, that was clicked last."""
    held: Clicks = st.session_state[keys.CLICKED]
    selected = st.session_state[held.key].selection.selected
    now = frozenset((str(group["series_id"]), int(index)) for group in selected for index in group["data_indices"])
    st.session_state[keys.CLICKED] = replace(held, selected=now)
    for series, index in now - held.selected:
        found = picture.item(series, index)
        if len(found) == 1:
            session.change(**{"network.object": objects[found[0]], "network.edge": ""})
        elif len(found) == 2:
            session.change(**{"network.edge": f"{found[0]},{found[1]}"})


def _below(view: View, edges: list[dict[str, pd.DataFrame]], left_out: int) -> None:
    notes = [limits(view)] if limits(view) else []
    if left_out:
        notes.append(f"{left_out:,} edges are not drawn; the files have them all.")
    if view.overlaid:
        notes.append("Known ties are solid, predicted ones dashed, missed ones dotted.")
    usual = "Wheel and drag to zoom and move; the legend turns edges off, the arrow saves a PNG."
    name = figures.file_name(f"{view.result.data_name}-{view.relation}-{view.labels[0]}")

    def table() -> str:
        model, data = view.result.models[view.labels[0]], view.result.data
        frames = [edge_table(model, data, relation, own) for relation, own in edges[0].items()]
        return figures.csv_text(pd.concat(frames, ignore_index=True))

    def graph(kind: str) -> bytes:
        file = io.BytesIO()
        mrwtd.write(edge_data(view.result.data, edges[0]), file, format=kind)
        return file.getvalue()

    bad = next(invalid_characters(view.result.data), None)
    with st.container(horizontal=True, vertical_alignment="center", key="below-network"):
        st.caption(" ".join(notes) or usual, help=legend())
        st.download_button(
            "CSV", data=table, file_name=f"{name}.csv", mime="text/csv", key="network-csv", type="tertiary",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        for kind in ("graphml", "gexf"):
            st.download_button(
                {"graphml": "GraphML", "gexf": "GEXF"}[kind], data=partial(graph, kind), file_name=f"{name}.{kind}",
                mime="application/xml", key=f"network-{kind}", type="tertiary", icon=":material/download:",
                on_click="ignore", disabled=bad is not None,
                help=None if bad is None else f"Not possible for this data: {escape_markdown(str(bad))}",
            )  # fmt: skip
