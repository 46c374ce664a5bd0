"""Predict, then reveal: questions about what the lessons have computed. The answers are looked up, not typed."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from .collective_demo import Fraction, table
from .regularization_demo import LamPath


@dataclass(frozen=True)
class Outcome:
    """A number to guess.

    Attributes:
        question: what is asked, in Markdown.
        answer: the number.
        frame, along, column: the curve that the answer lies on, as a table, and its columns of places and values.
        at: the place of the answer.
        because: what it teaches, with the numbers around the answer.
    """

    question: str
    answer: float
    frame: pd.DataFrame
    along: str
    column: str
    at: float
    because: str


def about_zeros(rows: list[dict[str, float]], share: float = 0.5) -> Outcome:
    """How dark hidden ink comes out where missing counts as zero.

    >>> about_zeros([{"share": 0.5, "ink zero": 0.2, "ink missing": 0.9}]).answer
    0.2
    """
    frame = pd.DataFrame(rows)
    own = frame.iloc[int((frame["share"] - share).abs().argmin())]
    return Outcome(
        f"Of a picture's pixels {own['share']:.0%} are known, and a fit takes all others for zero, which is paper. How "
        "dark does hidden *ink* come out, from 0 (paper) to 1 (ink)?",
        float(own["ink zero"]),
        frame,
        "share",
        "ink zero",
        float(own["share"]),
        f"{1 - own['share']:.0%} of what the fit is told are zeros that nobody has seen, and each speaks for paper. "
        f"Where unknown pixels have no weight, hidden ink comes out as {own['ink missing']:.2f}.",
    )


def about_collapse(path: LamPath) -> Outcome:
    """What is left of the held-out score at the end of the range of λ.

    >>> import mrwtd
    >>> from .regularization_demo import along
    >>> about_collapse(next(along(mrwtd.load_dataset("florentine"), lams=(0.1, 1.0, 100.0)))).at
    100.0
    """
    last = path.frame.iloc[-1]
    top = float(path.frame["held_out"].max())
    times = float(last["lam"]) / path.best
    if last["collapsed"]:
        because = f"At that λ all factors are zero, and pairs are ranked as by chance ({path.chance:.2f})."
    else:
        because = f"At that λ the factors have not all collapsed; chance would reach {path.chance:.2f}."
    return Outcome(
        f"At λ = {path.best:g} the held-out average precision is {top:.2f}, the best of all λ. What is it at "
        f"λ = {last['lam']:g}, {times:.0f} times as much?",
        float(last["held_out"]),
        path.frame,
        "lam",
        "held_out",
        float(last["lam"]),
        because,
    )


def about_others(found: list[Fraction], relation: str, fraction: float = 0.4) -> Outcome:
    """What the other relations add to one.

    >>> import numpy as np
    >>> found = Fraction(0.4, np.full(3, 0.25), np.full(3, 0.5), 0.1, {})
    >>> about_others([found], "work").answer
    0.5
    """
    frame = table(found)
    own = frame.iloc[int((frame["training share"] - fraction).abs().argmin())]
    share = float(own["training share"])
    gain = float(own["together"] - own["alone"])
    return Outcome(
        f"From {share:.0%} of its entries alone, the relation *{relation}* is predicted with an average precision of "
        f"{own['alone']:.2f}; chance is {own['chance']:.2f}. What does a model reach that also sees {share:.0%} of the "
        "other relations?",
        float(own["together"]),
        frame,
        "training share",
        "together",
        share,
        f"The other relations are worth {gain:+.2f}"
        + (": they tell of the same people, by the one table A." if gain > 0 else ": here they do not help."),
    )


def verdict(guess: float, outcome: Outcome) -> str:
    """How near a guess was.

    >>> nothing = Outcome("", 0.5, pd.DataFrame(), "", "", 0.0, "")
    >>> verdict(0.48, nothing)
    'Very near: you said 0.48, and it is 0.50.'
    """
    off = abs(guess - outcome.answer)
    how = "Very near" if off < 0.05 else "Not far" if off < 0.15 else "A surprise, then"
    return f"{how}: you said {guess:.2f}, and it is {outcome.answer:.2f}."
