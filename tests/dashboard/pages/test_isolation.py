"""Users see and change only what is theirs, also if they know the ids of others."""

import threading
from collections.abc import Iterator

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import spec_of
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.hosting.identity import identities
from mrwtd.runs import execute
from tests.dashboard.pages.open_pages import open_page

TITLE = "private-of-ann.csv"


@pytest.fixture(scope="module")
def ann() -> tuple[str, str, str]:
    """A user with an upload and a run of it: the id of the user, the data set and the run."""
    user, data = identities().issue(), mrwtd.load_dataset("florentine").subset(range(200))
    space = current_user.workspace_of(user)
    name = UPLOAD_PREFIX + space.save_dataset(data, {"file": TITLE, "how": {}})
    info = space.datasets()[name.removeprefix(UPLOAD_PREFIX)]
    spec = spec_of(Settings(name, rank=2, methods=("Degree",)), data, TITLE, info)
    run = space.save_run(execute(spec, data), name="first")
    return user, name, run.id


@pytest.fixture
def running(ann: tuple[str, str, str]) -> Iterator[Job]:
    """A job of Ann that runs."""
    begun, end = threading.Event(), threading.Event()

    def work(job: Job) -> None:
        begun.set()
        while not (job.cancelled or end.is_set()):
            end.wait(0.01)

    job = current_user.queue().submit(ann[0], "A job of Ann", work, kind="experiment")
    assert begun.wait(60)
    yield job
    end.set()
    current_user.queue().wait(job)


def everything(app: AppTest) -> str:
    """All texts of a page."""
    return repr(app)


def press(app: AppTest, widget_id: str) -> AppTest:
    """What the browser sends when a button is pressed, whether the page has it or not."""
    states = WidgetStates()
    states.widgets.add(id=widget_id, trigger_value=True)
    return app._run(states)


def with_history(app: AppTest) -> AppTest:
    app.session_state[keys.EXPANDERS] = {"history": True}
    return app.run()


@pytest.mark.parametrize("page", pages())
def test_the_ids_of_a_data_set_and_a_run_open_nothing_of_another_user(page: str, ann: tuple[str, str, str]) -> None:
    _, data, run = ann
    app = open_page(pages()[page].path, identities().issue(), data=data, run=run)
    for query in ({"data": data, "run": run}, {"run": run}):
        app.query_params.clear()
        app.query_params.update(query)
        with_history(app)
        assert not app.exception
        assert any("not here" in warning.value for warning in app.warning)
        assert TITLE.removesuffix(".csv") not in everything(app).replace("\\", "")


def test_the_owner_sees_them(ann: tuple[str, str, str]) -> None:
    user, data, run = ann
    app = with_history(open_page("app.py", user, data=data, run=run))
    assert not app.warning
    assert TITLE.removesuffix(".csv") in everything(app).replace("\\", "")


@pytest.mark.parametrize("label", ["Cancel", "Delete"])
def test_the_buttons_of_another_user_have_no_effect(label: str, ann: tuple[str, str, str], running: Job) -> None:
    user, data, run = ann
    theirs = with_history(open_page("app.py", user, data=data))
    buttons = [button for button in theirs.button if button.label == label]
    assert buttons
    other = with_history(open_page("app.py", identities().issue()))
    for button in buttons:
        assert not press(other, button.id).exception
    assert not running.cancelled
    assert current_user.workspace_of(user).run(run) is not None
    press(theirs, buttons[-1].id)
    assert running.cancelled or current_user.workspace_of(user).run(run) is None
