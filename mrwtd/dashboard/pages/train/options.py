"""The options of a training: rank, λ, split, methods and more, and the button that starts it."""

from __future__ import annotations

import streamlit as st

from ....baselines import METHODS
from ....errors import DataError
from ....model.parameters import AUTO
from ...jobs import estimates, job_status
from ...shell import page
from ...state import session, user_datasets
from ...state.settings import PARAMETERS, TRAIN, Settings
from ...widgets import inputs
from ...widgets.formatting import escape_markdown, format_bytes, format_duration
from ...widgets.lazy_expander import lazy_expander
from .train_texts import ESTIMATE_HELP, HOLD_OUT_HELP, HOLD_OUTS, LAM_SEARCH, METHODS_CAPTION, TRAIN_HELP

FIRST = ("rank", "lam")
"""The parameters that are always in view."""


def render(settings: Settings) -> None:
    """Draw the options and the button."""
    settings = settings.resolved(user_datasets.load(settings.data).n_objects)
    left, right = st.columns(2)
    with left:
        inputs.parameter_input(PARAMETERS["rank"], settings.rank)
        inputs.slider(
            "Training fraction", "train", *TRAIN.bounds, 0.01, settings.train, format="percent", help=TRAIN_HELP
        )
    with right:
        inputs.parameter_input(PARAMETERS["lam"], settings.lam)
        if settings.lam == AUTO:
            st.caption(LAM_SEARCH)
    with lazy_expander("Methods to compare", "methods") as is_open:
        if is_open:
            inputs.checkbox_row("methods", tuple(METHODS), settings.methods, _toggle_method)
            st.caption(METHODS_CAPTION)
    more = [parameter for key, parameter in PARAMETERS.items() if key not in FIRST]
    with lazy_expander(
        f"More: hold-out, {', '.join(parameter.label.lower() for parameter in more)}", "more"
    ) as is_open:
        if is_open:
            inputs.choose("Hold out", "by", list(HOLD_OUTS), format_func=HOLD_OUTS.__getitem__, help=HOLD_OUT_HELP)
            columns = st.columns(3)
            for number, parameter in enumerate(more):
                with columns[number % 3]:
                    inputs.parameter_input(parameter, settings.get(parameter.key))
    _train_button(settings)


def _toggle_method(name: str) -> None:
    chosen = {*session.settings().methods} ^ {name}  # not the methods when the page was drawn: others may have changed
    if chosen:
        session.change(methods=tuple(method for method in METHODS if method in chosen))


def _train_button(settings: Settings) -> None:
    needs = estimates.estimate(settings, user_datasets.load(settings.data))
    busy = job_status.active_job(subject=settings.data) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        clicked = st.button("Train", type="primary", icon=":material/bolt:", shortcut="Ctrl+Enter", disabled=busy)
        cost = f"about {format_duration(needs.seconds)}, {format_bytes(needs.memory)} of memory"
        st.caption(f"{escape_markdown(', '.join(settings.methods))}: {cost}.", help=ESTIMATE_HELP)
    if clicked:
        try:
            job_status.submit_training(settings)
        except DataError as error:
            page.show_data_error(error)  # the rest of the page is drawn as usual
        else:
            st.rerun()
