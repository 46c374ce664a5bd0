"""Lesson 6: quiz. The page shows an answer only after a guess."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from .....plots.colours import BLUE
from .....plots.marked_curves import Line, marked_curves
from ....jobs import Job
from ....state import session
from ....state.caches import cached_data
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown, signed
from .. import learn_sentences, learn_texts
from ..demos import number_questions, tie_questions
from ..demos.number_questions import NumberQuestion
from ..demos.tie_questions import Game, TieQuestion
from . import collective, decomposition, lesson_parts, regularization, weights
from .decomposition import FittedModel

GUESSES = {"": "no guess yet"} | {f"{number / 100:g}": f"{number / 100:.2f}" for number in range(101)}
"""The numbers that can be guessed, as they are written in the URL, and their labels."""

NUMBER_QUIZZES: dict[str, tuple[Callable[[], Job], Callable[[list[Any]], NumberQuestion]]] = {
    "zeros": (weights.error_job, number_questions.zeros_question),
    "lam": (regularization.lambda_job, number_questions.collapse_question),
    "others": (collective.fraction_job, number_questions.relations_question),
}
"""For each topic, the job that computes the curve, and the question about its results."""


def render(settings: Settings) -> None:
    """Draw the lesson."""
    st.markdown(learn_texts.INTRODUCTIONS["reveal"])
    topic = inputs.choose("Question", "learn.quiz", learn_texts.TOPICS, style="tabs", help=learn_texts.TOPIC_HELP)
    changes: dict[str, str] = {}
    if topic == "tie":
        changes = _tie_quiz(settings)
    else:
        lesson_parts.redraw_while_running("reveal", _number_quiz, NUMBER_QUIZZES[topic][0](), topic)
    lesson_parts.try_it(settings, "reveal", "predict", changes)


def _tie_quiz(settings: Settings) -> dict[str, str]:
    """Which of two objects has the tie: one question, and the score so far. Returns the settings for "Try it"."""
    fitted = _model_with_ties()
    names = _relations(fitted)
    default = settings.relation if fitted.from_run else ""
    left, right = st.columns([6, 5], gap="medium")
    with right:
        help_ = learn_texts.QUIZ_RELATION_HELP
        relation = inputs.choose("Relation", "learn.asks", names, default=default, help=help_)
    game = Game.read(str(session.settings().get("learn.guesses") or ""), f"{fitted.key} {relation}")
    questions = [_question(fitted, relation, number) for number in range(game.number + 1)]
    question = questions[-1]
    source = escape_markdown(question.source)
    with left:
        relation_name = escape_markdown(relation)
        text = learn_texts.TIE_QUESTION.format(number=game.number + 1, source=source, relation=relation_name)
        st.subheader(text, anchor=False)
        _show_options(question, game)
        if game.answered:
            _show_answer(question, game)
    with right:
        st.markdown(learn_texts.CLUES.format(source=source))
        columns = {
            name: st.column_config.Column(label, help=text) for name, (label, text) in learn_texts.CLUE_COLUMNS.items()
        }
        st.dataframe(question.clues, hide_index=True, alt=learn_texts.ALT["clues"], column_config=columns)
        _show_score(questions, game)
    return {"relation": relation} if fitted.from_run else {}


def _model_with_ties() -> FittedModel:
    """The model of the current run if ties were held out, otherwise the small fit."""
    fitted = decomposition.fitted_model()
    if _relations(fitted):
        return fitted
    st.caption(learn_texts.NO_HELD_OUT_TIES)
    return decomposition.small_fit()


@cached_data(max_entries=50)
def _relations(fitted: FittedModel) -> list[str]:
    return tie_questions.question_relations(fitted.test)


@cached_data(max_entries=500)
def _question(fitted: FittedModel, relation: str, number: int) -> TieQuestion:
    return tie_questions.tie_question(fitted.model, relation, fitted.train, fitted.test, number)


def _show_options(question: TieQuestion, game: Game) -> None:
    st.caption(learn_texts.TIE_OPTIONS)
    for option, column in enumerate(st.columns(2)):
        column.button(
            escape_markdown(question.options[option]), key=f"guess-{option}", disabled=game.answered, width="stretch",
            on_click=session.change, kwargs={"learn.guesses": game.guess(option).text}, help="This is my guess",
        )  # fmt: skip


def _show_answer(question: TieQuestion, game: Game) -> None:
    answer = f"it is **{escape_markdown(question.options[question.answer])}**."
    if int(game.guesses[-1]) == question.answer:
        st.success(f"Right: {answer}", icon=":material/check:")
    else:
        st.warning(f"No: {answer}", icon=":material/close:")
    low, high = sorted(question.scores)
    option = escape_markdown(question.options[question.model_guess])
    verdict = "right" if question.model_guess == question.answer else "wrong"
    st.markdown(learn_texts.MODEL_ANSWER.format(option=option, verdict=verdict, high=signed(high), low=signed(low)))
    st.button(
        "Next question", type="primary", icon=":material/arrow_forward:", on_click=session.change,
        kwargs={"learn.guesses": game.next().text}, help="Three other objects",
    )  # fmt: skip


def _show_score(questions: list[TieQuestion], game: Game) -> None:
    answered = list(zip(game.guesses, questions, strict=False))
    if not answered:
        st.caption(learn_texts.NO_SCORE)
        return
    correct = {
        "You": sum(int(guess) == question.answer for guess, question in answered),
        "The model": sum(question.model_guess == question.answer for _, question in answered),
    }
    for column, (label, number) in zip(st.columns(2), correct.items(), strict=True):
        column.metric(label, f"{number} of {len(answered)}", help=learn_texts.SCORE_HELP[label])


def _number_quiz(job: Job, topic: str) -> None:
    """A number to guess on a slider, then the curve with the answer."""
    if job.problem:
        st.error(learn_texts.FAILED, icon=":material/error:")
        return
    if not job.done:
        with st.container(height=400, border=False):
            st.markdown(learn_texts.QUESTION_PENDING)
        return
    question = NUMBER_QUIZZES[topic][1](job.pieces)
    left, right = st.columns([5, 6], gap="medium")
    revealed = [name for name in str(session.settings().get("learn.shown") or "").split("-") if name]
    with left:
        st.markdown(question.text)
        guess = inputs.choose("Your guess", f"learn.{topic}", GUESSES, style="slider", help=learn_texts.GUESS_HELP)
        answered = topic in revealed and guess != ""
        if answered:
            verdict = learn_sentences.verdict(float(guess), question.answer)
            st.markdown(f"**{verdict}** {question.explanation}")
            others = [name for name in revealed if name != topic]
            label, help_text = "Hide the answer", "For the next person to guess"
        else:
            others = [*dict.fromkeys([*revealed, topic])]
            label, help_text = "Show the answer", "Move the slider first. Your guess stays visible."
        st.button(
            label, type="secondary" if answered else "primary", on_click=session.change, disabled=not guess,
            kwargs={"learn.shown": "-".join(others)}, help=help_text,
        )  # fmt: skip
    with right:
        if answered:
            _show_curve(topic, question, float(guess))
        else:
            st.caption(learn_texts.CURVE_PENDING)


def _show_curve(topic: str, question: NumberQuestion, guess: float) -> None:
    x_title, y_title, label, caption = learn_texts.ANSWER_CURVES[topic]
    figures.show(
        marked_curves(
            question.frame, question.x, [Line(question.column, label, BLUE)], question.position, x_title=x_title,
            y_title=y_title, log=topic == "lam", percent=topic != "lam", guess=guess, dark=figures.dark(),
        ),
        f"learn-{topic}", height=340, data=question.frame, caption=caption,
        alt=learn_texts.ALT["answer"].format(label=label, x=x_title),
    )  # fmt: skip
