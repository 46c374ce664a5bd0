"""The Learn page: six lessons, of which only the chosen one is computed and drawn."""

from collections.abc import Callable

import streamlit as st

from ...state.settings import Settings
from ...widgets import inputs
from .learn_texts import LESSON_TITLES, control
from .lessons import collective, decomposition, losses, quiz, regularization, weights

LESSONS: dict[str, Callable[[Settings], None]] = {
    "decomposition": decomposition.render,
    "losses": losses.render,
    "weights": weights.render,
    "collective": collective.render,
    "regularisation": regularization.render,
    "reveal": quiz.render,
}


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Learn")
    lesson = inputs.choose(
        **control("learn.lesson"),
        options=list(LESSONS),
        format_func=LESSON_TITLES.__getitem__,
        style="buttons",
        show_label=False,
    )
    LESSONS[lesson](settings)
    regularization.lambda_job()  # starts while the user reads another lesson
