"""The controls of the map, and what they ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from ....analysis.projection import MAX_OBJECTS, PROJECTIONS
from ...state import session
from ...state.current_run import Result
from ...widgets import inputs
from . import factor_data

ABOUT = {
    "PCA": "Principal axes: the directions in which the objects differ most. Distances are true, less what the "
    "further axes hold.",
    "t-SNE": "Keeps each object's neighbours beside it. Near means alike; how far two groups are apart says little.",
    "MDS": "Multidimensional scaling: all distances between objects as true as the plane allows.",
}
"""What each projection is good for."""

PERPLEXITY = (2, 100, 30)
"""The least, the greatest and the usual one."""

MOST_NAMES = 40
"""Up to so many objects have their names written beside them unless it is switched off."""


@dataclass(frozen=True)
class Asked:
    """What the map should show.

    Attributes:
        label, relation: whose factors, and the relation that is looked at.
        kind, dimensions, perplexity: the projection and its parameters.
        colour: one of the options of `latents.choose_colour`.
        picks: what the mouse picks, "one" or "group".
        sized, named: whether points have the size of their degree, and their names beside them.
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
        """What a projection that takes time depends on, for the settings."""
        return f"{self.kind} {self.dimensions}" + (f" {self.perplexity:g}" if self.kind == "t-SNE" else "")

    @property
    def pending(self) -> bool:
        """Whether the projection takes time, and nobody has asked for it with these parameters yet."""
        return self.kind != "PCA" and session.settings().get("embedding.computed") != self.token


def controls(result: Result) -> Asked:
    """The row of controls above the map."""
    which, about, how, colours, mouse, more = st.columns([2, 2, 1.7, 2, 1.7, 1.3], vertical_alignment="bottom")
    with which:
        label = factor_data.choose_method(result)
    with about:
        relation = factor_data.choose_relation(result)
    with how:
        hint = "How the factors become points. " + " ".join(ABOUT.values())
        kind = inputs.choose("Projection", "embedding.how", PROJECTIONS, help=hint)
    with colours:
        colour = factor_data.choose_colour(result)
    with mouse:
        picks = inputs.choose("Pick", "embedding.pick", ("one", "group"), style="buttons")
    dimensions, perplexity = _parameters_now()
    with more, st.popover("Options", width="stretch"):
        asked = Asked(label, relation, kind, dimensions, perplexity, colour, picks)
        if not asked.pending:
            _parameters(kind)
        sized = inputs.toggle("Size by degree", "embedding.sized", help="The more an object takes part, the larger.")
        few = result.data.n_objects <= MOST_NAMES
        named = inputs.toggle("Names", "embedding.names", default=few, help="Write the name beside each point.")
    return replace(asked, sized=sized, named=named)


def ask_first(asked: Asked, n: int, height: int) -> None:
    """In the place of a map that takes time: its parameters, and a button."""
    with st.container(border=True, height=height):
        st.markdown(f"**{asked.kind}.** {ABOUT[asked.kind]}")
        _parameters(asked.kind)
        placed = min(n, MAX_OBJECTS[asked.kind])
        rest = "" if placed == n else f" The other {n - placed:,} are placed between their nearest of these."
        time = "some seconds" if asked.kind == "MDS" or placed < 500 else "half a minute or so"
        st.caption(f"{placed:,} objects take {time}.{rest} The result is kept.")
        if st.button(f"Compute {asked.kind}", type="primary", icon=":material/play_arrow:"):
            session.change(**{"embedding.computed": asked.token})
            st.rerun()


def _parameters(kind: str) -> None:
    hint = "Three can be turned with the mouse; a point or a group can be picked in two only."
    inputs.choose("Dimensions", "embedding.dimensions", ("2", "3"), style="buttons", help=hint)
    if kind == "t-SNE":
        hint = "About how many neighbours each object should keep."
        low, high, usual = PERPLEXITY
        inputs.slider("Perplexity", "embedding.perplexity", low, high, 1, usual, help=hint)


def _parameters_now() -> tuple[int, float]:
    """Dimensions and perplexity before their controls are drawn, whose place depends on them."""
    get = session.settings().get
    low, high, usual = PERPLEXITY
    text = str(get("embedding.perplexity") or usual)
    perplexity = float(text) if text.replace(".", "", 1).isdecimal() else float(usual)
    return 3 if get("embedding.dimensions") == "3" else 2, perplexity if low <= perplexity <= high else float(usual)
