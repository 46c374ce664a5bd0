"""Hostile URLs: every page opens, whatever its parameters are. `benchmarks/hostile_urls.py` tries each alone."""

import pytest
from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.navigation import pages
from tests.dashboard.pages.open_pages import open_page
from tests.hostile_urls import VALUES, names, queries


def opens(app: AppTest) -> bool:
    return not app.exception and len(app.title) == 1 and not any("went wrong" in error.value for error in app.error)


def test_parameters_are_found_in_the_code() -> None:
    assert {"network.threshold", "network.layout", "rank", "train", "run", "loss.work"} <= set(names("network"))


@pytest.mark.parametrize("page", pages())
def test_a_page_opens_with_hostile_parameters(page: str) -> None:
    app = open_page(pages()[page].path)
    for shift in range(0, len(VALUES), 18):
        app.query_params.clear()
        for name, value in queries(page, shift).items():
            app.query_params[name] = value
        assert opens(app.run()), (shift, app.exception, app.error)
        assert app.warning


@pytest.mark.parametrize("value", ["", "own-", "own-../..", "../../etc/passwd", "<b>", "x" * 5_000, "\x00"])
def test_pages_open_with_a_hostile_data_set(value: str) -> None:
    assert opens(open_page("app.py", data=value))
