"""Mobile browsers: detect them, and close the menu when a page is chosen."""

import streamlit as st

from .script import run_script

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
"""On small screens the sidebar covers the page, and Streamlit does not close it when a link in it is clicked."""


def is_mobile() -> bool:
    """Whether the browser identifies itself as mobile."""
    return "Mobile" in str(st.context.headers.get("User-Agent", ""))


def close_menu_on_navigation() -> None:
    """Close the menu when a page is chosen on a mobile screen. On other screens it is beside the page."""
    if is_mobile():
        run_script("mrwtd_menu", SCRIPT)
