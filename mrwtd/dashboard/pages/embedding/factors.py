"""Factors: how the factors of two objects combine in a relation, R_k on principal axes."""

from __future__ import annotations

import streamlit as st

from ....analysis.interpretation import effects, strong_cells
from ....analysis.latent_factors import LatentFactors
from ....plots.factors import MAX_FACTORS, MAX_MAPS, cell_table, relation_map, relation_maps
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
        relation = factor_data.choose_relation(result)
    factors = factor_data.factors(result, label, relation)
    points = factor_data.principal_points(factors)
    R = factor_data.rotation(factors).transform_relations(factors.value.R[relation])
    kind = result.data.relations[result.data.relation_index(relation)]
    cells = strong_cells(points[:, :MAX_FACTORS], R[:MAX_FACTORS, :MAX_FACTORS], kind, result.data.objects)
    numbered = [(f - 1, g - 1) for f, g in zip(cells["source_factor"], cells["target_factor"], strict=True)]
    effect, rank = effects(points, R), len(R)
    left, right = st.columns(2, gap="medium")
    with left:
        figures.show(
            relation_map(effect, R, numbered=numbered, dark=figures.dark()),
            "relation-map",
            alt=texts.CELLS_ALT.format(relation=relation),
            data=lambda: cell_table(effect, R),
            height=430,
            caption=texts.CELLS_CUT.format(shown=MAX_FACTORS, rank=rank) if rank > MAX_FACTORS else texts.CELLS_CAPTION,
        )
    with right:
        st.markdown(f"**What {escape_markdown(relation)} says**")
        meanings = [f"{number}. {escape_markdown(words)}" for number, words in enumerate(cells["description"], start=1)]
        st.markdown("\n".join(meanings) or texts.NO_CELLS)
        st.caption(texts.CELLS_EXPLANATION)
    if len(factors.value.R) > 1:
        _all_relations(factors, relation)


def _all_relations(factors: Keyed[LatentFactors], relation: str) -> None:
    rotation, points = factor_data.rotation(factors), factor_data.principal_points(factors)
    relations = factors.value.R
    names = [relation, *(name for name in relations if name != relation)][:MAX_MAPS]
    values = {name: rotation.transform_relations(relations[name]) for name in names}
    maps = {name: effects(points, values[name]) for name in names}
    every = len(names) == len(relations)
    st.markdown("##### All relations on the same factors" if every else "##### Some relations")
    cut = "" if every else f" The first {len(names)} of {len(relations)} are shown."
    figures.show(
        relation_maps(maps, values, dark=figures.dark()),
        "relation-maps",
        alt=texts.MAPS_ALT,
        data=lambda: factor_data.stacked("relation", {name: cell_table(maps[name], values[name]) for name in names}),
        caption=texts.MAPS_CAPTION + cut,
    )
