"""The header of a file in UCINET's data language: sizes, format, labels, and the start of the data."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ....errors import Problems
from ...limits import RELATIONS, UNLABELLED
from .lines import quote, repeated, whole_number

FORMATS = {
    "fullmatrix": "fullmatrix", "fm": "fullmatrix", "lowerhalf": "lowerhalf", "lh": "lowerhalf",
    "upperhalf": "upperhalf", "uh": "upperhalf", "edgelist1": "edgelist1", "edgelist": "edgelist1", "el1": "edgelist1",
    "nodelist1": "nodelist1", "nodelist": "nodelist1", "nl1": "nodelist1",
    "edgelist2": "edgelist2", "el2": "edgelist2", "nodelist2": "nodelist2", "nl2": "nodelist2",
}  # fmt: skip
"""The formats, by all their names; those that end in 2 are lists of ties between two types of objects."""

_WORD = re.compile(r"\"[^\"]*\"|(?:labels|data|embedded)\s*:|[^\s,=]+", re.IGNORECASE)
_OWNERS = {"row": "row", "column": "column", "col": "column", "matrix": "matrix", "level": "matrix"}


@dataclass
class Header:
    """The content above the data.

    Attributes:
        sizes: n, nr, nc and nm, if given.
        format: the format of the data.
        diagonal: whether matrices include their diagonals.
        labels: names of objects under row and column, names of relations under matrix.
        embedded: whether labels of rows or columns are among the data.
        lines: the lines of data.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    format: str = "fullmatrix"
    diagonal: bool = True
    labels: dict[str, list[str]] = field(default_factory=dict)
    embedded: set[str] = field(default_factory=set)
    lines: list[tuple[int, str]] = field(default_factory=list)

    @property
    def n(self) -> int:
        """The number of objects; 0 if the header does not have it."""
        return self.sizes.get("n") or self.sizes.get("nr", 0)

    @property
    def n_columns(self) -> int:
        """The number of columns of a matrix."""
        return self.sizes.get("n") or self.sizes.get("nc") or self.n

    @property
    def is_two_mode(self) -> bool:
        """Whether rows and columns are different objects, by their numbers or their labels."""
        rows, columns = self.labels.get("row", []), self.labels.get("column", [])
        return (
            self.format.endswith("list2")
            or self.n != self.n_columns
            or bool(rows and columns and set(rows).isdisjoint(columns))
        )

    @property
    def nm(self) -> int:
        """The number of relations."""
        return self.sizes.get("nm", 1)

    @property
    def is_list(self) -> bool:
        """Whether the data are lists of ties rather than matrices."""
        return self.format.endswith(("list1", "list2"))


class _Words:
    """The words of a file, one after another, with a look-ahead of one word."""

    def __init__(self, lines: list[tuple[int, str]]):
        self._stream: Iterator[tuple[int, int, str]] = (
            (number, match.end(), match[0]) for number, line in lines for match in _WORD.finditer(line)
        )
        self.line, self.end, self.word = 0, 0, ""
        self._ahead = next(self._stream, None)

    @property
    def ahead(self) -> str:
        """The next word, or "" at the end of the file."""
        return self._ahead[2] if self._ahead else ""

    def step(self) -> str:
        """Move to the next word."""
        self.line, self.end, self.word = self._ahead or (self.line, self.end, "")
        self._ahead = next(self._stream, None)
        return self.word

    def skip_line(self) -> None:
        """Skip the rest of the line."""
        while self._ahead and self._ahead[0] == self.line:
            self.step()


def read_header(lines: list[tuple[int, str]], problems: Problems) -> Header:
    """Read the words up to `data:`. An unknown word is a problem, and ends the header.

    >>> read_header([(1, "dl n=2 format=edgelist1"), (2, "data: 1 2")], Problems("a.dl")).lines
    [(2, ' 1 2')]
    """
    header, words, owner = Header(), _Words(lines), ""
    while words.ahead and not problems.total:
        key = words.step().lower().replace(" ", "").removesuffix(":")
        if key == "data":
            header.lines = [(words.line, lines[words.line - 1][1][words.end :]), *lines[words.line :]]
            _check(header, words.line, problems)
            return header
        if key in _OWNERS:
            owner = _OWNERS[key]
        elif key == "labels":
            _read_labels(header, owner, words, problems)
            owner = ""
        elif key == "title":
            words.skip_line()
        elif key != "dl":
            _read_setting(header, key, words, problems)
    if not problems.total:
        problems.add("no data", "'data:' followed by the data")
    return header


def _read_setting(header: Header, key: str, words: _Words, problems: Problems) -> None:
    line, word = words.line, words.word
    if key in ("n", "nr", "nc", "nm"):
        size = whole_number(words.step())
        if not size or size > 2**31:
            problems.add(f"{key} = {quote(words.word)}", "a whole number of at least 1", line)
        header.sizes[key] = size or 1
    elif key == "format" or key in FORMATS:
        name = words.step() if key == "format" else key
        if name.lower() not in FORMATS:
            known = ", ".join(dict.fromkeys(FORMATS.values()))
            problems.add(f"the format {quote(name)}", f"one of {known}", line)
        header.format = FORMATS.get(name.lower(), header.format)
    elif key == "diagonal":
        if words.step().lower() not in ("present", "absent"):
            problems.add(f"diagonal {quote(words.word)}", "present or absent", line)
        header.diagonal = words.word.lower() == "present"
    else:
        problems.add(quote(word), "dl, n =, nm =, format =, labels: or data:", line)


def _read_labels(header: Header, owner: str, words: _Words, problems: Problems) -> None:
    line = words.line
    if words.ahead.lower().startswith("embedded"):
        words.step()
        header.embedded |= {owner} if owner else {"row", "column"}
        return
    wanted = {"matrix": header.nm, "column": header.n_columns}.get(owner, header.n)
    labels: list[str] = []
    while len(labels) < wanted and words.ahead and words.ahead.lower() != "data:":
        labels.append(words.step().strip('"'))
    if not wanted:
        problems.add("labels before the number of objects", "n = … before the labels", line)
    elif len(labels) < wanted:
        problems.add(f"{len(labels)} {owner or 'object'} labels", f"{wanted} labels", line)
    header.labels[owner or "row"] = labels


def _check(header: Header, line: int, problems: Problems) -> None:
    n, rows = header.n, header.sizes.get("nr", header.n)
    row_labels, column_labels = header.labels.get("row"), header.labels.get("column")
    if not n and not header.is_list:
        problems.add("no number of objects", "n = and the number of objects", line)
    if rows != n or header.sizes.get("nc", header.n_columns) != header.n_columns:
        problems.add(f"n = {n} and another number of rows or columns", "n =, or nr = and nc =", line)
    if header.is_two_mode:
        if header.format != "fullmatrix" and not header.format.endswith("list2"):
            expected = "format = fullmatrix, edgelist2 or nodelist2 for two-mode data"
            problems.add(f"{n} rows and {header.n_columns} columns", expected, line)
    elif row_labels and column_labels and row_labels != column_labels:
        expected = "the same objects in rows and columns, or no common label in two-mode data"
        problems.add("different row labels and column labels", expected, line)
    for owner, labels in header.labels.items():
        for label in repeated(labels):
            problems.add(f"the {owner} label {quote(label)} twice", "each label once", line)


def check_announced(header: Header, size: int) -> None:
    """Raise an error if the header of a file of this size announces too many objects or relations."""
    UNLABELLED.check(max(header.n, header.n_columns), size)
    RELATIONS.check(header.nm, size)
