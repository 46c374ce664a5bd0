"""What bad input becomes: one error that lists every problem with its place, and says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_PROBLEMS = 100
"""How many problems one error lists; the rest are counted."""


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
        return (
            f"{place}: found {self.found}; expected {self.expected}"
            if place
            else (f"found {self.found}; expected {self.expected}")
        )


class DataError(ValueError):
    """Bad input: says the file, the line, what was found and what was expected.

    >>> raise DataError(Problem("3 columns", "2", line=7), file="ties.csv")
    Traceback (most recent call last):
    mrwtd.data.errors.DataError: ties.csv, line 7: found 3 columns; expected 2

    Attributes:
        problems: every problem found, at most the first 100.
        total: how many there were.
        file: the name of the file, or None.
    """

    def __init__(self, problems: Problem | Iterable[Problem], *, file: str | None = None, total: int | None = None):
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)[:MOST_PROBLEMS]
        self.total = max(total or 0, len(self.problems))
        self.file = file
        super().__init__(self._message())

    def _message(self) -> str:
        name = self.file or ""
        if self.total == 1:
            text = str(self.problems[0])
            glue = ", " if text.startswith("line ") else ": "
            return f"{name}{glue}{text}" if name else text
        head = f"{name}: {self.total} problems" if name else f"{self.total} problems"
        listed = [f"  {problem}" for problem in self.problems]
        left = self.total - len(self.problems)
        return "\n".join([head, *listed, *([f"  … and {left} more"] if left else [])])

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.problems, self.file, self.total)


def _rebuild(problems: tuple[Problem, ...], file: str | None, total: int) -> DataError:
    return DataError(problems, file=file, total=total)
