"""The user of a session, and the workspace behind the user's id.

Users are recognized by a login if there is one, or else by a cookie that the server sets. The id is never in the URL,
because people share URLs. Without a cookie, the workspace lasts as long as the session.
"""

import os
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from ...hosting.config import config
from ...hosting.home import WORKSPACES, writable_home
from ...hosting.identity import folder_name, identities
from ...hosting.session_folders import session_folders
from ...hosting.shutdown import at_shutdown
from ...hosting.workspaces import quota, start_cleaning
from ...runs import Workspace
from ..jobs import Queue
from . import keys, login, recognition

ERASING_SECONDS = 86_400.0
"""Seconds to wait for the end of a job whose user was forgotten."""


def user_id() -> str:
    """The id of the user: that of the login, of this session, that in the cookie, or a new one."""
    if login.is_configured():
        return login.user_id()
    user = st.session_state.get(keys.USER)
    if user is None or identities().is_forgotten(user):
        user = recognition.cookie() if recognition.is_recognized() else identities().issue()
        st.session_state[keys.USER] = user
    return str(user)


def workspace() -> Workspace:
    """The runs and data sets of the user."""
    user = user_id()
    return _workspace(_temporary(user).folder) if config().workspaces.session_only else workspace_of(user)


def workspace_of(user: str) -> Workspace:
    """The workspace of a user id, which cannot be read from the folder name."""
    return _workspace(home() / WORKSPACES / folder_name(user))


def _workspace(folder: Path) -> Workspace:
    return Workspace(folder, quota(config().workspaces))


def forget() -> None:
    """Cancel the user's jobs, and delete the workspace and everything in this session. The id is not used again."""
    user = user_id()
    _erase(user, workspace())
    if not login.is_configured():
        identities().forget(user)
    st.session_state.clear()
    st.query_params.clear()


@dataclass(frozen=True)
class _Temporary:
    """The workspace of a session, which is deleted after it."""

    user: str
    folder: Path

    def leave(self) -> None:
        """The session has ended, or its connection is lost: it can return as long as Streamlit keeps its state."""
        seconds = float(st.get_option("server.disconnectedSessionTTL"))
        session_folders().close(self.user, seconds, partial(_erase, self.user, _workspace(self.folder)))


@st.cache_resource(show_spinner=False, scope="session", on_release=_Temporary.leave)
def _temporary(user: str) -> _Temporary:
    queue()  # whose jobs have to end before the folders are deleted when the server stops
    return _Temporary(user, session_folders().open(user))


def _erase(user: str, space: Workspace) -> None:
    """Cancel the jobs of a user and delete the workspace.

    Jobs that run save what they have, and other users may wait for a draft in the workspace. So it is deleted again
    after the jobs.
    """
    jobs = queue().jobs_of(user)
    for job in jobs:
        queue().cancel(job, user)

    def delete_all() -> None:
        for job in jobs:
            queue().wait(job, ERASING_SECONDS)
            queue().remove(job, user)
        space.delete_all()

    if all(job.done for job in jobs):
        delete_all()
    else:
        space.delete_content()
        threading.Thread(target=delete_all, name="mrwtd-erase", daemon=True).start()


def unreadable() -> dict[str, str]:
    """Why runs and data sets could not be opened in this session, by run id or data set name."""
    reasons: dict[str, str] = st.session_state.setdefault(keys.DAMAGED, {})
    return reasons


@st.cache_resource(show_spinner=False)
def queue() -> Queue:
    """The jobs of all users."""
    limits = config().jobs
    jobs = Queue(workers=limits.workers or max(os.cpu_count() or 1, 2), limits=limits)
    at_shutdown(jobs.close)  # trainings save what they have
    return jobs


@st.cache_resource(show_spinner=False)
def home() -> Path:
    """The folder of the workspaces, cleaned at the start of the server and once a day."""
    opened = writable_home()
    start_cleaning(opened.workspaces, config().workspaces)
    return opened.folder
