"""The Learn page without a browser."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.pages.learn import LESSONS
from mrwtd.dashboard.pages.learn.demos import line_fit
from mrwtd.dashboard.pages.learn.demos.tie_questions import MAX_QUESTIONS, Game
from mrwtd.dashboard.pages.learn.lessons import collective, regularization
from mrwtd.dashboard.state import current_user, keys
from mrwtd.model.losses import LOSSES
from tests.dashboard.pages.open_pages import open_page, open_trained

PAGE = "pages/8_Learn.py"
NEW_USER = "a-user-without-any-run-at-all"


def lesson(name: str, data: str = "bankwiring", **views: str) -> AppTest:
    app = open_page(
        PAGE, NEW_USER, data=data, **{"learn.lesson": name} | {f"learn.{view}": v for view, v in views.items()}
    )
    assert not app.exception
    assert not app.error
    return app


def texts(app: AppTest) -> str:
    return " ".join(text.value for text in (*app.markdown, *app.caption, *app.subheader, *app.warning))


def settled(app: AppTest, work: str) -> AppTest:
    """The page once the work of a lesson is done."""
    current_user.queue().wait(current_user.queue().find(f"lesson {work}"))
    app.run()
    assert not app.exception
    return app


def click(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_opens_without_a_run(name: str) -> None:
    app = lesson(name)
    assert [title.value for title in app.title] == ["Learn"]
    assert "Try it on your data" in texts(app)
    assert "Try it" in [button.label for button in app.button]
    assert not app.warning


@pytest.mark.parametrize("data", ["florentine", "synth-kinds"])
@pytest.mark.parametrize("name", ["decomposition", "reveal"])
def test_lessons_about_a_run_work_for_relations_of_every_kind(name: str, data: str) -> None:
    for relation in mrwtd.load_dataset(data).relations:
        app = open_trained(PAGE, data, relation=relation.name, **{"learn.lesson": name})
        assert not app.exception
        assert not app.error


def test_only_the_chosen_lesson_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    for name in LESSONS:
        monkeypatch.setitem(LESSONS, name, lambda settings, name=name: drawn.append(name))
    lesson("weights")
    assert drawn == ["weights"]


def test_an_unknown_lesson_is_reported() -> None:
    app = open_page(PAGE, NEW_USER, data="florentine", **{"learn.lesson": "alchemy"})
    assert not app.exception
    assert "alchemy" in texts(app)
    assert "Each object has a row" in texts(app)


def test_without_a_run_a_small_fit_is_shown() -> None:
    app = lesson("decomposition")
    assert "a small fit" in texts(app)
    assert "so the model predicts" in texts(app)


def test_with_a_run_its_numbers_are_shown() -> None:
    app = open_trained(PAGE, "florentine", **{"learn.lesson": "decomposition"})
    assert "Numbers of your run" in texts(app)
    before = [text.value for text in app.get("latex")]
    app.selectbox(key=keys.PICK + "learn.source").select("Strozzi").run()
    assert app.selectbox(key=keys.PICK + "learn.source").value == "Strozzi"
    assert "Strozzi" in texts(app)
    assert [text.value for text in app.get("latex")] != before or "Strozzi" in before


def test_try_it_opens_the_factors_of_the_relation() -> None:
    app = open_trained(PAGE, "florentine", relation="business", **{"learn.lesson": "decomposition"})
    click(app, "Try it")
    assert [title.value for title in app.title] == ["Embedding"]
    settings = app.session_state[keys.SETTINGS]
    assert (settings.relation, settings.get("embedding.view")) == ("business", "Factors")


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_has_a_lesson_for_every_kind(name: str) -> None:
    app = lesson("losses", loss=name)
    for kind in LOSSES[name].kinds:
        app.selectbox(key=keys.PICK + "learn.kind").select(kind).run()
        assert not app.exception
        assert "The loss is" in texts(app)
        assert len(app.get("plotly_chart")) == 2


def test_the_point_can_be_moved_along_the_loss() -> None:
    app = lesson("losses")
    assert "pulls x up" in texts(app)
    app.selectbox(key=keys.PICK + "learn.y-binary").select("-1").run()
    assert "pulls x down" in texts(app)
    app.select_slider(key=keys.PICK + "learn.x").set_value(-3.0).run()
    assert "The loss is 0.05" in texts(app)


def test_the_formula_of_the_fit_has_the_ridge() -> None:
    (formula,) = (text.value for text in lesson("losses").markdown if r"\min" in text.value)
    factor = float(re.search(r"\+ ([\d.]+)\\,s\^2", formula)[1])
    assert 2 * factor == line_fit.RIDGE


def test_another_loss_resets_the_kind() -> None:
    app = lesson("losses", loss="poisson", **{"kind": "count", "y-count": "10", "odd-count": "40"})
    app.selectbox(key=keys.PICK + "learn.loss").select("logistic").run()
    assert not app.exception
    assert "is not possible here" not in texts(app)


def test_try_it_trains_with_the_loss() -> None:
    app = lesson("losses", data="florentine", loss="smooth-hinge")
    click(app, "Try it")
    assert [title.value for title in app.title] == ["Train"]
    assert app.session_state[keys.SETTINGS].loss == {"business": "smooth-hinge", "marriage": "smooth-hinge"}


def test_the_fraction_of_known_pixels_changes_the_text() -> None:
    app = lesson("weights", share="0.05")
    assert "better still" in texts(app)
    app.select_slider(key=keys.PICK + "learn.share").set_value("0.6").run()
    assert "With 60% of the pixels known" in texts(app)
    assert "times as much" in texts(app)
    app = settled(app, "weights")
    assert "being computed" not in texts(app)
    click(app, "Try it")
    assert app.session_state[keys.SETTINGS].methods == ("MrWTD-Q", "RESCAL")


def test_the_browser_gets_the_value_of_a_slider_with_every_run() -> None:
    app = lesson(
        "collective"
    ).run()  # a run that starts before the browser answers would set the first option otherwise
    fraction = app.select_slider(key=keys.PICK + "learn.fraction")
    assert [fraction.options[int(index)] for index in fraction.proto.default] == ["20%"]


def test_one_relation_is_compared_with_all() -> None:
    app = settled(lesson("collective", about="leisure"), "collective leisure")
    assert "Trained on 20% of the entries, *leisure* alone" in texts(app)
    assert "Together is better at" in texts(app)
    app.select_slider(key=keys.PICK + "learn.fraction").set_value("0.4").run()
    assert "Trained on 40% of the entries" in texts(app)
    click(app, "Try it")
    settings = app.session_state[keys.SETTINGS]
    assert (settings.train, settings.methods) == (0.4, ("MrWTD", "MMMF"))


def test_a_large_lambda_collapses_and_try_it_trains_with_it() -> None:
    app = settled(lesson("regularisation"), "regularisation")
    assert "too small" in texts(app)
    app.select_slider(key=keys.PICK + "learn.lam").set_value("100").run()
    assert "**Collapse.**" in texts(app)
    click(app, "Try it")
    assert [title.value for title in app.title] == ["Train"]
    assert app.session_state[keys.SETTINGS].lam == 100.0


def test_the_answer_is_shown_after_the_guess() -> None:
    app = lesson("reveal")
    assert "The model predicts" not in texts(app)
    guess = next(button for button in app.button if button.key == "guess-0")
    guess.click().run()
    assert "The model predicts" in texts(app)
    assert [metric.label for metric in app.metric] == ["You", "The model"]
    assert next(button for button in app.button if button.key == "guess-0").disabled
    click(app, "Next question")
    assert "2. Which of the two" in texts(app)
    assert "The model predicts" not in texts(app)


@pytest.mark.parametrize(
    ("quiz", "work"), [("zeros", "weights"), ("lam", "regularisation"), ("others", "collective work")]
)
def test_a_number_is_shown_after_the_guess(quiz: str, work: str) -> None:
    app = settled(lesson("reveal", quiz=quiz), work)
    assert not app.get("plotly_chart")
    guess = app.select_slider(key=keys.PICK + f"learn.{quiz}")
    assert guess.value == ""
    assert button(app, "Show the answer").disabled
    guess.set_value("0.9").run()
    assert not button(app, "Show the answer").disabled
    click(app, "Show the answer")
    assert "you said 0.90" in texts(app)
    assert len(app.get("plotly_chart")) == 1
    click(app, "Hide the answer")
    assert not app.get("plotly_chart")


def test_a_link_does_not_show_an_answer_without_a_guess() -> None:
    app = settled(lesson("reveal", quiz="zeros", shown="zeros"), "weights")
    assert "you said" not in texts(app)
    assert not app.get("plotly_chart")
    assert button(app, "Show the answer").disabled
    app.select_slider(key=keys.PICK + "learn.zeros").set_value("0").run()
    assert "you said 0.00" in texts(app)  # a guess of zero is a guess


def button(app: AppTest, label: str) -> Button:
    return next(button for button in app.button if button.label == label)


def test_guesses_of_another_run_and_invalid_ones_do_not_count() -> None:
    game = Game.read("", "one").guess(0).next().guess(1)
    assert game.text.endswith(".01")
    assert Game.read(game.text, "one") == game
    assert Game.read(game.text, "two").guesses == ""
    assert Game.read(f"{game.token}.0a1", "one").guesses == ""
    for _ in range(2 * MAX_QUESTIONS):
        game = game.guess(1).next() if not game.answered else game.next()
        assert len(game.guesses) <= MAX_QUESTIONS


def test_a_failure_in_a_lesson_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        regularization, "lambda_job", lambda: Job("", "", "", print, state="failed", problem="a bad day")
    )
    app = lesson("regularisation")
    assert "could not be computed" in texts(app)


def test_a_failed_job_is_not_repeated_until_the_page_is_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def fails(data: mrwtd.RelationalData) -> Iterator[None]:
        calls.append(data)
        yield from ()
        raise ValueError("a bad day")

    current_user.queue().discard("lesson regularisation")
    monkeypatch.setattr(regularization.regularization_demo, "lambda_paths", fails)
    job = regularization.lambda_job()
    current_user.queue().wait(job)
    monkeypatch.setattr(regularization, "lambda_job", lambda: job)
    assert "could not be computed" in texts(lesson("regularisation"))
    assert len(calls) == 1
    monkeypatch.undo()
    settled(app := lesson("regularisation"), "regularisation")
    assert "could not be computed" not in texts(app)


def test_the_slider_has_every_computed_lambda() -> None:
    assert np.all(np.diff([float(lam) for lam in regularization.LAMS]) > 0)


@pytest.mark.parametrize(
    ("name", "work", "file", "pictures"),
    [
        (
            "weights",
            "weights",
            "learn-picture",
            ["the truth", "known pixels", "missing as zero", "missing as missing"],
        ),
        ("collective", "collective work", "learn-maps", ["the truth", "alone", "together"]),
        ("regularisation", "regularisation", "learn-lam-map", ["lunch: the truth", "predicted"]),
    ],
)
def test_images_can_be_saved_as_tables(
    files: dict[str, pd.DataFrame], name: str, work: str, file: str, pictures: list[str]
) -> None:
    settled(lesson(name), work)
    table = files[file]
    assert table.columns.tolist() == ["row", "column", *pictures]
    assert len(table) == table["row"].nunique() ** 2
    assert set(table[pictures[0]].dropna()) == {0.0, 1.0}


def test_a_figure_that_redraws_itself_cannot_be_saved(
    files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collective, "fraction_job", lambda relation: Job("", "", "", print))
    app = lesson("collective")
    assert not {"learn-maps", "learn-collective"} & set(files)
    assert app.get("plotly_chart")


def test_the_curve_of_an_answer_can_be_saved(files: dict[str, pd.DataFrame]) -> None:
    app = settled(lesson("reveal", quiz="zeros"), "weights")
    assert "learn-zeros" not in files
    app.select_slider(key=keys.PICK + "learn.zeros").set_value("0.9").run()
    click(app, "Show the answer")
    assert "known" in files["learn-zeros"]
