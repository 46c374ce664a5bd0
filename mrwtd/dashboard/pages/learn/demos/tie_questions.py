"""Quiz questions about held-out ties, what is known to answer them, and the guesses of a user.

A question names an object and two others, one of which has a held-out tie with it and one of which is known to have
none. A random guess is right half of the time, and a model that ranks pairs is right as often as its ROC AUC says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pandas as pd

from .....data.relational import RelationalData
from .....evaluation.prediction_table import entries_to_predict
from .....model.method import Method
from .....typing import IndexArray

MAX_QUESTIONS = 20


@dataclass(frozen=True)
class TieQuestion:
    """Which of the two options has a tie with the source?

    Attributes:
        source: the object of the question.
        options: the two other objects.
        answer: the index of the option with the tie.
        scores: the model's score x for each option.
        clues: one row per option: option, common (objects with a known tie to both in this relation), also (other
            relations with a known tie to the source), ties (known ties of the option in this relation).
    """

    source: str
    options: tuple[str, str]
    answer: int
    scores: tuple[float, float]
    clues: pd.DataFrame

    @property
    def model_guess(self) -> int:
        """The index of the option with the higher score."""
        return int(self.scores[1] > self.scores[0])


def question_relations(test: RelationalData) -> list[str]:
    """The binary relations in which an object has a held-out tie and a held-out pair without one.

    >>> import mrwtd
    >>> question_relations(mrwtd.load_dataset("florentine"))
    ['business', 'marriage']
    """
    binary = ((k, relation) for k, relation in enumerate(test.relations) if relation.kind == "binary")
    return [relation.name for k, relation in binary if _sources(test, k).size]


def tie_question(model: Method, relation: str, train: RelationalData, test: RelationalData, number: int) -> TieQuestion:
    """A question by its number; the same number gives the same question.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> question = tie_question(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), "marriage", train, test, number=0)
    >>> sorted(question.clues.columns)
    ['also', 'common', 'option', 'ties']
    """
    k = test.relation_index(relation)
    rng = np.random.default_rng([number, k, 7])
    source = int(rng.choice(_sources(test, k)))
    pair = [int(rng.choice(_partners(test, k, source, tied=tied))) for tied in (True, False)]
    answer = int(rng.integers(2))
    options = pair if answer == 0 else pair[::-1]
    names = (test.objects[options[0]], test.objects[options[1]])
    entries = (entries_to_predict(test, [source], [option], [k]) for option in options)
    first, second = (float(model.decision_function(entry)[0]) for entry in entries)
    return TieQuestion(test.objects[source], names, answer, (first, second), _clues(train, k, source, options))


def _sources(test: RelationalData, k: int) -> IndexArray:
    """The objects with a held-out tie and a held-out pair without one."""
    entries = test.slice(k)
    i, j, tied = test.i[entries], test.j[entries], test.y[entries] > 0
    both = np.ones(test.n_objects, dtype=bool)
    for pairs in (tied & (i != j), ~tied & (i != j)):
        ends = i[pairs] if test.relations[k].directed else np.concatenate([i[pairs], j[pairs]])
        both &= np.bincount(ends, minlength=test.n_objects) > 0
    return np.flatnonzero(both)


def _partners(data: RelationalData, k: int, source: int, *, tied: bool) -> IndexArray:
    """The objects with a known tie from a source, or known to have none; in either direction if undirected."""
    entries = data.slice(k)
    i, j = data.i[entries], data.j[entries]
    pairs = ((data.y[entries] > 0) == tied) & (i != j)
    partners = j[pairs & (i == source)]
    if not data.relations[k].directed:
        partners = np.concatenate([partners, i[pairs & (j == source)]])
    return np.asarray(partners, dtype=np.intp)


def _clues(train: RelationalData, k: int, source: int, options: list[int]) -> pd.DataFrame:
    elsewhere = {
        relation.name: _partners(train, other, source, tied=True)
        for other, relation in enumerate(train.relations)
        if relation.kind == "binary" and other != k
    }
    source_partners = _partners(train, k, source, tied=True)
    rows = []
    for option in options:
        partners = _partners(train, k, option, tied=True)
        also = [name for name, others in elsewhere.items() if option in others]
        common = np.intersect1d(source_partners, partners).size
        rows.append((train.objects[option], common, ", ".join(also) or "–", partners.size))
    return pd.DataFrame(rows, columns=["option", "common", "also", "ties"])


@dataclass(frozen=True)
class Game:
    """The guesses so far, as they are written in the URL.

    >>> game = Game.read("", "a run").guess(1)
    >>> game.answered, game.number, game.next().number
    (True, 0, 1)
    >>> Game.read(game.text, "a run").guesses, Game.read(game.text, "another").guesses
    ('1', '')

    Attributes:
        token: identifies a series of questions.
        guesses: a 0 or 1 for each answered question.
        answered: whether the answer to the last of them is still shown.
    """

    token: str
    guesses: str
    answered: bool

    @classmethod
    def read(cls, text: str, series: str) -> Game:
        """Read the game of a series from the settings; a new one if they belong to another series, or are empty."""
        token = f"{crc32(series.encode()):08x}"
        match = re.fullmatch(rf"{token}\.([01]{{1,{MAX_QUESTIONS}}})(n?)", text)
        return cls(token, match[1], not match[2]) if match else cls(token, "", answered=False)

    @property
    def text(self) -> str:
        """The game as a setting."""
        return f"{self.token}.{self.guesses}{'' if self.answered else 'n'}" if self.guesses else ""

    @property
    def number(self) -> int:
        """The number of the current question, from 0."""
        return len(self.guesses) - self.answered

    def guess(self, option: int) -> Game:
        """The game after a guess."""
        return Game(self.token, f"{self.guesses}{option}", answered=True)

    def next(self) -> Game:
        """The game with the next question; after `MAX_QUESTIONS` it restarts."""
        return Game(self.token, self.guesses if len(self.guesses) < MAX_QUESTIONS else "", answered=False)
