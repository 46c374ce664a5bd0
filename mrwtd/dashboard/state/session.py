"""The session of a user: the settings, kept in sync with the URL, and messages.

The URL is read when it differs from what this session last wrote: at the start, after a reload, and on Back. A change
of page drops the URL parameters, so a URL without any is written and never read.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

import streamlit as st

from ...errors import DataError
from ...runs import Run
from ...runs.pending import InterruptedRun
from .. import navigation
from ..jobs.training import dataset_name, settings_of, unsettable
from . import current_user, keys, shared_run, user_datasets
from .settings import Settings, from_query

COPIED_WITHOUT_DATA = "Its settings are used with your data set, except for losses and weights of relations."

SPECIFIC_TO_VERSION = ("run", "shared", "data.edit", "data.upload")
"""Settings that end with a change of how the data is read."""

LAST_DATA = ".data"
"""The file of a workspace with the name of the upload in use."""

MESSAGE_SECONDS = 5.0
"""Seconds for which a message stays on the page across reruns."""


def settings() -> Settings:
    """The current settings."""
    current: Settings = st.session_state.get(keys.SETTINGS, Settings())
    return current


def change(**changes: Any) -> None:
    """Change some of the settings."""
    _use(settings().change(**changes))


def _use(chosen: Settings) -> None:
    st.session_state[keys.SETTINGS] = chosen
    st.session_state[keys.CHANGED] = True


def use_changed_data(data: str) -> None:
    """Use a data set in place of the current one, which it was made from. Settings that are still valid are kept."""
    query = {name: text for name, text in settings().to_query().items() if name not in SPECIFIC_TO_VERSION}
    changed, _ = from_query(query | {"data": data}, user_datasets.names(), user_datasets.choices)
    _use(changed)


def restore(run: Run | InterruptedRun) -> None:
    """Select a run, and return to the settings it was trained with."""
    data = dataset_name(run.spec)
    _skip_damaged(data)
    restored, messages = settings_of_run(run)
    if restored.data == data:
        restored = restored.change(run=run.id, relation=settings().relation if data == settings().data else "")
    st.session_state[keys.SETTINGS] = restored
    add_message(*messages)


def settings_of_run(run: Run | InterruptedRun) -> tuple[Settings, tuple[str, ...]]:
    """The settings that a run was trained with, and a message for each that the dashboard does not have."""
    data = dataset_name(run.spec)
    relations = user_datasets.choices(data).relations if data in user_datasets.names() else ()
    query = settings_of(run.spec, relations).request()
    settings, messages = from_query(query, user_datasets.names(), user_datasets.choices, source=f"The run {run.name!r}")
    if data in user_datasets.names():  # other data may have another default comparison
        settings = settings.with_default_methods(user_datasets.load(data))
    return settings, (*messages, *unsettable(run.spec))


def go(page: str, **changes: Any) -> NoReturn:
    """Open another page by its name in `navigation.pages`, such as "train", with changes of the settings.

    The URL is complete from the start, so that the Back button has no extra step.
    """
    if changes:
        change(**changes)
    st.switch_page(navigation.pages()[page].path, query_params=settings().to_query())


def add_message(*texts: str, success: bool = False) -> None:
    """Show messages at the top of the page for `MESSAGE_SECONDS`."""
    st.session_state.setdefault(keys.SUCCESSES if success else keys.MESSAGES, {}).update(dict.fromkeys(texts))


def current_messages(*, success: bool = False) -> list[str]:
    """The messages to show now: new ones and recent ones, as a page may rerun by itself."""
    key, now = keys.SUCCESSES if success else keys.MESSAGES, time.monotonic()
    messages: dict[str, float | None] = st.session_state.get(key, {})
    since = {text: now if shown is None else shown for text, shown in messages.items()}
    st.session_state[key] = {text: shown for text, shown in since.items() if now - shown < MESSAGE_SECONDS}
    return list(st.session_state[key])


def sync_from_url() -> None:
    """Read the settings from the URL, if the user has opened it rather than this session."""
    query = st.query_params.to_dict()
    if query == st.session_state.get(keys.QUERY_PARAMS) or (not query and keys.SETTINGS in st.session_state):
        return
    if st.session_state.get(keys.CHANGED):
        return  # A widget was changed before the browser knew the URL of the change before.
    st.session_state[keys.QUERY_PARAMS] = query
    if not query:
        query = _last_data()
    if "shared" in query:
        query = _open_shared(query)
    elif "data" in query:  # a link from before the data was changed, or Back
        query["data"] = user_datasets.successor(query["data"])
    readable = {} if _skip_damaged(query.get("data", "")) else query
    st.session_state[keys.SETTINGS], messages = from_query(readable, user_datasets.names(), user_datasets.choices)
    add_message(*messages)


def _open_shared(query: Mapping[str, str]) -> dict[str, str]:
    """The parameters that show a shared run. A short link has the token only: the settings are those of the run."""
    token, before = query["shared"], settings()
    shared = shared_run.find(token)
    if shared is None:
        add_message(shared_run.problem(token))
        return before.to_query()
    if not before.shared:
        st.session_state[keys.BEFORE_SHARED] = before
    # From now on its data set is one that can be shown.
    st.session_state[keys.SETTINGS] = Settings(shared.data, run=shared.run.id, shared=token)
    if leave_broken_shared():
        return settings().to_query()
    chosen = {name: text for name, text in query.items() if name not in ("data", "run", "shared")}
    if query.get("data") != shared.data:
        chosen = settings_of_run(shared.run)[0].to_query() | chosen
    return chosen | {"data": shared.data, "run": shared.run.id, "shared": token}


def leave_broken_shared() -> bool:
    """Return to the user's own settings, with a message, if the shared run was revoked, deleted or damaged."""
    token = settings().shared
    message = shared_run.problem(token) if token else ""
    if (shared := shared_run.current()) is not None:
        try:
            user_datasets.load(shared.data)
        except DataError:
            message = shared_run.DAMAGED
    if message:
        leave_shared(message)
    return bool(message)


