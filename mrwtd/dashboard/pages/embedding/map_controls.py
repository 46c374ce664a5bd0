"""The controls of the map and the options that they set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from ....analysis.projection import MAX_OBJECTS, PROJECTIONS
from ...state import session
from ...state.current_run import Result
from ...widgets import inputs
from . import embedding_texts as texts
from . import factor_data

PERPLEXITY = (2, 100, 30)
"""Minimum, maximum and default."""

MAX_NAMES = 40
"""Names are on by default for at most this many objects."""


@dataclass(frozen=True)
class MapOptions:
    """Options of the map.

    Attributes:
        label, relation: the method whose factors are shown, and the relation.
        kind, dimensions, perplexity: the projection and its parameters.
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
    sized: bool = False
    named: bool = False

    @property
    def token(self) -> str:
        """A text for the settings that identifies a slow projection."""
        return f"{self.kind} {self.dimensions}" + (f" {self.perplexity:g}" if self.kind == "t-SNE" else "")

    @property
    def pending(self) -> bool:
        """Whether the projection is slow and was not started with these parameters."""
        return self.kind != "PCA" and session.settings().get("embedding.computed") != self.token


def choose_options(result: Result) -> MapOptions:
    """The row of controls above the map."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = factor_data.choose_method(result)
        relation = factor_data.choose_relation(result)
        kind = inputs.choose("Projection", "embedding.how", PROJECTIONS, help=texts.PROJECTION_HELP)
        colour = factor_data.choose_colour(result)
        picks = inputs.choose("Pick", "embedding.pick", ("one", "group"), style="buttons")
        options = MapOptions(label, relation, kind, *_current_parameters(), colour, picks)
        with st.popover("Options"):
            if not options.pending:
                _choose_parameters(kind)
            sized = inputs.toggle("Size by degree", "embedding.sized", help=texts.SIZE_HELP)
            few = result.data.n_objects <= MAX_NAMES
            named = inputs.toggle("Names", "embedding.names", default=few, help=texts.NAMES_HELP)
    return replace(options, sized=sized, named=named)


def offer_projection(options: MapOptions, n_objects: int, height: int) -> None:
    """The parameters of a slow projection and a button that computes it, in place of the map."""
    with st.container(border=True, height=height):
        st.markdown(f"**{options.kind}.** {texts.PROJECTIONS[options.kind]}")
        _choose_parameters(options.kind)
        placed = min(n_objects, MAX_OBJECTS[options.kind])
        time = "some seconds" if options.kind == "MDS" or placed < 500 else "about half a minute"
        rest = "" if placed == n_objects else texts.OBJECTS_BETWEEN.format(rest=n_objects - placed)
        st.caption(f"{placed:,} objects take {time}.{rest} The result is saved.")
        if st.button(f"Compute {options.kind}", type="primary", icon=":material/play_arrow:"):
            session.change(**{"embedding.computed": options.token})
            st.rerun()


def _choose_parameters(kind: str) -> None:
    inputs.choose("Dimensions", "embedding.dimensions", ("2", "3"), style="buttons", help=texts.DIMENSIONS_HELP)
    if kind == "t-SNE":
        low, high, default = PERPLEXITY
        inputs.slider("Perplexity", "embedding.perplexity", low, high, 1, default, help=texts.PERPLEXITY_HELP)


def _current_parameters() -> tuple[int, float]:
    """Dimensions and perplexity, before their controls are drawn in a place that depends on them."""
    settings = session.settings()
    low, high, default = PERPLEXITY
    try:
        perplexity = float(settings.get("embedding.perplexity") or default)
    except ValueError:
        perplexity = default
    dimensions = 3 if settings.get("embedding.dimensions") == "3" else 2
    return dimensions, perplexity if low <= perplexity <= high else float(default)
