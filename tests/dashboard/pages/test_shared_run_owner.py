"""What the owner of a run does to share it by link, and when the link ends; without a browser."""

from pathlib import Path

import pytest

import mrwtd
from mrwtd.dashboard.state import current_user, keys, login, recognition, user_datasets
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.hosting.config import VARIABLE, config
from mrwtd.hosting.identity import login_id
from mrwtd.hosting.publications import Publications
from mrwtd.runs import DataRef
from tests.dashboard.pages.open_pages import open_page
from tests.dashboard.pages.shared_run_page import (
    START,
    TRAIN,
    Owner,
    history_of,
    labels,
    made,
    made_owner,
    press,
    reader,
    shows,
    warned,
)


@pytest.fixture
def owner() -> Owner:
    """An owner for one test, which may delete something."""
    return made_owner()


def test_the_owner_shares_and_stops(owner: Owner) -> None:
    app = press(history_of(owner.user), f"share-{owner.upload.id}")
    (publication,) = owner.links.of_workspace(owner.space.folder.name).values()
    assert (publication.run, publication.with_data) == (owner.upload.id, False)
    (link,) = [code.value for code in app.sidebar.code]
    assert link.endswith(f"/Train?shared={publication.token}")
    app = app.checkbox(key=keys.WITH_DATA + owner.upload.id).check().run()
    assert owner.links.find(publication.token).with_data
    app = app.checkbox(key=keys.WITH_DATA + owner.upload.id).uncheck().run()
    assert not owner.links.find(publication.token).with_data
    assert shows(open_page(START, reader(), shared=publication.token), owner.upload)
    app = press(app, f"unshare-{owner.upload.id}")
    assert not app.sidebar.code
    assert owner.links.find(publication.token) is None


def test_a_link_to_a_sample_has_no_choice_of_data_and_the_owner_sees_what_readers_see(owner: Owner) -> None:
    app = press(history_of(owner.user), f"share-{owner.sample.id}")
    assert not app.sidebar.checkbox
    (publication,) = owner.links.of_workspace(owner.space.folder.name).values()
    app = open_page(TRAIN, owner.user, shared=publication.token)
    assert shows(app, owner.sample)
    assert "Train" not in labels(app)


def test_the_example_has_no_link() -> None:
    app = history_of(reader())
    assert not any(str(button.key).startswith("share-") for button in app.button)


def test_on_a_server_that_stores_nothing_links_end_with_the_session_of_the_owner(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "server.toml").write_text("[workspaces]\nsession_only = true\n")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "server.toml"))
    monkeypatch.setattr(recognition, "cookie", lambda: "")
    config.cache_clear()
    try:
        spaces, workspace = [], current_user.workspace
        with monkeypatch.context() as patch:
            patch.setattr(current_user, "workspace", lambda: spaces.append(workspace()) or spaces[-1])
            history = history_of("")
        space, data = spaces[-1], mrwtd.load_dataset("florentine")
        run = made(space, data, DataRef("florentine", "Florence", data.digest(), sample=True), "for the class")
        press(history.run(), f"share-{run.id}")
        (publication,) = Publications(space.folder.parent).of_workspace(space.folder.name).values()
        assert not space.folder.is_relative_to(current_user.home())
        app = open_page(START, shared=publication.token)
        assert shows(app, run)
        space.delete_all()
        assert "deleted" in warned(app.run())
    finally:
        config.cache_clear()


def test_users_who_have_logged_in_share_runs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "_section", lambda: {"client_id": "mrwtd"})
    monkeypatch.setattr(login, "is_missing", lambda: False)
    users = {
        "owner": login_id("https://login.example.org", "ann"),
        "reader": login_id("https://login.example.org", "bob"),
    }
    space, data = current_user.workspace_of(users["owner"]), mrwtd.load_dataset("florentine")
    run = made(space, data, DataRef("florentine", "Florence", data.digest(), sample=True), "for the class")
    monkeypatch.setattr(login, "user_id", lambda: users["owner"])
    press(history_of(""), f"share-{run.id}")
    (publication,) = Publications(space.folder.parent).of_workspace(space.folder.name).values()
    monkeypatch.setattr(login, "user_id", lambda: users["reader"])
    app = open_page(START, shared=publication.token)
    assert shows(app, run)
    assert not current_user.workspace_of(users["reader"]).runs()


def test_data_that_each_user_must_apply_for_is_never_shared(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_user, "workspace", lambda: owner.space)
    name = UPLOAD_PREFIX + owner.upload.digest
    assert user_datasets.may_share(name)
    assert not user_datasets.may_share("florentine")
    owner.space.save_dataset(owner.space.data(owner.upload.digest), {"file": "s.csv", "dataset": "social-evolution"})
    assert not user_datasets.may_share(name)
