"""Parameters of public functions: refused with what was found and what was expected, whatever they are."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import DataError, Problem

LONGEST = 60
"""Letters of a value that a message shows."""


def shown(value: object) -> str:
    """A value for a message: its `repr` in one line, or its type where that is long.

    >>> shown(-1), shown(list(range(100)))
    ('-1', 'a list')
    """
    text = repr(value)
    if len(text) <= LONGEST and "\n" not in text:
        return text
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def refuse(name: str, value: object, expected: str) -> DataError:
    """The error for a parameter that is not what was expected.

    >>> raise refuse("train", "most", "a fraction between 0 and 1")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found train = 'most'; expected a fraction between 0 and 1
    """
    return DataError(Problem(f"{name} = {shown(value)}", expected))


def is_number(value: object) -> bool:
    """Whether a value is one real number: not NaN, and not True or False.

    >>> is_number(2), is_number(np.float32(0.5)), is_number(True), is_number("2"), is_number(math.nan)
    (True, True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and not math.isnan(value)


def whole_number(name: str, value: Any, low: int = 0, high: int | None = None) -> int:
    """A whole number within bounds.

    >>> whole_number("seed", 3), whole_number("seed", 3.0)
    (3, 3)
    >>> whole_number("seed", -1)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found seed = -1; expected a whole number from 0 up
    """
    good = is_number(value) and (isinstance(value, Integral) or float(value).is_integer())
    if not good or value < low or (high is not None and value > high):
        raise refuse(name, value, f"a whole number from {low} {'up' if high is None else f'to {high:,}'}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """True or False, or a 1 or 0 that stands for it.

    >>> flag("stratify", 1)
    True
    """
    if not isinstance(value, (bool, np.bool_)) and not (is_number(value) and value in (0, 1)):
        raise refuse(name, value, "True or False")
    return bool(value)


def one_of(name: str, value: Any, choices: Collection[str | None]) -> None:
    """One of some words.

    >>> one_of("correction", "bonferroni", (None, "holm"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found correction = 'bonferroni'; expected one of None, 'holm'
    """
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise refuse(name, value, f"one of {', '.join(map(repr, choices))}")


def mapping(name: str, value: Any, expected: str) -> Mapping[str, Any]:
    """A mapping; None stands for an empty one.

    >>> mapping("kinds", None, "a mapping"), mapping("kinds", {"calls": "count"}, "a mapping")
    ({}, {'calls': 'count'})
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise refuse(name, value, expected)
    return value


def function(name: str, value: Any) -> None:
    """A function, or None.

    >>> function("progress", 3)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found progress = 3; expected a function, or None
    """
    if value is not None and not callable(value):
        raise refuse(name, value, "a function, or None")


def numbers(name: str, values: Any, expected: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """An array of real numbers, of its own.

    >>> numbers("y", [1, 2], "values")
    array([1., 2.])
    >>> numbers("y", ["x"], "a number for each entry")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found y = ['x']; expected a number for each entry
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = np.array([] if array.size == 0 else array.tolist(), dtype=np.float64)
        return np.array(array, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise refuse(name, values, expected) from None


LARGEST = 10.0**12
"""No parameter is above this: squares and sums of such numbers still are numbers."""


def in_range(name: str, value: object, low: float, high: float = LARGEST, *, whole: bool = False) -> None:
    """Refuse a parameter outside its range.

    >>> in_range("rank", 0, 1, 100, whole=True)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found rank = 0; expected a whole number from 1 to 100
    """
    numbers = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if not isinstance(value, numbers) or isinstance(value, bool) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise refuse(name, value, f"{kind} from {low:g} to {high:g}")
