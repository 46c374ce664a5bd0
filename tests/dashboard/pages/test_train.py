"""The Train page without a browser."""

import threading

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.pages.train.losses_table import edited
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.model.losses import LOSSES, Loss, register
from tests.dashboard.pages.open_pages import blocked_queue, job_of, open_page, open_trained
from tests.dashboard.pages.train_page import PAGE, methods_with_bars, open_part, settings


def test_without_a_run_there_is_a_table_and_a_button() -> None:
    app = open_page(PAGE, data="florentine")
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == ["Train"]
    table = app.dataframe[0].value
    assert list(table.index) == ["business", "marriage"]
    assert table["loss"].tolist() == ["logistic", "logistic"]
    assert (table["suggestion"] == "logistic").all()
    assert "Train" in [button.label for button in app.button]


def test_counts_have_bars_for_both_scores() -> None:
    app = open_trained(PAGE, "airports")
    below = " ".join(part.proto.body for part in app.get("html"))
    assert "MSE ÷ variance (lower is better) of flights" in below
    assert "Deviance explained (higher is better) of flights" in below
    assert "worse than predicting the mean" in below, "what a bad value means"


def test_a_run_is_shown_with_scores_and_code() -> None:
    app = open_trained(PAGE)
    assert not app.exception
    assert set(methods_with_bars(app)) == {"MrWTD", "RESCAL", "Degree"}
    assert len(app.get("plotly_chart")) == 1
    assert "mrwtd.load_dataset('florentine')" in open_part(app, "Same in Python").code[0].value
    assert "python -m mrwtd fit florentine" in open_part(app, "Same on the command line").code[0].value


def test_the_held_out_score_is_drawn_if_it_was_recorded() -> None:
    app = open_part(open_trained(PAGE), "Held-out score")
    assert not app.exception
    assert len(app.get("plotly_chart")) == 1
    assert any("held-out entries" in text.value and "1 is perfect" in text.value for text in app.caption)


def test_at_least_one_method_stays_ticked() -> None:
    app = open_page(PAGE, data="florentine", methods="MrWTD,CP")
    app.session_state[keys.EXPANDERS] = {"methods": True}
    app.run()
    app.checkbox(key=keys.PICK + "methods-RESCAL").check().run()
    assert settings(app).methods == ("MrWTD", "RESCAL", "CP")
    for name in ("MrWTD", "RESCAL", "CP"):
        app.checkbox(key=keys.PICK + f"methods-{name}").uncheck().run()
    assert settings(app).methods == ("CP",)


def test_the_search_for_lambda_is_drawn_if_there_was_one() -> None:
    without_search, searched = open_trained(PAGE), open_page(PAGE, data="aucs")  # the stored run, whose λ was searched
    for app, charts in ((without_search, 0), (searched, 1)):
        open_part(app, "Choice of λ")
        assert not app.exception
        assert len(app.get("plotly_chart")) == charts
        assert ("was given" in " ".join(text.value for text in app.caption)) == (charts == 0)


def test_more_options_has_seed_and_ensemble() -> None:
    app = open_page(PAGE, data="florentine", seed="7", ensemble="2")
    app.session_state[keys.EXPANDERS] = {"more": True}
    app.run()
    assert not app.exception
    assert app.number_input(key=keys.PICK + "seed").value == 7
    assert app.number_input(key=keys.PICK + "ensemble").set_value(3).run().query_params["ensemble"][0] == "3"


def test_settings_of_the_url_are_shown_and_changes_go_to_the_url() -> None:
    app = open_page(PAGE, data="florentine", rank="4", lam="10", methods="MrWTD,CP")
    assert app.number_input(key=keys.PICK + "rank").value == 4
    assert any(text.value.startswith("MrWTD, CP: ") for text in app.caption)
    app.number_input(key=keys.PICK + "rank").set_value(6).run()
    assert settings(app).rank == 6
    assert dict(app.query_params)["rank"] in ("6", ["6"])


