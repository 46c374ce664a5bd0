"""Lesson 3: missing data and weights. An image with missing pixels, completed in two ways."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from .....plots.colours import BLUE, GREY, ORANGE
from .....plots.marked_curves import Line, marked_curves
from .....plots.matrices import matrix_heatmaps, matrix_table
from ....jobs import Job
from ....state.caches import cached_data
from ....state.settings import Settings
from ....widgets import figures, inputs
from .. import learn_sentences, learn_texts
from ..demos import image_completion
from . import lesson_parts

DEFAULT = "0.4"
LINES = (
    Line("zero", "missing as zero", ORANGE, "dash"),
    Line("missing", "missing as missing", BLUE),
    Line("mean", "the mean everywhere", GREY, "dot"),
)
FRACTIONS = {f"{fraction:g}": f"{fraction:.0%}" for fraction in image_completion.FRACTIONS}

_complete = cached_data(max_entries=40)(image_completion.complete)


def render(settings: Settings) -> None:
    """Draw the lesson."""
    st.markdown(learn_texts.INTRODUCTIONS["weights"])
    lesson_parts.redraw_while_running("weights", _body, error_job())
    lesson_parts.try_it(settings, "weights", "train", {"methods": ("MrWTD-Q", "RESCAL")})


def error_job() -> Job:
    """The errors at every fraction of known pixels, computed while the user looks at one of them."""
    return lesson_parts.background_job("weights", _errors)


def _errors() -> Iterator[dict[str, float]]:
    for fraction in image_completion.FRACTIONS:
        completion = image_completion.complete(fraction)
        ink = {f"ink {name}": value for name, value in completion.ink.items()}
        yield {"known": fraction, **completion.errors, **ink}


def _body(job: Job) -> None:
    images, words = st.columns([6, 5], gap="medium")
    with words:
        st.latex(r"\min_{A,R,b}\;\sum_{i,j} w_{ij}\,\ell(y_{ij},\,x_{ij}) + \tfrac{\lambda}{2}(\|A\|^2+\|R\|^2)")
        label, help_ = "Known pixels", learn_texts.KNOWN_HELP
        fraction = float(inputs.choose(label, "learn.share", FRACTIONS, default=DEFAULT, style="slider", help=help_))
        completion = _complete(fraction)
        curve = pd.DataFrame(list(job.pieces) or [{"known": fraction, **completion.errors}])
        figures.show(
            marked_curves(
                curve, "known", LINES, fraction if fraction <= curve["known"].max() else None,
                x_title="known pixels", y_title="error on hidden pixels", percent=True, dark=figures.dark(),
            ),
            "learn-errors", height=235, data=curve if job.done else None, alt=learn_texts.ALT["learn-errors"],
            caption=learn_texts.CAPTIONS["learn-errors"] if job.done else learn_texts.COMPUTING,
        )  # fmt: skip
        # The length of the sentence varies: it comes last, so that nothing below it moves.
        st.markdown(learn_sentences.completion_text(completion))
    with images:
        _show_images(completion, save=job.done)


def _show_images(completion: image_completion.Completion, *, save: bool) -> None:
    """Four images. They can be saved once the page no longer redraws itself, which would remove the file."""
    panels = {
        "the truth": completion.truth,
        "known pixels": np.where(completion.known, completion.truth, np.nan),
        "missing as zero": completion.predicted["zero"],
        "missing as missing": completion.predicted["missing"],
    }
    details = {
        "known pixels": f"{completion.known.mean():.0%}",
        "missing as zero": f"error {completion.errors['zero']:.2f}",
        "missing as missing": f"error {completion.errors['missing']:.2f}",
    }
    titles = [f"{name}: {details[name]}" if name in details else name for name in panels]
    figures.show(
        matrix_heatmaps(dict(zip(titles, panels.values(), strict=True)), dark=figures.dark()),
        "learn-picture", height=470, data=(lambda: matrix_table(panels)) if save else None,
        alt=learn_texts.ALT["learn-picture"], caption=learn_texts.CAPTIONS["learn-picture"],
    )  # fmt: skip
