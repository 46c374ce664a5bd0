"""How factors relate: R_k on principal axes with words, and the factors of several methods side by side."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mrwtd.evaluation.latent import Latent
from mrwtd.evaluation.wording import effects, strong_cells
from mrwtd.model.projection import Projection
from mrwtd.model.rotation import flipped
from mrwtd.plots.embedding import embedding
from mrwtd.plots.factors import MOST_FACTORS, MOST_MAPS, relation_map, relation_maps

from .. import figures, session
from ..results import Result
from ..words import plain
from . import latents

TRAIN = "pages/2_Train.py"

MOST_METHODS = 6
"""So many methods are shown side by side: each takes two figures."""


def section(result: Result) -> None:
    """R_k as a heat map, what its strong cells mean, and the maps of all relations."""
    which, about, _ = st.columns([2, 2, 3])
    with which:
        label = latents.choose_method(result)
    with about:
        relation = latents.choose_relation(result)
    found = latents.of(result, label, relation)
    assert found is not None  # only methods with factors are offered
    turned = latents.rotation(result, label, relation, found)
    points, R = turned.points(found.A), turned.relations(found.R[relation])
    kind = result.data.relations[result.data.relation_index(relation)]
    cells = strong_cells(points[:, :MOST_FACTORS], R[:MOST_FACTORS, :MOST_FACTORS], kind, result.data.objects)
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
            data=lambda: _table(effect, R),
            height=430,
            caption=_cut(found),
        )
    with words:
        st.markdown(f"**What {plain(relation)} says**")
        if len(cells):
            st.markdown("\n".join(f"{number}. {plain(text)}" for number, text in enumerate(cells["words"], start=1)))
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


def _all(result: Result, found: Latent, label: str, relation: str) -> None:
    turned = latents.rotation(result, label, relation, found)
    points = turned.points(found.A)
    names = [relation, *(name for name in found.R if name != relation)][:MOST_MAPS]
    maps = {name: effects(points, turned.relations(found.R[name])) for name in names}
    st.markdown("##### All relations on the same factors" if len(names) == len(found.R) else "##### Some relations")
    figure = relation_maps(maps, dark=figures.dark())
    figures.show(
        figure,
        "relation-maps",
        alt="A small map of factors for each relation",
        caption="Relations with alike maps follow the same pattern: learning them together is what helps."
        + ("" if len(names) == len(found.R) else f" The first {len(names)} of {len(found.R)} are shown."),
    )


def _cut(found: Latent) -> str:
    r = found.A.shape[1]
    return f"The first {MOST_FACTORS} of {r} factors." if r > MOST_FACTORS else "Sources down, targets across."


def _table(effect: latents.Array, R: latents.Array) -> pd.DataFrame:
    r = len(R)
    return pd.DataFrame(
        {
            "source_factor": [f + 1 for f in range(r) for _ in range(r)],
            "target_factor": [g + 1 for _ in range(r) for g in range(r)],
            "value": R.ravel(),
            "effect": effect.ravel(),
        }
    )


def side_by_side(result: Result) -> None:
    """The points of every method that has factors, each on its own principal axes."""
    about, colours, _ = st.columns([2, 2, 3])
    with about:
        relation = latents.choose_relation(result)
    with colours:
        colour = latents.choose_colour(result)
    having = latents.labels(result)
    without = [label for label in result.models if label not in having]
    shown = having[:MOST_METHODS]
    if len(shown) < 2:
        st.info("This run has the factors of one method only.", icon=":material/compare:")
        if st.button("Train more methods", type="primary"):
            session.go(TRAIN)
        return
    first = latents.of(result, shown[0], relation)
    assert first is not None
    ours = latents.projected(latents.key(result, shown[0], relation, first), "PCA", 2, 0.0, first.A)
    latents.legend(latents.colouring(result, shown[0], relation, colour))
    across = min(len(shown), 3)
    for start in range(0, len(shown), across):
        for column, label in zip(st.columns(across), shown[start : start + across], strict=False):
            with column:
                _method(result, label, relation, colour, ours)
    st.caption(
        "Above: the objects, each method on its own principal axes, which point the same way as those of the first. "
        f"Below: how the factors go together in {plain(relation)}."
        + (f" {plain(', '.join(without))}: no factors to show." if without else "")
        + (f" The first {len(shown)} of {len(having)} methods are shown." if len(having) > len(shown) else "")
    )


def _method(result: Result, label: str, relation: str, colour: str, ours: Projection) -> None:
    found = latents.of(result, label, relation)
    assert found is not None
    own = latents.projected(latents.key(result, label, relation, found), "PCA", 2, 0.0, found.A)
    alone = "" if found.shared else f", {relation} alone"
    st.markdown(f"**{plain(label)}**{plain(alone)}")
    # Clusters are those of the first method everywhere: so one sees what becomes of them.
    coloured = latents.labels(result)[0] if colour == "cluster" else label
    figure = embedding(
        flipped(own.points, ours.points),
        own.axes,
        result.data.objects,
        latents.colouring(result, coloured, relation, colour),
        true_scale=True,
        dark=figures.dark(),
    )
    figure.update_layout(showlegend=False)
    figures.show(figure, f"embedding-{label}", alt=f"The objects as points by their factors in {label}", height=300)
    turned = latents.rotation(result, label, relation, found)
    R = turned.relations(found.R[relation])
    heat = relation_map(effects(turned.points(found.A), R), R, dark=figures.dark())
    heat.update_traces(showscale=False)
    figures.show(heat, f"relation-map-{label}", alt=f"How the factors of {label} go together in {relation}", height=300)
