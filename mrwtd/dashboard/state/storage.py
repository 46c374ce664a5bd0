"""Storage of the user: the last visit, what cannot be stored, and how much of the quota is used."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from ...hosting.config import config
from ...hosting.home import writable_home
from ...hosting.workspaces import record_visit
from ...runs import Workspace
from ...runs.storage_error import StorageError
from . import current_user, keys, session


def check() -> None:
    """Record the visit. If runs or uploads cannot be stored, report why, once per session."""
    space, reported = current_user.workspace(), st.session_state.setdefault(keys.STORAGE, set())
    record_visit(space.folder)
    unwritable = "" if config().workspaces.session_only else writable_home().problem()
    for problem in filter(None, (unwritable, _full(space))):
        if problem not in reported:
            reported.add(problem)
            session.add_message(problem)


def _full(space: Workspace) -> str:
    """Which limit is reached, and what to delete; empty if there is space."""
    try:
        space.check_space()
    except StorageError as error:
        return f"New runs are not saved: {error}."
    return ""


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """For callbacks, which run before the page: what cannot be written is a message on the page."""
    try:
        yield
    except StorageError as error:
        session.add_message(str(error))


def attempt(delete: Callable[..., None], *items: object) -> None:
    """A callback that deletes something, or shows why it cannot be deleted."""
    with errors_as_messages():
        delete(*items)


def usage_note() -> str:
    """How much of the quota is used, if a limit is nearly reached."""
    space = current_user.workspace()
    warnings = space.quota.warnings(space.usage())
    return f"Storage in use: {', '.join(warnings)}. Delete runs or data sets that you do not need." if warnings else ""


def retention_note() -> str:
    """When the workspace is deleted."""
    limits = config().workspaces
    days = 0 if limits.session_only else limits.idle_days
    return f"Your runs and uploads are deleted {days} days after your last visit." if days else ""
