"""The history in the sidebar, without a browser."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.dashboard.widgets.formatting import escape_markdown
from mrwtd.runs import ABOUT, Workspace
from tests.dashboard.pages.compare_page import user_with_runs
from tests.dashboard.pages.open_pages import open_page, open_trained, with_run
from tests.stored_runs import changed


def rows(app: AppTest) -> list[str]:
    """The labels of the runs that are listed."""
    return [button.label for button in app.sidebar.button if str(button.key).startswith("restore-")]


def with_history(app: AppTest, closed: bool = False) -> AppTest:
    app.session_state[keys.EXPANDERS] = {"history": not closed}
    return app.run()


def test_runs_are_listed_while_the_history_is_open() -> None:
    app = open_trained("pages/2_Train.py")
    count = re.search(r"History \((\d+)\)", str([expander.label for expander in app.sidebar.expander]))
    assert count
    assert not rows(app)
    assert len(rows(with_history(app))) == int(count.group(1)) > 0
    assert not rows(with_history(app, closed=True))


def test_an_open_history_stays_open_on_other_pages() -> None:
    app = with_history(open_trained("pages/2_Train.py"))
    listed = rows(app)
    assert rows(app.switch_page("pages/8_Learn.py").run()) == listed


def test_the_content_of_a_closed_expander_is_not_drawn() -> None:
    def page() -> None:
        import streamlit as st

        from mrwtd.dashboard.widgets.lazy_expander import lazy_expander

        for name in ("shut", "open"):
            with lazy_expander(name, name, expanded=name == "open") as expanded:
                if expanded:
                    st.markdown(f"inside {name}")

    app = AppTest.from_function(page).run()
    assert [text.value for text in app.markdown] == ["inside open"]


def test_a_run_of_an_older_version_of_a_sample_is_not_a_run_of_the_sample() -> None:
    user = user_with_runs(2)
    (run,) = current_user.workspace_of(user).runs()
    about = run.folder / ABOUT
    about.write_bytes(changed(about.read_text().replace(run.digest, "0" * len(run.digest)), {}))
    app = open_page("pages/3_Compare.py", user, data="florentine")
    assert not app.error
    assert "Nothing has been trained" in app.info[0].value
    linked = open_page("pages/3_Compare.py", user, data="florentine", run=run.id)
    assert "a run whose data has changed since" in linked.error[0].value


def test_a_run_is_restored_from_its_row() -> None:
    app = with_history(open_trained("pages/2_Train.py"))
    button = next(entry for entry in app.sidebar.button if str(entry.key).startswith("restore-"))
    button.click().run()
    assert not app.exception
    assert str(button.key).removeprefix("restore-") in app.query_params["run"]


def test_the_first_visit_lists_the_stored_run() -> None:
    assert len(rows(with_history(open_page("app.py", "a-user-without-runs")))) == 1


@pytest.mark.parametrize(("typed", "kept"), [("trailing ", "trailing"), ("my  run", "my run"), ("   ", None)])
def test_a_name_is_stripped_and_the_page_settles(typed: str, kept: str | None) -> None:
    user = with_run("bankwiring")
    (run,) = current_user.workspace_of(user).runs()
    app = with_history(open_page("pages/2_Train.py", user, data="bankwiring"))
    app.text_input(key=keys.RENAME + run.id).set_value(typed).run()
    assert not app.exception
    assert app.text_input(key=keys.RENAME + run.id).value == (kept or run.name)
    assert current_user.workspace_of(user).run(run.id).name == (kept or run.name)
    assert f"Run: {escape_markdown(kept or run.display_name)}" in [heading.value for heading in app.subheader]


def with_data(file: bytes, **about: object) -> io.BytesIO:
    """The file of an exported run with another description of its data."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(file)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == ABOUT:
                spec = json.loads(content)["spec"]
                content = changed(content, {"spec": spec | {"data": spec["data"] | about}})
            new.writestr(name, content)
    packed.seek(0)
    return packed


@pytest.mark.parametrize(
    "about",
    [
        {"digest": "0" * 64},
        {"name": "florentine"},
        {"sample": False},
    ],
)
def test_a_run_whose_data_is_missing_is_not_imported(about: dict[str, object], tmp_path: Path) -> None:
    space = current_user.workspace_of(with_run("bankwiring"))
    (run,) = space.runs()
    file = space.export(run.id)
    current_run.check(Workspace(tmp_path).import_run(io.BytesIO(file)))
    with pytest.raises(mrwtd.DataError, match="data is not on this server"):
        current_run.check(Workspace(tmp_path).import_run(with_data(file, **about)))


def with_array(model: bytes, name: str, change: Callable[[np.ndarray], np.ndarray]) -> bytes:
    """A stored model with one learned array replaced."""
    with np.load(io.BytesIO(model)) as stored:
        arrays = {key: stored[key] for key in stored.files}
    header = json.loads(arrays["mrwtd"].tobytes())
    key = dict(header["learned"]["dict"])[name]["array"]
    arrays[key] = change(arrays[key])
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    return packed.getvalue()


@pytest.mark.parametrize("change", [lambda A: A[:3], lambda A: A[:, :1], lambda A: A.ravel(), lambda A: A.astype(str)])
def test_a_run_whose_models_cannot_predict_is_refused_and_leaves_nothing(
    change: Callable[[np.ndarray], np.ndarray], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = current_user.workspace_of(with_run("bankwiring"))
    (run,) = source.runs()
    space = Workspace(tmp_path)
    monkeypatch.setattr(current_user, "workspace", lambda: space)
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source.export(run.id))) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, with_array(content, "A_", change) if name == "models/0.npz" else content)
    with pytest.raises(mrwtd.DataError, match="model"):
        current_run.import_run(packed)
    assert list((tmp_path / "runs").iterdir()) == []
    assert current_run.import_run(io.BytesIO(source.export(run.id))).id == run.id


def test_a_link_to_a_run_of_another_data_set_shows_a_message() -> None:
    user = with_run("bankwiring")
    (run,) = current_user.workspace_of(user).runs()
    app = open_page("pages/2_Train.py", user, data="florentine", run=run.id)
    assert "of another data set" in app.warning[0].value
    assert "run" not in app.query_params
