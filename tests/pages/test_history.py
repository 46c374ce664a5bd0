"""The history in the sidebar, without a browser."""

from __future__ import annotations

import re

from streamlit.testing.v1 import AppTest

from mrwtd.dashboard import keys
from tests.pages.opening import open_page, open_trained


def rows(at: AppTest) -> list[str]:
    """The labels of the runs that are listed."""
    return [button.label for button in at.sidebar.button if str(button.key).startswith("restore-")]


def opened(at: AppTest, shut: bool = False) -> AppTest:
    at.session_state[keys.FOLDS] = {"history": not shut}
    return at.run()


def test_runs_are_listed_while_the_history_is_open() -> None:
    at = open_trained("pages/2_Train.py")
    counted = re.search(r"History \((\d+)\)", str([one.label for one in at.sidebar.expander]))
    assert counted
    assert not rows(at)
    assert len(rows(opened(at))) == int(counted.group(1)) > 0
    assert not rows(opened(at, shut=True))


def test_an_open_history_stays_open_on_other_pages() -> None:
    at = opened(open_trained("pages/2_Train.py"))
    listed = rows(at)
    assert rows(at.switch_page("pages/8_Learn.py").run()) == listed


def test_what_a_fold_holds_is_not_drawn_while_it_is_shut() -> None:
    def page() -> None:
        import streamlit as st

        from mrwtd.dashboard.folds import fold

        for name in ("shut", "open"):
            with fold(name, name, begin=name == "open") as seen:
                if seen:
                    st.markdown(f"inside {name}")

    at = AppTest.from_function(page).run()
    assert [one.value for one in at.markdown] == ["inside open"]


def test_a_run_is_brought_back_by_its_row() -> None:
    at = opened(open_trained("pages/2_Train.py"))
    own = next(button for button in at.sidebar.button if str(button.key).startswith("restore-"))
    own.click().run()
    assert not at.exception
    assert str(own.key).removeprefix("restore-") in at.query_params["run"]


def test_the_first_visit_lists_the_stored_run() -> None:
    assert len(rows(opened(open_page("app.py", "a-visitor-without-runs-of-his-own")))) == 1
