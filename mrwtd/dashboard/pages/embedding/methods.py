"""Methods: the factors of several methods side by side."""

import pandas as pd
import streamlit as st

from ....analysis.projection import align_signs
from ....plots.embedding_map import AXES_HELP, Colouring, embedding, point_table
from ....plots.matrices import MAX_FACTORS, cell_table, relation_map
from ....typing import Array
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import escape_markdown
from . import embedding_texts as texts
from . import factor_data

MAX_METHODS = 6
"""Methods shown side by side at most: each takes two figures."""


def render(result: Result) -> None:
    """Draw the objects and the relation by the factors of every method that has any."""
    with st.container(horizontal=True, width=factor_data.MENUS_WIDTH):
        relation = factor_data.choose_relation(result)
        colour = factor_data.choose_colour(result)
    labels = factor_data.methods_with_factors(result)
    if len(labels) < 2:
        factor_data.offer_training(texts.ONE_METHOD, "Train more methods", ":material/compare:")
        return
    shown = labels[:MAX_METHODS]
    # Clusters are those of the first method in all figures, to show where the others put these objects.
    sources = {label: shown[0] if colour == "cluster" else label for label in shown}
    colourings = {label: factor_data.colouring(result, sources[label], relation, colour) for label in shown}
    inside = factor_data.legend_fits(colourings[shown[0]])
    if not inside:
        factor_data.legend(colourings[shown[0]])
    per_row = 2 if len(shown) == 4 else min(len(shown), 3)
    columns = [column for _ in range(0, len(shown), per_row) for column in st.columns(per_row)]
    for column, label in zip(columns, shown, strict=False):
        with column:
            _draw(result, label, relation, shown[0], colourings[label], inside)
    _downloads(result, relation, colourings)
    notes = []
    if without := [label for label in result.models if label not in labels]:
        notes.append(f"{escape_markdown(', '.join(without))}: no factors to show.")
    if len(labels) > MAX_METHODS:
        notes.append(f"The first {MAX_METHODS} of {len(labels)} methods are shown.")
    if notes:
        st.caption(" ".join(notes))


def _points(result: Result, label: str, relation: str, first: str) -> tuple[Array, tuple[str, ...]]:
    """The objects on the principal axes of a method, oriented like those of the first, and the axes."""
    factors = [factor_data.factors(result, name, relation) for name in (label, first)]
    projection, reference = (factor_data.projected(each, "PCA", 2, 0.0) for each in factors)
    return align_signs(projection.points, reference.points), projection.axes


def _draw(result: Result, label: str, relation: str, first: str, colouring: Colouring, inside: bool) -> None:
    factors = factor_data.factors(result, label, relation)
    alone = "" if factors.value.shared else f", {relation} alone"
    st.markdown(f"**{escape_markdown(label)}**{escape_markdown(alone)}")
    points, axes = _points(result, label, relation, first)
    figure = embedding(points, axes, result.data.objects, colouring, true_scale=True, dark=figures.dark())
    figure.update_layout(showlegend=inside, legend_font_size=11)
    alt = f"The objects as points by their factors in {label}"
    figures.show(figure, f"embedding-{label}", alt=alt, height=360 if inside else 300)
    heat_map = relation_map(*factor_data.cells(factors, relation), small=True, dark=figures.dark())
    alt = f"How the factors of {label} combine in {relation}"
    figures.show(heat_map, f"relation-map-{label}", alt=alt, height=300)


def _downloads(result: Result, relation: str, colourings: dict[str, Colouring]) -> None:
    """The data of both rows of figures, with their captions."""
    first, objects = next(iter(colourings)), result.data.objects

    def points() -> pd.DataFrame:
        tables = {
            label: point_table(_points(result, label, relation, first)[0], ("axis 1", "axis 2"), objects, colouring)
            for label, colouring in colourings.items()
        }
        return factor_data.stacked("method", tables)

    figures.download_buttons("methods-objects", points, caption=f"{texts.METHODS_POINTS} {AXES_HELP}")
    factors = {label: factor_data.factors(result, label, relation) for label in colourings}
    cells = {label: factor_data.cells(latent, relation) for label, latent in factors.items()}
    caption = texts.METHODS_CELLS.format(relation=escape_markdown(relation))
    if two_sided := [label for label, latent in factors.items() if latent.value.two_sided]:
        caption += texts.TWO_SIDED.format(methods=escape_markdown(" and ".join(two_sided)))
    if any(len(R) > MAX_FACTORS for _, R in cells.values()):
        caption += f" The first {MAX_FACTORS} factors are shown."
    tables = {label: cell_table(effect, R) for label, (effect, R) in cells.items()}
    figures.download_buttons("methods-factors", factor_data.stacked("method", tables), caption=caption)
