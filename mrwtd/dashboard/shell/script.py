"""JavaScript that a page runs in the browser."""

from typing import Any

import streamlit as st


def run_script(name: str, script: str, data: Any = None) -> None:
    """Run a script that exports a function, with `data` in its argument. `name` identifies it in the browser."""
    _component(name, script)(key=name, data=data)


@st.cache_resource(show_spinner=False)
def _component(name: str, script: str) -> Any:
    return st.components.v2.component(name, js=script)
