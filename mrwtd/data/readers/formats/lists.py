"""Several lists in a zip: one per relation, or the parts of one list (train, valid and test)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....errors import DataError, Problem
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
    tables, problems = [], list[Problem]()
    for member in _lists(source):
        try:
            tables.append((wide if wide.matches(member) else long).read(member))
        except DataError as error:
            where = f"file {member.name!r}"
            problems += [replace(p, where=f"{where}, {p.where}" if p.where else where) for p in error.problems]
    if problems:
        raise DataError(problems)
    if not tables:
        raise DataError(Problem("no list", "at least one text in columns"))
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
