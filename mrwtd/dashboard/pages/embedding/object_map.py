"""Map: objects as points, selected by name, by a click, or by drawing around a group."""

from dataclasses import astuple, dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ....analysis.latent_factors import LatentFactors
from ....analysis.projection import MAX_OBJECTS, PROJECTIONS, Projection
from ....plots.embedding_map import AXES_HELP, MAX_DRAWN, embedding, point_table
from ...state import keys, session
from ...state.caches import Keyed
from ...state.current_run import Result
from ...widgets import figures, inputs, pickers
from ...widgets.formatting import escape_markdown
from . import embedding_texts as texts
from . import factor_data, object_panel

HEIGHT = 452
"""Height of the map, and of the box in its place until a slow projection is computed."""

MAX_MARKED = 50
"""Objects found by a part of their name that are marked at most."""

PERPLEXITY = (2, 100, 1, 30)
"""Minimum, maximum, step and default."""

MAX_NAMES = 40
"""Names are on by default for at most this many objects."""


@dataclass(frozen=True)
class MapOptions:
    """Options of the map.

    Attributes:
        label, relation: the method whose factors are shown, and the relation.
        kind, dimensions, perplexity: the projection and its parameters; a perplexity of 0 if it has none.
        colour: an option of `factor_data.choose_colour`.
        picks: what the mouse selects, "one" or "group".
        sized, named: whether the size of points is their degree, and whether names are written beside them.
    """

    label: str
    relation: str
    kind: str
    dimensions: int
    perplexity: float
    colour: str
    picks: str
    sized: bool
    named: bool

    @property
    def token(self) -> str:
        """A text for the settings that identifies a slow projection."""
        return f"{self.kind} {self.dimensions}" + (f" {self.perplexity:g}" if self.kind == "t-SNE" else "")

    @property
    def pending(self) -> bool:
        """Whether the projection is slow and was not started with these parameters."""
        return self.kind != "PCA" and session.settings().get("embedding.computed") != self.token


def render(result: Result) -> None:
    """Draw the controls, the map, and the selected object or group."""
    options = choose_options(result)
    objects = result.data.objects
    name = session.settings().get("embedding.object")
    marked = pickers.find_objects(objects, name)[:MAX_MARKED] if name else []
    group = set() if name else set(st.session_state.get(keys.GROUP, ()))
    members = [position for position, other in enumerate(objects) if other in group]
    picture, side = st.columns([3, 2], gap="medium")
    with picture:
        if options.pending:
            offer_projection(options, len(objects))
        else:
            _draw(result, options, marked, members)
    with side:
        _side_panel(result, options, marked, members)


def choose_options(result: Result) -> MapOptions:
    """The row of controls above the map."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = factor_data.choose_method(result)
        relation = factor_data.choose_relation(result)
        kind = inputs.choose("Projection", "embedding.how", PROJECTIONS, help=texts.PROJECTION_HELP)
        colour = factor_data.choose_colour(result)
        picks = inputs.choose("Pick", "embedding.pick", ("one", "group"), style="buttons")
        with st.popover("Options"):
            choices, help_ = ("2", "3"), texts.DIMENSIONS_HELP
            dimensions = inputs.choose("Dimensions", "embedding.dimensions", choices, style="buttons", help=help_)
            perplexity = 0.0
            if kind == "t-SNE":
                help_ = texts.PERPLEXITY_HELP
                perplexity = inputs.slider("Perplexity", "embedding.perplexity", *PERPLEXITY, help=help_)
            sized = inputs.toggle("Size by degree", "embedding.sized", help=texts.SIZE_HELP)
            few = result.data.n_objects <= MAX_NAMES
            named = inputs.toggle("Names", "embedding.names", default=few, help=texts.NAMES_HELP)
    return MapOptions(label, relation, kind, int(dimensions), perplexity, colour, picks, sized, named)


def offer_projection(options: MapOptions, n_objects: int) -> None:
    """A button that computes a slow projection, in place of the map."""
    with st.container(border=True, height=HEIGHT + 42):
        st.markdown(f"**{options.kind}.** {texts.PROJECTIONS[options.kind]}")
        placed = min(n_objects, MAX_OBJECTS[options.kind])
        time = "a few seconds" if options.kind == "MDS" or placed < 500 else "about half a minute"
        rest = "" if placed == n_objects else texts.OBJECTS_BETWEEN.format(rest=n_objects - placed)
        st.caption(f"{placed:,} objects take {time}.{rest} {texts.PROJECTION_SAVED}")
        computed, icon = {"embedding.computed": options.token}, ":material/play_arrow:"
        st.button(f"Compute {options.kind}", type="primary", icon=icon, on_click=session.change, kwargs=computed)


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
