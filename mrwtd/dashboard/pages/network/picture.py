"""The picture of the Network page: one network or two, clicks in them, and files to download."""

import io
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

import mrwtd

from ....analysis.edges import MAX_OBJECTS_FOR_ALL_PAIRS, TOP_UNKNOWN_PAIRS, edge_data, edge_table
from ....analysis.neighbourhoods import VisibleNetwork, select_visible
from ....data.writers import invalid_characters
from ....plots import network_chart
from ....plots.network_series import Layer, Panel
from ...state import keys, run_cache, session, user_datasets
from ...widgets import figures
from ...widgets.formatting import arrow, escape_markdown, signed
from . import network_texts as texts
from .network_view import View

HEIGHT = 452

FORMATS = {"csv": "CSV", "graphml": "GraphML", "gexf": "GEXF"}


@dataclass(frozen=True)
class Clicks:
    """The selection in a chart.

    A chart reports all selected items by number, and shows them as selected even if their numbers belong to other
    edges by then. So a chart with a selection is replaced by a new one when its edges change.

    Attributes:
        chart: identifies what is drawn, apart from the thresholds.
        edges: identifies the thresholds.
        number: how often the chart was replaced.
        selected: the selected items: a series of the chart and a number in it.
    """

    chart: str
    edges: str
    number: int = 0
    selected: frozenset[tuple[str, int]] = frozenset()

    @property
    def key(self) -> str:
        """The key of the chart in the session."""
        return f"network-{self.chart}-{self.number}"


def render(view: View) -> None:
    """Draw the networks, with a note on what is left out and the files."""
    _focus(view)
    objects = view.result.data.objects
    edges = [view.edges(label, threshold) for label, threshold in zip(view.labels, view.thresholds, strict=True)]
    drawn = [_visible(view, panel) for panel in edges]
    nodes = np.unique(np.concatenate([part.nodes for part in drawn]))  # both panels show the same objects
    clicks = _clicks(view)
    embedded = view.labels[0] if view.layout == "embedding" else ""
    chart = network_chart.network(
        [_panel(view, label, part.edges) for label, part in zip(view.labels, drawn, strict=True)],
        run_cache.positions(view.result, view.relation, view.tie_from, view.layout, embedded),
        nodes,
        objects,
        labels=view.names,
        marked=view.centres,
        # The browser marks what is selected: drawing the chart again would undo the zoom.
        chosen=None if clicks.selected else view.selected_edge(),
        types=view.result.data.object_types or (),
        file=figures.file_name(f"{view.result.data_name}-{view.relation}"),
        dark=figures.dark(),
    )
    n_edges = sum(len(part.edges) for part in drawn)
    st.echarts_chart(
        chart.option,
        height=HEIGHT,
        key=clicks.key,
        on_select=partial(_clicked, chart, objects),
        alt=f"{view.relation}: {len(nodes):,} objects and {n_edges:,} edges, predicted by {' and '.join(view.labels)}",
    )
    _below(view, edges[0], sum(part.left_out for part in drawn))


def _focus(view: View) -> None:
    """The object or group whose neighbourhood is shown, with a button back."""
    if not view.centres:
        return
    names = [escape_markdown(view.result.data.objects[centre]) for centre in view.centres[:6]]
    group = bool(session.settings().get("network.group"))
    button, icon, setting = "The group" if group else "Whole network", ":material/zoom_out_map:", "network.object"
    sentence = (texts.ONE_STEP if view.depth == 1 else texts.TWO_STEPS).format(name=names[0])
    if view.grouped:
        button, icon, setting = "Clear the group", ":material/close:", "network.group"
        dots = " …" if len(view.centres) > len(names) else ""
        sentence = texts.GROUP.format(count=len(view.centres), names=", ".join(names) + dots)
    left, right = st.columns([4, 1.3], vertical_alignment="center")
    left.markdown(sentence)
    right.button(button, icon=icon, width="stretch", on_click=session.change, kwargs={setting: ""})


def _visible(view: View, edges: dict[str, pd.DataFrame]) -> VisibleNetwork:
    """The edges and objects that are drawn in a panel; a column has the relation of an edge."""
    n = view.result.data.n_objects
    all_objects = n if n <= MAX_OBJECTS_FOR_ALL_PAIRS and not view.centres else None
    frame = pd.concat([part.assign(relation=name) for name, part in edges.items()], ignore_index=True)
    return select_visible(
        frame, network_chart.MAX_EDGES // len(view.labels), network_chart.MAX_NODES, view.centres, all_objects
    )


