"""Predict, then reveal: questions about held-out ties, and what is known to answer them.

A question names an object and two others, one of which it has a held-out tie with and one of which it is known not
to: whoever guesses is right half of the time, and a model that ranks pairs is right as often as its ROC AUC says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .....data.relational import RelationalData
from .....model.method import Method
from .....typing import IndexArray


@dataclass(frozen=True)
class Question:
    """Which of the two has the tie?

    Attributes:
        relation, source: what is asked about whom.
        options: the two others.
        answer: the position of the one with the tie.
        scores: what the model says of either: its x.
        clues: a row an option: option, common (partners that both are known to tie to in this relation), also (other
            relations in which the two are known to tie), ties (known ties of the option in this relation).
    """

    relation: str
    source: str
    options: tuple[str, str]
    answer: int
    scores: tuple[float, float]
    clues: pd.DataFrame

    @property
    def model_guess(self) -> int:
        """The position of the option with the higher score."""
        return int(self.scores[1] > self.scores[0])


def relations_to_ask(test: RelationalData) -> list[str]:
    """The binary relations in which some object has a held-out tie and a held-out pair without one.

    >>> import mrwtd
    >>> relations_to_ask(mrwtd.load_dataset("florentine"))
    ['business', 'marriage']
    """
    binary = ((k, relation) for k, relation in enumerate(test.relations) if relation.kind == "binary")
    return [relation.name for k, relation in binary if _sources(test, k).size]


def ask(model: Method, relation: str, train: RelationalData, test: RelationalData, number: int) -> Question:
    """The question of that number; the same number is the same question.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> question = ask(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), "marriage", train, test, number=0)
    >>> sorted(question.clues.columns)
    ['also', 'common', 'option', 'ties']
    """
    k = test.relation_index(relation)
    rng = np.random.default_rng([number, k, 7])
    source = int(rng.choice(_sources(test, k)))
    pair = [int(rng.choice(_partners(test, k, source, tied=tied))) for tied in (True, False)]
    answer = int(rng.integers(2))
    options = pair if answer == 0 else pair[::-1]
    scores = [_score(model, test, k, source, option) for option in options]
    names = (test.objects[options[0]], test.objects[options[1]])
    return Question(
        relation, test.objects[source], names, answer, (scores[0], scores[1]), _clues(train, k, source, options)
    )


def _sources(test: RelationalData, k: int) -> IndexArray:
    """The objects that can be asked about."""
    at = test.slice(k)
    i, j, tied = test.i[at], test.j[at], test.y[at] > 0
    both = np.ones(test.n_objects, dtype=bool)
    for which in (tied, ~tied):
        which = which & (i != j)
        ends = i[which] if test.relations[k].directed else np.concatenate([i[which], j[which]])
        both &= np.bincount(ends, minlength=test.n_objects) > 0
    return np.flatnonzero(both)


def _partners(data: RelationalData, k: int, own: int, *, tied: bool) -> IndexArray:
    """The others with a known tie to an object, or known to have none; from it, where the relation is directed."""
    at = data.slice(k)
    i, j = data.i[at], data.j[at]
    which = ((data.y[at] > 0) == tied) & (i != j)
    found = j[which & (i == own)]
    if not data.relations[k].directed:
        found = np.concatenate([found, i[which & (j == own)]])
    return np.asarray(found, dtype=np.intp)


def _score(model: Method, test: RelationalData, k: int, i: int, j: int) -> float:
    if not test.relations[k].directed and i > j:
        i, j = j, i
    return float(model.decision_function(RelationalData(test.objects, (test.relations[k],), [i], [j], [0], [1.0]))[0])


def _clues(train: RelationalData, k: int, source: int, options: list[int]) -> pd.DataFrame:
    binary = [other for other, relation in enumerate(train.relations) if relation.kind == "binary" and other != k]
    elsewhere = {train.relations[other].name: _partners(train, other, source, tied=True) for other in binary}
    mine = _partners(train, k, source, tied=True)
    rows = []
    for option in options:
        theirs = _partners(train, k, option, tied=True)
        also = [name for name, partners in elsewhere.items() if option in partners]
        rows.append(
            {
                "option": train.objects[option],
                "common": np.intersect1d(mine, theirs).size,
                "also": ", ".join(also) or "–",
                "ties": theirs.size,
            }
        )
    return pd.DataFrame(rows)
