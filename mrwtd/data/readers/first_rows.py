"""The first rows of a list as they are, with a suggestion of what each column is; for a user who chooses columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest

from .chosen_columns import open_sheet
from .formats.contacts import UNIX_TIME
from .parsing import workbook
from .parsing.column_choice import ColumnChoice, guess_header, is_number
from .parsing.delimited import SEPARATORS
from .parsing.headers import is_header, is_time, role, roles
from .parsing.lines import whole_number
from .source import Source

SHOWN = 8
"""Number of rows."""

MAX_COLUMNS = 1_000
"""Number of columns that a user can choose from."""


@dataclass(frozen=True)
class FirstRows:
    r"""The first rows of a list.

    >>> rows = first_rows(Source("ties.txt", b"1 ann bob 3\n1 bob cat 40\n"))
    >>> rows.width, rows.separator, rows.has_header, rows.suggested
    (4, 'spaces', False, {0: 'relation', 1: 'source', 2: 'target', 3: 'value'})

    Attributes:
        rows: the cells of the first rows, as many in each.
        width: the number of columns, up to `MAX_COLUMNS`.
        separator: the name of the separator.
        has_header: whether the first row looks like a header.
        is_known: whether the first row names source and target in known words.
        suggested: a role of `ColumnChoice` for some columns, by position.
        sheets: the names of the sheets, if the file is a workbook with several.
    """

    rows: tuple[tuple[str, ...], ...]
    width: int
    separator: str
    has_header: bool
    is_known: bool
    suggested: dict[int, str]
    sheets: tuple[str, ...] = ()


def first_rows(source: Source, separator: str | None = None, sheet: str | None = None) -> FirstRows:
    """The first rows of a text, or of a sheet of a workbook, with a given or the detected separator."""
    sheets = tuple(workbook.sheets(source)) if workbook.is_workbook(source) else ()
    choice = ColumnChoice.from_mapping({"source": 0, "target": 1, "separator": separator, "sheet": sheet})
    text = open_sheet(source, choice)
    width = min(text.width, MAX_COLUMNS)
    cells = [[cell for cell, _ in zip_longest(row[:width], range(width), fillvalue="")] for _, row in text.records]
    has_header = guess_header(text)
    return FirstRows(
        tuple(tuple(row) for row in cells[:SHOWN]),
        width,
        SEPARATORS[text.separator],
        has_header,
        is_header(text.records[0][1], cells[1:]),
        _suggest(cells, has_header),
        sheets if len(sheets) > 1 else (),
    )


def _suggest(cells: Sequence[Sequence[str]], has_header: bool) -> dict[int, str]:
    """The roles by known names, or else by content."""
    header, rows = (list(cells[0]), cells[1:]) if has_header else ([], cells)
    known = roles(header)
    if known is not None:
        value, weight = known.value_and_weight
        named = {known.source: "source", known.target: "target"}
        named |= {} if not known.relations else {known.relations[0]: "relation"}
        named |= {c: noun for c, noun in ((value, "value"), (weight, "weight")) if c is not None}
        times = [c for c in known.others if is_time(header[c]) and header[c]]
        return named | dict.fromkeys(times[:1], "time")
    return _suggest_by_content([list(column) for column in zip(*rows, strict=True)], header)


def _suggest_by_content(columns: Sequence[Sequence[str]], header: Sequence[str]) -> dict[int, str]:
    """Source and target are the two columns that share the most names; numbers beside them are values.

    >>> _suggest_by_content([["a", "b"], ["b", "c"], ["1", "2"]], [])
    {0: 'source', 1: 'target', 2: 'value'}
    """
    names = [{*column} - {""} for column in columns[:100]]
    pairs = list(combinations(range(len(names)), 2))
    shared = {pair: len(names[pair[0]] & names[pair[1]]) for pair in pairs}
    best = max(pairs, key=shared.__getitem__, default=None)
    if best is None or (not shared[best] and len(columns) > 2):
        return {}
    suggested = {best[0]: "source", best[1]: "target"}
    for position, column in enumerate(columns[:100]):
        if position in suggested:
            continue
        numeric = all(is_number(cell) for cell in column if cell)
        known = role(header[position]) if header else None
        if header and header[position] and is_time(header[position]):
            noun = "time"
        elif numeric and not known and _are_times(column):
            if "value" in suggested.values():
                continue  # with a time, the values of a pair would be summed
            noun = "time"
        elif known is not None and known[0] in ("relation", "value", "weight"):
            noun = known[0]
        else:
            noun = "value" if numeric and position > best[1] else "relation"
            if noun == "relation" and len(column) > 2 and len({*column}) == len(column):
                continue  # a number or note of each row
        if noun not in suggested.values() and (noun != "time" or numeric):
            suggested[position] = noun
    return dict(sorted(suggested.items()))


def _are_times(column: Sequence[str]) -> bool:
    """Whether all cells are seconds since 1970.

    >>> _are_times(["881250949", "891717742"]), _are_times(["3", "881250949"])
    (True, False)
    """
    times = [whole_number(cell) for cell in column]
    return all(time is not None and time >= UNIX_TIME for time in times)
