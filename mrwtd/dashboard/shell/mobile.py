"""Telephones: whether the visitor has one, and a menu that makes way for the page that was chosen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..state import keys

SCRIPT = """
export default function () {
  if (window.mrwtdMenu) return;
  window.mrwtdMenu = true;
  document.addEventListener("click", (event) => {
    if (window.innerWidth < 768 && event.target.closest('[data-testid="stSidebar"] [data-testid="stPageLink"] a'))
      document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  });
}
"""
"""There the sidebar lies over the page, and Streamlit leaves it open when one of our links is followed."""


def is_mobile() -> bool:
    """Whether the browser says that it is one of a telephone."""
    return "Mobile" in str(st.context.headers.get("User-Agent", ""))


def close_menu_on_navigation() -> None:
    """Let the menu shut when a page is chosen from it; on other screens it stands beside the page."""
    if is_mobile():
        _component()(key=keys.MOBILE)


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component("mrwtd_menu", js=SCRIPT)
