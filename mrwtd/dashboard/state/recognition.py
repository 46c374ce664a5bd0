"""How users are recognized: by a login, by a cookie, or not at all."""

import streamlit as st

from ...hosting.config import config
from ...hosting.identity import identities
from . import login


def uses_cookie() -> bool:
    """Whether users are recognized by a cookie."""
    return not (config().workspaces.session_only or login.is_configured())


def is_recognized() -> bool:
    """Whether the browser has sent a cookie of this server, so that the user is recognized after a reload."""
    return uses_cookie() and identities().is_valid(cookie())


def is_forgotten() -> bool:
    """Whether the user was forgotten, here or in another tab, and the browser has not got another cookie yet."""
    return uses_cookie() and identities().is_issued(cookie()) and identities().is_forgotten(cookie())


def cookie() -> str:
    """The cookie that the browser sent when this session began, whatever it contains."""
    return str(st.context.cookies.get(identities().cookie_name, ""))


def base_path() -> str:
    """The path of the dashboard on its host, such as "/mrwtd", or an empty text.

    >>> base_path()
    ''
    """
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""
