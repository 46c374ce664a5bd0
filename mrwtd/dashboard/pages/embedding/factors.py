"""How factors relate: R_k on principal axes with words, and the factors of several methods side by side."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from ....analysis.interpretation import effects, strong_cells
from ....analysis.latent_factors import LatentFactors
from ....analysis.projection import Projection
from ....analysis.rotation import align_signs
from ....plots.embedding_map import AXES_HELP, Colouring, embedding, point_table
from ....plots.factors import MAX_FACTORS, MAX_MAPS, cell_table, relation_map, relation_maps
from ....typing import Array
from ...state import session
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import escape_markdown
from . import factor_data

MOST_METHODS = 6
"""So many methods are shown side by side: each takes two figures."""


def section(result: Result) -> None:
    """R_k as a heat map, what its strong cells mean, and the maps of all relations."""
    which, about, _ = st.columns([2, 2, 3])
    with which:
        label = factor_data.choose_method(result)
    with about:
        relation = factor_data.choose_relation(result)
    found = factor_data.of(result, label, relation)
    assert found is not None  # only methods with factors are offered
    turned = factor_data.rotation(factor_data.factors(result, label, relation, found))
    points, R = turned.transform(found.A), turned.transform_relations(found.R[relation])
    kind = result.data.relations[result.data.relation_index(relation)]
    cells = strong_cells(points[:, :MAX_FACTORS], R[:MAX_FACTORS, :MAX_FACTORS], kind, result.data.objects)
    picture, words = st.columns([1, 1], gap="medium")
    with picture:
        effect = effects(points, R)
        figures.show(
            relation_map(
                effect,
                R,
                numbered=[(f - 1, g - 1) for f, g in zip(cells["source_factor"], cells["target_factor"], strict=True)],
                dark=figures.dark(),
            ),
            "relation-map",
            alt=f"How strongly the factors of source and target go together in {relation}",
            data=lambda: cell_table(effect, R),
            height=430,
            caption=_cut(found),
        )
    with words:
        st.markdown(f"**What {escape_markdown(relation)} says**")
        if len(cells):
            st.markdown(
                "\n".join(
                    f"{number}. {escape_markdown(text)}" for number, text in enumerate(cells["description"], start=1)
                )
            )
        else:
            st.markdown("Nothing: every cell is 0, and the prediction is the bias alone.")
        st.caption(
            "A prediction is $x_{ij} = \\sum_{fg} p_{if} R_{fg} p_{jg} + b$. Blue cells lift it for objects on one "
            "side of both factors, orange ones on opposite sides. The colour is $R_{fg}$ times the typical "
            "size of both factors, so cells can be compared. Turned to principal axes, $A$ and $R_k$ predict just what "
            "they did before."
        )
    if len(found.R) > 1:
        _all(result, found, label, relation)


def _all(result: Result, found: LatentFactors, label: str, relation: str) -> None:
    turned = factor_data.rotation(factor_data.factors(result, label, relation, found))
    points = turned.transform(found.A)
    names = [relation, *(name for name in found.R if name != relation)][:MAX_MAPS]
    values = {name: turned.transform_relations(found.R[name]) for name in names}
    maps = {name: effects(points, values[name]) for name in names}
    st.markdown("##### All relations on the same factors" if len(names) == len(found.R) else "##### Some relations")
    figures.show(
        relation_maps(maps, values, dark=figures.dark()),
        "relation-maps",
        alt="A small map of factors for each relation",
        data=lambda: _stacked("relation", {name: cell_table(maps[name], values[name]) for name in names}),
        caption="Relations with alike maps follow the same pattern: learning them together is what helps."
        + ("" if len(names) == len(found.R) else f" The first {len(names)} of {len(found.R)} are shown."),
    )


def _cut(found: LatentFactors) -> str:
    r = found.A.shape[1]
    return f"The first {MAX_FACTORS} of {r} factors." if r > MAX_FACTORS else "Sources down, targets across."


def _stacked(which: str, tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables below each other, with a column first that says which it is."""
    return pd.concat([table.assign(**{which: name})[[which, *table]] for name, table in tables.items()])


