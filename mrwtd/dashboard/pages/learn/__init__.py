"""The Learn page: six lessons, of which the chosen one is computed and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from ...state.settings import Settings
from ...widgets import inputs
from .lessons import collective, decomposition, losses, predict_then_reveal, regularization, weights


@dataclass(frozen=True)
class Lesson:
    """A lesson: what the buttons call it, and what draws it."""

    title: str
    draw: Callable[[Settings], None]


LESSONS = {
    "decomposition": Lesson("1 Decomposition", decomposition.draw),
    "losses": Lesson("2 Losses", losses.draw),
    "weights": Lesson("3 Why weights", weights.draw),
    "collective": Lesson("4 Why together", collective.draw),
    "regularisation": Lesson("5 Regularisation", regularization.draw),
    "reveal": Lesson("6 Guess, then look", predict_then_reveal.draw),
}


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Learn")
    chosen = inputs.choose(
        "Lesson",
        "learn.lesson",
        list(LESSONS),
        format_func=lambda name: LESSONS[name].title,
        style="buttons",
        show_label=False,
        help="Each takes about five minutes and can be read alone.",
    )
    LESSONS[chosen].draw(settings)
    regularization.path()  # starts while the user reads something else
