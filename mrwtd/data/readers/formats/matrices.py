"""An adjacency matrix a relation: several CSVs in a zip, the sheets of an Excel workbook, or one CSV.

Labels stand above the columns, at the side of the rows, or both, and say the same in every matrix. An empty cell is a
pair that is not known; every other cell is an entry, the diagonal too.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePosixPath

import numpy as np

from ....errors import DataError, Problem, Problems
from ...table import Table
from ..format import FORMATS, Reader
from ..parsing import workbook
from ..parsing.delimited import SAMPLE, sniff
from ..parsing.grids import grid_table
from ..parsing.matrix import Matrix, looks_like_matrix, parse_matrix
from ..source import HEAD, Source
from . import long

TEXTS = ("csv", "tsv", "txt", "tab", "dat")
"""How the names of files in a zip may end."""


def matches(source: Source) -> bool:
    """Whether a zip holds texts alone, none of them clearly a list, or is a workbook, or a text looks like a matrix."""
    if source.is_zip:
        return workbook.is_workbook(source) or (bool(text_members(source)) and not _holds_a_list(source))
    if not source.is_text:
        return False
    try:
        sheet = sniff(source)
    except DataError:
        return False
    if sheet.schema is not None:
        return False
    rows = [cells for _, cells in sheet.records]
    whole = len(rows) < SAMPLE and len(source.content) <= HEAD
    return looks_like_matrix(rows, lambda: len(rows) if whole else sum(1 for _ in sheet.all_records()))


def _holds_a_list(source: Source) -> bool:
    """Whether a file in a zip has a header of a list, and does not look like a matrix."""
    for member in source.members():
        if is_text_name(member.name) and member.is_text and not matches(member):
            with suppress(DataError):
                if long.list_layout(sniff(member)) is not None:
                    return True
    return False


def read(source: Source) -> Table:
    """The matrices of a file as relations."""
    problems = Problems(source.name)
    if not source.is_zip:
        found = [parse_matrix(source.stem, list(sniff(source).all_records()), problems)]
    elif workbook.is_workbook(source):
        sheets = workbook.sheets(source)
        found = [parse_matrix(name, rows, problems, f"sheet {name!r}") for name, rows in sheets.items()]
    else:
        members = [member for member in source.members() if is_text_name(member.name)]
        found = [_member(member, problems) for member in members]
    problems.check()
    matrices = [matrix for matrix in found if matrix is not None]
    if not matrices:
        raise DataError(Problem("no matrix", "at least one"), file=source.name)
    return _table(matrices, source, problems)


def _member(member: Source, problems: Problems) -> Matrix | None:
    where = f"file {member.name!r}"
    try:
        rows = list(sniff(member).all_records())
    except DataError as error:
        problems.extend(Problem(p.found, p.expected, p.line, where) for p in error.problems)
        return None
    return parse_matrix(member.stem, rows, problems, where)


def _table(matrices: list[Matrix], source: Source, problems: Problems) -> Table:
    names = [matrix.name for matrix in matrices]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.add(f"two matrices called {name!r}", "a name for each relation")
    labelled = next((matrix for matrix in matrices if matrix.labels is not None), matrices[0])
    n = len(labelled.values)
    labels = labelled.labels or tuple(str(position + 1) for position in range(n))
    place = {label: position for position, label in enumerate(labels)}
    aligned = []
    for matrix in matrices:
        own = matrix.labels or labels
        where = f"matrix {matrix.name!r}"
        if len(matrix.values) != n:
            problems.add(f"{len(matrix.values):,} objects", f"{n:,}, as in {labelled.name!r}", where=where)
        elif set(own) != set(place):
            more, less = sorted(set(own) - set(place)), sorted(set(place) - set(own))
            found = f"the label{'s' * (len(more) > 1)} {', '.join(map(repr, more[:5]))}"
            expected = f"{', '.join(map(repr, less[:5]))}, as in {labelled.name!r}"
            problems.add(found, expected, where=where)
        else:
            order = np.argsort([place[label] for label in own])
            aligned.append(matrix.values[np.ix_(order, order)])
    problems.check()
    notes = []
    if any(matrix.labels is None for matrix in matrices):
        takes = f"the labels of {labelled.name!r}" if labelled.labels else f"the numbers 1 to {n}"
        notes.append(f"Where a matrix has no labels, its objects are called by {takes}.")
    if not any(np.diag(values).any() for values in aligned):
        notes.append(
            "The diagonal holds nothing but 0, and its cells are entries. Empty them if objects have no ties "
            "with themselves by nature."
        )
    lines = None if source.is_zip else np.repeat(matrices[0].lines, n)
    return grid_table(aligned, labels, names, file=source.name, lines=lines, notes=tuple(notes))


def is_text_name(name: str) -> bool:
    """Whether a file in a zip is by its name a text in columns, and no note for people.

    >>> is_text_name("advice.csv"), is_text_name("README.txt")
    (True, False)
    """
    path = PurePosixPath(name)
    return path.suffix.lower().removeprefix(".") in TEXTS and not path.stem.lower().startswith(("readme", "license"))


def text_members(source: Source) -> list[str]:
    """The members of a zip that may hold matrices, if nothing but them and notes for people is there."""
    names = source.member_names
    others = [n for n in names if not is_text_name(n) and PurePosixPath(n).suffix.lower() not in ("", ".md", ".txt")]
    return [] if others else [n for n in names if is_text_name(n)]


READER = FORMATS.register(
    Reader(
        name="matrices",
        about="an adjacency matrix a relation, with labels (CSVs in a zip, sheets of an Excel workbook, or one CSV)",
        extensions=("zip", "xlsx", "xlsm", "csv", "tsv", "txt"),
        matches=matches,
        read=read,
        order=60,
    )
)
