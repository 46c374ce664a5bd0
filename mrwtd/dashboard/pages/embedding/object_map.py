"""The map: objects as points, found by name, by a click, or by drawing round a group."""

from __future__ import annotations

from dataclasses import astuple
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ....analysis.latent_factors import LatentFactors
from ....analysis.projection import Projection
from ....plots.embedding_map import AXES_HELP, MAX_DRAWN, embedding, point_table
from ...state import keys, session
from ...state.current_run import Result
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown
from . import controls, factor_data, object_panel
from .controls import Asked

HEIGHT = 452
"""Of the map, and of what stands in its place until it is computed."""

MOST_LISTED = 3_000
"""More objects than this are searched by typing; a menu of them would be slow to open."""

WORDS = {"one": "Click a point.", "group": "Draw round some points."}
"""What to do on the map, for each thing that can be picked."""


def section(result: Result) -> None:
    """The controls, the map, and beside it who is looked at."""
    asked = controls.controls(result)
    found = factor_data.of(result, asked.label, asked.relation)
    assert found is not None  # only methods with factors are offered
    name = session.settings().get("embedding.object")
    marked = matching(result.data.objects, name) if name else []
    members = [] if name else _group(result.data.objects)
    picture, side = st.columns([3, 2], gap="medium")
    with picture:
        if asked.pending:
            controls.ask_first(asked, len(found.A), HEIGHT + 42)
        else:
            _draw(result, asked, found, marked, members)
    with side:
        _side(result, asked, found, marked, members)


def _draw(result: Result, asked: Asked, found: LatentFactors, marked: list[int], members: list[int]) -> None:
    objects = result.data.objects
    factors = factor_data.factors(result, asked.label, asked.relation, found)
    perplexity = asked.perplexity if asked.kind == "t-SNE" else 0.0  # the others are the same for all
    projection = factor_data.projected(factors, asked.kind, asked.dimensions, perplexity)
    colouring = factor_data.colouring(result, asked.label, asked.relation, asked.colour)
    flat = asked.dimensions == 2

    def build() -> go.Figure:
        figure = embedding(
            projection.points,
            projection.axes,
            objects,
            colouring,
            weights=factor_data.degrees(result, asked.relation) if asked.sized else None,
            marked=marked,
            picked=members,
            names=asked.named,
            true_scale=asked.kind != "t-SNE",
            dark=figures.dark(),
        )
        if flat and asked.picks == "group":
            figure.update_layout(dragmode="lasso")
        return figure

    figures.show(
        build,
        f"embedding-{asked.picks}",
        cache_key=(result.key, *astuple(asked), tuple(marked), tuple(members)),
        alt=f"The {len(objects):,} objects as points by their factors in {asked.label}, {asked.kind}",
        data=lambda: point_table(projection.points, projection.axes, objects, colouring),
        height=HEIGHT,
        on_select=partial(_selected, objects, asked.picks) if flat else "ignore",
        caption="Near means alike in the eyes of the model. "
        + (WORDS[asked.picks] if flat else "Turn it with the mouse; find an object on the right.")
        + _notes(result, asked, projection),
    )


def _notes(result: Result, asked: Asked, projection: Projection) -> str:
    """What else the reader of the map should know."""
    if not np.ptp(projection.points, axis=0).any():
        return " All objects have the same factors: nothing was learned of them. Take a smaller λ."
    notes = f" {AXES_HELP}" if asked.kind == "PCA" else ""
    notes += "" if len(projection.points) <= MAX_DRAWN else f" {MAX_DRAWN:,} objects are drawn, at random."
    if projection.placed < len(projection.points):
        notes += f" {projection.placed:,} objects are placed by {asked.kind}, the others between them."
    if asked.colour == "cluster":
        found = factor_data.groups(result, asked.label, asked.relation)
        best = f" {found.count} clusters have the best silhouette, {found.silhouette:.2f}"
        notes += f"{best} (1: far apart, 0: one cloud)." if found.count > 1 else " All objects are one cluster."
    return notes


def _selected(objects: tuple[str, ...], picks: str) -> None:
    """Keep what was picked: the figure itself forgets it as soon as it is drawn in other colours."""
    event = st.session_state.get(keys.MAP + picks) or {}
    points = event.get("selection", {}).get("points", [])
    at = sorted({int(point["customdata"][0]) for point in points if isinstance(point.get("customdata"), list)})
    if len(at) > 1:
        st.session_state[keys.GROUP] = tuple(objects[own] for own in at)
    if at:
        session.change(**{"embedding.object": objects[at[0]] if len(at) == 1 else ""})


def _group(objects: tuple[str, ...]) -> list[int]:
    """The positions of the objects that were drawn round, as far as they are objects of this data set."""
    names = set(st.session_state.get(keys.GROUP, ()))
    return [at for at, name in enumerate(objects) if name in names] if names else []


def matching(objects: tuple[str, ...], name: str, most: int = 50) -> list[int]:
    """The positions of the objects of a name, or else of those whose names contain it.

    >>> matching(("Ann", "Anna", "Bob"), "ann"), matching(("Ann", "Anna", "Bob"), "Ann"), matching(("Ann",), "x")
    ([0, 1], [0], [])
    """
    if name in objects:
        return [objects.index(name)]
    wanted = name.strip().casefold()
    found = [at for at, own in enumerate(objects) if wanted and wanted in own.casefold()]
    return found[:most]


def _side(result: Result, asked: Asked, found: LatentFactors, marked: list[int], members: list[int]) -> None:
    """Who is looked at: an object, a group, or nobody yet."""
    objects = result.data.objects
    if len(objects) <= MOST_LISTED:
        inputs.choose("Object", "embedding.object", ("", *objects), format_func=lambda name: name or "Find an object …")
    else:
        inputs.text_input("Object", "embedding.object", placeholder="A name, or a part of one")
    with st.container(height=HEIGHT - 34, border=False):
        if len(marked) == 1:
            object_panel.one(result, asked.label, asked.relation, found, marked[0])
        elif marked:
            names = ", ".join(escape_markdown(objects[at]) for at in marked[:20])
            st.markdown(
                f"{len(marked)} names match: {names}{' …' * (len(marked) > 20)}. Type more of the one you mean."
            )
        elif session.settings().get("embedding.object"):
            st.markdown("No object has such a name.")
        elif len(members) > 1:
            object_panel.group(result, asked.label, asked.relation, found, np.array(members, dtype=np.intp))
        else:
            _legend(found)


def _legend(found: LatentFactors) -> None:
    n, r = found.A.shape
    # In plain letters: a browser takes longer for a formula than for the map's points.
    st.markdown(
        f"Each of the {n:,} objects is a row of **A**: {r} numbers, its factors. They are learned so that those of two "
        "objects tell how the one relates to the other, in every relation.\n\n"
        "- **Pick one**: click a point for its factors, neighbours and strongest predictions.\n"
        "- **Pick a group**: draw round some points for what they have in common, and to see them as a network.\n"
        "- **Near the centre** are objects of which the model has learned little."
    )
