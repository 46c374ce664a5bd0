"""The user of a session: each has a workspace behind a secret id, which is stored in a cookie.

The id is never in the URL, because people share URLs. If cookies are refused, the workspace lasts as long as the
session.
"""

import atexit
import os
import re
import secrets
import threading
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st

from ...hosting.config import config
from ...hosting.home import WORKSPACES, writable_home
from ...hosting.workspaces import quota, start_cleaning
from ...runs import Workspace
from ..jobs import Queue
from . import keys

COOKIE = "mrwtd_workspace"

COOKIE_SECONDS = 60.0
"""Seconds at the start of a session in which the cookie component is on the page."""

SCRIPT = """
export default function (component) {
  const { data, setStateValue } = component;
  const start = `${data.name}=`;
  const known = () => document.cookie.split("; ").find((part) => part.startsWith(start))?.slice(start.length) ?? "";
  const agree = () => {
    // Another tab, opened at the same time, may have been faster. Then its id is the id of this user.
    if (/^[\\w-]{20,80}$/.test(known()) && known() !== data.id) {
      setStateValue("other", known());
      return;
    }
    const secure = window.location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `${data.name}=${data.id}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    if (known() === "") {
      setStateValue("refused", true);
    }
  };
  // One tab after the other. Browsers have locks only on secure pages: elsewhere two tabs may both find no cookie and
  // both write one. The last one stays, so each tab looks again.
  if (navigator.locks) {
    navigator.locks.request(data.name, agree);
    return;
  }
  agree();
  const looks = [200, 1000, 5000].map((delay) => setTimeout(agree, delay));
  return () => looks.forEach(clearTimeout);
}
"""


def user_id() -> str:
    """The id of the user: that of this session, that in the cookie, or a new one."""
    if keys.USER not in st.session_state:
        cookie = str(st.context.cookies.get(COOKIE, ""))
        st.session_state[keys.USER] = cookie if _is_id(cookie) else secrets.token_urlsafe(24)
    return str(st.session_state[keys.USER])


def store_cookie() -> bool:
    """Store the id in a cookie. False if the browser refuses cookies."""
    user = user_id()
    if st.context.cookies.get(COOKIE) == user:
        return True
    since = st.session_state.setdefault(keys.COOKIE_SINCE, time.monotonic())
    if time.monotonic() - since < COOKIE_SECONDS and not st.session_state.get(keys.COOKIE_REFUSED):
        reply = _component()(
            data={"name": COOKIE, "id": user}, key=keys.COOKIE, on_refused_change=_nothing, on_other_change=_nothing
        )
        other = str(getattr(reply, "other", None) or "")
        if _is_id(other) and other != user:
            st.session_state[keys.USER] = other
            st.rerun()
        st.session_state[keys.COOKIE_REFUSED] = bool(getattr(reply, "refused", False))
    return not st.session_state[keys.COOKIE_REFUSED]


def _is_id(text: str) -> bool:
    return re.fullmatch(r"[\w-]{20,80}", text) is not None


def workspace() -> Workspace:
    """The runs and data sets of the user."""
    return workspace_of(user_id())


def workspace_of(user: str) -> Workspace:
    """The workspace of a user id, which cannot be read from the folder name."""
    folder = home() / WORKSPACES / sha256(user.encode()).hexdigest()[:32]
    return Workspace(folder, quota(config().workspaces))


def unreadable() -> dict[str, str]:
    """Why runs and data sets could not be opened in this session, by run id or data set name."""
    reasons: dict[str, str] = st.session_state.setdefault(keys.DAMAGED, {})
    return reasons


@st.cache_resource(show_spinner=False)
def queue() -> Queue:
    """The jobs of all users."""
    limits = config().jobs
    jobs = Queue(workers=limits.workers or max(os.cpu_count() or 1, 2), limits=limits)
    # When the server stops, trainings save what they have: they are stopped as soon as the main thread has ended, and
    # the process waits for them. `atexit` is too late, because the thread pools of large fits are closed by then. It
    # is used only if Python has no such hook.
    threading.Thread(target=_abandon_at_exit, args=(jobs,), name="mrwtd-end", daemon=True).start()
    getattr(threading, "_register_atexit", atexit.register)(jobs.close)
    return jobs


def _abandon_at_exit(jobs: Queue) -> None:
    threading.main_thread().join()
    jobs.abandon()


@st.cache_resource(show_spinner=False)
def home() -> Path:
    """The folder of the workspaces, cleaned at the start of the server and once a day."""
    opened = writable_home()
    start_cleaning(opened.workspaces, config().workspaces)
    return opened.folder


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component("mrwtd_workspace_cookie", js=SCRIPT)


def _nothing() -> None:
    """The value of the component is read where it is drawn."""
