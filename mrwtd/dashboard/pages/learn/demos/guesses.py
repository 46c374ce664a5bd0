"""The guesses of a visitor as a text that stands in the address: a reload brings them back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from zlib import crc32

MOST_ROUNDS = 20


@dataclass(frozen=True)
class Game:
    """The guesses so far, as they stand in the settings.

    >>> game = Game.read("", "a run").guess(1)
    >>> game.answered, game.number, game.next().number
    (True, 0, 1)
    >>> Game.read(game.text, "a run").guesses, Game.read(game.text, "another").guesses
    ('1', '')

    Attributes:
        token: tells one series of questions from another.
        guesses: a 0 or 1 for each question that was answered.
        answered: whether the last of them is still looked at.
    """

    token: str
    guesses: str
    answered: bool

    @classmethod
    def read(cls, text: str, series: str) -> Game:
        """The game of a series, from the settings; a new one where they tell of another, or of nothing."""
        token = f"{crc32(series.encode()):08x}"
        found = re.fullmatch(rf"{token}\.([01]{{1,{MOST_ROUNDS}}})(n?)", text)
        return cls(token, found[1], not found[2]) if found else cls(token, "", answered=False)

    @property
    def text(self) -> str:
        """As it stands in the settings."""
        return f"{self.token}.{self.guesses}{'' if self.answered else 'n'}" if self.guesses else ""

    @property
    def number(self) -> int:
        """Which question is looked at, from 0."""
        return len(self.guesses) - self.answered

    def guess(self, option: int) -> Game:
        """The game after a guess."""
        return Game(self.token, f"{self.guesses}{option}", answered=True)

    def next(self) -> Game:
        """The game with the next question; after many, it begins anew."""
        return Game(self.token, self.guesses if len(self.guesses) < MOST_ROUNDS else "", answered=False)
