"""Rows with times: summed over the whole time, or cut into periods of equal length that become relations."""

from dataclasses import replace

import numpy as np

from ..errors import DataError, Problem
from .arguments import check_integer
from .limits import RELATIONS
from .table import Table, sorted_keys
from .validation import entry_keys

LATEST = 1e15
"""The largest time, in any unit: floating-point numbers above it are not exact."""


def sum_over_time(table: Table, periods: int | None = None) -> Table:
    """The table without times: one row per pair and period, whose value is the sum of its values or the number of rows.

    The relations are those of the table, or with several periods one for each of them. A period without rows is left
    out.

    >>> meetings = Table.from_names(["a", "b", "a"], ["met"] * 3, ["b", "a", "c"], times=np.array([0.0, 10.0, 60.0]),
    ...                             declared={"met": {"directed": False}})
    >>> sum_over_time(meetings).values
    array([2., 1.])
    >>> sum_over_time(meetings, periods=3).relations
    ('met, period 1', 'met, period 3')
    """
    n_periods = 1 if periods is None else check_integer("periods", periods, low=1)
    times = table.times
    if times is None:
        if n_periods > 1:
            expected = "rows with times, as in a list of contacts"
            raise DataError(Problem("periods for a file without times", expected), file=table.file)
        return table
    RELATIONS.check(n_periods * len(table.relations), table.file_size)
    start, end = (float(times.min()), float(times.max())) if times.size else (0.0, 0.0)
    position = (times - start) / (end - start or 1.0)
    part = table.k * n_periods + np.minimum((position * n_periods).astype(np.int32), n_periods - 1)
    directed = np.array([table.declared.get(name, {}).get("directed") is not False for name in table.relations])
    swapped = ~directed[table.k] & (table.i > table.j)
    i, j = np.where(swapped, table.j, table.i), np.where(swapped, table.i, table.j)
    order, key = sorted_keys(entry_keys(i, j, part, len(table.objects)))
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    rows = order[starts]
    values = np.ones(order.size) if table.values is None else table.values[order]
    names = _names(table, n_periods)
    used = np.unique(part) if n_periods > 1 else np.arange(len(names))
    relations = [list(names)[position] for position in used]
    kind = {"kind": "count", "kind_reason": "rows of a pair are counted"} if table.values is None else {}
    return replace(
        table,
        relations=tuple(relations),
        i=i[rows],
        j=j[rows],
        k=np.searchsorted(used, part[rows]).astype(np.int32),
        values=np.add.reduceat(values, starts) if starts.size else values,
        weights=None,
        times=None,
        time_span=(start, end) if end > start else None,
        lines=None,
        declared={name: {**kind, **table.declared.get(names[name], {})} for name in relations},
        notes=(*table.notes, *_notes(table, n_periods, start, end)),
        named=table.named or n_periods > 1,
    )


def _names(table: Table, n_periods: int) -> dict[str, str]:
    """The relations by period, each with the relation of the table that it is a part of."""
    if n_periods == 1:
        return {name: name for name in table.relations}
    return {f"{name}, period {period + 1}": name for name in table.relations for period in range(n_periods)}


def _notes(table: Table, n_periods: int, start: float, end: float) -> list[str]:
    text = f"Each value is the {'number of rows' if table.values is None else 'sum of the values'} of a pair"
    span = f"the times {start:.15g} to {end:.15g}"
    if start == end:
        return [f"{text}."]
    if n_periods == 1:
        return [f"{text} over {span}. Set periods to cut the time into several relations."]
    return [f"{text} in one of {n_periods} periods of equal length, from {span}. Periods without rows are left out."]
