"""What bad input becomes: one error that lists every problem with its place, and says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MAX_PROBLEMS = 100
"""One error lists the problems of this many lines; the rest are counted."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: what was found, what was expected, and where.

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
    """Bad input: says the file, the line, what was found and what was expected.

    >>> raise DataError(Problem("3 columns", "2", line=7), file="ties.csv")
    Traceback (most recent call last):
    mrwtd.errors.DataError: ties.csv, line 7: found 3 columns; expected 2

    Attributes:
        problems: every problem of the first 100 bad lines.
        total: how many there were.
        file: the name of the file, or None.
    """

    def __init__(self, problems: Problem | Iterable[Problem], *, file: str | None = None, total: int | None = None):
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = _first_lines(found)
        self.total = max(total or 0, len(found))
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

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.problems, self.file, self.total)


class Problems:
    """What is wrong with a file, gathered while reading goes on.

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
        """One more problem."""
        self.extend([Problem(found, expected, None if line is None else int(line), where)])

    def extend(self, problems: Iterable[Problem], total: int = 0) -> None:
        """More problems, of which there are `total` in all; those far beyond what an error lists are only counted."""
        listed = list(problems)
        self.total += max(total, len(listed))
        self.found += listed[: max(0, 100 * MAX_PROBLEMS - len(self.found))]

    def check(self) -> None:
        """Fail if there was any problem, in the order of lines."""
        if self.total:
            ordered = sorted(self.found, key=lambda problem: problem.line or 0)
            raise DataError(ordered, file=self.file, total=self.total)


def _first_lines(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The problems of the first bad lines, in the order given; one without a line counts as a line."""
    lines: set[object] = set()
    for position, problem in enumerate(problems):
        lines.add(problem if problem.line is None else problem.line)
        # A line of a large matrix can hold thousands: nobody reads that many.
        if len(lines) > MAX_PROBLEMS or position == 10 * MAX_PROBLEMS:
            return problems[:position]
    return problems


def _rebuild(problems: tuple[Problem, ...], file: str | None, total: int) -> DataError:
    return DataError(problems, file=file, total=total)
