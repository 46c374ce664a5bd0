"""From a `Table` to `RelationalData`: kinds, directions, duplicates, and what an absent row means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import absent as absence
from .errors import MOST_PROBLEMS, DataError, Problem
from .guessing import guess
from .relational import RelationalData, entry_keys
from .relations import KINDS, Relation
from .table import Table

DUPLICATES = ("error", "mean", "max", "last")
"""What becomes of rows that contradict each other."""

WIDEST_ORDINAL = 50
"""An ordinal relation of more levels than this is a mistake."""


def build(
    table: Table,
    *,
    kinds: Mapping[str, str] | None = None,
    directed: bool | Mapping[str, bool] | None = None,
    absent: str | int = "unobserved",
    duplicates: str = "error",
    seed: int = 0,
) -> RelationalData:
    """Decide what the table leaves open, as `mrwtd.read` documents it, and check everything.

    >>> table = Table.from_names(["a", "b"], ["r", "r"], ["b", "c"], values=[1, 0])
    >>> build(table, directed=False).relations
    (Relation(name='r', kind='binary', directed=False, levels=()),)
    """
    absence.check(absent)
    if duplicates not in DUPLICATES:
        raise DataError(Problem(f"duplicates = {duplicates!r}", f"one of {', '.join(map(repr, DUPLICATES))}"))
    relations, notes = _decide(table, kinds or {}, directed)
    values = np.ones(table.i.size) if table.values is None else table.values
    _check_numbers(table, values)

    undirected = np.array([not relation.directed for relation in relations], dtype=bool)
    flip = undirected[table.k] & (table.i > table.j)
    i, j = np.where(flip, table.j, table.i), np.where(flip, table.i, table.j)
    key = entry_keys(i, j, table.k, len(table.objects))
    rows, values, weights = _merge(table, key, values, duplicates)
    key, i, j, k = key[rows], i[rows], j[rows], table.k[rows]

    bounds = np.searchsorted(k, np.arange(len(relations) + 1))
    y = np.empty(values.size)
    for position, relation in enumerate(relations):
        part = slice(bounds[position], bounds[position + 1])
        y[part], relations[position] = _encode(relation, table, rows[part], values[part], absent)

    if absent != "unobserved":
        # A pair said to be unobserved (NaN) is listed, so it is not filled in.
        fill = absence.pairs(len(table.objects), relations, key, bounds, y, absent, seed)
        order = np.argsort(np.concatenate([key, fill.key]), kind="stable")
        i, j, k, y = (np.concatenate([a, b])[order] for a, b in ((i, fill.i), (j, fill.j), (k, fill.k), (y, fill.y)))
        weights = None if weights is None else np.concatenate([weights, np.ones(fill.key.size)])[order]
    seen = ~np.isnan(y)
    if not seen.all():
        i, j, k, y = i[seen], j[seen], k[seen], y[seen]
        weights = None if weights is None else weights[seen]
    try:
        return RelationalData(
            table.objects, relations, i, j, k, y, weights, table.attributes, notes=(*table.notes, *notes)
        )
    except DataError as error:
        raise DataError(error.problems, file=table.file, total=error.total) from None


def _decide(
    table: Table, kinds: Mapping[str, str], directed: bool | Mapping[str, bool] | None
) -> tuple[list[Relation], list[str]]:
    """Each relation as the user, the file or a guess has it, and a note for each guess."""
    given = directed if isinstance(directed, Mapping) else {}
    for option, names in (("kinds", kinds), ("directed", given)):
        unknown = [name for name in names if name not in table.relations]
        if unknown:
            known = ", ".join(map(repr, table.relations[:20])) + (", …" if len(table.relations) > 20 else "")
            raise DataError(Problem(f"relation {unknown[0]!r} in {option}", f"one of {known}"), file=table.file)
    for name, kind in kinds.items():
        if kind not in KINDS:
            raise DataError(Problem(f"kind {kind!r} for {name!r}", f"one of {', '.join(KINDS)}"), file=table.file)
    relations, notes = [], []
    for found in guess(table):
        kind = kinds.get(found.name, found.kind)
        way = directed if isinstance(directed, bool) else given.get(found.name, found.directed)
        declared = table.declared.get(found.name, {})
        levels = tuple(declared.get("levels", ())) if kind == "ordinal" else ()
        relations.append(Relation(found.name, kind, way, levels))
        if found.name not in kinds and found.kind_reason != "the file says so":
            notes.append(f"{found.name}: read as {kind} ({found.kind_reason})")
        if not isinstance(directed, bool) and found.name not in given and found.directed_reason != "the file says so":
            notes.append(f"{found.name}: read as {'directed' if way else 'undirected'} ({found.directed_reason})")
    return relations, notes


def _check_numbers(table: Table, values: npt.NDArray[np.float64]) -> None:
    wrong_value = np.isinf(values)
    weights = np.ones(0) if table.weights is None else table.weights
    wrong_weight = ~((weights >= 0) & (weights <= 1))
    problems = [
        _problem(table, row, f"value {values[row]:g}", "a finite number")
        for row in np.flatnonzero(wrong_value)[:MOST_PROBLEMS]
    ] + [
        _problem(table, row, f"weight {weights[row]:g}", "a weight from 0 to 1")
        for row in np.flatnonzero(wrong_weight)[:MOST_PROBLEMS]
    ]
    if problems:
        raise DataError(problems, file=table.file, total=int(wrong_value.sum() + wrong_weight.sum()))


def _merge(
    table: Table, key: npt.NDArray[np.int64], values: npt.NDArray[np.float64], policy: str
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    """One row for each key, in order of the keys: identical rows merge, others by the policy."""
    weights = table.weights
    if (key[1:] > key[:-1]).all():
        return np.arange(key.size), values, weights
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    values = values[order]
    weights = None if weights is None else weights[order]
    repeated = ordered[1:] == ordered[:-1]
    if not repeated.any():
        return order, values, weights
    same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    if weights is not None:
        same &= weights[1:] == weights[:-1]
    first = np.flatnonzero(np.concatenate([[True], ~repeated]))
    clash = np.flatnonzero(repeated & ~same)
    if clash.size and policy == "error":
        problems = [_clash(table, order[at], order[at + 1], values[at], values[at + 1]) for at in clash[:MOST_PROBLEMS]]
        raise DataError(problems, file=table.file, total=clash.size)
    if not clash.size or policy == "last":
        last = np.append(first[1:], key.size) - 1
        return order[last], values[last], None if weights is None else weights[last]
    sizes = np.diff(np.append(first, key.size))
    if policy == "max":
        merged = np.fmax.reduceat(values, first)
    else:
        known = ~np.isnan(values)
        sums = np.add.reduceat(np.where(known, values, 0.0), first)
        counts = np.add.reduceat(known.astype(np.float64), first)
        merged = np.divide(sums, counts, out=np.full(first.size, np.nan), where=counts > 0)
    return order[first], merged, None if weights is None else np.add.reduceat(weights, first) / sizes


def _encode(
    relation: Relation,
    table: Table,
    rows: npt.NDArray[np.intp],
    values: npt.NDArray[np.float64],
    absent: str | int,
) -> tuple[npt.NDArray[np.float64], Relation]:
    """The values in the unit of the relation's kind; an ordinal relation learns its levels."""
    known = ~np.isnan(values)
    if relation.kind == "binary":
        good = ~known | np.isin(values, (-1, 0, 1))
        if good.all() and (values == 0).any() and (values == -1).any():
            at = rows[np.flatnonzero(values == -1)[0]]
            raise DataError(
                _problem(
                    table,
                    at,
                    f"−1 beside 0 in {relation.name!r}",
                    "0 and 1, or −1 and 1, for a binary relation",
                ),
                file=table.file,
            )
        encoded, expected = np.where(values == 0, -1.0, values), "0 or 1, −1 or 1, true or false (binary)"
    elif relation.kind == "ordinal":
        levels = np.asarray(relation.levels or np.unique(values[known]))
        if levels.size > WIDEST_ORDINAL:
            expected = f"at most {WIDEST_ORDINAL} levels; read it as 'count' or 'real'"
            where = f"relation {relation.name!r}"
            raise DataError(Problem(f"{levels.size} different values", expected, where=where), file=table.file)
        if absent != "unobserved" and (not levels.size or levels[0] > 0):
            levels = np.concatenate([[0.0], levels])
        relation = Relation(relation.name, relation.kind, relation.directed, tuple(levels))
        encoded = np.searchsorted(levels, values).astype(np.float64)
        encoded[~known] = np.nan
        good = ~known | np.isin(values, levels)
        expected = f"one of the levels {', '.join(f'{level:g}' for level in levels)} (ordinal)"
    elif relation.kind == "count":
        encoded, good = values, ~known | ((values >= 0) & (values == np.floor(values)))
        expected = "0, 1, 2, … (count)"
    else:
        return values, relation
    if not good.all():
        wrong = np.flatnonzero(~good)
        problems = [_problem(table, rows[at], f"{values[at]:g} in {relation.name!r}", expected) for at in wrong]
        raise DataError(problems, file=table.file, total=wrong.size)
    return encoded, relation


def _problem(table: Table, row: int | np.integer[Any], found: str, expected: str) -> Problem:
    line = None if table.lines is None else int(table.lines[row])
    pair = f"{table.objects[table.i[row]]!r} – {table.objects[table.j[row]]!r}"
    return Problem(found, expected, line, "" if line is not None else f"pair {pair}")


def _clash(table: Table, one: int, two: int, value_one: float, value_two: float) -> Problem:
    pair = f"{table.objects[table.i[one]]!r} – {table.objects[table.j[one]]!r} in {table.relations[table.k[one]]!r}"
    if table.lines is None:
        found = f"the values {value_one:g} and {value_two:g} for {pair}"
        return Problem(found, "one value, or duplicates='mean', 'max' or 'last'")
    lines = sorted((int(table.lines[one]), int(table.lines[two])))
    found = f"{value_one:g} and {value_two:g} for {pair} (lines {lines[0]} and {lines[1]})"
    return Problem(found, "one value, or duplicates='mean', 'max' or 'last'", line=lines[1])
