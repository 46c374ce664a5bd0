"""What Streamlit knows of widgets that are gone does not grow with a session."""

from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from mrwtd.dashboard.shell import old_widgets

    number = st.session_state.setdefault("number", 0)
    st.session_state.number += 1
    st.select_slider("Other options each time", [number, number + 1])
    st.text_input("Name", key="name")
    st.toggle("Kept", key="kept", persist_state="session") if number % 2 == 0 else st.button("Again")
    old_widgets.forget()
    st.session_state.known = len(get_script_run_ctx().session_state._state._new_widget_state.widget_metadata)


def test_widgets_with_other_options_are_forgotten_and_values_stay() -> None:
    app = AppTest.from_function(script).run()
    app.text_input(key="name").set_value("Ann").run()
    app.run()
    app.toggle(key="kept").set_value(True).run()
    known = app.session_state.known
    for _ in range(13):
        app.run()
    assert app.session_state.known <= known + 1
    assert app.text_input(key="name").value == "Ann"
    assert app.toggle(key="kept").value
