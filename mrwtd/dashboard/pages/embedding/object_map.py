"""Map: objects as points, selected by name, by a click, or by drawing around a group."""

from dataclasses import astuple
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ....analysis.latent_factors import LatentFactors
from ....analysis.projection import Projection
from ....plots.embedding_map import AXES_HELP, MAX_DRAWN, embedding, point_table
from ...state import keys, session
from ...state.caches import Keyed
from ...state.current_run import Result
from ...widgets import figures, pickers
from ...widgets.formatting import escape_markdown
from . import embedding_texts as texts
from . import factor_data, map_controls, object_panel
from .map_controls import MapOptions

HEIGHT = 452
"""Height of the map, and of the box in its place until a slow projection is computed."""

MAX_MARKED = 50
"""Objects found by a part of their name that are marked at most."""


def render(result: Result) -> None:
    """Draw the controls, the map, and the selected object or group."""
    options = map_controls.choose_options(result)
    objects = result.data.objects
    name = session.settings().get("embedding.object")
    marked = pickers.find_objects(objects, name)[:MAX_MARKED] if name else []
    group = set() if name else set(st.session_state.get(keys.GROUP, ()))
    members = [position for position, other in enumerate(objects) if other in group]
    picture, side = st.columns([3, 2], gap="medium")
    with picture:
        if options.pending:
            map_controls.offer_projection(options, len(objects), HEIGHT + 42)
        else:
            _draw(result, options, marked, members)
    with side:
        _side_panel(result, options, marked, members)


def _draw(result: Result, options: MapOptions, marked: list[int], members: list[int]) -> None:
    factors = factor_data.factors(result, options.label, options.relation)
    objects, flat = result.data.objects, options.dimensions == 2
    projection = factor_data.projected(factors, options.kind, options.dimensions, options.perplexity)
    colouring = factor_data.colouring(result, options.label, options.relation, options.colour)

    def build() -> go.Figure:
        figure = embedding(
            projection.points,
            projection.axes,
            objects,
            colouring,
            weights=factor_data.degrees(result, options.relation) if options.sized else None,
            marked=marked,
            picked=members,
            names=options.named,
            true_scale=options.kind != "t-SNE",
            dark=figures.dark(),
        )
        if flat and options.picks == "group":
            figure.update_layout(dragmode="lasso")
        return figure

    figures.show(
        build,
        f"embedding-{options.picks}",
        cache_key=(result.key, *astuple(options), tuple(marked), tuple(members)),
        alt=f"The {len(objects):,} objects as points by their factors in {options.label}, {options.kind}",
        data=lambda: point_table(projection.points, projection.axes, objects, colouring),
        height=HEIGHT,
        on_select=partial(_select, objects, options.picks) if flat else "ignore",
        caption=f"{texts.MAP_CAPTION} {texts.PICK[options.picks] if flat else texts.TURN}"
        + _notes(options, projection, factors),
    )


def _notes(options: MapOptions, projection: Projection, factors: Keyed[LatentFactors]) -> str:
    """Further sentences for the caption of the map."""
    n, kind = len(projection.points), options.kind
    if not np.ptp(projection.points, axis=0).any():
        return texts.SAME_FACTORS
    notes = f" {AXES_HELP}" if kind == "PCA" else ""
    if n > MAX_DRAWN:
        notes += f" A random sample of {MAX_DRAWN:,} objects is drawn."
    if projection.placed < n:
        notes += f" {projection.placed:,} objects are placed by {kind}, the others between them."
    if options.colour == "cluster":
        clusters = factor_data.clusters(factors)
        several = texts.CLUSTERS.format(count=clusters.count, silhouette=clusters.silhouette)
        notes += several if clusters.count > 1 else " All objects are in one cluster."
    return notes


def _select(objects: tuple[str, ...], picks: str) -> None:
    """Save the selection: the figure loses it as soon as it is drawn in other colours."""
    event = st.session_state.get(keys.MAP + picks) or {}
    points = event.get("selection", {}).get("points", [])
    rows = sorted({int(point["customdata"][0]) for point in points if isinstance(point.get("customdata"), list)})
    if len(rows) > 1:
        st.session_state[keys.GROUP] = tuple(objects[row] for row in rows)
    if rows:
        session.change(**{"embedding.object": objects[rows[0]] if len(rows) == 1 else ""})


def _side_panel(result: Result, options: MapOptions, marked: list[int], members: list[int]) -> None:
    """The selected object or group, or an introduction."""
    factors = factor_data.factors(result, options.label, options.relation)
    objects = result.data.objects
    pickers.object_field("Object", "embedding.object", objects)
    with st.container(height=HEIGHT - 34, border=False):
        if len(marked) == 1:
            object_panel.show_object(result, options.label, options.relation, factors, marked[0])
        elif marked:
            names = ", ".join(escape_markdown(objects[row]) for row in marked[:20])
            st.markdown(texts.SEVERAL_MATCHES.format(count=len(marked), names=names + " …" * (len(marked) > 20)))
        elif session.settings().get("embedding.object"):
            st.markdown("No object has this name.")
        elif len(members) > 1:
            object_panel.show_group(result, factors, np.array(members, dtype=np.intp))
        else:
            n, rank = factors.value.A.shape
            st.markdown(texts.INTRODUCTION.format(n=n, rank=rank))
