"""Who is looking: each visitor has a workspace behind an id that nobody can guess, kept in a cookie of his browser.

The id never stands in the address, because people share what is in the address bar. Where cookies are refused, the
workspace lasts as long as the session.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import tempfile
import threading
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st

from ...runs import Workspace
from ..jobs import Queue
from . import keys

COOKIE = "mrwtd_workspace"
HOME, WORKERS = "MRWTD_HOME", "MRWTD_WORKERS"
"""Environment variables: where workspaces are kept, and how many jobs run at once."""

ASKING = 60.0
"""Seconds at the beginning of a session in which the browser is asked to keep the id: later, pages do without."""

SCRIPT = """
export default function (component) {
  const { data, setStateValue } = component;
  const start = `${data.name}=`;
  const known = () => document.cookie.split("; ").find((one) => one.startsWith(start))?.slice(start.length) ?? "";
  const agree = () => {
    // Another tab, opened at the same time, may have been quicker. Its id is then the one of this user.
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
  // One tab after the other. Browsers have locks only on secure pages: elsewhere two tabs may both see no cookie and
  // both write one. The last one stays, so each looks again.
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
    """The id of this visitor's workspace: of this session, of the cookie, or a new one."""
    if keys.USER not in st.session_state:
        said = str(st.context.cookies.get(COOKIE, ""))
        st.session_state[keys.USER] = said if _is_id(said) else secrets.token_urlsafe(24)
    return str(st.session_state[keys.USER])


def store_cookie() -> bool:
    """Let the browser keep the id. False where it refuses cookies."""
    own = user_id()
    if st.context.cookies.get(COOKIE) == own:
        return True
    began = st.session_state.setdefault(keys.COOKIE_SINCE, time.monotonic())
    if time.monotonic() - began < ASKING and not st.session_state.get(keys.COOKIE_REFUSED):
        found = _component()(
            data={"name": COOKIE, "id": own}, key=keys.COOKIE, on_refused_change=_nothing, on_other_change=_nothing
        )
        other = str(getattr(found, "other", None) or "")
        if _is_id(other) and other != own:
            st.session_state[keys.USER] = other
            st.rerun()
        st.session_state[keys.COOKIE_REFUSED] = bool(getattr(found, "refused", False))
    return not st.session_state[keys.COOKIE_REFUSED]


def _is_id(text: str) -> bool:
    return re.fullmatch(r"[\w-]{20,80}", text) is not None


def workspace() -> Workspace:
    """The runs and data sets of this visitor."""
    return workspace_of(user_id())


def workspace_of(visitor: str) -> Workspace:
    """The workspace behind an id; the folder's name does not tell it."""
    return Workspace(home() / "workspaces" / sha256(visitor.encode()).hexdigest()[:32])


@st.cache_resource(show_spinner=False)
def queue() -> Queue:
    """The jobs of all visitors."""
    workers = os.environ.get(WORKERS, "1")
    found = Queue(workers=int(workers) if workers.isdecimal() and int(workers) > 0 else 1)
    # A server that is stopped keeps what its trainings have: they hear of it as soon as the main thread has ended, and
    # the process waits for them. `atexit` would be too late: pools of threads, in which large fits work, are shut by
    # then. Where Python has no such hook, it has to do.
    threading.Thread(target=_when_all_ends, args=(found,), name="mrwtd-end", daemon=True).start()
    getattr(threading, "_register_atexit", atexit.register)(found.close)
    return found


def _when_all_ends(jobs: Queue) -> None:
    threading.main_thread().join()
    jobs.abandon()


@st.cache_resource(show_spinner=False)
def home() -> Path:
    """Where workspaces are kept: MRWTD_HOME, else a folder of the user's, else one that is gone with the machine."""
    folder = Path(os.environ.get(HOME) or Path.home() / ".mrwtd").expanduser()
    try:
        (folder / "workspaces").mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="mrwtd-"))
    return folder


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component("mrwtd_workspace_cookie", js=SCRIPT)


def _nothing() -> None:
    """The component's value is read where it is drawn."""
