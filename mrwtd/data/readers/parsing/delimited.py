"""Text in columns: the separator, the comments, and the records with their lines.

Comments start with # or % at the start of a line. Below the first record, such a line is a comment only if its number
of columns differs from the first record; otherwise it is a record. A file that starts with `# mrwtd {…}` was written by
`mrwtd.write`: that line describes the data, and all other lines are data.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

from ....errors import DataError, Problem
from ...limits import COLUMNS
from ...table import schema_arguments
from ..source import HEAD, Source
from .headers import role
from .lines import quote

SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "pipe", " ": "spaces"}
"""Separators of columns, the most reliable first. A run of spaces and tabs is one separator."""

COMMENTS = ("#", "%")
"""The first character of a comment."""

SCHEMA_MARK = "# mrwtd {"

SAMPLE = 100
"""Number of records used to detect the format of a file."""

_WORD = re.compile(r'"((?:[^"]++|"")*+)"(?=\s|$)|(\S++)')

T = TypeVar("T")
Record = tuple[int, list[str]]


@dataclass(frozen=True)
class Delimited:
    r"""The layout of a text in columns, detected from its first lines.

    >>> sheet = sniff(Source("ties.csv", b"# friends\nann;bob\nbob;cat\n"))
    >>> sheet.separator, sheet.width, sheet.records[0], sheet.comment
    (';', 2, (2, ['ann', 'bob']), '# friends')

    Attributes:
        source: the file.
        separator: one of `SEPARATORS`.
        width: the number of columns of most records.
        records: the first records, each with its line.
        comments: the comments above the first record.
        schema: the description of the data as arguments of `Table.from_factorized`, if mrwtd wrote the file.
    """

    source: Source
    separator: str
    width: int
    records: tuple[Record, ...]
    comments: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None

    @property
    def comment(self) -> str:
        """The comment directly above the first record, or ""."""
        return self.comments[-1] if self.comments else ""

    def first_line(self, is_header: Callable[[list[str]], bool]) -> int:
        """The line of the first row below a header, if there is one."""
        lines = [*(line for line, _ in self.records), self.records[-1][0] + 1]
        return lines[is_header(self.records[0][1])]

    def all_records(self, from_line: int = 1) -> Iterator[Record]:
        """All records from a line on, each with its first line."""
        lines = records(self.source.text, self.separator, literal=self.schema is not None)
        return (record for record in lines if record[0] >= from_line)


def sniff(source: Source) -> Delimited:
    """Detect the layout of a text. Raises an error if the text has no columns."""
    return cached(source, _sniff)


def cached(source: Source, parse: Callable[[Source], T]) -> T:
    """The result of parsing a file, or its error, from the cache of the file: several formats try to read it."""
    if parse not in source.cache:
        try:
            source.cache[parse] = parse(source)
        except DataError as error:
            source.cache[parse] = error
    result: T | DataError = source.cache[parse]
    if isinstance(result, DataError):
        raise result
    return result


def try_sniff(source: Source) -> Delimited | None:
    """The layout of a text, or None if the file is not text in columns."""
    try:
        return sniff(source) if source.is_text else None
    except DataError:
        return None


def split(source: Source, separator: str) -> Delimited:
    """The layout of a text with a given separator, one of `SEPARATORS`."""
    return _sniff(source, separator)


def _sniff(source: Source, given: str | None = None) -> Delimited:
    source = _with_tabs(source)
    schema, text = _schema(source), source.head
    if schema is not None:
        text = source.text[: source.text.find("\n") + HEAD]
    elif text.count("\n") < 5 and len(source.content) > HEAD:
        text = source.text[: 100 * HEAD]  # a large matrix has long lines
    if not source.content:
        raise DataError(Problem("an empty file", "at least one entry"))
    if text and all(not line.strip() or line.startswith(COMMENTS) for line in io.StringIO(text)):
        text = source.text  # a long comment before the first record
    if not text:
        raise DataError(Problem("a binary file", "text in columns"))
    source.reject_web_page()
    separator = given or ("," if schema is not None else _separator(text))
    first_records = tuple(islice(records(text, separator or ",", literal=schema is not None), SAMPLE))
    if not first_records:
        raise DataError(Problem("only comments", "at least one entry"))
    if separator is None:
        line, cells = first_records[0]
        if not cells:
            raise DataError(Problem("a quote that is never closed", "a closing quote", line))
        expected = f"two or more columns, separated by {', '.join(list(SEPARATORS.values())[:-1])} or spaces"
        raise DataError(Problem(f"one column ({quote(','.join(cells))})", expected, line))
    above = islice(io.StringIO(text), first_records[0][0] - 1)
    comments = tuple(line.strip() for line in above if line.startswith(COMMENTS))
    widths = [len(cells) for _, cells in first_records]
    COLUMNS.check(max(widths), None)
    width = _most_common(widths)[0]
    return Delimited(source, separator, width, first_records, comments, schema)


def _with_tabs(source: Source) -> Source:
    """The file with a tab in place of each `::`, if its first line has no other separator."""
    first = source.head.partition("\n")[0].strip()
    if first.count("::") < 2 or any(separator in first for separator in SEPARATORS):
        return source
    return replace(source, content=source.text.replace("::", "\t").encode(), cache={})


def records(text: str, separator: str, literal: bool = False) -> Iterator[Record]:
    r"""The records of a text, each with its first line. Blank lines and comments are skipped.

    With `literal`, all lines except the first are data, and spaces around cells are kept. A record with a quote that is
    never closed has no cells.

    >>> list(records("a, b\n\n% no\n'c',\"d\n,e\"\n#1,f\n", ","))
    [(1, ['a', 'b']), (4, ["'c'", 'd\n,e']), (6, ['#1', 'f'])]
    """
    feed = _Feed(text, separator, literal)
    if separator == " ":
        while (line := next(feed, None)) is not None:
            cells = _words(line)
            feed.end_record(cells)
            yield feed.start, cells
        return
    parsed = csv.reader(feed, delimiter=separator, skipinitialspace=not literal)
    while True:
        try:
            cells = next(parsed)
        except StopIteration:
            return
        except csv.Error:  # a cell beyond the limit of the csv module, after a quote that is never closed
            cells = []
        if feed.ended:
            cells = []
        feed.end_record(cells)
        yield feed.start, cells if literal else [cell.strip() for cell in cells]


class _Feed:
    """The lines of a text for `csv`, without comments and blank lines between records. Counts all lines."""

    def __init__(self, text: str, separator: str, literal: bool):
        self._lines = iter(io.StringIO(text, newline=""))
        self._separator = separator
        self._literal = literal
        self._width: int | None = None  # of the first record
        self.number = self.start = 0
        self.within = False  # inside a record: a quoted cell can span several lines
        self.ended = False  # the text ended inside a record

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.number += 1
            if not self.within:
                if not line.strip() or (line.startswith(COMMENTS) and self._is_comment(line)):
                    continue
                self.start, self.within = self.number, True
            return line
        self.ended = self.within
        raise StopIteration

    def end_record(self, cells: list[str]) -> None:
        """Mark the end of a record, and save the width of the first one."""
        self.within = False
        if self._width is None:
            self._width = len(cells)

    def _is_comment(self, line: str) -> bool:
        """Whether a line that starts like a comment is one."""
        if self._literal:
            return self.number == 1
        return self._width is None or _width(line, self._separator) != self._width


def _width(line: str, separator: str) -> int:
    """The number of cells of a line."""
    if separator == " ":
        return len(_words(line))
    try:
        return len(next(csv.reader([line], delimiter=separator, skipinitialspace=True)))
    except csv.Error:
        return 0


def _words(line: str) -> list[str]:
    return [word[1].replace('""', '"') if word[1] is not None else word[2] for word in _WORD.finditer(line)]


def _schema(source: Source) -> dict[str, Any] | None:
    if not source.head.startswith(SCHEMA_MARK):
        return None
    return schema_arguments(source.text.partition("\n")[0][len(SCHEMA_MARK) - 1 :], line=1)


def _separator(text: str) -> str | None:
    """The separator with the most regular columns; one that gives known column names has priority."""
    scores = {}
    for position, separator in enumerate(SEPARATORS):
        if separator not in text and separator != " ":
            continue
        rows = [cells for _, cells in islice(records(text, separator), SAMPLE)]
        width, fraction = _most_common([len(row) for row in rows])
        known = sum(role(name) is not None for name in rows[0][: COLUMNS.most]) if rows else 0
        if width > 1 or known > 1:
            scores[separator] = (known > 1, separator != " " and fraction >= 0.5, fraction, -position)
    if "," in scores and not scores[","][0] and " " in scores and _has_only_decimal_commas(text):
        del scores[","]
    return max(scores, key=scores.__getitem__, default=None)


def _has_only_decimal_commas(text: str) -> bool:
    """Whether every comma is between digits, in lines with three or more columns separated by spaces."""
    widths = [len(cells) for _, cells in islice(records(text, " "), SAMPLE)]
    return _most_common(widths)[0] > 2 and not re.search(r"(?<!\d),|,(?!\d)", text)


def _most_common(widths: list[int]) -> tuple[int, float]:
    """The most common width, and the fraction of records that have it."""
    if not widths:
        return 0, 0.0
    width, count = Counter(widths).most_common(1)[0]
    return width, count / len(widths)
