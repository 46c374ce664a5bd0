"""The Learn page: six lessons, of which only the chosen one is computed and drawn."""

import streamlit as st

from ...state.settings import Settings
from ...widgets import inputs
from .learn_texts import LESSON_HELP, LESSON_TITLES
from .lessons import collective, decomposition, losses, quiz, regularization, weights

LESSONS = {
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
    lesson = inputs.choose("Lesson", "learn.lesson", LESSON_TITLES, style="tabs", help=LESSON_HELP)
    LESSONS[lesson](settings)
    regularization.lambda_job()  # starts while the user reads another lesson
