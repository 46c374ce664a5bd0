"""One adjacency matrix per relation: several CSV files in a zip, the sheets of an Excel workbook, or one CSV file.

Labels are at the top, at the side, or both, and are the same in all matrices. An empty cell is an unobserved pair;
every other cell is an entry. If no label is both at the top and at the side, rows and columns are two types of objects.
"""

from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from ....errors import DataError, Problem, Problems
from ...table import Table
from ..parsing import workbook
from ..parsing.announcements import announcement
from ..parsing.delimited import SAMPLE, sniff, try_sniff
from ..parsing.lines import repeated
from ..parsing.matrix import Matrix, default_names, grid_table, looks_like_matrix, parse_matrix, places_of
from ..source import HEAD, Source, register_format
from . import long

TEXT_EXTENSIONS = ("csv", "tsv", "txt", "tab", "dat")
"""Extensions of text files in a zip."""


def matches(source: Source) -> bool:
    """Whether a file is a workbook, a zip of texts without a list, or a text that looks like a matrix."""
    if source.is_zip:
        return workbook.is_workbook(source) or (bool(text_members(source)) and not _has_list(source))
    sheet = try_sniff(source)
    if sheet is None or sheet.schema is not None or announcement(sheet.comments) is not None:
        return False
    rows = [cells for _, cells in sheet.records]
    complete = len(rows) < SAMPLE and len(source.content) <= HEAD
    return looks_like_matrix(rows, lambda: len(rows) if complete else sum(1 for _ in sheet.all_records()))


def _has_list(source: Source) -> bool:
    """Whether a file in a zip has the header of a list, and does not look like a matrix."""
    texts = [member for member in source.members if is_text_name(member.name) and not matches(member)]
    return any((sheet := try_sniff(text)) is not None and long.list_layout(sheet) is not None for text in texts)


@register_format(
    "matrices",
    "one adjacency matrix per relation, with labels (CSV files in a zip, sheets of an Excel workbook, or one CSV file)",
    ("zip", "xlsx", "xlsm", "csv", "tsv", "txt"),
    matches,
    order=60,
)
def read(source: Source) -> Table:
    """The matrices of a file as relations."""
    problems = Problems()
    if not source.is_zip:
        parsed = [parse_matrix(source, source.stem, list(sniff(source).all_records()), problems)]
    elif workbook.is_workbook(source):
        sheets = workbook.sheets(source).items()
        parsed = [parse_matrix(source, name, rows, problems, f"sheet {name!r}") for name, rows in sheets]
    else:
        parsed = [_parse_member(member, problems) for member in source.members if is_text_name(member.name)]
    problems.check()
    matrices = [matrix for matrix in parsed if matrix is not None]
    if not matrices:
        raise DataError(Problem("no matrix", "at least one matrix"))
    return join_matrices(matrices, source, problems)


def _parse_member(member: Source, problems: Problems) -> Matrix | None:
    where = f"file {member.name!r}"
    try:
        rows = list(sniff(member).all_records())
    except DataError as error:
        problems.extend(replace(problem, where=where) for problem in error.problems)
        return None
    return parse_matrix(member, member.stem, rows, problems, where)


def join_matrices(matrices: list[Matrix], source: Source, problems: Problems) -> Table:
    """The matrices as relations between the same objects, whose order can differ."""
    names = [matrix.name for matrix in matrices]
    for name in problems.first(sorted(repeated(names))):
        problems.add(f"two matrices called {name!r}", "a different name for each matrix")
    first = next((matrix for matrix in matrices if matrix.labels is not None), matrices[0])
    if any(matrix.columns is not None for matrix in matrices):
        return _two_mode_table(matrices, source, problems)
    n = len(first.values)
    labels = first.labels or tuple(default_names(n))
    aligned = []
    for matrix in matrices:
        matrix_labels = matrix.labels or labels
        where = f"matrix {matrix.name!r}"
        if len(matrix.values) != n:
            problems.add(f"{len(matrix.values):,} objects", f"{n:,} objects, as in {first.name!r}", where=where)
        elif set(matrix_labels) != set(labels):
            unknown, missing = sorted(set(matrix_labels) - set(labels)), sorted(set(labels) - set(matrix_labels))
            actual = f"the label{'s' * (len(unknown) > 1)} {', '.join(map(repr, unknown[:5]))}"
            problems.add(actual, f"{', '.join(map(repr, missing[:5]))}, as in {first.name!r}", where=where)
        else:
            order = places_of(labels, matrix_labels)
            aligned.append(matrix.values[np.ix_(order, order)])
    problems.check()
    notes = []
    if any(matrix.labels is None for matrix in matrices):
        origin = f"the labels of {first.name!r}" if first.labels else f"the numbers 1 to {n}"
        notes.append(f"Objects of matrices without labels are named by {origin}.")
    lines = None if source.is_zip else np.repeat(matrices[0].lines, n)
    return grid_table(source, aligned, labels, names, lines=lines, notes=tuple(notes))


def _two_mode_table(matrices: list[Matrix], source: Source, problems: Problems) -> Table:
    """The table of matrices whose rows and columns are different objects, the same in all of them."""
    first = next(matrix for matrix in matrices if matrix.columns is not None)
    rows, columns = first.labels or (), first.columns or ()
    aligned = []
    for matrix in matrices:
        if set(matrix.labels or ()) != set(rows) or set(matrix.columns or ()) != set(columns):
            expected = f"the same rows and columns as in {first.name!r}, or a file for each"
            problems.add("other rows or columns", expected, where=f"matrix {matrix.name!r}")
            continue
        order = np.ix_(places_of(rows, matrix.labels or ()), places_of(columns, matrix.columns or ()))
        aligned.append(matrix.values[order])
    problems.check()
    lines = None if source.is_zip else np.repeat(first.lines, len(columns))
    return grid_table(source, aligned, rows, [matrix.name for matrix in matrices], columns=columns, lines=lines)


def is_text_name(name: str) -> bool:
    """Whether a file in a zip is text in columns, judged by its name.

    >>> is_text_name("advice.csv"), is_text_name("README.txt")
    (True, False)
    """
    path = PurePosixPath(name)
    is_note = path.stem.lower().startswith(("readme", "license"))
    return path.suffix.lower().removeprefix(".") in TEXT_EXTENSIONS and not is_note


def text_members(source: Source) -> list[str]:
    """The texts in a zip that can have matrices; none if there are other files than texts and readme files."""
    names = source.member_names
    others = [n for n in names if not is_text_name(n) and PurePosixPath(n).suffix.lower() not in ("", ".md", ".txt")]
    return [] if others else [n for n in names if is_text_name(n)]
