"""Checks of the parameters of public functions. A wrong value raises a `DataError` that names the allowed values."""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import DataError, Problem
from ..typing import Array

MAX_REPR_LENGTH = 60
"""A longer value appears in a message by its type only."""

LARGEST = 10.0**12
"""Upper bound of all parameters: squares and sums of such numbers do not overflow."""


def short_repr(value: object) -> str:
    """The `repr` of a value for a message, or its type if the `repr` is long.

    >>> short_repr(-1), short_repr(list(range(100)))
    ('-1', 'a list')
    """
    text = repr(value)
    if len(text) <= MAX_REPR_LENGTH and "\n" not in text:
        return text
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def argument_error(name: str, value: object, expected: str) -> DataError:
    """The error for a parameter with a wrong value.

    >>> raise argument_error("train", "most", "a fraction between 0 and 1")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found train = 'most'; expected a fraction between 0 and 1
    """
    return DataError(Problem(f"{name} = {short_repr(value)}", expected))


def is_number(value: object) -> bool:
    """Whether a value is a real number other than NaN. True and False do not count as numbers.

    >>> is_number(2), is_number(np.float32(0.5)), is_number(True), is_number("2"), is_number(math.nan)
    (True, True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and not math.isnan(value)


def check_integer(name: str, value: Any, low: int = 0, high: int | None = None) -> int:
    """The value as an int, if it is a whole number within the bounds.

    >>> check_integer("seed", 3), check_integer("seed", 3.0)
    (3, 3)
    >>> check_integer("seed", -1)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found seed = -1; expected a whole number of at least 0
    """
    is_whole = is_number(value) and (isinstance(value, Integral) or float(value).is_integer())
    if not is_whole or value < low or (high is not None and value > high):
        bounds = f"of at least {low}" if high is None else f"from {low} to {high:,}"
        raise argument_error(name, value, f"a whole number {bounds}")
    return int(value)


def check_bool(name: str, value: Any) -> bool:
    """The value as a bool; 1 and 0 are accepted too.

    >>> check_bool("stratify", 1)
    True
    """
    if not isinstance(value, (bool, np.bool_)) and not (is_number(value) and value in (0, 1)):
        raise argument_error(name, value, "True or False")
    return bool(value)


def check_choice(name: str, value: Any, choices: Collection[str | None]) -> None:
    """Check that a value is one of some strings.

    >>> check_choice("correction", "bonferroni", (None, "holm"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found correction = 'bonferroni'; expected one of None, 'holm'
    """
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise argument_error(name, value, f"one of {', '.join(map(repr, choices))}")


def check_callable(name: str, value: Any) -> None:
    """Check that a value is a function or None.

    >>> check_callable("progress", 3)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found progress = 3; expected a function, or None
    """
    if value is not None and not callable(value):
        raise argument_error(name, value, "a function, or None")


def check_numbers(name: str, values: Any, expected: str) -> Array:
    """A new one-dimensional array of the values, if all are real numbers.

    >>> check_numbers("y", [1, 2], "values")
    array([1., 2.])
    >>> check_numbers("y", ["x"], "a number for each entry")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found y = ['x']; expected a number for each entry
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = np.array([] if array.size == 0 else array.tolist(), dtype=np.float64)
        return np.array(array, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError, OverflowError):
        raise argument_error(name, values, expected) from None


def check_range(name: str, value: object, low: float, high: float = LARGEST, *, whole: bool = False) -> None:
    """Check that a number is within a range.

    >>> check_range("rank", 0, 1, 100, whole=True)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found rank = 0; expected a whole number from 1 to 100
    """
    types = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if not isinstance(value, types) or isinstance(value, bool) or not low <= value <= high:
        raise argument_error(name, value, f"a {'whole ' * whole}number from {low:g} to {high:g}")
