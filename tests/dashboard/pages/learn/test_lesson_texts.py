"""The lessons say what the numbers say, also where these speak against the lesson."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.dashboard.pages.learn.demos import image_completion, lesson_texts, product, quiz
from mrwtd.dashboard.pages.learn.demos.collective_demo import Fraction
from mrwtd.dashboard.pages.learn.demos.regularization_demo import LamPath
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


def fraction(share: float, alone: float, together: float, noise: float = 0.01) -> Fraction:
    spread = np.array([-noise, 0, noise])
    return Fraction(share, alone + spread, together + spread, 0.1, {})


@pytest.fixture(scope="module")
def completion() -> image_completion.Completion:
    return image_completion.Completion(
        np.eye(2), np.eye(2, dtype=bool), np.eye(2), np.eye(2),
        {"zero": 0.5, "missing": 0.1, "mean": 0.4}, {"zero": 0.2, "missing": 0.9},
    )  # fmt: skip


def test_weights_are_praised_only_where_they_help(completion: image_completion.Completion) -> None:
    assert "5.0 times as much" in lesson_texts.of_picture(completion)
    worse = replace(completion, errors={"zero": 0.5, "missing": 0.6, "mean": 0.4})
    assert "does **not** help" in lesson_texts.of_picture(worse)
    poor = replace(completion, errors={"zero": 0.5, "missing": 0.45, "mean": 0.4})
    assert "the mean of the known pixels is better still" in lesson_texts.of_picture(poor)


def test_the_others_are_praised_only_where_they_help() -> None:
    assert "worth +0.20" in lesson_texts.of_fraction(fraction(0.2, 0.3, 0.5), "work", 4)
    assert "**harm**" in lesson_texts.of_fraction(fraction(0.2, 0.5, 0.3), "work", 4)
    assert "**not** clear" in lesson_texts.of_fraction(fraction(0.2, 0.5, 0.55, noise=0.2), "work", 4)
    mixed = [fraction(0.6, 0.5, 0.4), fraction(0.2, 0.2, 0.5)]
    assert lesson_texts.of_shrinking(mixed) == "Together is ahead at 1 of 2 shares, most at 20% (+0.30)."
    assert lesson_texts.of_shrinking(mixed[:1]) == "Together is ahead at 0 of 1 shares."


def test_lam_is_judged_by_the_held_out_score() -> None:
    path = LamPath(LAMS, (), chance=0.1)
    free, right, gone = (lesson_texts.of_lam(path, row) for row in range(3))
    assert "**Too free**" in free
    assert "λ = 1 would reach 0.50" in free
    assert "**About right**" in right
    assert "**Collapse.**" in gone
    tight = LamPath(LAMS.assign(held_out=[0.5, 0.3, 0.1]), (), chance=0.1)
    assert "**Too tight**" in lesson_texts.of_lam(tight, 1)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_says_which_way_it_pulls(name: str) -> None:
    own = curve(name)
    least = own.x[own.value.argmin()]
    if least > own.x[0]:
        assert "pulls x up" in lesson_texts.of_loss(name, own, at=float(own.x[0]))
    said = lesson_texts.of_loss(name, own, at=float(own.x[0]))
    far = np.abs(curve(name, x=[-100.0, 100.0]).slope)
    assert ("without bound" in said) == bool(far.max() > 20)


def test_what_is_known_of_a_pair_is_told_apart() -> None:
    data = mrwtd.load_dataset("florentine")
    own = product.multiply(mrwtd.MrWTD(rank=2, lam=1.0).fit(data), "marriage", "Medici", "Pazzi", data)
    tie = Relation("marriage", "binary", False)
    assert "The training data has" in lesson_texts.of_product(replace(own, trained=1.0), tie)
    assert "held out is a tie" in lesson_texts.of_product(replace(own, trained=None, held=1.0), tie)
    assert "Nobody knows" in lesson_texts.of_product(replace(own, trained=None, held=None), tie)
    assert "a probability" not in lesson_texts.of_product(replace(own, probability=float("nan")), tie)
    assert "**2.5**" in lesson_texts.of_product(replace(own, predicted=2.5), Relation("r", "real", True))


def test_answers_to_guess_are_looked_up() -> None:
    rows = [{"share": share, "ink zero": share / 2, "ink missing": 0.9} for share in (0.1, 0.5, 0.9)]
    zeros = quiz.about_zeros(rows)
    assert (zeros.at, zeros.answer) == (0.5, 0.25)
    collapse = quiz.about_collapse(LamPath(LAMS, (), chance=0.1))
    assert (collapse.at, collapse.answer) == (100.0, 0.1)
    assert "all factors are zero" in collapse.because
    alive = quiz.about_collapse(LamPath(LAMS.assign(collapsed=False), (), chance=0.1))
    assert "not all collapsed" in alive.because
    others = quiz.about_others([fraction(0.6, 0.5, 0.6), fraction(0.4, 0.4, 0.3)], "work")
    assert others.answer == pytest.approx(0.3)
    assert "do not help" in others.because


def test_a_guess_far_off_is_a_surprise() -> None:
    outcome = quiz.about_collapse(LamPath(LAMS, (), chance=0.1))
    assert quiz.verdict(0.9, outcome).startswith("A surprise")
    assert quiz.verdict(0.11, outcome).startswith("Very near")
