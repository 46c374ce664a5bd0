"""Lesson 6: predict, then reveal. The page asks for a guess before it shows the answer."""

from __future__ import annotations

from typing import Any

import streamlit as st

from .....plots.colours import BLUE
from .....plots.marked_curves import Line, marked_curves
from ....jobs import Job
from ....shell import page
from ....state import session, user_datasets
from ....state.caches import cached_data
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from ..demos import quiz, tie_questions
from ..demos.guesses import Game
from . import background_work, collective, decomposition, next_step, regularization, weights

QUIZZES = {"tie": "Who has the tie?", "zeros": "Zeros", "lam": "A large λ", "others": "Other relations"}
COLUMNS = {
    "option": ("", "One of the two, of whom one has the tie"),
    "common": ("partners in common", "Objects that both it and the one asked about are known to have a tie with, here"),
    "also": ("also tied in", "Other relations in which it is known to have a tie with the one asked about"),
    "ties": ("known ties", "With how many objects it is known to have a tie here"),
}
"""What is told of each option: the column's title, and what it means."""

GUESSES = [f"{hundredth / 100:g}" for hundredth in range(101)]
"""The numbers that can be guessed, as they are written in the URL."""


def draw(settings: Settings) -> None:
    """The lesson."""
    st.markdown(
        "First guess, then look: what surprises you is what you learn. Your guesses stand in the address of this page, "
        "and nowhere else."
    )
    topic = inputs.choose(
        "Question", "learn.quiz", list(QUIZZES), format_func=QUIZZES.__getitem__, style="buttons", show_label=False,
        help="The first is about single ties, the others about what the lessons before have computed.",
    )  # fmt: skip
    along: dict[str, str] = {}
    if topic == "tie":
        along = _ties(settings)
    else:
        background_work.watch(_outcome, _job(topic), topic)
    next_step.try_it(
        "reveal",
        f"**Try it on your data**: type two objects of *{escape_markdown(user_datasets.title(settings.data))}* "
        "and see what the "
        "model expects, how sure it is, and why.",
        "predict",
        **along,
    )


def _ties(settings: Settings) -> dict[str, str]:
    """Which of two has the tie: a round, and the score so far. Gives what goes along to the visitor's own data."""
    own = _asked_of()
    names = _relations(own)
    begin = names.index(settings.relation) if own.live and settings.relation in names else 0
    asked, clues = st.columns([6, 5], gap="medium")
    with clues:
        relation = inputs.choose(
            "Relation", "learn.asks", names, index=begin, help="Its held-out pairs are asked about."
        )
    game = Game.read(str(session.settings().get("learn.guesses") or ""), f"{own.key} {relation}")
    rounds = [_ask(own, relation, number) for number in range(game.number + 1)]
    question = rounds[-1]
    with asked:
        st.subheader(
            f"{game.number + 1}. Which of the two has a tie with {escape_markdown(question.source)} in "
            f"{escape_markdown(relation)}?",
            anchor=False,
        )
        _choice(question, game)
        if game.answered:
            _answer(question, game)
    with clues:
        st.markdown(f"What the training data knows about **{escape_markdown(question.source)}** and either of them:")
        st.dataframe(
            question.clues, hide_index=True, alt="What is known of the two options",
            column_config={name: st.column_config.Column(label, help=hint) for name, (label, hint) in COLUMNS.items()},
        )  # fmt: skip
        _tally(rounds, game)
    return {"relation": relation} if own.live else {}


def _asked_of() -> decomposition.Model:
    """The visitor's run, where it has ties to ask about, else the small fit."""
    own = decomposition.model()
    if _relations(own):
        return own
    st.caption("Your run has held out no ties: the questions are about Florentine families.")
    return decomposition.small()


@cached_data(max_entries=50)
def _relations(fitted: decomposition.Model) -> list[str]:
    return tie_questions.relations_to_ask(fitted.test)


@cached_data(max_entries=500)
def _ask(fitted: decomposition.Model, relation: str, number: int) -> tie_questions.Question:
    return tie_questions.ask(fitted.model, relation, fitted.train, fitted.test, number)


def _choice(question: tie_questions.Question, game: Game) -> None:
    st.caption("One of the two has it, the other has not; the model has seen neither pair.")
    for at, column in enumerate(st.columns(2)):
        column.button(
            escape_markdown(question.options[at]), key=f"guess-{at}", disabled=game.answered, width="stretch",
            on_click=session.change, kwargs={"learn.guesses": game.guess(at).text}, help="This is my guess.",
        )  # fmt: skip


