"""How the user is recognized, in the sidebar: log out, and forget everything."""

import streamlit as st

from ...hosting.config import config
from ...hosting.cookie import FINGERPRINT, HEALTH
from ...hosting.identity import identities
from ..state import current_user, experiment_records, login, recognition, storage
from ..widgets.formatting import escape_markdown, join_names, pluralize
from .script import run_script

NEW_SECONDS = 60.0
"""Seconds after its issue in which an id is compared with that in the cookie."""

NOT_RECOGNIZED = "This browser refuses cookies: your runs and uploads are lost when you close or reload this page."
SESSION_ONLY = "This server stores nothing: your runs and uploads are deleted when you close or reload this page."

SAME_USER_SCRIPT = """
export default function (component) {
  const { data } = component;
  // Of two tabs that were opened at once, both may have got an id, and the browser has the last one.
  const look = async () => {
    const response = await fetch(data.health, { cache: "no-store" });
    const current = response.headers.get(data.header);
    if (current && current !== data.user) window.location.reload();
  };
  const looks = [300, 2000].map((delay) => setTimeout(look, delay));
  return () => looks.forEach(clearTimeout);
}
"""

RELOAD_SCRIPT = """
export default function () {
  // Without the parameters of the URL, which name runs and data sets that are deleted.
  window.location.replace(window.location.pathname);
}
"""


def section() -> None:
    """What is lost with the session, and the buttons to log out and to delete everything."""
    with st.container(gap="xxsmall"):
        if config().workspaces.session_only:
            st.caption(SESSION_ONLY)
        elif recognition.uses_cookie() and not recognition.is_recognized():
            st.caption(NOT_RECOGNIZED)
        if login.is_configured():
            st.button("Log out", icon=":material/logout:", type="tertiary", on_click=st.logout, help=_login_name())
        label = "Forget me on this computer" if recognition.uses_cookie() else "Delete all of my data"
        if st.button(label, icon=":material/delete_forever:", type="tertiary"):
            st.dialog(f"{label}?")(_confirm)()
    if recognition.is_recognized():
        _compare_with_cookie()


def _login_name() -> str | None:
    name = login.display_name()
    return escape_markdown(f"You are logged in as {name}.") if name else None


def _confirm() -> None:
    st.markdown(
        f"You have {join_names(_contents())}. They are deleted, and what runs for you is stopped. It cannot be undone."
        + " The cookie of this browser is replaced: you are a new user afterwards." * recognition.uses_cookie()
    )
    if st.button("Delete everything", type="primary", on_click=storage.attempt, args=(current_user.forget,)):
        st.rerun()


def _contents() -> list[str]:
    """What the user has, counted."""
    space = current_user.workspace()
    records = experiment_records.records_folder()
    return [
        pluralize(len(space.runs()) + len(space.damaged_runs()), "run"),
        pluralize(len(space.datasets()) + len(space.damaged_data()), "upload"),
        pluralize(len(experiment_records.load_all(records)) + len(experiment_records.damaged(records)), "experiment"),
    ]


def leave_if_forgotten() -> None:
    """Reload the page if its user was forgotten, also in another tab. The browser then gets a new cookie."""
    if recognition.is_forgotten():
        st.session_state.clear()
        st.info("Everything is deleted. This page starts again with a new workspace.", icon=":material/check:")
        run_script("mrwtd_reload", RELOAD_SCRIPT)
        st.stop()


def _compare_with_cookie() -> None:
    user = recognition.cookie()
    if identities().age(user) < NEW_SECONDS:
        health = f"{recognition.base_path()}{HEALTH}?user"
        data = {"health": health, "header": FINGERPRINT.decode(), "user": identities().fingerprint(user)}
        run_script("mrwtd_same_user", SAME_USER_SCRIPT, data)