def test_lam_by_hand_and_automatic() -> None:
    app = open_page(PAGE, data="florentine")
    assert [slider.label for slider in app.select_slider] == ["Training fraction"]
    app.toggle(key=keys.PICK + "lam-auto").set_value(False).run()
    app.select_slider(key=keys.PICK + "lam").set_value(31.62).run()
    assert settings(app).lam == 31.62
    app.toggle(key=keys.PICK + "lam-auto").set_value(True).run()
    assert settings(app).lam == "auto"


def test_the_table_shows_the_chosen_losses() -> None:
    app = open_page(PAGE, data="florentine", **{"loss.marriage": "smooth-hinge", "weight.marriage": "3"})
    table = app.dataframe[0].value
    assert table["loss"].tolist() == ["logistic", "smooth-hinge"]
    assert table["weight"].tolist() == [1.0, 3.0]


def test_edits_of_the_table_change_the_settings_or_are_refused_with_a_message() -> None:
    data = mrwtd.load_dataset("bankwiring")
    rows = {r.name: number for number, r in enumerate(data.relations)}
    first, notes = edited(Settings("bankwiring"), data, {rows["help"]: {"loss": "smooth-hinge", "weight": 3.0}})
    assert (first.loss, first.weight, notes) == ({"help": "smooth-hinge"}, {"help": 3.0}, ())
    refused, notes = edited(first, data, {rows["job_trading"]: {"loss": "logistic", "weight": 2.0}})
    assert refused == first
    assert "logistic" in notes[0]
    assert "job_trading" in notes[1]
    usual, notes = edited(first, data, {rows["help"]: {"loss": "logistic", "weight": 1.0}})
    assert usual == Settings("bankwiring")


def test_train_uses_the_settings() -> None:
    user = "a-user-who-presses-train"
    app = open_page(PAGE, user, data="florentine", rank="2", lam="1", methods="MrWTD,Degree")
    job = job_of(user, app, "Train")
    app.run()
    assert settings(app).run == job.result.id
    assert set(methods_with_bars(app)) == {"MrWTD", "Degree"}
    assert job.result.spec.methods[0].parameters["rank"] == 2


def test_two_data_sets_can_train_at_once_but_not_one_twice() -> None:
    user = "a-user-who-trains-two-at-once"

    def button(app):
        return next(button for button in app.button if button.label == "Train")

    with blocked_queue():
        current_user.queue().submit(user, "Your file: ties.csv", lambda job: None, subject="own-1")
        app = open_page(PAGE, user, data="florentine")
        assert not [text for text in app.main.markdown if "Waiting" in text.value]
        button(app).click().run()
        assert [text.value for text in app.main.markdown if "Waiting" in text.value] == [
            f"**Waiting** · {dataset_info('florentine').title}"
        ]
        assert button(app).disabled
        jobs = current_user.queue().jobs_of(user)
    assert [job.subject for job in jobs] == ["own-1", "florentine"]
    current_user.queue().wait(jobs[-1])


def test_a_refused_edit_disappears_from_the_table() -> None:
    def page() -> None:
        import streamlit as st

        from mrwtd.dashboard.pages.train import losses_table
        from mrwtd.dashboard.state import session

        session.change(data="bankwiring")
        if st.button("smooth-hinge for counts"):
            st.session_state["edits"] = {"edited_rows": {5: {"loss": "smooth-hinge"}}}
            losses_table._apply_edits("edits")
        losses_table.render(session.settings())

    app = AppTest.from_function(page, default_timeout=60).run()
    before = app.dataframe[0].proto.id
    assert app.run().dataframe[0].proto.id == before
    app.button[0].click().run()
    assert not app.exception
    assert app.dataframe[0].proto.id != before
    assert app.dataframe[0].value["loss"].tolist()[5] == "poisson"


