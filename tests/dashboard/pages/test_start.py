"""The Start page without a browser."""

import html

import pytest

import mrwtd
from mrwtd.dashboard.jobs import estimates
from mrwtd.dashboard.pages.start import start_texts
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.dashboard.widgets.formatting import escape_markdown
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.data_page import SAMPLES
from tests.dashboard.pages.open_pages import blocked_queue, open_page, open_trained


def texts(app) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.subheader)) + " ".join(
        html.unescape(block.proto.body) for block in app.get("html")
    )


def test_the_first_visit_shows_a_finished_result_labelled_as_stored() -> None:
    app = open_page("app.py")
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == [start_texts.TITLE]
    assert "A finished result" in texts(app)
    assert start_texts.STORED_RUN in texts(app)
    (bars,) = (block.proto.body for block in app.get("html") if "Mean AUPRC" in block.proto.body)
    assert bars.count("±") == 6  # a mean over splits with its interval for each method
    assert "MrWTD-B" in bars


def test_there_is_a_card_for_each_sample_with_size_kinds_and_question() -> None:
    app = open_page("app.py")
    text = texts(app)
    for name in SAMPLES:
        app.button(key=f"card-{name}")
        assert dataset_info(name).question in text
        assert f"{dataset_info(name).n_objects:,} objects" in text


def test_a_user_with_a_run_sees_it() -> None:
    assert "Your result" in texts(open_trained("app.py"))


def test_a_card_clicked_twice_trains_once_and_is_not_confused_with_another_training() -> None:
    user = "a-user-who-clicks-on-a-card-twice"
    with blocked_queue():
        other = open_page("pages/2_Train.py", user, data="florentine", rank="2", methods="Degree")
        next(button for button in other.button if button.label == "Train").click().run()
        for _ in range(2):
            app = open_page("app.py", user)
            app.button(key="card-florentine").click().run()
        first, second = current_user.queue().jobs_of(user)
        assert (first.request["methods"], first.request["rank"]) == ("Degree", "2")
        assert app.session_state[keys.SETTINGS].run == second.id
        assert second.request == app.session_state[keys.SETTINGS].resolved(mrwtd.load_dataset("florentine")).request()
    current_user.queue().wait(second)


def test_the_sidebar_names_the_split_of_the_run_and_the_next_one() -> None:
    user = "a-user-who-chooses-another-split"
    app = open_page("app.py", user, data="aucs", train="0.7", seed="5")
    assert "Split: 80% training, seed 0 (next: 70% training, seed 5)" in texts(app)
    assert "(next: " not in texts(open_page("app.py", user, data="aucs"))
    with blocked_queue():
        app = open_page("pages/2_Train.py", user, data="aucs", train="0.7", seed="5", methods="Degree")
        next(button for button in app.button if button.label == "Train").click().run()
        assert "Split: 70% training, seed 5<" in "".join(block.proto.body for block in app.get("html"))
        assert "Run: not finished yet" in texts(app)
        (job,) = current_user.queue().jobs_of(user)
    current_user.queue().wait(job)


def test_one_click_on_a_card_trains_and_opens_the_comparison() -> None:
    user = "a-user-who-clicks-on-a-card"
    app = open_page("app.py", user)
    with blocked_queue():
        app.button(key="card-florentine").click().run()
        assert not app.exception
        assert app.session_state[keys.SETTINGS].data == "florentine"
        (job,) = current_user.queue().jobs_of(user)
    current_user.queue().wait(job)
    assert job.state == "finished"
    assert job.result.spec.data.name == "florentine"
    app.run()
    assert [title.value for title in app.title] == ["Compare"]
    assert not app.error
    assert app.session_state[keys.SETTINGS].run == job.result.id


def test_a_second_card_is_trained_after_the_first_and_only_once() -> None:
    user = "a-user-who-clicks-on-two-cards"
    queue = current_user.queue()
    with blocked_queue():
        first = queue.submit(user, dataset_info("umls").title, lambda job: None)
        for _ in range(2):
            app = open_page("app.py", user)
            app.button(key="card-florentine").click().run()
            assert not app.exception
        _, second = queue.jobs_of(user)
        waiting = f"**Waiting** · {dataset_info('florentine').title}"
        assert [title.value for title in app.title] == ["Compare"]
        assert [text.value for text in app.main.markdown] == [waiting]
    for job in (first, second):
        queue.wait(job)
    app.run()
    assert app.session_state[keys.SETTINGS].run == second.result.id


def test_a_refused_card_changes_nothing_and_shows_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-whose-card-is-refused"
    app = open_page("app.py", user)
    before = app.session_state[keys.SETTINGS]
    monkeypatch.setattr(estimates, "available", lambda: 1e3)
    app.button(key="card-florentine").click().run()
    assert not app.exception
    assert not app.error
    assert "memory" in app.warning[0].value
    assert app.session_state[keys.SETTINGS] == before
    assert {f"card-{name}" for name in SAMPLES} <= {button.key for button in app.button}
    assert current_user.queue().jobs_of(user) == []


def test_the_end_of_a_training_on_another_data_set_is_announced() -> None:
    user = "a-user-who-looks-at-something-else"
    with blocked_queue():
        open_page("app.py", user).button(key="card-florentine").click().run()
        (job,) = current_user.queue().jobs_of(user)
        app = open_page("app.py", user, data="bankwiring")
        assert not app.warning
    current_user.queue().wait(job)
    app.run()
    (message,) = app.success
    assert message.value.startswith(escape_markdown(dataset_info("florentine").title))
    assert "has ended" in message.value
    assert app.session_state[keys.SETTINGS].run == ""


def test_a_card_trains_the_default_comparison_of_its_data() -> None:
    with blocked_queue():
        for name, thorough in (("florentine", True), ("kinship", False)):
            user = f"a-user-who-clicks-on-{name}"
            open_page("app.py", user).button(key=f"card-{name}").click().run()
            (job,) = current_user.queue().jobs_of(user)
            assert ("MrWTD-B" in job.request["methods"].split(",")) == thorough
            current_user.queue().cancel(job, user)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_default_rank_suits_the_size(name: str) -> None:
    n_objects = dataset_info(name).n_objects
    assert 1 < Settings(name).with_rank(n_objects).rank <= max(2, n_objects // 2)