def _answer(question: tie_questions.Question, game: Game) -> None:
    right = int(game.guesses[-1]) == question.answer
    truth = escape_markdown(question.options[question.answer])
    icon = ":material/check:" if right else ":material/close:"
    (st.success if right else st.warning)(f"{'Right' if right else 'No'}: it is **{truth}**.", icon=icon)
    low, high = sorted(question.scores)
    verdict = "right" if question.model_guess == question.answer else "wrong"
    st.markdown(
        f"The model says **{escape_markdown(question.options[question.model_guess])}**, and is {verdict}: it "
        "gives that pair "
        f"x = {high:.2f}, and the other {low:.2f}."
    )
    st.button(
        "Next question", type="primary", icon=":material/arrow_forward:", on_click=session.change,
        kwargs={"learn.guesses": game.next().text}, help="Another object, another two",
    )  # fmt: skip


def _tally(rounds: list[tie_questions.Question], game: Game) -> None:
    done = list(zip(game.guesses, rounds, strict=False))
    if not done:
        st.caption("Guess, and the score is kept here: yours, and the model's.")
        return
    you = sum(int(guess) == question.answer for guess, question in done)
    model = sum(question.model_guess == question.answer for _, question in done)
    yours, its = st.columns(2)
    yours.metric("You", f"{you} of {len(done)}", help="Guessing blindly gets half of them right.")
    its.metric("The model", f"{model} of {len(done)}", help="It says the one of the two with the higher x.")


def _job(topic: str) -> Job:
    if topic == "zeros":
        return weights.errors()
    if topic == "lam":
        return regularization.path()
    return collective.results(user_datasets.load(collective.DATA), collective.BEGIN)


def _question(topic: str, computed: list[Any]) -> quiz.Outcome:
    if topic == "zeros":
        return quiz.about_zeros(computed)
    if topic == "lam":
        return quiz.about_collapse(computed[-1])
    return quiz.about_others(computed, collective.BEGIN)


def _outcome(job: Job, topic: str) -> None:
    """A number to guess: the slider first, then the curve that it lies on."""
    with page.error_boundary("Predict, then reveal"):
        if job.problem:
            st.error(background_work.FAILED, icon=":material/error:")
            return
        if not job.done:
            with st.container(height=400, border=False):
                st.markdown("The answer is being computed; the question comes in a moment …")
            return
        question = _question(topic, job.pieces)
        asked, answer = st.columns([5, 6], gap="medium")
        shown = str(session.settings().get("learn.shown") or "").split("-")
        revealed = topic in shown
        with asked:
            st.markdown(question.question)
            guess = _guess(topic)
            revealed = revealed and guess is not None
            if guess is None or not revealed:
                st.button(
                    "Show the answer", type="primary", on_click=session.change, disabled=guess is None,
                    kwargs={"learn.shown": "-".join(dict.fromkeys([*filter(None, shown), topic]))},
                    help="Move the slider first: your guess stays.",
                )  # fmt: skip
            else:
                st.markdown(f"**{quiz.verdict(guess, question)}** {question.because}")
                st.button(
                    "Hide it again", on_click=session.change, help="For the next one to guess",
                    kwargs={"learn.shown": "-".join(one for one in shown if one not in ("", topic))},
                )  # fmt: skip
        with answer, st.container(height=420, border=not revealed):
            if revealed and guess is not None:
                _curve(topic, question, guess)
            else:
                st.markdown("The curve with the answer appears here, once you have guessed.")
        session.sync_to_url()


def _guess(topic: str) -> float | None:
    """The number that was guessed, or None until there is one."""
    chosen = inputs.choose(
        "Your guess", f"learn.{topic}", ["", *GUESSES], style="slider", help="From 0 to 1. Move it to make a guess.",
        format_func=lambda text: f"{float(text):.2f}" if text else "no guess yet",
    )  # fmt: skip
    return float(chosen) if chosen else None


def _curve(topic: str, question: quiz.Outcome, guess: float) -> None:
    title, side, words, says = CURVES[topic]
    figures.show(
        marked_curves(
            question.frame, question.along, [Line(question.column, words, BLUE)], question.at, x_title=title,
            y_title=side,
            log=topic == "lam", percent=topic != "lam", guess=guess, dark=figures.dark(),
        ),
        f"learn-{topic}", height=340, data=question.frame,
        alt=f"{words} against {title}, with the answer and the guess",
        caption=says,
    )  # fmt: skip


PRECISION = "Average precision is the area under the precision-recall curve: 1 is perfect."

CURVES = {
    "zeros": ("share of pixels known", "hidden ink", "missing as zero", "1 is ink, 0 is paper."),
    "lam": ("λ", "average precision", "held-out pairs", PRECISION),
    "others": ("share of the entries to learn from", "average precision", "all relations together", PRECISION),
}
"""Title, side and line of the curve that each answer lies on, and what its numbers are."""
