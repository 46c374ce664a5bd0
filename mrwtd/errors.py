"""`DataError`: one error that lists all problems of an input, each with its place and what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

MAX_PROBLEMS = 100
"""An error lists the problems of at most this many lines and counts the rest."""


@dataclass(frozen=True)
class Problem:
    """One problem: what was found, what was expected, and where.

    >>> print(Problem("'abc'", "a number", line=4, where="column 'value'"))
    line 4, column 'value': found 'abc'; expected a number
    """

    found: str
    expected: str
    line: int | None = None
    where: str = ""

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        place = ", ".join(part for part in (line, self.where) if part)
        return f"{place}{': ' * bool(place)}found {self.found}; expected {self.expected}"


class DataError(ValueError):
    """Invalid input. The message has the file, the line, what was found and what was expected.

    >>> raise DataError(Problem("3 columns", "2", line=7), file="ties.csv")
    Traceback (most recent call last):
    mrwtd.errors.DataError: ties.csv, line 7: found 3 columns; expected 2

    Attributes:
        problems: all problems of the first 100 lines with problems.
        total: the number of problems.
        file: the name of the file, or None.
    """

    def __init__(self, problems: Problem | Iterable[Problem], *, file: str | None = None, total: int | None = None):
        listed = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = _first_lines(listed)
        self.total = max(total or 0, len(listed))
        self.file = file
        super().__init__(self._message())

    def _message(self) -> str:
        name = self.file or ""
        if self.total == 1:
            text = str(self.problems[0])
            glue = ", " if text.startswith("line ") else ": "
            return f"{name}{glue}{text}" if name else text
        head = f"{name}: {self.total:,} problems" if name else f"{self.total:,} problems"
        listed = [f"  {problem}" for problem in self.problems]
        left = self.total - len(self.problems)
        return "\n".join([head, *listed, *([f"  … and {left:,} more"] if left else [])])

    def in_file(self, file: str | None) -> DataError:
        """The same error with the name of a file, unless it has one already.

        >>> DataError(Problem("3 columns", "2", line=7)).in_file("ties.csv").file
        'ties.csv'
        """
        return DataError(self.problems, file=self.file or file, total=self.total)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), file=self.file, total=self.total), (self.problems,)


@contextmanager
def errors_in_file(name: str | None) -> Iterator[None]:
    """A `DataError` inside gets the name of a file, unless it has one already.

    >>> with errors_in_file("ties.csv"):
    ...     raise DataError(Problem("no rows", "at least one row"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: ties.csv: found no rows; expected at least one row
    """
    try:
        yield
    except DataError as error:
        raise error.in_file(name) from None


def raise_problems(problems: Sequence[Problem], file: str | None = None) -> None:
    """Raise a `DataError` if there are problems.

    >>> raise_problems([])
    """
    if problems:
        raise DataError(problems, file=file)


class Problems:
    """The problems of a file, collected while the file is read.

    >>> problems = Problems("ties.csv")
    >>> problems.add("'x'", "a number", line=3)
    >>> problems.check()
    Traceback (most recent call last):
    mrwtd.errors.DataError: ties.csv, line 3: found 'x'; expected a number
    """

    def __init__(self, file: str | None = None):
        self.file = file
        self.found: list[Problem] = []
        self.total = 0

    def add(self, found: str, expected: str, line: int | None = None, where: str = "") -> None:
        """Add a problem."""
        self.extend([Problem(found, expected, None if line is None else int(line), where)])

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems; beyond a limit, they are only counted."""
        listed = list(problems)
        self.total += len(listed)
        self.found += listed[: max(0, 100 * MAX_PROBLEMS - len(self.found))]

    def first(self, items: Any, limit: int = MAX_PROBLEMS) -> Any:
        """The first items, to add a problem for each; the others are only counted."""
        self.total += max(len(items) - limit, 0)
        return items[:limit]

    def check(self) -> None:
        """Raise a `DataError` if there are problems, sorted by line."""
        if self.total:
            ordered = sorted(self.found, key=lambda problem: problem.line or 0)
            raise DataError(ordered, file=self.file, total=self.total)


def _first_lines(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The problems of the first lines, in the given order. A problem without a line counts as one line."""
    lines: set[object] = set()
    for position, problem in enumerate(problems):
        lines.add(problem if problem.line is None else problem.line)
        # One line of a large matrix can have thousands of problems.
        if len(lines) > MAX_PROBLEMS or position == 10 * MAX_PROBLEMS:
            return problems[:position]
    return problems
