"""What the Network page shows: a relation, one or two methods, and a part of the network, chosen by menus."""

import re
from dataclasses import dataclass

import pandas as pd
import streamlit as st

import mrwtd

from ....analysis.edges import ScoredPairs, tie_values
from ....analysis.neighbourhoods import neighbourhood
from ....analysis.pair_predictions import pair_of
from ...state import keys, run_cache, session
from ...state.current_run import Result
from ...widgets import inputs, pickers
from ...widgets.formatting import decode_list
from . import network_texts as texts

NONE = "nothing"
"""The option without a second method, as URLs call it."""

NAMES: dict[str, bool | None] = {"if few": None, "always": True, "never": False}
"""Whether names are written; None if it depends on their number."""


@dataclass(frozen=True)
class View:
    """The options of the page.

    Attributes:
        result: the run.
        relation: the relation that is shown.
        labels: one or two methods.
        overlaid: further relations, each in its own colour.
        centres, depth: the objects whose neighbourhood is shown, and its radius; no centres for the whole network.
        grouped: whether the centres are a group sent by another page.
        layout: how objects are placed.
        names: whether names are written; None if it depends on their number.
        tie_from: the value from which on a relationship counts as a tie.
        thresholds: the score from which on each method predicts a tie.
    """

    result: Result
    relation: str
    labels: tuple[str, ...]
    overlaid: tuple[str, ...]
    centres: tuple[int, ...]
    grouped: bool
    depth: int
    layout: str
    names: bool | None
    tie_from: float = 0.0
    thresholds: tuple[float, ...] = ()

    def relation_info(self, name: str = "") -> mrwtd.Relation:
        """A relation by name, or the one that is shown."""
        data = self.result.data
        return data.relations[data.relation_index(name or self.relation)]

    def pairs(self, label: str) -> ScoredPairs:
        """The pairs of the relation as a method scores them."""
        return run_cache.scored_pairs(self.result, label, self.relation, self.tie_from)

    def edges(self, label: str, threshold: float) -> dict[str, pd.DataFrame]:
        """The edges of the relation and of those overlaid, each of the latter at its default threshold."""
        edges = {self.relation: self.pairs(label).edges(threshold)}
        for name in self.overlaid:
            tie_from = next(iter(tie_values(self.result.data, name).values()))
            pairs = run_cache.scored_pairs(self.result, label, name, tie_from)
            edges[name] = pairs.edges(pairs.threshold_for(pairs.train_tie_fraction))
        if not self.centres:
            return edges
        return {name: neighbourhood(frame, self.centres, self.depth) for name, frame in edges.items()}

    def selected_edge(self) -> tuple[int, int] | None:
        """The two objects of the selected edge, if the relation can connect them."""
        match = re.fullmatch(r"(\d+),(\d+)", str(session.settings().get("network.edge")))
        data = self.result.data
        if match is None or max(map(int, match.groups())) >= data.n_objects:
            return None
        return pair_of(data, data.relation_index(self.relation), int(match[1]), int(match[2]), with_self=True)


def choose_view(result: Result) -> View:
    """Draw the menus; the thresholds are chosen later."""
    objects, group = result.data.objects, _group()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        relation = pickers.relation_picker(result.data_name)
        label = inputs.choose("Method", "method", list(result.models))
        others = {NONE: "none"} | {other: other for other in result.models if other != label}
        second = inputs.choose("Compare with", "network.second", others, help=texts.SECOND_HELP)
        centre = pickers.object_picker("Neighbourhood of", "network.object", objects, help=texts.OBJECT_HELP)
        with st.popover("Options"):
            depth = inputs.choose("Steps", "network.depth", ("1", "2"), style="buttons", help=texts.DEPTH_HELP)
            layouts = run_cache.layouts(result, label, relation)
            layout = inputs.choose("Layout", "network.layout", layouts, help=texts.LAYOUT_HELP)
            names = inputs.choose("Names", "network.names", tuple(NAMES), style="buttons", help=texts.NAMES_HELP)
            overlays = [other.name for other in result.data.relations if other.name != relation]
            overlaid = pickers.multi_picker("Overlay relations", "network.overlay", overlays, help=texts.OVERLAY_HELP)
    labels = (label,) if second == NONE else (label, second)
    centres = tuple(row for row, name in enumerate(objects) if name in group) if centre is None else (centre,)
    return View(result, relation, labels, tuple(overlaid), centres, centre is None, int(depth), layout, NAMES[names])


def _group() -> set[str]:
    """The group that another page sent. A new group replaces the selected object."""
    group = str(session.settings().get("network.group") or "")
    if group != st.session_state.get(keys.SENT, ""):
        st.session_state[keys.SENT] = group
        if group:
            session.change(**{"network.object": ""})
    return set(decode_list(group))
