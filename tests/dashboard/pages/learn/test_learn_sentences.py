"""Sentences of the lessons follow the numbers, even if these contradict the lesson."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.dashboard.pages.learn import learn_sentences
from mrwtd.dashboard.pages.learn.demos import image_completion, number_questions, product
from mrwtd.dashboard.pages.learn.demos.collective_demo import Fraction
from mrwtd.dashboard.pages.learn.demos.regularization_demo import LambdaPath
from mrwtd.data.relations import Relation
from mrwtd.model.losses import LOSSES
from mrwtd.plots.loss_curves import curve

LAMS = pd.DataFrame(
    {
        "lam": [0.1, 1.0, 100.0],
        "loss": [0.01, 0.1, 0.3],
        "train": [1.0, 0.8, 0.1],
        "held_out": [0.3, 0.5, 0.1],
        "held_out_sd": 0.01,
        "size": [1.0, 0.5, 0.0],
        "collapsed": [False, False, True],
    }
)


def fraction(size: float, alone: float, together: float, noise: float = 0.01) -> Fraction:
    deviations = np.array([-noise, 0, noise])
    return Fraction(size, alone + deviations, together + deviations, 0.1, {})


@pytest.fixture(scope="module")
def completion() -> image_completion.Completion:
    return image_completion.Completion(
        np.eye(2), np.eye(2, dtype=bool), {},
        {"zero": 0.5, "missing": 0.1, "mean": 0.4}, {"zero": 0.2, "missing": 0.9},
    )  # fmt: skip


def test_the_text_says_whether_weights_help(completion: image_completion.Completion) -> None:
    assert "5.0 times as much" in learn_sentences.completion_text(completion)
    worse = replace(completion, errors={"zero": 0.5, "missing": 0.6, "mean": 0.4})
    assert "does **not** help" in learn_sentences.completion_text(worse)
    poor = replace(completion, errors={"zero": 0.5, "missing": 0.45, "mean": 0.4})
    assert "better still (0.40)" in learn_sentences.completion_text(poor)


def test_the_text_says_whether_other_relations_help() -> None:
    assert "add 0.20" in learn_sentences.fraction_text(fraction(0.2, 0.3, 0.5), "work", 4)
    assert "**harm**" in learn_sentences.fraction_text(fraction(0.2, 0.5, 0.3), "work", 4)
    assert "**not** clear" in learn_sentences.fraction_text(fraction(0.2, 0.5, 0.55, noise=0.2), "work", 4)
    mixed = [fraction(0.6, 0.5, 0.4), fraction(0.2, 0.2, 0.5)]
    text = learn_sentences.all_fractions_text(mixed)
    assert "1 of 2 training fractions" in text
    assert "20% (+0.30)" in text
    text = learn_sentences.all_fractions_text(mixed[:1])
    assert "0 of 1 training fractions" in text
    assert "%" not in text


def test_lambda_is_judged_by_the_held_out_score() -> None:
    path = LambdaPath(LAMS, (), chance=0.1)
    free, right, gone = (learn_sentences.lambda_text(path, row) for row in range(3))
    assert "too small" in free
    assert "λ = 1 would reach 0.50" in free
    assert "**About right**" in right
    assert "**Collapse.**" in gone
    tight = LambdaPath(LAMS.assign(held_out=[0.5, 0.3, 0.1]), (), chance=0.1)
    assert "too large" in learn_sentences.lambda_text(tight, 1)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_has_a_direction_and_a_bound(name: str) -> None:
    losses = curve(name)
    least = losses.x[losses.value.argmin()]
    if least > losses.x[0]:
        assert "pulls x up" in learn_sentences.loss_text(name, losses, x=float(losses.x[0]))
    text = learn_sentences.loss_text(name, losses, x=float(losses.x[0]))
    far = np.abs(curve(name, x=[-100.0, 100.0]).slope)
    assert ("without bound" in text) == bool(far.max() > 20)


def test_the_text_says_what_is_known_about_a_pair() -> None:
    data = mrwtd.load_dataset("florentine")
    entry = product.multiply(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "marriage", "Medici", "Pazzi", data)
    tie = Relation("marriage", "binary", False)
    assert "The training data has" in learn_sentences.prediction_text(replace(entry, trained=1.0), tie)
    assert "was held out" in learn_sentences.prediction_text(replace(entry, trained=None, held_out=1.0), tie)
    assert "is unknown" in learn_sentences.prediction_text(replace(entry, trained=None, held_out=None), tie)
    assert "probability" not in learn_sentences.prediction_text(replace(entry, probability=float("nan")), tie)
    assert "**2.5**" in learn_sentences.prediction_text(replace(entry, predicted=2.5), Relation("r", "real", True))


def test_answers_are_looked_up() -> None:
    rows = [{"known": known, "ink zero": known / 2, "ink missing": 0.9} for known in (0.1, 0.5, 0.9)]
    zeros = number_questions.zeros_question(rows)
    assert (zeros.position, zeros.answer) == (0.5, 0.25)
    collapse = number_questions.collapse_question([LambdaPath(LAMS, (), chance=0.1)])
    assert (collapse.position, collapse.answer) == (100.0, 0.1)
    assert "all factors are zero" in collapse.explanation
    alive = number_questions.collapse_question([LambdaPath(LAMS.assign(collapsed=False), (), chance=0.1)])
    assert "not all collapsed" in alive.explanation
    others = number_questions.relations_question([fraction(0.6, 0.5, 0.6), fraction(0.4, 0.4, 0.3)], "work")
    assert others.answer == pytest.approx(0.3)
    assert "do not help" in others.explanation


def test_the_verdict_depends_on_the_distance() -> None:
    assert learn_sentences.verdict(0.9, 0.1).startswith("Not close")
    assert learn_sentences.verdict(0.11, 0.1).startswith("Very close")
