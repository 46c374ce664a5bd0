"""`ColumnChoice`: which column of a list has which role, as the user chose it with `columns=`.

Columns are named by the header, or by position from 0. `header` and `separator` say how the text is split into columns;
by default both are detected. A workbook can have several sheets: `sheet` names one, by default the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ....errors import DataError, Problem
from ...arguments import argument_error, short_repr
from .delimited import SEPARATORS, Delimited
from .headers import is_header
from .lines import enumeration

SINGLE = ("source", "target", "relation", "weight", "time")
"""Roles that one column can have."""

SEVERAL = ("value", "source_attributes", "target_attributes")
"""Roles that several columns can have. Each of several value columns is a relation."""

OPTIONS = ("header", "separator", "sheet")

EXAMPLE = "columns by name or position, such as {'source': 0, 'target': 1}"


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of each role, as given.

    >>> ColumnChoice.from_mapping({"source": "from", "target": "to", "header": True}).roles
    {'source': ('from',), 'target': ('to',)}

    Attributes:
        roles: the columns of each role, by name or position.
        header: whether the first row has the names of the columns; None to detect it.
        separator: one of `SEPARATORS`; None to detect it.
        sheet: the name of a sheet of a workbook; None for the first.
    """

    roles: Mapping[str, tuple[str | int, ...]]
    header: bool | None = None
    separator: str | None = None
    sheet: str | None = None

    @classmethod
    def from_mapping(cls, columns: Mapping[str, Any]) -> ColumnChoice:
        """The choice from the argument `columns` of `mrwtd.read`, after checks that need no file."""
        if not isinstance(columns, Mapping):
            raise argument_error("columns", columns, EXAMPLE)
        known = (*SINGLE, *SEVERAL, *OPTIONS)
        problems = [
            Problem(f"{short_repr(key)} in columns", f"one of {', '.join(known)}")
            for key in columns
            if key not in known
        ]
        given = [role for role in (*SINGLE, *SEVERAL) if columns.get(role) is not None]
        roles = {role: _columns(role, columns[role], problems) for role in given}
        problems += [Problem(f"no {role} in columns", EXAMPLE) for role in ("source", "target") if role not in roles]
        if "weight" in roles and "time" in roles:
            problems.append(Problem("a weight and a time in columns", "one of them: rows are counted over time"))
        if "relation" in roles and len(roles.get("value", ())) > 1:
            expected = "one value column; or no relation column, if each value column is a relation"
            problems.append(Problem("a relation and several values in columns", expected))
        header, separator, sheet = (columns.get(option) for option in OPTIONS)
        if not isinstance(header, bool | None):
            problems.append(Problem(f"header {short_repr(header)} in columns", "True or False"))
        if not isinstance(sheet, str | None):
            problems.append(Problem(f"sheet {short_repr(sheet)} in columns", "the name of a sheet"))
        if problems:
            raise DataError(problems)
        return cls(roles, header, _separator(separator), sheet)

    def positions(self, sheet: Delimited) -> dict[str, tuple[int, ...]]:
        """The positions of the columns of each role in a text."""
        names = list(sheet.records[0][1]) if self.has_header(sheet) else []
        problems, roles = list[Problem](), dict[str, tuple[int, ...]]()
        for role, columns in self.roles.items():
            chosen = [_position(column, role, names, sheet.width, problems) for column in columns]
            roles[role] = tuple(place for place in chosen if place is not None)
        used: dict[int, str] = {}
        for role, places in roles.items():
            for place in places:
                if place in used:
                    column = repr(names[place]) if place < len(names) else place
                    problems.append(Problem(f"column {column} as {used[place]} and {role}", "one role for each column"))
                used[place] = role
        if problems:
            raise DataError(problems)
        return roles

    def has_header(self, sheet: Delimited) -> bool:
        """Whether the first row of a text has the names of the columns."""
        if self.header is not None:
            return self.header
        return any(isinstance(c, str) for columns in self.roles.values() for c in columns) or guess_header(sheet)


def guess_header(sheet: Delimited) -> bool:
    r"""Whether the first row has names of columns: known ones, or words above numbers.

    >>> from .delimited import sniff
    >>> from ..source import Source
    >>> [guess_header(sniff(Source("a", text))) for text in (b"x,y,n\na,b,1\n", b"a,b,1\nb,c,2\n")]
    [True, False]
    """
    first, rest = sheet.records[0][1], [cells for _, cells in sheet.records[1:] if len(cells) == sheet.width]
    if is_header(first, rest):
        return True
    below = [[row[c] for row in rest if row[c]] for c in range(min(len(first), sheet.width))]
    columns = zip(first, below, strict=False)
    return any(bool(cells) and not is_number(name) and all(map(is_number, cells)) for name, cells in columns)


def is_number(text: str) -> bool:
    """Whether a cell is a number, with a point or a comma.

    >>> is_number("1,5"), is_number("n")
    (True, False)
    """
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _columns(role: str, value: Any, problems: list[Problem]) -> tuple[str | int, ...]:
    columns = list(value) if isinstance(value, list | tuple) else [value]
    problems += [
        Problem(f"{short_repr(column)} as {role} in columns", "a name, or a position from 0")
        for column in columns
        if isinstance(column, bool) or not isinstance(column, str | int) or column == ""
    ]
    if not columns or (role in SINGLE and len(columns) > 1):
        problems.append(Problem(f"{len(columns)} columns as {role}", "one column"))
    return tuple(columns)


def _separator(separator: Any) -> str | None:
    """A separator from its name or its character."""
    by_name = {name: character for character, name in SEPARATORS.items()}
    if separator is None or (isinstance(separator, str) and separator in SEPARATORS):
        return separator
    if isinstance(separator, str) and separator in by_name:
        return by_name[separator]
    raise DataError(Problem(f"separator {short_repr(separator)} in columns", f"one of {', '.join(by_name)}"))


def _position(column: str | int, role: str, names: Sequence[str], width: int, problems: list[Problem]) -> int | None:
    expected = f"a position from 0 to {width - 1}" + (f", or one of {enumeration(names)}" if names else "")
    if isinstance(column, int) and 0 <= column < width:
        return column
    matches = [place for place, name in enumerate(names[:width]) if name == column]
    if len(matches) > 1:
        problems.append(Problem(f"{len(matches)} columns called {column!r}", "the position of one, from 0"))
    elif not matches:
        problems.append(Problem(f"no column {column!r} for {role}", expected))
    return matches[0] if len(matches) == 1 else None
