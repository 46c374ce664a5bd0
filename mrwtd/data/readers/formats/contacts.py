"""Contact lists: one row per contact, `time person person`, and perhaps the group of each person, without column names.

    1240913019  78577671  77922321            31220  1558  1567  3B  3B

This is how contacts measured by sensors are published. A contact has no direction. The contacts of a pair are counted
(`mrwtd.data.periods`), over the whole time or in each of several periods. Groups become an attribute of the objects.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pandas as pd

from ....errors import DataError, Problem
from ...factorized import Factorized, positions
from ...periods import LATEST
from ...table import Table
from ..parsing.announcements import announcement
from ..parsing.columns import Columns, Selection, load
from ..parsing.delimited import records, sniff, try_sniff
from ..parsing.lines import whole_number
from ..source import Source, register_format

SAMPLE = 2_000
"""Number of rows used to recognize a list of contacts."""

UNIX_TIME = 100_000_000
"""From here on, whole numbers in ascending order are seconds since 1970: this one is in 1973."""

MIN_SHARED = 0.2
"""In a list of contacts, the same people are in both columns. In `source target value`, few numbers are."""

_HEADER = ["t", "i", "j"]


def matches(source: Source) -> bool:
    """Whether a text has ascending times, and then two columns of the same people."""
    sheet = try_sniff(source)
    if sheet is None or sheet.schema is not None or sheet.width not in (3, 5) or announcement(sheet.comments):
        return False
    rows = [cells for _, cells in islice(records(source.head, sheet.separator), SAMPLE)]
    named = _has_header(rows[0])
    rows = rows[named:]
    if len(rows) < 2 or any(len(cells) != sheet.width for cells in rows):
        return False
    sources, targets = [cells[1] for cells in rows], [cells[2] for cells in rows]
    shared = len({*sources} & {*targets}) / min(len({*sources}), len({*targets}))
    pairs = zip(sources, targets, strict=True)
    is_contact = (
        shared >= MIN_SHARED and all(a != b for a, b in pairs) and _are_times(rows, {*sources, *targets}, named)
    )
    return is_contact and (sheet.width == 3 or _have_groups(rows))


def _has_header(cells: Sequence[str]) -> bool:
    return [cell.lower() for cell in cells[:3]] == _HEADER


def _are_times(rows: Sequence[Sequence[str]], people: set[str], named: bool) -> bool:
    """Whether the first column has ascending times, which are not people, in equal steps or as seconds since 1970."""
    times = [whole_number(cells[0]) for cells in rows]
    known = [time for time in times if time is not None]
    if len(known) < len(rows) or known != sorted(known):
        return False
    if named:
        return True
    distinct = dict.fromkeys(known)
    step = math.gcd(*np.diff([*distinct]).tolist())
    in_steps = step > 1 and len(distinct) < len(known)
    return len(distinct) > 1 and (in_steps or known[0] >= UNIX_TIME) and people.isdisjoint(map(str, distinct))


def _have_groups(rows: Sequence[Sequence[str]]) -> bool:
    """Whether each person is always in the same group."""
    groups: dict[str, str] = {}
    return all(
        groups.setdefault(person, group) == group
        for cells in rows
        for person, group in ((cells[1], cells[3]), (cells[2], cells[4]))
    )


@register_format(
    "contacts",
    "one row per contact: time, two people and perhaps their groups (TXT, CSV)",
    ("txt", "dat", "csv", "tsv", "gz"),
    matches,
    order=50,
)
def read(source: Source) -> Table:
    r"""The contacts, with their times.

    >>> table = read(Source("school.txt", b"20 7 8 A B\n20 8 9 B B\n40 7 8 A B\n"))
    >>> table.times, table.attributes["group"].tolist()
    (array([20., 20., 40.]), ['A', 'B', 'B'])
    """
    sheet = sniff(source)
    if sheet.width not in (3, 5):
        expected = "3 columns, time and two people, or 5 columns with their groups"
        raise DataError(Problem(f"{sheet.width} columns", expected, sheet.records[0][0]))
    groups = (3, 4) if sheet.width == 5 else ()
    columns = load(sheet, Selection(sheet.first_line(_has_header), sheet.width, (1, 2, *groups), (0,), (1, 2)))
    ends = columns.names(1, "first person"), columns.names(2, "second person")
    times = columns.numbers(0, "time")
    for row in columns.problems.first(np.flatnonzero(~(np.abs(times) <= LATEST) & ~np.isinf(times))):
        columns.problems.add(f"the time {times[row]:g}", f"a number up to {LATEST:g}", columns.lines[row])
    columns.problems.check()
    if not columns.rows:
        raise DataError(Problem("no rows", "at least one contact"))
    notes = ["The columns are read as the time and the two people of a contact" + " and their groups" * bool(groups)]
    relation = Factorized(np.zeros(columns.rows, dtype=np.int32), [source.stem])
    declared = {source.stem: {"directed": False, "directed_reason": "a contact has no direction"}}
    table = Table.from_factorized(ends[0], relation, ends[1], times=times, declared=declared, named=False)
    attributes = _attributes(table, columns, notes) if groups else None
    return replace(table, attributes=attributes, notes=tuple(f"{note}." for note in notes))


def _attributes(table: Table, columns: Columns, notes: list[str]) -> pd.DataFrame:
    """The group of each object, as in its first contact."""
    (first, second), names = positions([columns.factorized(3), columns.factorized(4)], ())
    people, groups = np.concatenate([table.i, table.j]), np.concatenate([first, second])
    _, rows = np.unique(people, return_index=True)
    group = groups[rows]
    changed = np.unique(people[group[people] != groups])
    if changed.size:
        examples = ", ".join(repr(table.objects[person]) for person in changed[:5])
        notes.append(f"{changed.size:,} people are in several groups ({examples}); the first one is used")
    column = pd.array([names[code] or None for code in group], dtype="str")
    return pd.DataFrame({"group": column}, index=pd.Index(table.objects, dtype="str"))
