"""The training played again: a slider over the kept snapshots moves points, curve and objective together."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ....analysis.replay_frames import Replay, replay_frames
from ....model.factor_model import FactorModel
from ....plots.embedding_map import AXES_HELP
from ....plots.replay_figure import replay_figure, sample_objects
from ...shell import mobile
from ...state import session
from ...state.caches import cached_data
from ...state.current_run import Result, split_description
from ...widgets import figures, inputs
from . import factor_data


def section(result: Result) -> None:
    """The replay of a method that kept snapshots."""
    models = {label: model for label, model in result.models.items() if isinstance(model, FactorModel)}
    having = [label for label, model in models.items() if getattr(model, "snapshots_", ())]
    if not having:
        st.info("No snapshots were kept of this training.", icon=":material/movie:")
        if st.button("Train again", type="primary"):
            session.go("train")
        return
    which, about, colours, legend = st.columns([2, 2, 2, 4], vertical_alignment="bottom")
    with which:
        label = inputs.choose(
            "Method", "embedding.replayed", having,
            index=having.index(result.selected_method) if result.selected_method in having else 0,
            help="Whose training is played again: the methods of this run that kept snapshots of it.",
        )  # fmt: skip
    with about:
        relation = factor_data.choose_relation(result)
    with colours:
        colour = factor_data.choose_colour(result)
    colouring = factor_data.colouring(result, label, relation, colour)
    with legend:
        factor_data.legend(colouring)
    film = _film(result, label, relation)
    n = len(result.data.objects)
    some = len(sample_objects(n))
    narrow = mobile.is_mobile()
    figures.show(
        replay_figure(film, result.data.objects, colouring, narrow=narrow, dark=figures.dark()),
        "replay",
        alt=f"Objects, held-out predictions of {relation} and objective at {len(film.iterations)} snapshots of the fit",
        data=lambda: _table(film),
        height=640 if narrow else 478,
        caption="Press ▶ to watch the fit from its start, or move the slider. All snapshots are on the "
        "principal axes of the last, on one scale. Dotted: the curve at the end; orange: where the objective is. "
        f"Score: held-out {film.score_label}. {split_description(result.run)} {AXES_HELP}"
        + (f" {some:,} of {n:,} objects are shown." if some < n else ""),
    )


def _table(film: Replay) -> pd.DataFrame:
    scores = pd.DataFrame({"iteration": film.iterations, film.score_label: film.scores})
    return film.objective.merge(scores, on="iteration", how="outer")


@cached_data(max_entries=20, show_spinner="Winding the film back …")
def _film(result: Result, label: str, relation: str) -> Replay:
    model = result.models[label]
    assert isinstance(model, FactorModel)  # nothing else keeps snapshots
    return replay_frames(model, result.test, relation)
