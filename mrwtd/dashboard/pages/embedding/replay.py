"""Replay: a slider over the snapshots of a training moves points, curve and objective together."""

import pandas as pd
import streamlit as st

from ....analysis.replay_frames import Replay, replay_frames
from ....model.factor_model import FactorModel
from ....plots.embedding_map import AXES_HELP
from ....plots.replay_figure import replay_figure, sample_objects
from ...shell import mobile
from ...state.caches import cached_data
from ...state.current_run import Result, split_description
from ...widgets import figures, inputs
from . import embedding_texts as texts
from . import factor_data


def render(result: Result) -> None:
    """Draw the replay of a method with snapshots."""
    labels = [label for label, model in result.models.items() if getattr(model, "snapshots_", ())]
    if not labels:
        factor_data.offer_training(texts.NO_SNAPSHOTS, "Train again", ":material/movie:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        default, help_ = result.selected_method, texts.REPLAY_METHOD_HELP
        label = inputs.choose("Method", "embedding.replayed", labels, default=default, help=help_)
        relation = factor_data.choose_relation(result)
        colouring = factor_data.colouring(result, label, relation, factor_data.choose_colour(result))
        factor_data.legend(colouring)
    frames, objects, narrow = _frames(result, label, relation), result.data.objects, mobile.is_mobile()
    n, shown = len(objects), len(sample_objects(len(objects)))
    figure = replay_figure(frames, objects, colouring, narrow=narrow, dark=figures.dark())
    scores = pd.DataFrame({"iteration": frames.iterations, frames.score_label: frames.scores})
    data = frames.objective.merge(scores, on="iteration", how="outer")
    alt = f"Objects, predictions of {relation} and objective at {len(frames.iterations)} snapshots of the fit"
    entries = "held-out" if result.is_tested else "training"
    replay_caption = texts.REPLAY_CAPTION.format(score=frames.score_label, entries=entries)
    caption = f"{replay_caption} {split_description(result.run)} {AXES_HELP}"
    caption += f" {shown:,} of {n:,} objects are shown." if shown < n else ""
    figures.show(figure, "replay", alt=alt, data=data, height=640 if narrow else 478, caption=caption)


@cached_data(max_entries=20, show_spinner="Preparing the replay …")
def _frames(result: Result, label: str, relation: str) -> Replay:
    model = result.models[label]
    assert isinstance(model, FactorModel)  # no other model has snapshots
    # Without a test part, the training entries show how the fit proceeds.
    return replay_frames(model, result.test if result.is_tested else result.train, relation)
