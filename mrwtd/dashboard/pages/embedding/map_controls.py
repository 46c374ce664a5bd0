"""The controls of the map and the options that they set."""

from dataclasses import dataclass

import streamlit as st

from ....analysis.projection import MAX_OBJECTS, PROJECTIONS
from ...state import session
from ...state.current_run import Result
from ...widgets import inputs
from . import embedding_texts as texts
from . import factor_data

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


def offer_projection(options: MapOptions, n_objects: int, height: int) -> None:
    """A button that computes a slow projection, in place of the map."""
    with st.container(border=True, height=height):
        st.markdown(f"**{options.kind}.** {texts.PROJECTIONS[options.kind]}")
        placed = min(n_objects, MAX_OBJECTS[options.kind])
        time = "some seconds" if options.kind == "MDS" or placed < 500 else "about half a minute"
        rest = "" if placed == n_objects else texts.OBJECTS_BETWEEN.format(rest=n_objects - placed)
        st.caption(f"{placed:,} objects take {time}.{rest} {texts.PROJECTION_SAVED}")
        if st.button(f"Compute {options.kind}", type="primary", icon=":material/play_arrow:"):
            session.change(**{"embedding.computed": options.token})
            st.rerun()
