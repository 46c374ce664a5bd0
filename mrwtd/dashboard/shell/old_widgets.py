"""Streamlit remembers how to read each widget that a session ever had, with all options of it, until the session ends.

A slider over scores has other options for each run, so sessions grow. What belongs to widgets without a state, which
are on no page any more, is removed here.
"""

from contextlib import suppress

from streamlit.runtime.scriptrunner import get_script_run_ctx


def forget() -> None:
    """Remove what Streamlit knows of widgets that are gone, at the end of a page."""
    context = get_script_run_ctx()
    if context is None or context.fragment_ids_this_run:
        return
    with suppress(AttributeError):  # these are internals, which other versions may not have
        state = context.session_state
        with state._lock:
            widgets, older = state._state._new_widget_state, state._state._old_state
            drawn = context.shared.widget_ids_this_run.snapshot()
            current = drawn | widgets.states.keys() | older.keys()
            for id in widgets.widget_metadata.keys() - current:
                del widgets.widget_metadata[id]
