"""From a `Table` to `RelationalData`: kinds, directions, duplicates, masks, and what an absent row means.

Rows are put in the order of (relation, source, target) once; from there every relation is a slice and every
duplicate stands beside its like. All problems are gathered before one error is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import DataError, Problem, Problems
from ..typing import Array, Int32Array, Int64Array
from . import negatives, units
from .arguments import argument_error, check_choice, check_integer, check_mapping, short_repr
from .duplicates import count_contradicting_rows, merge
from .mask import hidden_keys
from .relational import RelationalData
from .relations import KINDS, Relation
from .schema import infer_schema
from .table import Table, sorted_keys
from .validation import BLOCK, ONE

DUPLICATES = ("error", "mean", "max", "last")
"""What becomes of rows that contradict each other."""


def build(
    table: Table,
    *,
    kinds: Mapping[str, str] | None = None,
    directed: bool | Mapping[str, bool] | None = None,
    absent: negatives.AbsentMeaning = "unobserved",
    duplicates: str = "error",
    mask: Table | None = None,
    seed: int = 0,
) -> RelationalData:
    """Decide what the table leaves open, as `mrwtd.read` documents it, and check everything.

    >>> table = Table.from_names(["a", "b"], ["r", "r"], ["b", "c"], values=[1, 0])
    >>> build(table, directed=False).relations
    (Relation(name='r', kind='binary', directed=False, levels=()),)
    """
    meanings = negatives.absent_by_relation(absent, table.relations)
    check_choice("duplicates", duplicates, DUPLICATES)
    seed = check_integer("seed", seed)
    kinds = check_mapping("kinds", kinds, "the kind of some relations, such as {'calls': 'count'}")
    if not (directed is None or isinstance(directed, (bool, np.bool_, Mapping))):
        raise argument_error(
            "directed", directed, "True, False, or one of them for some relations, such as {'calls': True}"
        )
    directed = bool(directed) if isinstance(directed, np.bool_) else directed
    relations, notes = _decide(table, kinds, directed)
    rows, key = _in_order(table, relations)
    if rows is None:
        # Without numbers, equal rows are one and the same.
        fresh = np.ones(key.size, dtype=bool)
        fresh[1:] = key[1:] != key[:-1]
        key = key[fresh]
    problems = Problems(table.file)
    values, relations = units.encode(
        table, relations, rows, key, [meaning != "unobserved" for meaning in meanings], problems
    )
    entries = merge(table, relations, rows, key, values, duplicates, problems)
    problems.check()

    n = len(table.objects)
    key, y, weights = entries.key, entries.values, entries.weights
    hidden = np.zeros(0, dtype=np.int64) if mask is None else hidden_keys(mask, table.objects, relations)
    if hidden.size:
        y = np.where(np.isin(key, hidden), np.nan, y)
    if set(meanings) - {"unobserved"}:
        # A pair said to be unobserved (NaN, or hidden by the mask) is as good as listed: it is not filled in.
        listed = np.union1d(key, hidden) if hidden.size else key
        fill_key, fill_y = negatives.negative_entries(
            n, relations, listed, _positives(relations, key, y, n), meanings, seed
        )
        order, key = sorted_keys(np.concatenate([key, fill_key]))
        y = np.concatenate([y, fill_y])[order]
        weights = None if weights is None else np.concatenate([weights, np.ones(fill_key.size)])[order]
    if table.values is not None or hidden.size:
        seen = ~np.isnan(y)
        key, y, weights = key[seen], y[seen], None if weights is None else weights[seen]
    try:
        empty = RelationalData(
            table.objects, relations, (), (), (), (), attributes=table.attributes, notes=(*table.notes, *notes)
        )
    except DataError as error:
        raise DataError(error.problems, file=table.file, total=error.total) from None
    # All entries were checked above, row by row, with the lines that a later check could not name.
    if weights is None or (weights == 1).all():
        weights = np.broadcast_to(ONE, y.shape)
    return empty._with_entries(tuple(relations), *_positions(key, n), y, weights)


def count_contradictions(table: Table, directed: bool | Mapping[str, bool] | None = None) -> int:
    """How many rows contradict another one of their pair: what `duplicates` of `build` is there for.

    >>> table = Table.from_names(["a", "b"], ["r", "r"], ["b", "a"], values=[1, 0])
    >>> count_contradictions(table), count_contradictions(table, directed=False)
    (0, 1)
    """
    relations, _ = _decide(table, {}, directed)
    return count_contradicting_rows(table, *_in_order(table, relations))


def _decide(
    table: Table, kinds: Mapping[str, str], directed: bool | Mapping[str, bool] | None
) -> tuple[list[Relation], list[str]]:
    """Each relation as the user, the file or a guess has it, and a note for each guess."""
    given = directed if isinstance(directed, Mapping) else {}
    known = ", ".join(map(repr, table.relations[:20])) + (", …" if len(table.relations) > 20 else "")
    problems = [
        Problem(f"relation {name!r} in {option}", f"one of {known}")
        for option, names in (("kinds", kinds), ("directed", given))
        for name in names
        if name not in table.relations
    ]
    for name, kind in kinds.items():
        if not isinstance(kind, str) or kind not in KINDS:
            problems.append(Problem(f"kind {short_repr(kind)} for {name!r}", f"one of {', '.join(KINDS)}"))
    if problems:
        raise DataError(problems, file=table.file)
    relations, notes = [], []
    for found in infer_schema(table):
        kind = kinds.get(found.name, found.kind)
        way = directed if isinstance(directed, bool) else given.get(found.name, found.directed)
        levels = table.declared.get(found.name, {}).get("levels", ()) if kind == "ordinal" else ()
        relations.append(Relation(found.name, kind, way, tuple(levels)))
        if found.name not in kinds and not found.kind_declared:
            notes.append(f"{found.name}: read as {kind} ({found.kind_reason})")
        if not isinstance(directed, bool) and found.name not in given and not found.directed_declared:
            reason = "; ".join(filter(None, (found.directed_reason, found.advice)))
            notes.append(f"{found.name}: read as {'directed' if way else 'undirected'} ({reason})")
    return relations, notes


def _in_order(table: Table, relations: Sequence[Relation]) -> tuple[Int64Array | None, Int64Array]:
    """The rows in the order of their keys, where an undirected pair has one key, and the keys."""
    undirected = np.array([not relation.directed for relation in relations], dtype=bool)
    if not undirected.any():
        return table.by_key
    flip = undirected[table.k] & (table.i > table.j)
    return table.in_order(np.where(flip, table.j, table.i), np.where(flip, table.i, table.j))


def _positions(key: Int64Array, n: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """What `entry_keys` made the keys of, in blocks that stay in the cache and one piece of memory.

    Below 2⁵² a quotient of floats is never rounded up to the next whole number, and takes a quarter of the time.
    """
    i, j, k = np.empty((3, key.size), dtype=np.int32)
    exact = not key.size or key[-1] < 1 << 52
    for start in range(0, key.size, BLOCK):
        block = slice(start, start + BLOCK)
        whole = key[block].astype(np.float64) if exact else key[block]
        rest = np.floor(whole / n) if exact else whole // n
        j[block] = whole - rest * n
        relation = np.floor(rest / n) if exact else rest // n
        i[block] = rest - relation * n
        k[block] = relation
    return i, j, k


def _positives(relations: Sequence[Relation], key: Int64Array, y: Array, n: int) -> list[int]:
    """How many entries of each relation are above the negative."""
    bounds = np.searchsorted(key, np.arange(len(relations) + 1) * n * n)
    return [
        int(np.count_nonzero(y[bounds[k] : bounds[k + 1]] > units.negative(relation)))
        for k, relation in enumerate(relations)
    ]