def test_cancel_shows_the_end_at_once() -> None:
    user = "a-user-who-cancels"
    queue, pause = current_user.queue(), threading.Event()

    def work(job: Job) -> None:
        while not job.cancelled:
            pause.wait(0.01)

    job = queue.submit(user, "Something long", work, kind="other")
    app = open_page(PAGE, user, data="florentine")
    app.button(key=f"cancel-{job.id}").click().run()
    assert any("Something long\\: stopped" in warning.value for warning in app.warning)
    assert queue.jobs_of(user) == []


def test_a_page_does_not_wait_for_a_job_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-who-looks-around"
    queue, begun, end = current_user.queue(), threading.Event(), threading.Event()
    job = queue.submit(user, "Something short", lambda job: begun.set() or end.wait(60), kind="other")
    assert begun.wait(60)
    waits: list[float] = []
    with monkeypatch.context() as patched:
        patched.setattr(type(queue), "wait", lambda self, job, seconds=60.0: waits.append(seconds))
        assert not open_page(PAGE, user, data="florentine").exception
    assert set(waits) == {0.0}
    end.set()
    queue.wait(job)


def test_a_rank_is_suggested() -> None:
    user = "a-user-who-asks-for-a-rank"
    app = open_page(PAGE, user, data="florentine", lam="1", rank="9")
    job_of(user, app, "Suggest a rank")
    app.run()
    use = next(button for button in app.button if button.label.startswith("Use rank"))
    use.click().run()
    assert settings(app).rank == int(use.label.split()[-1])


def test_the_rank_can_be_searched() -> None:
    user = "a-user-with-an-automatic-rank"
    app = open_page(PAGE, user, data="florentine", methods="MrWTD,BPTF", lam="1")
    app.toggle(key=keys.PICK + "rank-auto").set_value(True).run()
    assert settings(app).rank == "auto"
    assert "Suggest a rank" not in {button.label for button in app.button}
    assert any("BPTF has no such search" in caption.value for caption in app.caption)
    job_of(user, app, "Train")
    app.run()
    assert not app.error
    (run,) = current_user.workspace_of(user).runs()
    models = run.models()
    assert models["MrWTD"].rank_ in models["MrWTD"].rank_path_["rank"].to_numpy()
    assert models["BPTF"].rank_ == 3
    assert "rank auto" in run.name
    app.toggle(key=keys.PICK + "rank-auto").set_value(False).run()
    assert settings(app).rank is None


def test_a_registered_loss_is_in_the_menu() -> None:
    class Cubic(Loss):
        name, kinds = "cubic", ("binary",)

        def value_and_slope(self, y, x):
            return np.abs(x - y) ** 3, 3 * np.abs(x - y) * (x - y)

    register(Cubic)
    try:
        app = open_page(PAGE, data="florentine", **{"loss.marriage": "cubic"})
        assert not app.exception
        assert app.dataframe[0].value["loss"].tolist() == ["logistic", "cubic"]
        assert "cubic" in app.dataframe[0].proto.columns
    finally:
        LOSSES.unregister("cubic")


def test_a_user_who_cancels_a_shared_training_reads_that_it_goes_on_for_others() -> None:
    users = ("a-user-who-stays", "a-user-who-cancels")
    with blocked_queue():
        apps = [open_page(PAGE, user, data="florentine", rank="2", methods="Degree", seed="5") for user in users]
        for app in apps:
            next(button for button in app.button if button.label == "Train").click().run()
        (job,) = current_user.queue().jobs_of(users[0])
        assert current_user.queue().jobs_of(users[1]) == [job]
        apps[1].button(key=f"cancel-{job.id}").click().run()
        assert current_user.queue().jobs_of(users[1]) == []
        assert [text.value for text in apps[1].warning if "other users" in text.value]
    current_user.queue().wait(job)
    assert job.state == "finished"
    assert len(current_user.workspace_of(users[0]).runs()) == 1
    assert current_user.workspace_of(users[1]).runs() == []
