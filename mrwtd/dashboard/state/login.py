"""Login with OpenID Connect, if Streamlit's secrets have a section [auth]."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st

from ...errors import DataError, Problem
from ...hosting.identity import login_id


def is_configured() -> bool:
    """Whether users have to log in."""
    return bool(_section()) or is_unreadable()


def is_missing() -> bool:
    """Whether the user has to log in first."""
    return is_configured() and st.user.get("is_logged_in") is not True


def providers() -> list[str]:
    """The names of the providers to choose from, or an empty name if there is only one."""
    return [name for name, value in _section().items() if isinstance(value, Mapping) and "client_id" in value] or [""]


def user_id() -> str:
    """The id of the user who has logged in."""
    issuer, subject = st.user.get("iss"), st.user.get("sub")
    if not (issuer and subject):
        raise DataError(Problem("a login without issuer and subject", "a provider that sends the claims iss and sub"))
    return login_id(str(issuer), str(subject))


def display_name() -> str:
    """The name of the user who has logged in, as far as the provider tells it."""
    return str(next(filter(None, map(st.user.get, ("name", "preferred_username", "email"))), ""))


def is_unreadable() -> bool:
    """Whether there is a file of secrets that cannot be read. Nobody can log in then."""
    return _has_file() and not st.secrets.load_if_toml_exists()


def _section() -> Mapping[str, object]:
    section: Mapping[str, object] = {}
    if _has_file() and st.secrets.load_if_toml_exists():
        section = st.secrets.get("auth", {})
    return section


def _has_file() -> bool:
    """Pages ask many times per second. Without a file, Streamlit would look for it again each time, which is slow."""
    return any(file.exists() for file in files())


@cache
def files() -> tuple[Path, ...]:
    """The files that may have secrets, which do not change while the server runs."""
    return tuple(map(Path, st.get_option("secrets.files")))
