"""Messages of the Train page: refused trainings, failed fits, and suggested fixes."""

import pytest

import mrwtd
from mrwtd.bayesian import bayesian_factors
from mrwtd.dashboard.jobs import Job, estimates
from mrwtd.dashboard.pages.train import train_texts
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import Settings
from mrwtd.model import lambda_search
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import job_of, open_page
from tests.dashboard.pages.train_page import PAGE, methods_with_bars, open_part, settings


def test_a_training_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-with-little-memory"
    monkeypatch.setattr(estimates, "available", lambda: 5e4)
    app = open_page(PAGE, user, data="florentine")
    next(button for button in app.button if button.label == "Train").click().run()
    assert "memory" in app.error[0].value
    assert current_user.queue().jobs_of(user) == []


@pytest.mark.usefixtures("_same_process")
def test_a_method_that_could_not_be_fitted_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayesian_factors, "MAX_BYTES", 1_000)
    user = "a-user-with-a-method-that-refuses"
    app = open_page(PAGE, user, data="florentine", rank="5", lam="1", methods="Degree,BTF")
    job_of(user, app, "Train")
    app.run()
    assert any("BTF" in warning.value and "could not be fitted" in warning.value for warning in app.warning)
    assert not app.error
    assert methods_with_bars(app) == ["Degree"]
    assert open_part(app, "Held-out score").main.caption[-1].value == train_texts.NOT_WATCHED


@pytest.mark.usefixtures("_same_process")
def test_a_run_stopped_in_its_search_shows_a_message() -> None:
    class Impatient(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and self.detail[0].stage is not None and self.detail[0].stage.lam == 0.3162)

        def final_state(self) -> str:
            return "stopped"

    user = "a-user-who-stops-a-search"
    chosen = Settings("florentine", rank=2, train=0.5, methods=("MrWTD",))
    work = train(chosen, mrwtd.load_dataset("florentine"), "Florence", current_user.workspace_of(user))
    run = Impatient("training", "train", user, work).execute()
    app = open_page(PAGE, user, data="florentine", run=run.id)
    assert not app.exception
    assert methods_with_bars(app) == ["MrWTD"]
    assert any("best fit of the search" in warning.value for warning in app.warning)
    assert len(app.get("plotly_chart")) == 1
    assert open_part(app, "Held-out score").main.caption[-1].value == train_texts.STOPPED_BEFORE_SCORE
    assert len(open_part(app, "Choice of λ").get("plotly_chart")) == 1
    assert train_texts.STOPPED_CODE in [text.value for text in open_part(app, "Same in Python").caption]


@pytest.mark.usefixtures("_same_process")
def test_a_search_in_which_everything_collapses_has_no_path_to_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-whose-every-fit-collapses"
    monkeypatch.setattr(lambda_search, "is_degenerate", lambda *_: True)
    app = open_page(PAGE, user, data="florentine", rank="2", methods="MrWTD")
    job_of(user, app, "Train")
    app.run()
    assert not app.error
    assert any("collapsed" in warning.value for warning in app.warning)


def test_a_message_comes_with_a_button_that_applies_the_fix() -> None:
    user = "a-user-whose-fit-collapses"
    app = open_page(PAGE, user, data="florentine", rank="2", lam="1000", methods="MrWTD")
    job_of(user, app, "Train")
    app.run()
    assert "collapsed" in app.warning[0].value
    app.button(key="fix-0").click().run()
    assert settings(app).lam == "auto"
    assert app.button(key="fix-0").disabled
