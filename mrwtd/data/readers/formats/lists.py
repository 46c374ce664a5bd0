"""Several lists in a zip: one per relation, or parts of one list. `splits` reads those called train and test."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from ....errors import DataError, Problem, raise_problems
from ....typing import Array
from ...factorized import Factorized
from ...table import Table
from ..parsing.attributes import is_attribute_table
from ..parsing.delimited import try_sniff
from ..source import Source, register_format
from . import long, matrices, wide


def matches(source: Source) -> bool:
    """Whether a zip has only texts, at least two, and each is a list."""
    return source.is_zip and len(matrices.text_members(source)) > 1 and all(map(is_list, _lists(source)))


def is_list(source: Source) -> bool:
    """Whether a text has the header of a list, or is triples without a header; an empty text counts as a list."""
    if not source.content:
        return True
    sheet = None if matrices.matches(source) else try_sniff(source)
    if sheet is None:
        return False
    return long.list_layout(sheet) is not None or (sheet.width == 3 and not is_attribute_table(source))


@register_format(
    "lists", "several lists in a zip: one per relation, or the parts of one list", ("zip",), matches, order=55
)
def read(source: Source) -> Table:
    r"""The rows of all lists, one list after the other.

    >>> import io, zipfile
    >>> with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
    ...     archive.writestr("likes.csv", "source,target\nann,bob\n")
    ...     archive.writestr("calls.csv", "source,target,value\nann,bob,12\n")
    >>> read(Source("ties.zip", buffer.getvalue())).relations
    ('calls', 'likes')
    """
    tables = read_each(_lists(source), read_list)
    if not tables:
        raise DataError(Problem("no list", "at least one text in columns"))
    return concatenate(tables)


def read_list(source: Source) -> Table:
    """The rows of one list, long or wide."""
    return wide.read(source) if wide.matches(source) else long.read(source)


def read_each(members: Iterable[Source], read: Callable[[Source], Table]) -> list[Table]:
    """The tables of some files of a zip, or of sheets. Their problems are raised together, with the name of each."""
    tables, problems = [], list[Problem]()
    for member in members:
        try:
            tables.append(read(member))
        except DataError as error:
            where = f"sheet {member.title!r}" if member.title else f"file {member.name!r}"
            problems += [
                replace(problem, where=", ".join(dict.fromkeys(filter(None, (where, problem.where)))))
                for problem in error.problems
            ]
    raise_problems(problems)
    return tables


def concatenate(tables: Sequence[Table]) -> Table:
    """The rows of all tables, one table after the other, without lines: those of several files are no places."""
    sources = _concatenate([Factorized(table.i, table.objects) for table in tables])
    relations = _concatenate([Factorized(table.k, table.relations) for table in tables])
    targets = _concatenate([Factorized(table.j, table.objects) for table in tables])
    values = _concatenate_numbers([table.values for table in tables], tables)
    weights = _concatenate_numbers([table.weights for table in tables], tables)
    declared = {name: properties for table in tables for name, properties in table.declared.items()}
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    return Table.from_factorized(sources, relations, targets, values, weights, declared=declared, notes=notes)


def _lists(source: Source) -> list[Source]:
    return [member for member in source.members if matrices.is_text_name(member.name)]


def _concatenate(columns: Sequence[Factorized]) -> Factorized:
    """One column after the other. Names can occur in several columns."""
    offsets = np.cumsum([0, *(len(column.names) for column in columns)])
    codes = [column.codes + np.int32(offset) for column, offset in zip(columns, offsets, strict=False)]
    return Factorized(np.concatenate(codes), [name for column in columns for name in column.names])


def _concatenate_numbers(columns: Sequence[Array | None], tables: Sequence[Table]) -> Array | None:
    """One column after the other, with 1 for a list without numbers; None if no list has numbers."""
    if all(column is None for column in columns):
        return None
    pairs = zip(columns, tables, strict=True)
    return np.concatenate([np.ones(table.i.size) if column is None else column for column, table in pairs])