def leave_shared(message: str = "") -> None:
    """Return from a shared run to the user's own settings."""
    _use(st.session_state.pop(keys.BEFORE_SHARED, Settings()))
    if message:
        add_message(message)


def copy_shared_settings() -> None:
    """Leave the shared run and use its settings: on its data set if the user may train on it, or else without it."""
    shared = shared_run.current()
    if shared is None:
        return  # it was revoked meanwhile, which the page reports
    copied, messages = settings_of_run(shared.run)
    if user_datasets.may_copy(shared.data):
        if not user_datasets.is_own(shared.data):
            user_datasets.copy_shared()
    else:
        before: Settings = st.session_state.get(keys.BEFORE_SHARED, Settings())
        copied = copied.change(data=before.data)
        messages = (*messages, f"The data set of the shared run stays with its owner. {COPIED_WITHOUT_DATA}")
    leave_shared()
    st.session_state[keys.SETTINGS] = copied
    add_message(*messages)


def drop_stale_dataset() -> None:
    """Select the default data set if the current one is damaged or was deleted, as in another window."""
    data = settings().data
    if _skip_damaged(data):
        change(data=Settings.data)
    elif user_datasets.is_uploaded(data) and data not in user_datasets.names():
        change(data=Settings.data)
        add_message("The current data set has been removed. Choose another one, or upload it again.")


def _skip_damaged(data: str) -> bool:
    """Whether a data set exists and cannot be opened, with a message if so."""
    if data not in user_datasets.names() or user_datasets.can_open(data):
        return False
    add_message(
        f"The data set {user_datasets.display_name(data)!r} is damaged and cannot be opened. Delete it in the sidebar."
    )
    return True


def _last_data() -> dict[str, str]:
    """The upload that the user had in use at the last visit, as URL parameters."""
    try:
        data = (current_user.workspace().folder / LAST_DATA).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    data = user_datasets.successor(data)
    return {"data": data} if user_datasets.is_uploaded(data) and data in user_datasets.names() else {}


def _remember_data() -> None:
    """Write down which upload is in use, for a visit without a link. Users without a workspace have none."""
    data, folder = settings().data, current_user.workspace().folder
    if st.session_state.get(keys.REMEMBERED) == data or settings().shared or not folder.is_dir():
        return
    with suppress(OSError):  # a full disk: the next visit starts with the default
        if user_datasets.is_uploaded(data):
            (folder / LAST_DATA).write_text(data, encoding="utf-8")
        else:
            (folder / LAST_DATA).unlink(missing_ok=True)
        st.session_state[keys.REMEMBERED] = data


def sync_to_url() -> None:
    """Write the settings to the URL, so that a copied link, a reload and the Back button restore them."""
    query = settings().to_query()
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    st.session_state[keys.QUERY_PARAMS] = query
    st.session_state.pop(keys.CHANGED, None)
    _remember_data()
