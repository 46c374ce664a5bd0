"""The row of menus on top of the Network page."""

from __future__ import annotations

import streamlit as st

from ...state import keys, run_cache, session, user_datasets
from ...state.current_run import Result
from ...widgets import inputs, pickers
from ...widgets.formatting import decode_list
from . import network_texts as texts
from .network_view import View

NONE = "nothing"
"""The option without a second method, as URLs call it."""

NAMES: dict[str, bool | None] = {"if few": None, "always": True, "never": False}
"""Whether names are written; None if it depends on their number."""


def choose_view(result: Result) -> View:
    """Draw the menus; the thresholds are chosen later."""
    objects, group = result.data.objects, _group()
    choices = user_datasets.choices(result.data_name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        relation = inputs.choose("Relation", "relation", choices.relations, index=choices.default_relation)
        label = inputs.choose("Method", "method", list(result.models))
        others = {NONE: "none"} | {other: other for other in result.models if other != label}
        second = inputs.choose(
            "Compare with", "network.second", list(others), format_func=others.__getitem__, help=texts.SECOND_HELP
        )
        centre = pickers.object_picker("Neighbourhood of", "network.object", objects, help=texts.OBJECT_HELP)
        with st.popover("Options"):
            depth = inputs.choose("Steps", "network.depth", ("1", "2"), style="buttons", help=texts.DEPTH_HELP)
            layouts = run_cache.layouts(result, label, relation)
            layout = inputs.choose("Layout", "network.layout", layouts, help=texts.LAYOUT_HELP)
            names = inputs.choose("Names", "network.names", tuple(NAMES), style="buttons", help=texts.NAMES_HELP)
            overlays = [other for other in choices.relations if other != relation]
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
