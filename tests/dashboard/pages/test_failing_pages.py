"""Pages that fail: the current run or data set is named, and the page continues without it."""

from pathlib import Path

import pytest

from mrwtd.dashboard.pages import network
from mrwtd.dashboard.pages.data import overview
from mrwtd.dashboard.shell import history
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.dashboard.widgets.formatting import escape_markdown
from tests.dashboard.pages.damaged_files import change_fields, damaged_copy, failures, workspace_with_run
from tests.dashboard.pages.open_pages import open_page

NAME = "**bad** [run](http://x.invalid)"


def failing(*_: object, **__: object) -> None:
    raise RuntimeError("a bug")


def with_bad_run(user: str) -> Path:
    """A user with a good run, and a later intact one that a page fails to show."""
    (run,) = workspace_with_run(user).runs()
    return damaged_copy(run.folder, "run-bad", change_fields(name=NAME))


@pytest.mark.parametrize("click", ["leave-run-bad", "delete-failed-run-bad"])
def test_a_failing_page_names_the_current_run_and_continues_without_it(
    click: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"a-user-on-a-page-that-fails-and-{click}"
    folder = with_bad_run(user)
    with monkeypatch.context() as patched:
        patched.setattr(network, "render", failing)
        app = open_page("pages/5_Network.py", user, data="florentine")
    assert len(app.error) == 1
    assert any(escape_markdown(NAME) in str(text.value) for text in app.main.markdown)
    assert not any(NAME in str(text.value) for text in app.main.markdown)
    assert folder.exists()
    app.button(key=click).click().run()
    assert failures(app) == []
    assert folder.exists() == click.startswith("leave")
    assert ("damaged-run-bad" in {str(button.key) for button in app.sidebar.button}) == folder.exists()


@pytest.mark.parametrize("click", ["leave", "delete-failed"])
def test_a_failing_page_names_the_current_data_and_continues_without_it(
    click: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"a-user-whose-data-fails-and-{click}"
    (digest,) = workspace_with_run(user).datasets()
    with monkeypatch.context() as patched:
        patched.setattr(overview, "render", failing)
        app = open_page("pages/1_Data.py", user, data=UPLOAD_PREFIX + digest)
    assert len(app.error) == 1
    assert any("good.csv" in str(text.value) for text in app.main.markdown)
    app.button(key=f"{click}-{UPLOAD_PREFIX}{digest}").click().run()
    assert failures(app) == []
    assert app.session_state[keys.SETTINGS].data == Settings.data
    assert (digest in current_user.workspace_of(user).datasets()) == (click == "leave")
    assert (f"damaged-{UPLOAD_PREFIX}{digest}" in {str(button.key) for button in app.sidebar.button}) == (
        click == "leave"
    )


def test_a_failing_page_without_a_run_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "render", failing)
    app = open_page("pages/1_Data.py", "a-user-without-uploads", data="florentine")
    assert len(app.error) == 1
    assert not [button for button in app.main.button if str(button.key).startswith(("leave-", "delete-failed-"))]


def test_a_run_that_cannot_be_listed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-with-a-run-that-cannot-be-listed"
    with_bad_run(user)
    summary = history._summary
    monkeypatch.setattr(history, "_summary", lambda run: failing() if run.id == "run-bad" else summary(run))
    app = open_page("pages/1_Data.py", user, data="florentine")
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    assert failures(app) == []
    assert "damaged-run-bad" in {str(button.key) for button in app.sidebar.button}
