"""Text in columns: which separator, which lines are comments, and the records with their lines.

Comments begin with # or % at the start of a line. Below the first record they have another number of columns than it
has: a line with as many is a record whose first name begins so. A file that begins with `# mrwtd {…}` was written by
`mrwtd.write`: that line describes the data, and the rest is taken to the letter.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ....errors import DataError, Problem
from ..source import HEAD, Source
from .headers import role
from .lines import quote

SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "pipe", " ": "spaces"}
"""What may stand between columns, the surest sign first; spaces come in runs, and tabs count among them."""

COMMENTS = ("#", "%")
"""What a line begins with that is a comment, above the first record or of another width than it."""

SCHEMA_MARK = "# mrwtd {"

SAMPLE = 100
"""How many records are looked at to find out what a file is."""

_WORD = re.compile(r'"((?:[^"]++|"")*+)"(?=\s|$)|(\S++)')

Record = tuple[int, list[str]]


@dataclass(frozen=True)
class Delimited:
    r"""A text in columns, as far as its beginning tells.

    >>> sheet = sniff(Source("ties.csv", b"# friends\nann;bob\nbob;cat\n"))
    >>> sheet.separator, sheet.width, sheet.records[0], sheet.comment
    (';', 2, (2, ['ann', 'bob']), '# friends')

    Attributes:
        source: the file.
        separator: one of `SEPARATORS`.
        width: how many columns most records have.
        records: the first records, each with its line.
        comment: the comment just above the first record, or nothing.
        schema: how the file describes its own data, if mrwtd wrote it.
    """

    source: Source
    separator: str
    width: int
    records: tuple[Record, ...]
    comment: str = ""
    schema: dict[str, Any] | None = None

    def all_records(self, from_line: int = 1) -> Iterator[Record]:
        """Every record from a line on, with the line on which it begins."""
        lines = records(self.source.text, self.separator, literal=self.schema is not None)
        return (record for record in lines if record[0] >= from_line)


def sniff(source: Source) -> Delimited:
    """Find out how a text is laid out. Fails where it is in no columns at all."""
    if "delimited" not in source.known:
        source.known["delimited"] = _sniff(source)
    found: Delimited = source.known["delimited"]
    return found


def _sniff(source: Source) -> Delimited:
    schema, text = _schema(source), source.head
    if schema is not None:
        text = source.text[: source.text.find("\n") + HEAD]
    elif text.count("\n") < 5 and len(source.content) > HEAD:
        text = source.text[: 100 * HEAD]  # a large matrix has long lines
    if not source.content:
        raise DataError(Problem("an empty file", "at least one entry"), file=source.name)
    if not text:
        raise DataError(Problem("a binary file", "text in columns"), file=source.name)
    source.refuse_web_page()
    separator = "," if schema is not None else _separator(text)
    found = tuple(islice(records(text, separator or ",", literal=schema is not None), SAMPLE))
    if not found:
        raise DataError(Problem("comments alone", "at least one entry"), file=source.name)
    if separator is None:
        line, cells = found[0]
        expected = f"two or more, separated by {', '.join(list(SEPARATORS.values())[:-1])} or spaces"
        what = f"one column ({quote(','.join(cells))})" if cells else "a quote that is never closed"
        raise DataError(Problem(what, expected if cells else "a second quote", line), file=source.name)
    comments = [line for line in islice(io.StringIO(text), found[0][0] - 1) if line.startswith(COMMENTS)]
    width = _usual([len(cells) for _, cells in found])[0]
    return Delimited(source, separator, width, found, comments[-1].strip() if comments else "", schema)


def records(text: str, separator: str, literal: bool = False) -> Iterator[Record]:
    r"""The records of a text, each with the line on which it begins. Blank lines and comments are passed over.

    `literal` takes all lines but the first as data, and keeps spaces around cells. A record that begins a quote
    and never ends it has no cells.

    >>> list(records("a, b\n\n% no\n'c',\"d\n,e\"\n#1,f\n", ","))
    [(1, ['a', 'b']), (4, ["'c'", 'd\n,e']), (6, ['#1', 'f'])]
    """
    feed = _Feed(text, separator, literal)
    if separator == " ":
        while (line := next(feed, None)) is not None:
            cells = _words(line)
            feed.end(cells)
            yield feed.start, cells
        return
    parsed = csv.reader(feed, delimiter=separator, skipinitialspace=not literal)
    while True:
        try:
            cells = next(parsed)
        except StopIteration:
            return
        except csv.Error:  # a cell beyond the module's limit: what follows a quote that is not closed
            cells = []
        if feed.ended:
            cells = []
        feed.end(cells)
        yield feed.start, cells if literal else [cell.strip() for cell in cells]


class _Feed:
    """The lines of a text for `csv`, without comments and blank lines between records; counts all of them."""

    def __init__(self, text: str, separator: str, literal: bool):
        self._lines = iter(io.StringIO(text, newline=""))
        self._separator = separator
        self._literal = literal
        self._width: int | None = None  # of the first record
        self.number = self.start = 0
        self.within = False  # inside a record, where a quoted cell runs over several lines
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

    def end(self, cells: list[str]) -> None:
        """Take note that a record has ended, and of how wide the first was."""
        self.within = False
        if self._width is None:
            self._width = len(cells)

    def _is_comment(self, line: str) -> bool:
        """Whether a line that begins as a comment does is one."""
        if self._literal:
            return self.number == 1
        return self._width is None or _width(line, self._separator) != self._width


def _width(line: str, separator: str) -> int:
    """How many cells a line holds."""
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
    line = source.text.partition("\n")[0]
    try:
        schema = json.loads(line[len(SCHEMA_MARK) - 1 :])
    except (ValueError, RecursionError) as error:
        raise DataError(Problem(f"a damaged description ({error})", "JSON", 1), file=source.name) from None
    return dict(schema)


def _separator(text: str) -> str | None:
    """The separator that gives the most even columns; one that makes known names of the first row goes first."""
    scores = {}
    for position, separator in enumerate(SEPARATORS):
        if separator not in text and separator != " ":
            continue
        rows = [cells for _, cells in islice(records(text, separator), SAMPLE)]
        width, share = _usual([len(row) for row in rows])
        known = sum(role(name) is not None for name in rows[0]) if rows else 0
        if width > 1 or known > 1:
            scores[separator] = (known > 1, separator != " " and share >= 0.5, share, -position)
    if "," in scores and not scores[","][0] and " " in scores and _only_decimal_commas(text):
        del scores[","]
    return max(scores, key=scores.__getitem__, default=None)


def _only_decimal_commas(text: str) -> bool:
    """Whether every comma stands between digits, in lines that spaces part into three columns or more."""
    rows = [cells for _, cells in islice(records(text, " "), SAMPLE)]
    return _usual([len(row) for row in rows])[0] > 2 and not re.search(r"(?<!\d),|,(?!\d)", text)


def _usual(widths: list[int]) -> tuple[int, float]:
    """The most frequent width, and its share."""
    if not widths:
        return 0, 0.0
    width, times = Counter(widths).most_common(1)[0]
    return width, times / len(widths)
