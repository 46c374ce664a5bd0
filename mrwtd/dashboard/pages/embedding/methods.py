"""Methods: the factors of several methods side by side."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from ....analysis.interpretation import effects
from ....analysis.rotation import align_signs
from ....plots.embedding_map import AXES_HELP, Colouring, embedding, point_table
from ....plots.factors import MAX_FACTORS, cell_table, relation_map
from ....typing import Array
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import escape_markdown
from . import embedding_texts as texts
from . import factor_data

MAX_METHODS = 6
"""Methods shown side by side at most: each takes two figures."""


@dataclass(frozen=True)
class MethodFactors:
    """The factors of one method as they are drawn.

    Attributes:
        shared: whether all relations share the factors.
        points, axes: the objects on the method's principal axes, oriented as those of the first method.
        R, effect: the relation on these axes, and the typical size of each of its terms.
        colouring: the colours of the objects.
        two_sided: whether objects have other factors as a source than as a target.
    """

    shared: bool
    points: Array
    axes: tuple[str, ...]
    R: Array
    effect: Array
    colouring: Colouring
    two_sided: bool


def render(result: Result) -> None:
    """Draw the objects and the relation by the factors of every method that has any."""
    with st.container(horizontal=True, width=factor_data.MENUS_WIDTH):
        relation = factor_data.choose_relation(result)
        colour = factor_data.choose_colour(result)
    labels = factor_data.methods_with_factors(result)
    if len(labels) < 2:
        factor_data.offer_training(texts.ONE_METHOD, "Train more methods", ":material/compare:")
        return
    methods = {label: _factors(result, label, relation, colour, labels[0]) for label in labels[:MAX_METHODS]}
    colouring = methods[labels[0]].colouring
    inside = factor_data.legend_fits(colouring)
    if not inside:
        factor_data.legend(colouring)
    per_row = min(len(methods), 3)
    columns = [column for _ in range(0, len(methods), per_row) for column in st.columns(per_row)]
    for column, (label, method) in zip(columns, methods.items(), strict=False):
        with column:
            _draw(result, label, relation, method, inside)
    _downloads(result, methods, relation)
    notes = []
    if without := [label for label in result.models if label not in labels]:
        notes.append(f"{escape_markdown(', '.join(without))}: no factors to show.")
    if len(labels) > MAX_METHODS:
        notes.append(f"The first {MAX_METHODS} of {len(labels)} methods are shown.")
    if notes:
        st.caption(" ".join(notes))


def _factors(result: Result, label: str, relation: str, colour: str, first: str) -> MethodFactors:
    factors = factor_data.factors(result, label, relation)
    projection = factor_data.projected(factors, "PCA", 2, 0.0)
    reference = factor_data.projected(factor_data.factors(result, first, relation), "PCA", 2, 0.0)
    R = factor_data.rotation(factors).transform_relations(factors.value.R[relation])
    return MethodFactors(
        factors.value.shared,
        align_signs(projection.points, reference.points),
        tuple(projection.axes),
        R,
        effects(factor_data.principal_points(factors), R),
        # Clusters are those of the first method in all figures, to show where the others put these objects.
        factor_data.colouring(result, first if colour == "cluster" else label, relation, colour),
        hasattr(result.models[label], "U_"),
    )


def _draw(result: Result, label: str, relation: str, method: MethodFactors, inside: bool) -> None:
    alone = "" if method.shared else f", {relation} alone"
    st.markdown(f"**{escape_markdown(label)}**{escape_markdown(alone)}")
    points, axes, objects = method.points, method.axes, result.data.objects
    figure = embedding(points, axes, objects, method.colouring, true_scale=True, dark=figures.dark())
    figure.update_layout(showlegend=inside, legend_font_size=11)
    alt = texts.METHOD_MAP_ALT.format(method=label)
    figures.show(figure, f"embedding-{label}", alt=alt, height=360 if inside else 300)
    heat_map = relation_map(method.effect, method.R, small=True, dark=figures.dark())
    alt = texts.METHOD_CELLS_ALT.format(method=label, relation=relation)
    figures.show(heat_map, f"relation-map-{label}", alt=alt, height=300)


def _downloads(result: Result, methods: dict[str, MethodFactors], relation: str) -> None:
    """The data of both rows of figures, with their captions."""

    def points(method: MethodFactors) -> pd.DataFrame:
        axes = [f"axis {number + 1}" for number in range(len(method.axes))]
        return point_table(method.points, axes, result.data.objects, method.colouring)

    figures.download_buttons(
        "methods-objects",
        lambda: factor_data.stacked("method", {label: points(method) for label, method in methods.items()}),
        caption=f"{texts.METHODS_POINTS} {AXES_HELP}",
    )
    caption = texts.METHODS_CELLS.format(relation=escape_markdown(relation))
    if two_sided := [label for label, method in methods.items() if method.two_sided]:
        caption += texts.TWO_SIDED.format(methods=escape_markdown(" and ".join(two_sided)))
    if any(len(method.R) > MAX_FACTORS for method in methods.values()):
        caption += f" The first {MAX_FACTORS} factors are shown."
    tables = {label: cell_table(method.effect, method.R) for label, method in methods.items()}
    figures.download_buttons("methods-factors", lambda: factor_data.stacked("method", tables), caption=caption)
