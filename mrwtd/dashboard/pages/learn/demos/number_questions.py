"""Quiz questions about numbers that the lessons have computed. The answers are these numbers."""

from dataclasses import dataclass

import pandas as pd

from ....widgets.formatting import signed
from .. import learn_texts
from .collective_demo import RELATION, Fraction, table
from .regularization_demo import LambdaPath


@dataclass(frozen=True)
class NumberQuestion:
    """A number to guess.

    Attributes:
        text: the question, in Markdown.
        answer: the number.
        frame, x, column: the curve with the answer: a table, its column of positions and its column of values.
        position: the position of the answer.
        explanation: what the answer teaches.
    """

    text: str
    answer: float
    frame: pd.DataFrame
    x: str
    column: str
    position: float
    explanation: str


def zeros_question(rows: list[dict[str, float]], known: float = 0.5) -> NumberQuestion:
    """The prediction for hidden ink if missing pixels are treated as zero.

    >>> zeros_question([{"known": 0.5, "ink zero": 0.2, "ink missing": 0.9}]).answer
    0.2
    """
    frame = pd.DataFrame(rows)
    row = _nearest(frame, "known", known)
    return _question(frame, row, "known", "ink zero", *learn_texts.ZEROS_QUESTION, unknown=1 - row["known"])


def collapse_question(paths: list[LambdaPath]) -> NumberQuestion:
    """The held-out score at the largest λ, in the last of the paths.

    >>> import mrwtd
    >>> from .regularization_demo import lambda_paths
    >>> path = next(lambda_paths(mrwtd.load_dataset("florentine"), lams=(0.1, 1.0, 100.0)))
    >>> collapse_question([path]).position
    100.0
    """
    path = paths[-1]
    last = path.frame.iloc[-1]
    values = {"best": path.best, "top": path.frame["held_out"].max(), "times": last["lam"] / path.best}
    text, collapsed, survived = learn_texts.COLLAPSE_QUESTION
    explanation = collapsed if last["collapsed"] else survived
    return _question(path.frame, last, "lam", "held_out", text, explanation, chance=path.chance, **values)


def relations_question(fractions: list[Fraction], relation: str = RELATION, fraction: float = 0.4) -> NumberQuestion:
    """The score of a relation when the other relations are learned too.

    >>> import numpy as np
    >>> item = Fraction(0.4, np.full(3, 0.25), np.full(3, 0.5), 0.1, {})
    >>> relations_question([item]).answer
    0.5
    """
    frame = table(fractions)
    row = _nearest(frame, "training fraction", fraction)
    gain = float(row["together"] - row["alone"])
    text, helps, useless = learn_texts.RELATIONS_QUESTION
    explanation = helps if gain > 0 else useless
    values = {"relation": relation, "fraction": row["training fraction"], "gain": signed(gain)}
    return _question(frame, row, "training fraction", "together", text, explanation, **values)


def _nearest(frame: pd.DataFrame, column: str, value: float) -> pd.Series:
    return frame.iloc[int((frame[column] - value).abs().argmin())]


def _question(
    frame: pd.DataFrame, row: pd.Series, x: str, column: str, text: str, explanation: str, **values: object
) -> NumberQuestion:
    """A question about one row of a curve, which fills the placeholders of the texts."""
    values |= {str(name): value for name, value in row.items()}
    answer, position = float(row[column]), float(row[x])
    return NumberQuestion(text.format(**values), answer, frame, x, column, position, explanation.format(**values))
