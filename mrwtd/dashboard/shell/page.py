"""The frame of every page: menu, sidebar, settings, messages, and error messages instead of tracebacks.

A page starts with::

    with page("Data") as settings:
        ...
"""

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import streamlit as st

import mrwtd

from ... import plugins
from ...hosting import isolated
from ...runs import SplitSpec
from ...runs.storage_error import UNWRITABLE, write_error
from .. import navigation
from ..jobs import Job, job_status
from ..state import current_run, current_user, session, shared_run, storage, user_datasets
from ..state.settings import Settings
from ..widgets.formatting import dataset_size, escape_markdown, tooltip
from . import account, history, login_page, mobile, old_widgets, sharing

ICON = Path(__file__).parent / "icon.svg"
STYLE = Path(__file__).parent / "style.css"
ABOUT = (
    f"**mrwtd {mrwtd.__version__}** learns relations of many kinds together, by weighted tensor decomposition with a "
    "loss that suits each. Free software under the MIT licence. Nothing that you load leaves this server."
)

LINES = 5
"""A longer list of problems scrolls."""
MAX_BOXES = 2
"""More warnings than this are shown in one box, so that the page below stays visible."""

log = logging.getLogger(__name__)


@contextmanager
def page(title: str) -> Iterator[Settings]:
    """The frame around a page, which yields the settings."""
    st.set_page_config(page_title=f"{title} · mrwtd", page_icon=str(ICON), layout="wide", menu_items={"About": ABOUT})
    st.html(STYLE)
    with error_boundary(title):
        login_page.require_login()
        account.leave_if_forgotten()
        plugins.load_named()
        _preload()
        current_run.import_startup_run()
        session.sync_from_url()
        storage.check()
        session.leave_broken_shared()
        session.drop_stale_dataset()
        current_run.drop_stale_run()
        session.sync_to_url()
        _sidebar(session.settings())
        with st.container(key="notes"):  # always there: expanders below would close if a message moved them
            _show_messages()
        sharing.banner()
    with error_boundary(title):
        yield session.settings()
        session.sync_to_url()  # the page itself may have changed the settings
        old_widgets.forget()


@contextmanager
def error_boundary(title: str) -> Iterator[None]:
    """Show a message instead of a traceback if the code inside fails. The rest of the page is not run."""
    try:
        yield
    except mrwtd.DataError as error:
        show_data_error(error)
        st.stop()
    except Exception as error:
        log.exception("%s failed", title)
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            show_data_error(write_error(error))
            st.stop()
        st.error(
            "Something went wrong on this page. Reload it. If that does not help, the server's log has the details.",
            icon=":material/error:",
        )
        _offer_recovery()
        st.stop()


def show_data_error(error: mrwtd.DataError) -> None:
    """Show what is wrong with an input, with every place that has to be fixed."""
    head, *rest = str(error).splitlines()
    st.error(
        escape_markdown(head[:1].upper() + head[1:] if head.startswith("found ") else head), icon=":material/error:"
    )
    if rest:
        st.code(
            "\n".join(line.strip() for line in rest), language=None, wrap_lines=True,
            height="content" if len(rest) <= LINES else 160,
        )  # fmt: skip


def _offer_recovery() -> None:
    """Offer to leave out or delete the user's run and data set in use. Samples and the example are never offered."""
    try:
        run, data = current_run.selected(), session.settings().data
        if run is not None and shared_run.is_shown(run):
            st.button("Leave the shared run", on_click=session.leave_shared, type="primary")
            return
        if run is not None and not current_run.is_example(run):
            skip = partial(current_run.mark_damaged, run, current_run.PAGE_FAILED)
            _choices("run", run.id, run.name, skip, partial(history.delete, run.id))
        if user_datasets.is_uploaded(data):
            name = user_datasets.display_name(data)
            skip = partial(_leave_dataset, user_datasets.mark_damaged, data, current_run.PAGE_FAILED)
            _choices("data set", data, name, skip, partial(_leave_dataset, storage.attempt, user_datasets.delete, data))
    except Exception:  # the list of runs itself may be what failed
        log.exception("The run and data set in use are unknown")


