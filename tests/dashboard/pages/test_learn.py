"""The Learn page without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.pages.learn import LESSONS, Lesson
from mrwtd.dashboard.pages.learn.demos import line_fit
from mrwtd.dashboard.pages.learn.demos.guesses import MOST_ROUNDS, Game
from mrwtd.dashboard.pages.learn.lessons import collective, regularization
from mrwtd.dashboard.state import current_user, keys
from mrwtd.model.losses import LOSSES
from tests.dashboard.pages.opening import open_page, open_trained

PAGE = "pages/8_Learn.py"
NOBODY = "a-visitor-without-any-run-at-all"


def lesson(name: str, data: str = "bankwiring", **views: str) -> AppTest:
    at = open_page(
        PAGE, NOBODY, data=data, **{"learn.lesson": name} | {f"learn.{view}": v for view, v in views.items()}
    )
    assert not at.exception
    assert not at.error
    return at


def said(at: AppTest) -> str:
    return " ".join(text.value for text in (*at.markdown, *at.caption, *at.subheader, *at.warning))


def settled(at: AppTest, work: str) -> AppTest:
    """The page once the work of a lesson is done."""
    current_user.queue().wait(current_user.queue().find(f"lesson {work}"))
    at.run()
    assert not at.exception
    return at


def click(at: AppTest, label: str) -> AppTest:
    return next(button for button in at.button if button.label == label).click().run()


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_opens_without_data_of_ones_own(name: str) -> None:
    at = lesson(name)
    assert [title.value for title in at.title] == ["Learn"]
    assert "Try it on your data" in said(at)
    assert "Try it" in [button.label for button in at.button]
    assert not at.warning


@pytest.mark.parametrize("data", ["florentine", "synth-kinds"])
@pytest.mark.parametrize("name", ["decomposition", "reveal"])
def test_lessons_on_live_numbers_take_relations_of_every_kind(name: str, data: str) -> None:
    for relation in mrwtd.load_dataset(data).relations:
        at = open_trained(PAGE, data, relation=relation.name, **{"learn.lesson": name})
        assert not at.exception
        assert not at.error


def test_only_the_chosen_lesson_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    for name, own in LESSONS.items():
        monkeypatch.setitem(LESSONS, name, Lesson(own.title, lambda settings, name=name: drawn.append(name)))
    lesson("weights")
    assert drawn == ["weights"]


def test_a_lesson_that_is_not_there_is_named() -> None:
    at = open_page(PAGE, NOBODY, data="florentine", **{"learn.lesson": "alchemy"})
    assert not at.exception
    assert "alchemy" in said(at)
    assert "Every object has a row" in said(at)


def test_without_a_run_the_numbers_are_those_of_a_small_fit() -> None:
    at = lesson("decomposition")
    assert "a small fit" in said(at)
    assert "so the model says" in said(at)


def test_with_a_run_the_numbers_are_its_own() -> None:
    at = open_trained(PAGE, "florentine", **{"learn.lesson": "decomposition"})
    assert "Live numbers of your run" in said(at)
    before = [text.value for text in at.get("latex")]
    at.selectbox(key=keys.PICK + "learn.source").select("Strozzi").run()
    assert at.selectbox(key=keys.PICK + "learn.source").value == "Strozzi"
    assert "Strozzi" in said(at)
    assert [text.value for text in at.get("latex")] != before or "Strozzi" in before


def test_the_lesson_leads_to_the_factors_of_ones_own_relation() -> None:
    at = open_trained(PAGE, "florentine", relation="business", **{"learn.lesson": "decomposition"})
    click(at, "Try it")
    assert [title.value for title in at.title] == ["Embedding"]
    settings = at.session_state[keys.SETTINGS]
    assert (settings.relation, settings.get("embedding.view")) == ("business", "Factors")


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_is_taught_for_every_kind_it_takes(name: str) -> None:
    at = lesson("losses", loss=name)
    for kind in LOSSES[name].kinds:
        at.selectbox(key=keys.PICK + "learn.kind").select(kind).run()
        assert not at.exception
        assert "The loss is" in said(at)
        assert len(at.get("plotly_chart")) == 2


def test_the_point_can_be_moved_along_the_loss() -> None:
    at = lesson("losses")
    assert "pulls x up" in said(at)
    at.selectbox(key=keys.PICK + "learn.y-binary").select("-1").run()
    assert "pulls x down" in said(at)
    at.slider(key=keys.PICK + "learn.x").set_value(-3.0).run()
    assert "The loss is 0.05" in said(at)


def test_the_formula_of_the_fit_is_what_is_made_least() -> None:
    (formula,) = (text.value for text in lesson("losses").markdown if r"\min" in text.value)
    factor = float(re.search(r"\+ ([\d.]+)\\,s\^2", formula)[1])
    assert 2 * factor == line_fit.RIDGE


def test_another_loss_forgets_what_belonged_to_the_kind_before() -> None:
    at = lesson("losses", loss="poisson", **{"kind": "count", "y-count": "10", "odd-count": "40"})
    at.selectbox(key=keys.PICK + "learn.loss").select("logistic").run()
    assert not at.exception
    assert "is not possible here" not in said(at)


def test_the_loss_goes_along_to_train() -> None:
    at = lesson("losses", data="florentine", loss="smooth-hinge")
    click(at, "Try it")
    assert [title.value for title in at.title] == ["Train"]
    assert at.session_state[keys.SETTINGS].loss == {"business": "smooth-hinge", "marriage": "smooth-hinge"}


def test_the_share_of_known_pixels_changes_what_is_said() -> None:
    at = lesson("weights", share="0.05")
    assert "the mean of the known pixels is better still" in said(at)
    at.select_slider(key=keys.PICK + "learn.share").set_value("0.6").run()
    assert "With 60% of the pixels known" in said(at)
    assert "times as much" in said(at)
    at = settled(at, "weights")
    assert "being computed" not in said(at)
    click(at, "Try it")
    assert at.session_state[keys.SETTINGS].methods == ("MrWTD-Q", "RESCAL")


def test_one_relation_is_set_against_all() -> None:
    at = settled(lesson("collective", about="leisure"), "collective leisure")
    assert "With 20% of the entries to learn from, *leisure* alone" in said(at)
    assert "Together is ahead at" in said(at)
    at.select_slider(key=keys.PICK + "learn.fraction").set_value("0.4").run()
    assert "With 40% of the entries" in said(at)
    click(at, "Try it")
    settings = at.session_state[keys.SETTINGS]
    assert (settings.train, settings.methods) == (0.4, ("MrWTD", "MMMF"))


def test_a_large_lam_collapses_and_goes_along_to_train() -> None:
    at = settled(lesson("regularisation"), "regularisation")
    assert "**Too free**" in said(at)
    at.select_slider(key=keys.PICK + "learn.lam").set_value("100").run()
    assert "**Collapse.**" in said(at)
    click(at, "Try it")
    assert [title.value for title in at.title] == ["Train"]
    assert at.session_state[keys.SETTINGS].lam == 100.0


def test_the_answer_comes_after_the_guess() -> None:
    at = lesson("reveal")
    assert "The model says" not in said(at)
    guess = next(button for button in at.button if button.key == "guess-0")
    guess.click().run()
    assert "The model says" in said(at)
    assert [metric.label for metric in at.metric] == ["You", "The model"]
    assert next(button for button in at.button if button.key == "guess-0").disabled
    click(at, "Next question")
    assert "2. Which of the two" in said(at)
    assert "The model says" not in said(at)


@pytest.mark.parametrize(
    ("quiz", "work"), [("zeros", "weights"), ("lam", "regularisation"), ("others", "collective work")]
)
def test_a_number_is_shown_after_the_guess(quiz: str, work: str) -> None:
    at = settled(lesson("reveal", quiz=quiz), work)
    assert not at.get("plotly_chart")
    guess = at.select_slider(key=keys.PICK + f"learn.{quiz}")
    assert guess.value == ""
    assert button(at, "Show the answer").disabled
    guess.set_value("0.9").run()
    assert not button(at, "Show the answer").disabled
    click(at, "Show the answer")
    assert "you said 0.90" in said(at)
    assert len(at.get("plotly_chart")) == 1
    click(at, "Hide it again")
    assert not at.get("plotly_chart")


def test_who_has_not_guessed_is_shown_no_answer_even_by_a_link() -> None:
    at = settled(lesson("reveal", quiz="zeros", shown="zeros"), "weights")
    assert "you said" not in said(at)
    assert not at.get("plotly_chart")
    assert button(at, "Show the answer").disabled
    at.select_slider(key=keys.PICK + "learn.zeros").set_value("0").run()
    assert "you said 0.00" in said(at)  # who says nought has said so


def button(at: AppTest, label: str) -> Button:
    (one,) = (one for one in at.button if one.label == label)
    return one


def test_guesses_of_another_run_or_of_nonsense_do_not_count() -> None:
    game = Game.read("", "one").guess(0).next().guess(1)
    assert game.text.endswith(".01")
    assert Game.read(game.text, "one") == game
    assert Game.read(game.text, "two").guesses == ""
    assert Game.read(f"{game.token}.0a1", "one").guesses == ""
    for _ in range(2 * MOST_ROUNDS):
        game = game.guess(1).next() if not game.answered else game.next()
        assert len(game.guesses) <= MOST_ROUNDS


def test_a_failure_in_a_lesson_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regularization, "path", lambda: Job("", "", "", print, state="failed", problem="a bad day"))
    at = lesson("regularisation")
    assert "could not be computed" in said(at)


def test_a_failure_in_a_lesson_is_shown_without_trying_again_until_the_page_is_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = []

    def fails(data: mrwtd.RelationalData) -> Iterator[None]:
        calls.append(data)
        yield from ()
        raise ValueError("a bad day")

    current_user.queue().discard("lesson regularisation")
    monkeypatch.setattr(regularization.regularization_demo, "along", fails)
    job = regularization.path()
    current_user.queue().wait(job)
    monkeypatch.setattr(regularization, "path", lambda: job)
    assert "could not be computed" in said(lesson("regularisation"))
    assert len(calls) == 1
    monkeypatch.undo()
    settled(at := lesson("regularisation"), "regularisation")
    assert "could not be computed" not in said(at)


def test_sliders_offer_every_computed_lam() -> None:
    assert np.all(np.diff([float(lam) for lam in regularization.LAMS]) > 0)


@pytest.mark.parametrize(
    ("name", "work", "file", "pictures"),
    [
        (
            "weights",
            "weights",
            "learn-picture",
            ["the truth", "what is known", "missing as zero", "missing as missing"],
        ),
        ("collective", "collective work", "learn-maps", ["the truth", "alone", "together"]),
        ("regularisation", "regularisation", "learn-lam-map", ["lunch: the truth", "what the model says"]),
    ],
)
def test_pictures_can_be_saved_as_numbers(
    files: dict[str, pd.DataFrame], name: str, work: str, file: str, pictures: list[str]
) -> None:
    settled(lesson(name), work)
    table = files[file]
    assert table.columns.tolist() == ["row", "column", *pictures]
    assert len(table) == table["row"].nunique() ** 2
    assert set(table[pictures[0]].dropna()) == {0.0, 1.0}


def test_what_is_drawn_anew_by_itself_cannot_be_saved_yet(
    files: dict[str, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collective, "results", lambda data, relation: Job("", "", "", print))
    at = lesson("collective")
    assert not {"learn-maps", "learn-collective"} & set(files)
    assert at.get("plotly_chart")


def test_the_curve_of_an_answer_can_be_saved(files: dict[str, pd.DataFrame]) -> None:
    at = settled(lesson("reveal", quiz="zeros"), "weights")
    assert "learn-zeros" not in files
    at.select_slider(key=keys.PICK + "learn.zeros").set_value("0.9").run()
    click(at, "Show the answer")
    assert "share" in files["learn-zeros"]
