"""Runs on data with sampled negatives: every page with scores or probabilities names the sampled pairs."""

from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd import RelationalData
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK, job_of, open_page


@cache
def with_sampled_run() -> tuple[str, str]:
    """The id of a user with a run on sampled negatives, and the name of the data."""
    user = "a-user-with-sampled-pairs"
    ties = mrwtd.load_dataset("florentine")
    data = RelationalData.from_frame(ties.subset(ties.y > 0).to_frame(), absent=2)
    space = current_user.workspace_of(user)
    # As from a file that mrwtd.write wrote: no option says that negatives are sampled.
    info = {"file": "ties.csv", "how": {}, "notes": [], "called": "ties.csv"}
    name = UPLOAD_PREFIX + space.save_dataset(data, info)
    work = train(Settings(name, **QUICK), data, "Ties", space)
    assert work(Job("training", "train", user, work)) is not None
    return user, name


def texts(app: AppTest) -> str:
    return " ".join(text.value for text in (*app.markdown, *app.caption))


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("pages/1_Data.py", {}),
        ("pages/2_Train.py", {}),
        ("pages/3_Compare.py", {}),
        ("pages/3_Compare.py", {"compare.section": "table"}),
        ("pages/3_Compare.py", {"compare.section": "trust"}),
        ("pages/5_Network.py", {}),
        ("pages/6_Predict.py", {}),
        ("app.py", {}),
    ],
)
def test_pages_name_the_sampled_pairs(page: str, query: dict[str, str]) -> None:
    user, name = with_sampled_run()
    app = open_page(page, user, data=name, **query)
    assert not app.exception
    assert not app.error
    assert "sampled pairs" in texts(app)


def test_the_history_names_the_sampled_pairs() -> None:
    user, name = with_sampled_run()
    app = open_page("pages/2_Train.py", user, data=name)
    app.session_state[keys.EXPANDERS] = {"history": True}
    tooltips = [button.help for button in app.run().sidebar.button if str(button.key).startswith("restore-")]
    assert any("sampled pairs" in tooltip for tooltip in tooltips)


def test_an_experiment_names_the_sampled_pairs() -> None:
    user, name = with_sampled_run()
    app = open_page("pages/7_Experiments.py", user, data=name, **{
        "experiments.source": "data", "experiments.kind": "ranks", "experiments.ranks-quick-methods": "Degree",
        "experiments.ranks-quick-rank": "2", "experiments.ranks-quick-runs": "1",
    })  # fmt: skip
    assert job_of(user, app, "Run").state == "finished"
    assert "sampled pairs" in texts(app.run())
