"""Factors: how the factors of two objects combine in a relation, R_k on principal axes."""

import pandas as pd
import streamlit as st

from ....analysis.interpretation import strong_cells
from ....analysis.latent_factors import LatentFactors
from ....plots.matrices import MAX_FACTORS, MAX_MAPS, cell_table, relation_map, relation_maps
from ...state.caches import Keyed
from ...state.current_run import Result
from ...widgets import figures
from ...widgets.formatting import escape_markdown
from . import embedding_texts as texts
from . import factor_data


def render(result: Result) -> None:
    """Draw R_k as a heat map, the meaning of its strong cells, and the maps of all relations."""
    with st.container(horizontal=True, width=factor_data.MENUS_WIDTH):
        label = factor_data.choose_method(result)
        name = factor_data.choose_relation(result)
    factors = factor_data.factors(result, label, name)
    effect, R = factor_data.cells(factors, name)
    relation = result.data.relations[result.data.relation_index(name)]
    points = factor_data.principal_points(factors)[:, :MAX_FACTORS]
    strong = strong_cells(points, R[:MAX_FACTORS, :MAX_FACTORS], relation, result.data.objects)
    numbered = [(f - 1, g - 1) for f, g in zip(strong["source_factor"], strong["target_factor"], strict=True)]
    left, right = st.columns(2, gap="medium")
    with left:
        figure = relation_map(effect, R, numbered=numbered, dark=figures.dark())
        alt = f"How strongly the factors of source and target go together in {name}"
        cut = f"The first {MAX_FACTORS} of {len(R)} factors."
        caption = cut if len(R) > MAX_FACTORS else texts.CELLS_CAPTION
        figures.show(figure, "relation-map", alt=alt, data=lambda: cell_table(effect, R), height=430, caption=caption)
    with right:
        st.markdown(f"**What the factors say about {escape_markdown(name)}**")
        meanings = [f"{number}. {escape_markdown(text)}" for number, text in enumerate(strong["description"], start=1)]
        st.markdown("\n".join(meanings) or texts.NO_CELLS)
        st.caption(texts.CELLS_EXPLANATION)
    if len(factors.value.R) > 1:
        _all_relations(factors, name)


def _all_relations(factors: Keyed[LatentFactors], relation: str) -> None:
    every = list(dict.fromkeys([relation, *factors.value.R]))
    cells = {name: factor_data.cells(factors, name) for name in every[:MAX_MAPS]}
    effects, values = ({name: pair[side] for name, pair in cells.items()} for side in (0, 1))
    all_shown = len(cells) == len(every)
    st.markdown("##### All relations on the same factors" if all_shown else "##### Some relations")
    figure, alt = relation_maps(effects, values, dark=figures.dark()), "A small map of factors for each relation"
    caption = texts.MAPS_CAPTION + ("" if all_shown else f" The first {len(cells)} of {len(every)} are shown.")

    def data() -> pd.DataFrame:
        return factor_data.stacked("relation", {name: cell_table(*pair) for name, pair in cells.items()})

    figures.show(figure, "relation-maps", alt=alt, data=data, caption=caption)
