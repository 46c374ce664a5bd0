"""Runs that learn from all entries: pages say that nothing is held out, and predictions work."""

from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import spec_of
from mrwtd.dashboard.pages.train.code_export import in_python, on_command_line
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.data.splitting import NOTHING_HELD_OUT
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK, job_of, open_page, with_run

TRAIN, COMPARE, EMBEDDING = "pages/2_Train.py", "pages/3_Compare.py", "pages/4_Embedding.py"
NETWORK, PREDICT = "pages/5_Network.py", "pages/6_Predict.py"


@cache
def with_untested_run() -> str:
    """The id of a user whose only run learned from all entries of the airports, where some pairs are unknown."""
    user = "a-user-who-learns-from-everything"
    settings = Settings("airports", **(QUICK | {"train": 1.0}))
    work = train(settings, mrwtd.load_dataset("airports"), "Airports", current_user.workspace_of(user))
    assert work(Job("training", "train", user, work)) is not None
    return user


def texts(app: AppTest) -> str:
    return " ".join(text.value for text in (*app.markdown, *app.caption, *app.info, *app.warning))


def opened(page: str, **query: str) -> AppTest:
    app = open_page(page, with_untested_run(), data="airports", **query)
    assert not app.exception
    assert not app.error
    return app


@pytest.mark.parametrize("page", [TRAIN, COMPARE, NETWORK, PREDICT])
def test_pages_with_scores_say_that_nothing_is_held_out_and_offer_a_test(page: str) -> None:
    app = opened(page)
    assert NOTHING_HELD_OUT in texts(app)
    assert "Train with 80%" in [button.label for button in app.button]


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("app.py", {}),
        ("pages/1_Data.py", {}),
        (TRAIN, {"train.part": "Held-out score"}),
        (TRAIN, {"train.part": "Same in Python"}),
        (EMBEDDING, {}),
        (EMBEDDING, {"embedding.colour": "error"}),
        (EMBEDDING, {"embedding.view": "Replay", "relation": "flights"}),
        (EMBEDDING, {"embedding.view": "Factors"}),
        (NETWORK, {"network.second": "RESCAL", "relation": "flights"}),
        (PREDICT, {"predict.view": "Best unknown pairs", "relation": "distance (km)"}),
        (PREDICT, {"predict.view": "A new object"}),
        ("pages/8_Learn.py", {"learn.lesson": "decomposition"}),
    ],
)
def test_every_page_works(page: str, query: dict[str, str]) -> None:
    opened(page, **query)


def test_no_prediction_is_trusted() -> None:
    app = opened(PREDICT)
    (table,) = [frame.value for frame in app.dataframe if "trust" in frame.value]
    assert set(table["trust"]) == {"⚠ nothing held out to judge it by"}
    assert set(table["known"].str.extract(r"\((.*)\)")[0].dropna()) <= {"training"}


def test_the_button_trains_with_a_test_part() -> None:
    user = "a-user-who-wants-a-test"
    work = train(Settings("florentine", **(QUICK | {"train": 1.0})), mrwtd.load_dataset("florentine"), "Florentine",
                 current_user.workspace_of(user))  # fmt: skip
    assert work(Job("training", "train", user, work)) is not None
    app = open_page(COMPARE, user, data="florentine", train="1", rank="2", lam="1", methods="Degree")
    run = job_of(user, app, "Train with 80%").result
    assert run.spec.split.train == 0.8
    assert run.scores["value"].notna().any()


def test_a_fraction_of_100_percent_is_chosen_on_the_train_page() -> None:
    app = open_page(TRAIN, "a-user-who-moves-the-slider", data="florentine", rank="2", lam="1", methods="Degree")
    slider = next(widget for widget in app.select_slider if widget.label == "Training fraction")
    assert slider.options[-1] == "100%"
    slider.set_value(1.0).run()
    assert app.session_state[keys.SETTINGS].train == 1.0
    run = job_of("a-user-who-moves-the-slider", app, "Train").result
    assert run.spec.split.train == 1.0


def test_the_training_fraction_survives_a_change_of_data_set() -> None:
    app = open_page("pages/1_Data.py", data="florentine", train="0.35")
    menu = next(widget for widget in app.selectbox if widget.key == keys.PICK + "data")
    menu.set_value("monastery").run()
    settings = app.session_state[keys.SETTINGS]
    assert (settings.data, settings.train) == ("monastery", 0.35)


def test_two_runs_of_which_one_has_no_scores_are_compared_in_their_settings() -> None:
    user = with_run("florentine") + "-and-one-more"
    for fraction in (1.0, 0.5):
        work = train(Settings("florentine", **(QUICK | {"train": fraction})), mrwtd.load_dataset("florentine"),
                     "Florentine", current_user.workspace_of(user))  # fmt: skip
        assert work(Job("training", "train", user, work)) is not None
    app = open_page(COMPARE, user, data="florentine", **{"compare.section": "runs"})
    assert not app.exception
    assert f"Run A: {NOTHING_HELD_OUT}" in texts(app)


def test_exported_code_runs_without_a_test_part(capsys: pytest.CaptureFixture[str]) -> None:
    data = mrwtd.load_dataset("airports")
    spec = spec_of(Settings("airports", rank=2, lam=1.0, train=1.0, methods=("MrWTD", "Degree")), data)
    exec(in_python(spec))
    assert capsys.readouterr().out.startswith("MrWTD\n")
    assert "--train 1.0" in on_command_line(spec)
