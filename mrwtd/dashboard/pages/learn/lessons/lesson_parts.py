"""Parts that several lessons share: background jobs, sliders over computed values, maps of ties, the closing box."""

from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from .....plots.matrices import matrix_heatmaps, matrix_table
from .....typing import Array
from .... import navigation
from ....jobs import Job
from ....shell import page
from ....state import current_user, session, user_datasets
from ....state.settings import Settings
from ....widgets import figures
from ....widgets.formatting import escape_markdown
from .. import learn_texts

DATA = "aucs"
"""The data set of lessons 4 and 5."""

REFRESH = 0.5
"""Seconds between two updates of a lesson whose job is running."""


def background_job(key: str, work: Callable[[], Iterator[Any]]) -> Job:
    """The job that collects the results of `work` in its `pieces`, once for all users; the first call starts it."""
    return current_user.queue().run_once(f"lesson {key}", lambda _: work())


def redraw_while_running(lesson: str, draw: Callable[..., None], job: Job, *args: Any) -> None:
    """Call `draw(job, …)` now, and again as results arrive."""
    running = not job.done
    st.fragment(_redraw, run_every=REFRESH if running else None)(lesson, draw, job, running, *args)


def _redraw(lesson: str, draw: Callable[..., None], job: Job, running: bool, *args: Any) -> None:
    if running and job.done and not job.problem:  # after a failure, a rerun would start the job again at once
        st.rerun()
    with page.error_boundary(learn_texts.LESSON_TITLES[lesson]):
        draw(job, *args)
        session.sync_to_url()


def chosen_number(name: str, options: Container[str], default: str) -> float:
    """The number chosen on a slider, for code outside of the fragment that draws it."""
    text = str(session.settings().get(name))
    return float(text if text in options else default)


def show_tie_maps(panels: Mapping[str, Array], name: str, *, height: int, columns: int = 2, save: bool = True) -> None:
    """Adjacency matrices of `DATA` side by side, with similar people next to each other."""
    order = user_datasets.object_order(DATA, "alike")
    ordered = {title: matrix[np.ix_(order, order)] for title, matrix in panels.items()}
    objects = user_datasets.load(DATA).objects
    figure = matrix_heatmaps(ordered, columns=columns, dark=figures.dark())
    data = partial(matrix_table, ordered, [objects[index] for index in order]) if save else None
    caption = learn_texts.CAPTIONS["tie-maps"].format(shade="brighter" if figures.dark() else "darker")
    figures.show(figure, name, height=height, data=data, alt=learn_texts.ALT[name], caption=caption)


def try_it(
    settings: Settings, lesson: str, target: str, changes: Mapping[str, Any], *, text: str = "", **values: str
) -> None:
    """The end of every lesson: what the button does with the user's data, and the button."""
    data = escape_markdown(user_datasets.title(settings.data))
    with st.container(border=True):
        sentence, button = st.columns([5, 1], vertical_alignment="center", gap="medium")
        text = (text or learn_texts.TRY_IT[lesson]).format(data=data, **values)
        sentence.markdown(f"**Try it on your data**: {text}")
        icon, page_title = ":material/arrow_forward:", navigation.pages()[target].title
        help_ = f"Opens the {page_title} page with these settings"
        if button.button("Try it", key=f"try-{lesson}", type="primary", icon=icon, width="stretch", help=help_):
            session.go(target, **changes)
