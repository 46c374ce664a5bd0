"""What the readers of a run that is shared by link see and get, and what not; without a browser."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.pages import compare
from mrwtd.dashboard.state import current_run, current_user, keys, login, shared_run, user_datasets
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.errors import Problem
from mrwtd.hosting.publications import Publications
from mrwtd.runs import Workspace
from mrwtd.runs.storage_error import StorageError
from tests.dashboard.pages.open_pages import open_page
from tests.dashboard.pages.shared_run_page import (
    COMPARE,
    DATA,
    START,
    TRAIN,
    Owner,
    labels,
    made,
    made_owner,
    press,
    reader,
    settings,
    shows,
    warned,
)
from tests.dashboard.pages.switches import try_all
from tests.dashboard.pages.test_hostile_names import is_active, sent
from tests.hostile_names import MARK, hostile
from tests.hostile_urls import parts


@pytest.fixture
def owner() -> Owner:
    """An owner for one test, which may delete something."""
    return made_owner()


@pytest.fixture(scope="module")
def teacher() -> Owner:
    """An owner for all tests that only read."""
    return made_owner()


@pytest.mark.parametrize("page", [page.path for page in pages().values()])
def test_a_reader_sees_the_run_on_every_page(page: str, teacher: Owner) -> None:
    app = open_page(page, reader(), shared=teacher.share(teacher.upload))
    assert shows(app, teacher.upload)
    assert not app.warning
    assert "Train" not in labels(app) or page == "app.py"  # Start has a button for each sample


PARTS = [(page.path, part) for name, page in pages().items() for part in parts(name)]


@pytest.mark.parametrize(("page", "part"), PARTS, ids=str)
def test_a_reader_sees_the_run_and_nothing_else_whatever_is_chosen(
    page: str, part: dict[str, str], teacher: Owner
) -> None:
    hidden = (teacher.secret.name, teacher.sample.name, teacher.space.folder.name, teacher.user)
    wrong = {}

    def check(app: AppTest, changed: str) -> None:
        everything = " ".join(text for _, text in (*sent(app.main), *sent(app.sidebar)))
        if not shows(app, teacher.upload) or any(name in everything for name in hidden):
            wrong[changed] = [element.value for element in (*app.exception, *app.error, *app.warning)]

    app = open_page(page, reader(), shared=teacher.share(teacher.upload), **part)
    try_all(app, check, skipped=[f"{keys.PICK}{name}" for name in ("data", *part)])
    assert wrong == {}


def test_the_reader_gets_the_scores_of_the_run(teacher: Owner, files: dict[str, pd.DataFrame]) -> None:
    open_page(TRAIN, reader(), shared=teacher.share(teacher.upload))
    pd.testing.assert_frame_equal(files["scores"], teacher.upload.scores)


def test_a_reader_sees_nothing_else_of_the_owner(teacher: Owner) -> None:
    user, token = reader(), teacher.share(teacher.upload)
    app = open_page(DATA, user, shared=token)
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    everything = " ".join(text for _, text in (*sent(app.main), *sent(app.sidebar)))
    assert teacher.upload.name in everything
    assert teacher.secret.name not in everything
    assert teacher.sample.name not in everything
    assert teacher.space.folder.name not in everything
    assert not any("My data sets" in expander.label for expander in app.expander)
    assert not any(
        str(button.key).startswith(("restore-", "rename-")) and teacher.upload.id in str(button.key)
        for button in app.button
    )
    assert not labels(app) & {"Delete", "Export", "Share by link", "Stop sharing"}
    for run in (teacher.secret, teacher.sample):
        app = open_page(START, user, shared=token, run=run.id, data=f"{UPLOAD_PREFIX}{run.digest}")
        assert shows(app, teacher.upload)
        app = open_page(START, user, run=run.id, data=f"{UPLOAD_PREFIX}{teacher.upload.digest}")
        assert settings(app).run == settings(app).shared == ""
        assert settings(app).data == Settings.data
    other = open_page(COMPARE, user, shared=token, **{"compare.section": "runs", "compare.a": teacher.secret.id})
    assert teacher.secret.name not in str([menu.options for menu in other.selectbox])
    assert current_user.workspace_of(user).datasets() == {}
    assert current_user.workspace_of(user).runs() == []


def test_the_settings_of_the_view_and_the_link_survive_a_reload(teacher: Owner) -> None:
    user = reader()
    app = open_page(COMPARE, user, shared=teacher.share(teacher.upload), method="Degree")
    assert settings(app).method == "Degree"
    again = open_page(COMPARE, user, **settings(app).to_query())
    assert shows(again, teacher.upload)
    assert settings(again) == settings(app)


def test_a_link_is_refused_when_it_was_made_up(teacher: Owner) -> None:
    teacher.share(teacher.upload)
    user = reader()
    for token in (
        "A" * 32,
        "",
        "../" + teacher.upload.id,
        teacher.upload.id,
        teacher.space.folder.name,
        f"<b>{MARK}</b>",
    ):
        app = open_page(
            START, user, shared=token, data=f"{UPLOAD_PREFIX}{teacher.upload.digest}", run=teacher.upload.id
        )
        assert not app.exception
        assert not app.error
        assert "link" in warned(app)
        assert settings(app) == Settings()
        assert "shared" not in app.query_params


def revoke(owner: Owner) -> None:
    owner.links.revoke(owner.space.folder.name, owner.upload.id)


ENDS: dict[str, tuple[Callable[[Owner], None], str]] = {
    "revoked": (revoke, "not shared any more"),
    "run deleted": (lambda owner: owner.space.delete(owner.upload.id), "deleted"),
    "workspace deleted": (lambda owner: owner.space.delete_all(), "deleted"),
    "run damaged": (lambda owner: (owner.upload.folder / "scores.csv").write_text(""), "deleted"),
    "data deleted": (lambda owner: owner.space.delete_dataset(owner.upload.digest), "damaged"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_link_that_ends_is_explained_and_the_reader_keeps_everything(end: str, owner: Owner) -> None:
    user, token = reader(), owner.share(owner.upload)
    own = made(current_user.workspace_of(user), mrwtd.load_dataset("florentine"), owner.sample.spec.data, "mine")
    app = open_page(START, user, shared=token)
    assert shows(app, owner.upload)
    act, words = ENDS[end]
    act(owner)
    for page in (app.run(), open_page(START, user, shared=token)):
        assert not page.exception
        assert not page.error
        assert words in warned(page)
        assert settings(page) == Settings()
        assert not any("Shared by link" in text.value for text in page.markdown)
    assert [run.id for run in current_user.workspace_of(user).runs()] == [own.id]


def test_a_model_that_is_damaged_later_is_explained(owner: Owner) -> None:
    token = owner.share(owner.upload)
    for file in (owner.upload.folder / "models").iterdir():
        file.write_bytes(bytes(file.stat().st_size))
    app = open_page(TRAIN, reader(), shared=token)
    assert not app.exception
    assert "damaged" in warned(app)
    assert settings(app).shared == ""


def test_copying_the_settings_of_a_sample_leads_to_the_form(teacher: Owner) -> None:
    app = press(open_page(START, reader(), shared=teacher.share(teacher.sample)), "copy-shared")
    assert not app.exception
    copied = settings(app)
    assert (copied.data, copied.rank, copied.lam, copied.seed, copied.train) == ("florentine", 2, 1.0, 3, 0.6)
    assert copied.methods == ("MrWTD", "Degree")
    assert copied.run == copied.shared == ""
    assert "shared" not in app.query_params
    assert "Train" in labels(app)


def test_data_that_stays_with_its_owner_is_neither_copied_nor_trained_on(owner: Owner) -> None:
    user, token = reader(), owner.share(owner.upload)
    app = open_page(COMPARE, user, shared=token, **{"compare.section": "losses"})
    assert not app.exception
    assert not any("Fit" in label for label in labels(app))
    tabs = app.button_group(key=keys.PICK + "compare.section")
    assert not any(compare.SECTIONS[name][0] in str(tabs.options) for name in compare.FITTING)
    for page, downloads in ((DATA, {"Data (CSV)"}), ("pages/5_Network.py", {"CSV", "GraphML", "GEXF"})):
        app = app.switch_page(page).run()
        assert not app.exception
        assert downloads.isdisjoint(labels(app))
    app = press(app, "copy-shared")
    assert not app.exception
    assert (settings(app).data, settings(app).rank, settings(app).train) == (Settings.data, 2, 0.6)
    assert "stays with its owner" in warned(app)
    assert current_user.workspace_of(user).datasets() == {}


def test_data_that_is_shared_is_copied_with_the_settings(owner: Owner) -> None:
    user, token = reader(), owner.share(owner.upload, with_data=True)
    app = press(open_page(START, user, shared=token), "copy-shared")
    assert not app.exception
    assert not app.error
    name = UPLOAD_PREFIX + owner.upload.digest
    assert settings(app).data == name
    assert [*current_user.workspace_of(user).datasets()] == [owner.upload.digest]
    assert "Train" in labels(app)
    owner.space.delete_all()
    app.run()
    assert settings(app).data == name
    assert "Your file: families.csv" in " ".join(text.proto.body for text in app.sidebar.get("html"))


def test_a_full_workspace_gets_no_copy_and_the_reader_stays(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page(START, reader(), shared=owner.share(owner.upload, with_data=True))

    def refuse(*_: object) -> None:
        raise StorageError(Problem("no space", "space"))

    monkeypatch.setattr(Workspace, "save_dataset", refuse)
    app = press(app, "copy-shared")
    assert not app.exception
    assert "no space" in warned(app)
    assert shows(app, owner.upload)


def test_leaving_returns_to_what_the_session_showed_before(teacher: Owner) -> None:
    app = open_page(START, reader(), data="bankwiring", rank="4")
    before = settings(app)
    app.query_params.clear()
    app.query_params["shared"] = teacher.share(teacher.upload)
    assert shows(app.run(), teacher.upload)
    app = press(app, "leave-shared")
    assert settings(app) == before
    assert "shared" not in app.query_params
    assert not any("Shared by link" in text.value for text in app.markdown)


def test_another_data_set_or_an_own_run_ends_the_view(teacher: Owner) -> None:
    user, token = reader(), teacher.share(teacher.upload)
    own = made(current_user.workspace_of(user), mrwtd.load_dataset("florentine"), teacher.sample.spec.data, "mine")
    app = open_page(DATA, user, shared=token)
    app = app.selectbox(key=keys.PICK + "data").select("bankwiring").run()
    assert (settings(app).data, settings(app).run, settings(app).shared) == ("bankwiring", "", "")
    app = open_page(START, user, shared=token)
    app.session_state[keys.EXPANDERS] = {"history": True}
    app = press(app.run(), f"restore-{own.id}")
    assert (settings(app).run, settings(app).shared) == (own.id, "")
    assert not app.exception


def test_a_run_of_shared_data_cannot_be_imported_without_the_data(
    teacher: Owner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shared, space = shared_run.SharedRun(teacher.upload, teacher.space, with_data=False), Workspace(tmp_path)
    monkeypatch.setattr(shared_run, "current", lambda: shared)
    monkeypatch.setattr(current_user, "workspace", lambda: space)
    assert shared.data in user_datasets.names()
    with pytest.raises(mrwtd.DataError, match="data is not on this server"):
        current_run.check(space.import_run(teacher.upload.folder))


def test_a_run_can_be_compared_with_a_shared_one(teacher: Owner) -> None:
    user = reader()
    own = made(current_user.workspace_of(user), mrwtd.load_dataset("florentine"), teacher.sample.spec.data, "mine")
    app = open_page(COMPARE, user, shared=teacher.share(teacher.sample), **{"compare.section": "runs"})
    assert not app.exception
    chosen = [app.selectbox(key=f"{keys.PICK}compare.{side}").value for side in "ab"]
    assert chosen == [own.id, teacher.sample.id]


def test_names_of_others_are_escaped() -> None:
    user = hostile()
    space = current_user.workspace_of(user.user)
    token = Publications(space.folder.parent).publish(space.folder.name, user.query["run"]).token
    app = open_page(TRAIN, reader(), shared=token)
    assert not app.exception
    shown = [*sent(app.main), *sent(app.sidebar)]
    assert any("Shared by link" in text and MARK in text for _, text in shown)
    assert [(name, text) for name, text in shown if is_active(name, text)] == []


def test_a_link_that_needs_a_login_first_is_explained(monkeypatch: pytest.MonkeyPatch, teacher: Owner) -> None:
    monkeypatch.setattr(login, "_section", lambda: {"client_id": "mrwtd"})
    monkeypatch.setattr(login, "is_missing", lambda: True)
    app = open_page(START, shared=teacher.share(teacher.upload))
    assert any("link" in caption.value for caption in app.caption)
    assert teacher.upload.name not in " ".join(text for _, text in sent(app.main))