def _choices(kind: str, item_id: str, name: str, skip: Callable[[], None], delete: Callable[[], None]) -> None:
    def skip_with_message() -> None:
        skip()
        session.add_message(f"The {kind} {name!r} is left out until you reload the page. Delete it in the sidebar.")

    with st.container(border=True):
        st.markdown(f"The {kind} in use is **{escape_markdown(name)}**. If it is damaged, other pages may fail too.")
        with st.container(horizontal=True):
            st.button("Continue without it", key=f"leave-{item_id}", on_click=skip_with_message, type="primary")
            label = f"Delete this {kind}{' and its runs' if kind == 'data set' else ''}"
            st.button(label, key=f"delete-failed-{item_id}", on_click=delete, icon=":material/delete:")


def _leave_dataset(action: Callable[..., None], *args: object) -> None:
    """Do something with the data set in use, and select another one."""
    action(*args)
    session.change(data=Settings.data, run="")


@st.cache_resource(show_spinner=False)
def _preload() -> None:
    """Load slow parts once per server, while the first user reads: worker processes, compiled kernels, scikit-learn."""
    isolated.start()

    def load(_: Job) -> None:
        train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
        mrwtd.evaluate(mrwtd.MrWTD(rank=2, lam=1.0, max_iter=2).fit(train), test)
        gc.freeze()  # a full collection of what all modules have loaded stops all pages for half a second

    current_user.queue().run_once("warm-up", load)


def _show_messages() -> None:
    for message in session.current_messages(success=True):
        st.success(escape_markdown(message), icon=":material/check:")
    warnings = [escape_markdown(message) for message in session.current_messages()]
    for text in warnings if len(warnings) <= MAX_BOXES else ["\n".join(f"- {warning}" for warning in warnings)]:
        st.warning(text, icon=":material/info:")


def _sidebar(settings: Settings) -> None:
    """The sidebar, and its main facts on the page, which the style sheet shows while the sidebar is closed."""
    with st.sidebar:
        _menu(settings)
        mobile.close_menu_on_navigation()
        job_status.sidebar_status()
        name, *facts = _facts(settings)
        with st.container(border=True, gap="xsmall"):
            st.html(f'<div class="tooltips"><b>{name}</b><div class="small">{"<br>".join(facts)}</div></div>')
        history.section()
        account.section()
    with st.container(key="without-sidebar", gap="xxsmall"):
        st.html(f'<div class="tooltips" style="font-size: 0.875rem"><b>{name}</b> · {" · ".join(facts)}</div>')
        job_status.compact_status()


def _menu(settings: Settings) -> None:
    entries = navigation.pages()
    if len(entries) == 1:
        return  # Streamlit has no pages to link to if `app.py` is alone.
    for entry in entries.values():
        # The links contain the settings, so that a new tab shows the same. No tooltips: nine of them take a quarter of
        # the time of a page change, and each covers the entry above.
        st.page_link(entry.path, label=entry.title, icon=entry.icon, query_params=settings.to_query())


def _facts(settings: Settings) -> tuple[str, ...]:
    """The data set, its size, the split and the run, as HTML with a tooltip for each."""
    data, run, job = user_datasets.load(settings.data), current_run.selected(), job_status.shown_training()
    next_split = _split_text(SplitSpec(settings.train, settings.seed, settings.by))
    split, name = next_split, "none yet"
    if job is not None:
        request = job.request
        split = _split_text(SplitSpec(float(request["train"]), int(request["seed"]), request["by"]))
        name = "not finished yet"
    elif run is not None:
        split, name = _split_text(run.spec.split), run.display_name
    following = "" if split == next_split else f" (next: {next_split})"
    facts = (
        (user_datasets.title(settings.data), "The data set in use"),
        (dataset_size(data.n_objects, data.n_relations),
         "Objects are people, places or things; a relation is one kind of tie among them"),
        (f"Split: {split}{following}",
         "The fraction of the entries for training, drawn at random with the seed; the others test the predictions"),
        (f"Run: {name}", "The training whose results are shown: training fraction, rank (hidden factors per object), "
         "λ (strength of the regularization)"),
    )  # fmt: skip
    return tuple(tooltip(text, help) for text, help in facts)


def _split_text(split: SplitSpec) -> str:
    if split.is_published:
        return split.label
    return "all entries for training" if split.train == 1 else f"{split.label} training, seed {split.seed}"
