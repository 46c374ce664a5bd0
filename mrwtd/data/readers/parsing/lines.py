"""Parsing of text formats line by line: numbered lines, quoted words, numbers, and default names."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import Any

import numpy as np

from ....errors import Problems
from ....typing import Array, BoolArray
from ...table import MISSING_WORDS, WORDS
from ..source import Source

MAX_UNNAMED = 1_000_000
"""Maximum number of objects that a header can announce without names: a large number in a header costs nothing."""

_WORD = re.compile(r'"([^"]*)"|([^\s,]+)')


def numbered(text: str) -> Iterator[tuple[int, str]]:
    r"""The lines of a text with their numbers, from 1.

    >>> list(numbered("a\r\nb"))
    [(1, 'a'), (2, 'b')]
    """
    return enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), start=1)


def words(line: str) -> list[str]:
    """The words of a line, separated by spaces or commas; a quoted text is one word.

    >>> words('1 "Humpty Dumpty", 0.5')
    ['1', 'Humpty Dumpty', '0.5']
    """
    return [match[2] if match[2] is not None else match[1] for match in _WORD.finditer(line)]


def floats(words: Sequence[Any]) -> tuple[Array, BoolArray]:
    """The numbers of words, and a mask of words that are none, as `parse_numbers`, but faster for few words.

    >>> floats(["1", "yes", "NA", "x"])
    (array([ 1.,  1., nan, nan]), array([False, False, False,  True]))
    """
    try:
        numbers = np.array(words, dtype=np.float64)
        wrong = np.zeros(len(words), dtype=bool)
    except (ValueError, TypeError, OverflowError):
        parsed = [_number(str(word)) for word in words]
        numbers = np.array([np.nan if number is None else number for number in parsed])
        wrong = np.array([number is None for number in parsed])
    return numbers, wrong | np.isinf(numbers)


def checked_floats(words: Sequence[str], line: int, problems: Problems) -> Array:
    """The numbers of the words of a line; a word that is no finite number is a problem."""
    numbers, wrong = floats(words)
    for word in compress(words, wrong):
        problems.add(quote(word), "a finite number", line)
    return numbers


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
    """The whole number of a word, or None.

    >>> whole("12"), whole("1.5"), whole("²")
    (12, None, None)
    """
    return int(word) if word.isascii() and word.isdigit() and len(word) < 19 else None


def quote(word: str) -> str:
    """A word for a message: in quotes, and truncated if it is long.

    >>> quote("abc")
    "'abc'"
    """
    return repr(word if len(word) <= 60 else word[:59] + "…")


def repeated(words: Iterable[str]) -> list[str]:
    """The words that occur more than once.

    >>> repeated(["a", "b", "a"])
    ['a']
    """
    return [word for word, count in Counter(words).items() if count > 1]


def relation_names(n: int, names: list[str], source: Source) -> list[str]:
    """The given names, with default names for the rest: the name of the file for one relation, otherwise numbers.

    >>> relation_names(2, ["advice"], Source("a.dl", b"")), relation_names(1, [], Source("a.dl", b""))
    (['advice', 'relation 2'], ['a'])
    """
    defaults = [source.stem] if n == 1 else [f"relation {k + 1}" for k in range(n)]
    return [*names, *defaults[len(names) :]]
