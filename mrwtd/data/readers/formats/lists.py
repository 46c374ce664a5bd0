"""Several lists in a zip: one for each relation, or the parts of one that was cut up (train, valid and test)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....errors import DataError, Problem
from ....typing import Array
from ...factorized import Factorized
from ...table import Table
from ..format import FORMATS, Reader
from ..parsing.attributes import is_attribute_table
from ..parsing.delimited import sniff
from ..source import Source
from . import long, matrices, wide


def matches(source: Source) -> bool:
    """Whether a zip holds texts alone, at least two, and each is a list."""
    return source.is_zip and len(matrices.text_members(source)) > 1 and all(map(is_list, _lists(source)))


def is_list(source: Source) -> bool:
    """Whether a text has a header of a list, or is triples without one; an empty one goes with any."""
    if not source.content:
        return True
    if not source.is_text or matrices.matches(source):
        return False
    try:
        sheet = sniff(source)
    except DataError:
        return False
    return long.list_layout(sheet) is not None or (sheet.width == 3 and not is_attribute_table(source))


def read(source: Source) -> Table:
    r"""The rows of all lists, one after the other.

    >>> import io, zipfile
    >>> with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
    ...     archive.writestr("likes.csv", "source,target\nann,bob\n")
    ...     archive.writestr("calls.csv", "source,target,value\nann,bob,12\n")
    >>> read(Source("ties.zip", buffer.getvalue())).relations
    ('calls', 'likes')
    """
    tables, problems = [], list[Problem]()
    for member in _lists(source):
        try:
            tables.append((wide if wide.matches(member) else long).read(member))
        except DataError as error:
            where = f"file {member.name!r}"
            problems += [
                Problem(p.found, p.expected, p.line, f"{where}, {p.where}" if p.where else where)
                for p in error.problems
            ]
    if problems:
        raise DataError(problems, file=source.name)
    if not tables:
        raise DataError(Problem("no list", "at least one text in columns"), file=source.name)
    return Table.from_factorized(
        _together([Factorized(table.i, table.objects) for table in tables]),
        _together([Factorized(table.k, table.relations) for table in tables]),
        _together([Factorized(table.j, table.objects) for table in tables]),
        _numbers([table.values for table in tables], tables),
        _numbers([table.weights for table in tables], tables),
        declared={name: said for table in tables for name, said in table.declared.items()},
        notes=tuple(dict.fromkeys(note for table in tables for note in table.notes)),
        file=source.name,
    )


def _lists(source: Source) -> list[Source]:
    return [member for member in source.members() if matrices.is_text_name(member.name)]


def _together(columns: Sequence[Factorized]) -> Factorized:
    """One column after the other; a name that stands in two of them is one."""
    edges = np.cumsum([0, *(len(column.names) for column in columns)])
    codes = [column.codes + np.int32(edge) for column, edge in zip(columns, edges, strict=False)]
    return Factorized(np.concatenate(codes), [name for column in columns for name in column.names])


def _numbers(columns: Sequence[Array | None], tables: Sequence[Table]) -> Array | None:
    """One column after the other; a list without numbers has 1, where another has some."""
    if all(column is None for column in columns):
        return None
    found = [np.ones(table.i.size) if column is None else column for column, table in zip(columns, tables, strict=True)]
    return np.concatenate(found)


READER = FORMATS.register(
    Reader(
        name="lists",
        about="several lists in a zip: one for each relation, or the parts of one",
        extensions=("zip",),
        matches=matches,
        read=read,
        order=55,
    )
)
