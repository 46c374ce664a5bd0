"""Text formats line by line: numbered lines, words in quotes, numbers, and names for what has none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ....typing import Array, BoolArray
from ...table import MISSING_WORDS, WORDS
from ..source import Source

MOST_UNNAMED = 1_000_000
"""How many objects a file may announce without naming them: a number in a header costs its writer nothing."""

_WORD = re.compile(r'"([^"]*)"|([^\s,]+)')


def numbered(text: str) -> Iterator[tuple[int, str]]:
    r"""The lines of a text with their numbers, as editors count them.

    >>> list(numbered("a\r\nb"))
    [(1, 'a'), (2, 'b')]
    """
    return enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)


def words(line: str) -> list[str]:
    """The words of a line, apart by spaces or commas; quotes hold words together.

    >>> words('1 "Humpty Dumpty", 0.5')
    ['1', 'Humpty Dumpty', '0.5']
    """
    return [match[2] if match[2] is not None else match[1] for match in _WORD.finditer(line)]


def floats(found: Sequence[Any]) -> tuple[Array, BoolArray]:
    """Numbers of words, and which of them are none, as `parse_numbers` has it, but fast for a few words at a time.

    >>> floats(["1", "yes", "NA", "x"])
    (array([ 1.,  1., nan, nan]), array([False, False, False,  True]))
    """
    try:
        numbers = np.array(found, dtype=np.float64)
        wrong = np.zeros(len(found), dtype=bool)
    except (ValueError, TypeError, OverflowError):
        parsed = [_number(str(word)) for word in found]
        numbers = np.array([np.nan if number is None else number for number in parsed])
        wrong = np.array([number is None for number in parsed])
    return numbers, wrong | np.isinf(numbers)


def _number(word: str) -> float | None:
    text = word.strip().lower().replace("−", "-")
    if text in MISSING_WORDS:
        return np.nan
    if text in WORDS:
        return WORDS[text]
    try:
        return float(text)
    except ValueError:
        return None


def whole(word: str) -> int | None:
    """The whole number that a word is, or None.

    >>> whole("12"), whole("1.5"), whole("²")
    (12, None, None)
    """
    return int(word) if word.isascii() and word.isdigit() and len(word) < 19 else None


def quote(word: str) -> str:
    """A word for a message: quoted, and cut where it is long.

    >>> quote("abc")
    "'abc'"
    """
    return repr(word if len(word) <= 60 else word[:59] + "…")


def relation_names(n: int, given: list[str], source: Source) -> list[str]:
    """The names given, and names for the rest: that of the file if there is one relation, else numbers.

    >>> relation_names(2, ["advice"], Source("a.dl", b"")), relation_names(1, [], Source("a.dl", b""))
    (['advice', 'relation 2'], ['a'])
    """
    rest = [source.stem] if n == 1 else [f"relation {k + 1}" for k in range(n)]
    return [*given, *rest[len(given) :]]
