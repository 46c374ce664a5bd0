"""The page before all others on a server that needs a login."""

from functools import partial

import streamlit as st

from ..state import login
from ..widgets.formatting import escape_markdown

TITLE = "mrwtd: relations of many kinds"
TEXT = (
    "mrwtd predicts missing ties in networks with several kinds of relations. Log in to see your data sets and runs, "
    "or to start with a sample."
)
OPEN_AGAIN = "You have followed a link. Open it again after you have logged in."
UNREADABLE = "The file of secrets of this server cannot be read, so nobody can log in. Its administrator can repair it."


def require_login() -> None:
    """Show the page and stop, unless the user has logged in or the server needs no login."""
    if not login.is_missing():
        return
    st.title(TITLE)
    st.markdown(TEXT)
    if login.is_unreadable():
        st.error(UNREADABLE, icon=":material/error:")
        st.stop()
    if st.query_params:
        st.caption(OPEN_AGAIN)
    for provider in login.providers():
        label = f"Log in with {escape_markdown(provider)}" if provider else "Log in"
        log_in = partial(st.login, provider or None)
        st.button(label, key=f"login-{provider}", icon=":material/login:", type="primary", on_click=log_in)
    st.stop()