def _panel(view: View, label: str, edges: pd.DataFrame) -> Panel:
    names = (view.relation, *view.overlaid)
    layers: list[Layer] = []
    if view.overlaid:
        for number, name in enumerate(names):
            part = edges[edges["relation"] == name]
            layers += network_chart.relation_layers(name, number, part, _tooltips(view, part))
    else:
        layers = network_chart.outcome_layers(edges, _tooltips(view, edges))
    return Panel(label, layers, all(view.relation_info(name).directed for name in names))


def _tooltips(view: View, edges: pd.DataFrame) -> list[str]:
    objects = view.result.data.objects
    arrows = {name: arrow(view.relation_info(name)) for name in (view.relation, *view.overlaid)}
    columns = (edges[name] for name in ("i", "j", "score", "relation", "outcome"))
    return [
        f"{objects[i]} {arrows[name]} {objects[j]}, score {signed(score)}" + (f" ({outcome})" if view.overlaid else "")
        for i, j, score, name, outcome in zip(*columns, strict=True)
    ]


def _clicks(view: View) -> Clicks:
    """The selection in the chart of this view."""
    parts = (view.result.key, view.relation, view.tie_from, view.labels, view.overlaid, view.centres, view.depth)
    chart = keys.digest(*parts, view.layout, view.names, figures.dark())
    edges = repr(view.thresholds)
    clicks: Clicks | None = st.session_state.get(keys.CLICKED)
    if clicks is None or clicks.chart != chart:
        clicks = Clicks(chart, edges)
    elif clicks.edges != edges:
        clicks = Clicks(chart, edges, clicks.number + bool(clicks.selected))
    st.session_state[keys.CLICKED] = clicks
    return clicks


def _clicked(chart: network_chart.NetworkChart, objects: tuple[str, ...]) -> None:
    """Select the object or the edge that was clicked last."""
    clicks: Clicks = st.session_state[keys.CLICKED]
    groups = st.session_state[clicks.key].selection.selected
    selected = frozenset((str(group["series_id"]), int(index)) for group in groups for index in group["data_indices"])
    st.session_state[keys.CLICKED] = replace(clicks, selected=selected)
    for series, index in selected - clicks.selected:
        item = chart.item(series, index)
        if len(item) == 1:
            session.change(**{"network.object": objects[item[0]], "network.edge": ""})
        elif len(item) == 2:
            session.change(**{"network.edge": f"{item[0]},{item[1]}"})


def _symbols(data: mrwtd.RelationalData) -> str:
    """The symbol of each type of objects."""
    symbols = network_chart.type_symbols(data.object_types or ()).items()
    return "".join(f"{network_chart.SYMBOLS[symbol]}: {escape_markdown(name)}. " for name, symbol in symbols)


def _below(view: View, edges: dict[str, pd.DataFrame], left_out: int) -> None:
    """Notes on the picture, and its edges as files."""
    data, notes = view.result.data, []
    if data.n_objects > MAX_OBJECTS_FOR_ALL_PAIRS:
        ranked = all(view.pairs(label).ranked for label in view.labels)
        note = texts.BEST_ONLY.format(objects=data.n_objects, top=TOP_UNKNOWN_PAIRS)
        notes.append(note if ranked else note + texts.NO_RANKING)
    if left_out:
        notes.append(texts.NOT_DRAWN.format(count=left_out))
    if view.overlaid:
        notes.append(texts.OVERLAID)
    name = figures.file_name(f"{view.result.data_name}-{view.relation}-{view.labels[0]}")

    def content(kind: str) -> str | bytes:
        if kind == "csv":
            model = view.result.models[view.labels[0]]
            frames = [edge_table(model, data, relation, frame) for relation, frame in edges.items()]
            return figures.csv_text(pd.concat(frames, ignore_index=True))
        file = io.BytesIO()
        mrwtd.write(edge_data(data, edges), file, format=kind)
        return file.getvalue()

    invalid = next(invalid_characters(data), None)
    with st.container(horizontal=True, vertical_alignment="center", key="below-network"):
        st.caption(_symbols(data) + (" ".join(notes) or texts.HOW_TO_MOVE), help=texts.LEGEND)
        for kind, label in FORMATS.items() if user_datasets.may_copy(view.result.data_name) else ():
            mime = "text/csv" if kind == "csv" else "application/xml"
            blocked = kind != "csv" and invalid is not None
            help_ = texts.NO_FILE.format(reason=escape_markdown(str(invalid))) if blocked else None
            options = {"key": f"network-{kind}", "disabled": blocked, "help": help_}
            figures.download(label, partial(content, kind), f"{name}.{kind}", mime, **options)