def side_by_side(result: Result) -> None:
    """The points of every method that has factors, each on its own principal axes."""
    about, colours, _ = st.columns([2, 2, 3])
    with about:
        relation = factor_data.choose_relation(result)
    with colours:
        colour = factor_data.choose_colour(result)
    having = factor_data.labels(result)
    without = [label for label in result.models if label not in having]
    shown = having[:MOST_METHODS]
    if len(shown) < 2:
        st.info("This run has the factors of one method only.", icon=":material/compare:")
        if st.button("Train more methods", type="primary"):
            session.go("train")
        return
    methods = {label: _Method.of(result, label, relation, colour) for label in shown}
    inside = factor_data.few(methods[shown[0]].colouring)
    if not inside:
        factor_data.legend(methods[shown[0]].colouring)
    across = min(len(shown), 3)
    for start in range(0, len(shown), across):
        for column, label in zip(st.columns(across), shown[start : start + across], strict=False):
            with column:
                _draw(result, label, relation, methods, inside)
    _about_points(result, methods)
    _about_cells(result, methods, relation)
    if without or len(having) > len(shown):
        st.caption(
            (f"{escape_markdown(', '.join(without))}: no factors to show. " if without else "")
            + (f"The first {len(shown)} of {len(having)} methods are shown." if len(having) > len(shown) else "")
        )


@dataclass(frozen=True)
class _Method:
    """What is shown of one method.

    Attributes:
        found: its factors.
        projection: the objects on its own principal axes.
        R, effect: the relation on these axes, and the typical size of each of its terms.
        colouring: what the colours of its objects stand for.
    """

    found: LatentFactors
    projection: Projection
    R: Array
    effect: Array
    colouring: Colouring

    @classmethod
    def of(cls, result: Result, label: str, relation: str, colour: str) -> _Method:
        found = factor_data.of(result, label, relation)
        assert found is not None  # only methods with factors are shown
        factors = factor_data.factors(result, label, relation, found)
        projection = factor_data.projected(factors, "PCA", 2, 0.0)
        turned = factor_data.rotation(factors)
        R = turned.transform_relations(found.R[relation])
        # Clusters are those of the first method everywhere: so one sees what becomes of them.
        coloured = factor_data.labels(result)[0] if colour == "cluster" else label
        colouring = factor_data.colouring(result, coloured, relation, colour)
        return cls(found, projection, R, effects(turned.transform(found.A), R), colouring)

    def points(self, like: _Method) -> Array:
        """The objects, on axes that point the same way as those of another method."""
        return align_signs(self.projection.points, like.projection.points)


def _draw(result: Result, label: str, relation: str, methods: dict[str, _Method], inside: bool) -> None:
    own, first = methods[label], next(iter(methods.values()))
    alone = "" if own.found.shared else f", {relation} alone"
    st.markdown(f"**{escape_markdown(label)}**{escape_markdown(alone)}")
    figure = embedding(
        own.points(first),
        own.projection.axes,
        result.data.objects,
        own.colouring,
        true_scale=True,
        dark=figures.dark(),
    )
    figure.update_layout(showlegend=inside, legend_font_size=11)
    figures.show(
        figure,
        f"embedding-{label}",
        alt=f"The objects as points by their factors in {label}",
        height=360 if inside else 300,
    )
    heat = relation_map(own.effect, own.R, small=True, dark=figures.dark())
    figures.show(heat, f"relation-map-{label}", alt=f"How the factors of {label} go together in {relation}", height=300)


def _about_points(result: Result, methods: dict[str, _Method]) -> None:
    """What the maps of all methods show, with their data."""
    first = next(iter(methods.values()))

    def table() -> pd.DataFrame:
        axes = [f"axis {number + 1}" for number in range(len(first.projection.axes))]
        tables = {
            label: point_table(own.points(first), axes, result.data.objects, own.colouring)
            for label, own in methods.items()
        }
        return _stacked("method", tables)

    figures.download_buttons(
        "methods-objects",
        table,
        caption="Upper figures: the objects, each method on its own principal axes, which point the same way as those "
        f"of the first. {AXES_HELP}",
    )


def _about_cells(result: Result, methods: dict[str, _Method], relation: str) -> None:
    """What the factors of all methods show, with their data."""
    double = [label for label in methods if factor_data.two_sided(result, label)]
    cut = any(len(own.R) > MAX_FACTORS for own in methods.values())
    figures.download_buttons(
        "methods-factors",
        lambda: _stacked("method", {label: cell_table(own.effect, own.R) for label, own in methods.items()}),
        caption=f"Lower figures: how the factors go together in {escape_markdown(relation)}. Blue lifts the "
        "prediction x for "
        "objects on one side of both factors, orange for those on opposite sides; each method has a scale of its own."
        + (
            f" {escape_markdown(' and '.join(double))}: twice the rank, for objects as sources and as targets."
            if double
            else ""
        )
        + (f" The first {MAX_FACTORS} factors are shown." if cut else ""),
    )
