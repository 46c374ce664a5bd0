"""What every page shares: its place in the menu, the settings, the notes, and plain words in place of a traceback.

A page begins with::

    with frame.page("Data") as settings:
        ...
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

import mrwtd

from ... import plugins
from .. import navigation
from ..jobs import job_status
from ..state import current_run, current_user, session, user_datasets
from ..state.settings import Settings
from ..widgets.formatting import dataset_size, escape_markdown, tooltip
from . import history, mobile, recovery
from .preload import warm_up

ICON = Path(__file__).parent / "icon.svg"
STYLE = Path(__file__).parent / "style.css"
ABOUT = (
    f"**mrwtd {mrwtd.__version__}** learns relations of many kinds together, by weighted tensor decomposition with a "
    "loss that suits each. Free software under the MIT licence. Nothing that you load leaves this server."
)

NOTES = 2
"""So many notes have a frame each."""

log = logging.getLogger(__name__)


@contextmanager
def page(title: str) -> Iterator[Settings]:
    """The frame around a page: what is inside gets the settings, and fails in plain words only."""
    st.set_page_config(page_title=f"{title} · mrwtd", page_icon=str(ICON), layout="wide", menu_items={"About": ABOUT})
    st.html(STYLE)
    with error_boundary(title):
        plugins.load_named()
        warm_up()
        current_run.import_startup_run()
        session.sync_from_url()
        session.drop_stale_dataset()
        current_run.drop_stale_run()
        session.sync_to_url()
        _sidebar(session.settings())
        _without_sidebar(session.settings())
        with st.container(key="notes"):  # always there: what is below would be shut, were it moved by a note
            _notes(session.current_messages())
    with error_boundary(title):
        yield session.settings()
        # What the page itself has changed stands in the address too.
        session.sync_to_url()


@contextmanager
def error_boundary(what: str) -> Iterator[None]:
    """Let nothing that fails inside reach the visitor as a traceback. What follows on the page is not run."""
    try:
        yield
    except mrwtd.DataError as error:
        show_data_error(error)
        st.stop()
    except Exception:
        log.exception("%s failed", what)
        st.error(
            "Something went wrong on this page, and it is not your doing. Reload it; if that does not help, "
            "the server's log says what happened.",
            icon=":material/error:",
        )
        recovery.offer()
        st.stop()


def show_data_error(error: mrwtd.DataError) -> None:
    """Show bad input, with every place that has to be mended."""
    head, *rest = str(error).splitlines()
    st.error(
        escape_markdown(head[:1].upper() + head[1:] if head.startswith("found ") else head), icon=":material/error:"
    )
    if rest:
        st.code("\n".join(line.strip() for line in rest), language=None, height=160)


def _notes(sentences: list[str]) -> None:
    """What there is to tell; many sentences in one frame, so that the page below is still seen."""
    for sentence in filter(session.is_success, sentences):
        st.success(escape_markdown(sentence), icon=":material/check:")
    told = [escape_markdown(sentence) for sentence in sentences if not session.is_success(sentence)]
    for text in told if len(told) <= NOTES else ["\n".join(f"- {one}" for one in told)]:
        st.warning(text, icon=":material/info:")


def _sidebar(settings: Settings) -> None:
    with st.sidebar:
        _menu(settings)
        mobile.close_menu_on_navigation()
        job_status.sidebar_status()
        _in_use(settings)
        history.section()
        if not current_user.store_cookie():
            st.caption(
                "This browser refuses cookies: your runs and uploads are kept until you close or reload this page."
            )


def _without_sidebar(settings: Settings) -> None:
    """What the sidebar tells, on top of the page: the style shows it while the sidebar is shut, as on a telephone."""
    with st.container(key="without-sidebar", gap="xxsmall"):
        name, *facts = _facts(settings)
        st.html(f'<div class="hinted" style="font-size: 0.875rem"><b>{name}</b> · {" · ".join(facts)}</div>')
        job_status.compact_status()


def _menu(settings: Settings) -> None:
    entries = navigation.pages()
    if len(entries) == 1:
        return  # Streamlit knows of no pages to link to where `app.py` is alone.
    for entry in entries.values():
        # The settings go along, so that a link opened in a new tab shows the same. No hints: nine of them cost a
        # quarter of the time that a change of page takes, and each lies on the entry above it.
        st.page_link(entry.path, label=entry.title, icon=entry.icon, query_params=settings.to_query())


def _in_use(settings: Settings) -> None:
    """Data set, split and run, wherever the visitor is."""
    with st.container(border=True, gap="xsmall"):
        name, *facts = _facts(settings)
        small = "<br>".join(facts)
        st.html(f'<div class="hinted"><b>{name}</b><div class="small">{small}</div></div>')


def _facts(settings: Settings) -> tuple[str, ...]:
    """The data set in use, its size, its split and the run, as HTML with a hint for each."""
    data, run = user_datasets.load(settings.data), current_run.selected()
    job = job_status.shown_training()
    chosen = f"{settings.train:.0%} to learn from, seed {settings.seed}"
    made = job.request if job is not None else None if run is None else vars(run.spec.split)
    split = chosen if made is None else f"{float(made['train']):.0%} to learn from, seed {made['seed']}"
    following = "" if split == chosen else f" (chosen for the next: {settings.train:.0%}, seed {settings.seed})"
    called = "none yet" if run is None else run.display_name
    if job is not None:
        called = "waits to be trained" if job.state == "queued" else "in training"
    told = (
        ("What is learned from, and predicted", user_datasets.title(settings.data)),
        ("Objects are people, places or things; a relation is one kind of tie among them",
         dataset_size(data.n_objects, data.n_relations)),
        ("The entries that are learned from, drawn at random by the seed; the others test the predictions",
         f"Split: {split}{following}"),
        ("The training whose results are shown: share to learn from, rank (hidden factors of an object), "
         "λ (strength of the regularisation)", f"Run: {called}"),
    )  # fmt: skip
    return tuple(tooltip(text, hint) for hint, text in told)
