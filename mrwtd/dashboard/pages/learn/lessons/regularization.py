"""Lesson 5: regularization. Move λ and watch the fit, the held-out score, and the collapse."""

import streamlit as st

from .....plots.adjacency import grid
from .....plots.colours import BLUE, GREY, ORANGE
from .....plots.marked_curves import Line, marked_curves
from ....jobs import Job
from ....state import user_datasets
from ....state.settings import Settings
from ....widgets import figures, inputs
from .. import learn_sentences, learn_texts
from ..demos import regularization_demo
from ..demos.lambda_fits import probabilities
from . import lesson_parts
from .lesson_parts import DATA

RELATION = "lunch"
LAMS = [f"{lam:g}" for lam in regularization_demo.LAMS]
DEFAULT = "1"
LINES = (
    Line("train", "training pairs", ORANGE, "dash"),
    Line("held_out", "held-out pairs", BLUE, "solid", "held_out_sd"),
    Line("size", "size of the factors", GREY, "dot"),
)


def render(settings: Settings) -> None:
    """Draw the lesson."""
    st.markdown(learn_texts.INTRODUCTIONS["regularisation"])
    lesson_parts.redraw_while_running("regularisation", _body, lambda_job())
    lam = lesson_parts.chosen_number("learn.lam", LAMS, DEFAULT)
    lesson_parts.try_it(settings, "regularisation", "train", {"lam": lam})


def lambda_job() -> Job:
    """Fits at all λ: each `LambdaPath` averages one more split than the previous one."""
    data = user_datasets.load(DATA)
    return lesson_parts.background_job("regularisation", lambda: regularization_demo.lambda_paths(data))


def _body(job: Job) -> None:
    curves, words = st.columns([6, 5], gap="medium")
    with words:
        st.latex(
            r"\min\;\sum_{(i,j,k)} \ell(y_{ijk}, x_{ijk}) + \tfrac{\lambda}{2}\Big(\|A\|^2 + \sum_k \|R_k\|^2\Big)"
        )
        lam = inputs.choose("λ", "learn.lam", LAMS, default=DEFAULT, style="slider", help=learn_texts.LAM_HELP)
    if not job.pieces:
        with curves, st.container(height=540, border=False):
            st.markdown(learn_texts.FAILED if job.problem else learn_texts.FITTING_LAMBDAS.format(total=len(LAMS)))
        return
    path: regularization_demo.LambdaPath = job.pieces[-1]
    row = LAMS.index(lam)
    with words:
        _show_fit(path, row)
    with curves:
        _show_curves(path, float(lam))
        # The length of the sentence varies: it comes last, so that nothing below it moves.
        st.markdown(learn_sentences.lambda_text(path, row))


def _show_fit(path: regularization_demo.LambdaPath, row: int) -> None:
    """Scores and predictions at one λ."""
    numbers = path.frame.iloc[row]
    metrics = zip(st.columns(3), learn_texts.LAMBDA_METRICS.items(), strict=True)
    for column, (name, (label, help_text, digits)) in metrics:
        column.metric(label, f"{numbers[name]:.{digits}f}", help=help_text)
    data = user_datasets.load(DATA)
    maps = {
        f"{RELATION}: the truth": grid(data, RELATION).z,
        "predicted": probabilities(path.fits[row].matrix(data.relation_index(RELATION))),
    }
    lesson_parts.show_tie_maps(maps, "learn-lam-map", height=255)


def _show_curves(path: regularization_demo.LambdaPath, lam: float) -> None:
    collapse = path.collapse
    figures.show(
        marked_curves(
            path.frame, "lam", LINES, lam, x_title="λ", y_title="average precision, or size", log=True,
            shaded=None if collapse is None else (collapse, regularization_demo.LAMS[-1]), shaded_label="collapse",
            dark=figures.dark(),
        ),
        "learn-lam", height=370, data=path.frame, alt=learn_texts.ALT["learn-lam"],
        caption=learn_texts.CAPTIONS["learn-lam"].format(data=user_datasets.load(DATA), path=path),
    )  # fmt: skip
