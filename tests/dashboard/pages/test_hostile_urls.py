"""Hostile URLs: every page opens, whatever its parameters are. `benchmarks/hostile_urls.py` tries each alone."""

import pytest
from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state import keys
from mrwtd.dashboard.state.settings import Settings
from tests.dashboard.pages.open_pages import open_page
from tests.hostile_urls import VALUES, names, parts, queries


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


PARTS = [(page, part) for page in ("data", "compare", "experiments", "learn") for part in parts(page)]


@pytest.mark.parametrize(("page", "part"), PARTS, ids=[" ".join(part.values()) for _, part in PARTS])
def test_a_part_of_a_page_opens_with_hostile_parameters_all_of_which_are_known(
    page: str, part: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    get, read = Settings.get, set[str]()

    def record(settings: Settings, name: str) -> object:
        read.add(name)
        return get(settings, name)

    monkeypatch.setattr(Settings, "get", record)
    app = open_page(pages()[page].path, **queries(page, len(part)) | part)
    assert opens(app), (app.exception, app.error)
    assert part.items() <= app.session_state[keys.SETTINGS].views.items()
    assert {name for name in read if name.startswith(f"{page}.")} <= set(names(page))


@pytest.mark.parametrize("value", ["", "own-", "own-../..", "../../etc/passwd", "<b>", "x" * 5_000, "\x00"])
def test_pages_open_with_a_hostile_data_set(value: str) -> None:
    assert opens(open_page("app.py", data=value))
