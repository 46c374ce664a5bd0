"""From a `Table` to `RelationalData`: kinds, directions, duplicates, masks, and the meaning of unlisted pairs.

Rows are sorted once by (relation, source, target). After that, each relation is a slice and duplicates are
neighbours. All problems are collected before one error is raised.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import Problem, Problems, errors_in_file, raise_problems
from ..typing import Array, Int32Array, Int64Array
from . import negatives, units
from .arguments import argument_error, check_choice, check_integer, short_repr
from .duplicates import count_contradicting_rows, merge
from .mask import hidden_keys
from .published import entry_parts
from .relational import RelationalData
from .relations import KINDS, Relation
from .schema import DECLARED, infer_schema
from .self_pairs import filled_note, select_self_pairs
from .table import Table, sorted_keys
from .transform import apply_transforms, check_domain, check_known, check_transforms, rename_relations
from .two_mode import TwoMode, apply_two_mode
from .validation import BLOCK, check_types, entry_keys, ordered_pairs

DUPLICATES = ("error", "mean", "max", "last")
"""How rows that contradict each other are handled."""


def build(
    table: Table,
    *,
    kinds: Mapping[str, str] | None = None,
    directed: bool | Mapping[str, bool] | None = None,
    absent: negatives.AbsentMeaning = "unobserved",
    duplicates: str = "error",
    rename: Mapping[str, str] | None = None,
    transform: Mapping[str, str] | None = None,
    mask: Table | None = None,
    self_pairs: str = "keep",
    two_mode: TwoMode = None,
    seed: int = 0,
) -> RelationalData:
    """The data of a table, after all checks. The parameters are those of `mrwtd.read`.

    >>> table = Table.from_names(["a", "b"], ["r", "r"], ["b", "c"], values=[1, 0])
    >>> build(table, directed=False).relations
    (Relation(name='r', kind='binary', directed=False, levels=()),)
    """
    table = rename_relations(prepare(table, self_pairs, two_mode), rename)
    meanings = negatives.absent_by_relation(absent, table.relations)
    check_choice("duplicates", duplicates, DUPLICATES)
    seed = check_integer("seed", seed)
    if not isinstance(kinds, Mapping | None):
        raise argument_error("kinds", kinds, "the kind of some relations, such as {'calls': 'count'}")
    if not isinstance(directed, bool | np.bool_ | Mapping | None):
        expected = "True, False, or one of them for some relations, such as {'calls': True}"
        raise argument_error("directed", directed, expected)
    directed = bool(directed) if isinstance(directed, np.bool_) else directed
    kinds = check_transforms(transform, kinds or {}, table)
    relations, notes = _choose_relations(table, kinds, directed)
    rows, key = _sorted_rows(table, relations)
    if rows is None:
        # Without values and weights, equal rows are the same.
        key = np.concatenate([key[:1], key[1:][key[1:] != key[:-1]]])
    problems = Problems(table.file)
    fills_in = [meaning != "unobserved" for meaning in meanings]
    values, relations = units.encode(table, relations, rows, key, fills_in, problems)
    row_key, (key, y, weights) = key, merge(table, relations, rows, key, values, duplicates, problems)
    check_domain(table, transform or {}, problems)
    problems.check()

    n = len(table.objects)
    represents = None
    if table.represents is not None:
        represents = _represented(table, relations, table.represents[rows], row_key, key)
        # All pairs of a relation that is filled in now have an entry of their own, or others represent them.
        represents[np.array(fills_in)[key // (n * n)]] = 1.0
    if mask is not None and rename:
        mask = rename_relations(mask, {name: rename[name] for name in rename if name in mask.relations})
    types = table.object_types
    object_types = tuple(types.get(name, "") for name in table.objects) if types else None
    hidden = np.zeros(0, dtype=np.int64) if mask is None else hidden_keys(mask, table.objects, relations)
    if hidden.size:
        y = np.where(np.isin(key, hidden), np.nan, y)
    if any(fills_in):
        # A pair marked as unobserved (NaN, or hidden by the mask) counts as listed: it is not filled in.
        listed = np.union1d(key, hidden) if hidden.size else key
        positives = _count_positives(relations, key, y, n)
        size = table.file_size
        fill_key, fill_y, fill_represents = negatives.negative_entries(
            n, relations, listed, positives, meanings, seed, size, object_types
        )
        represents = np.concatenate([np.ones(key.size) if represents is None else represents, fill_represents])
        if filled := _count_self_pairs(fill_key, n):
            notes.append(filled_note(_count_self_pairs(key, n), filled))
        order, key = sorted_keys(np.concatenate([key, fill_key]))
        y, represents = np.concatenate([y, fill_y])[order], represents[order]
        weights = None if weights is None else np.concatenate([weights, np.ones(fill_key.size)])[order]
    if table.values is not None or hidden.size:
        known = ~np.isnan(y)
        key, y = key[known], y[known]
        weights, represents = (None if numbers is None else numbers[known] for numbers in (weights, represents))
    part = None
    if table.part is not None:
        ends = ordered_pairs(relations, table.i, table.j, table.k)
        part, part_notes = entry_parts(table.part, entry_keys(*ends, table.k, n), key)
        notes += part_notes
    notes = [*table.notes, *notes]
    i, j, k = _positions(key, n)
    relations, y = apply_transforms(relations, k, y, transform or {})
    with errors_in_file(table.file):
        about: dict[str, Any] = {"attributes": table.attributes, "notes": notes, "object_types": object_types}
        empty = RelationalData(table.objects, relations, (), (), (), (), **about)
        # The entries were checked above, row by row, where the line of each is known.
        optional = {
            name: None if numbers is None or (numbers == 1).all() else numbers
            for name, numbers in (("w", weights), ("represents", represents))
        }
        data = empty._with(i=i, j=j, k=k, y=y, part=part, **optional)
        for position in range(len(relations)):
            check_types(data, position)
    return data


def prepare(table: Table, self_pairs: str, two_mode: TwoMode = None) -> Table:
    """The table with the types of its objects, and without the self-pairs that are no entries.

    A table that was prepared before does not change.
    """
    return select_self_pairs(apply_two_mode(table, two_mode), self_pairs)


def count_contradictions(
    table: Table, directed: bool | Mapping[str, bool] | None = None, rename: Mapping[str, str] | None = None
) -> int:
    """The number of rows that contradict another row of the same pair: the rows that `duplicates` of `build` is for.

    >>> table = Table.from_names(["a", "b"], ["r", "r"], ["b", "a"], values=[1, 0])
    >>> count_contradictions(table), count_contradictions(table, directed=False)
    (0, 1)
    """
    table = rename_relations(table, rename)
    relations, _ = _choose_relations(table, {}, directed)
    return count_contradicting_rows(table, *_sorted_rows(table, relations))


def _choose_relations(
    table: Table, kinds: Mapping[str, str], directed: bool | Mapping[str, bool] | None
) -> tuple[list[Relation], list[str]]:
    """Each relation as the user, the file or the inference defines it, and a note for each inferred property."""
    directions = directed if isinstance(directed, Mapping) else {}
    check_known(kinds, "kinds", table)
    check_known(directions, "directed", table)
    problems = [
        Problem(f"kind {short_repr(kind)} for {name!r}", f"one of {', '.join(KINDS)}")
        for name, kind in kinds.items()
        if not isinstance(kind, str) or kind not in KINDS
    ]
    raise_problems(problems, table.file)
    relations, notes = [], []
    for inferred in infer_schema(table):
        name = inferred.name
        kind = kinds.get(name, inferred.kind)
        is_directed = directed if isinstance(directed, bool) else directions.get(name, inferred.directed)
        declared = table.declared.get(name, {})
        levels = declared.get("levels", ()) if kind == "ordinal" else ()
        types = declared.get("types") if table.object_types else None
        if types is not None and types[0] != types[1] and not is_directed:
            is_directed = True
            notes.append(f"{name}: stays directed, since it connects {types[0]!r} to {types[1]!r} and never back")
        relations.append(Relation(name, kind, is_directed, tuple(levels), types))
        if name not in kinds and inferred.kind_reason != DECLARED:
            notes.append(f"{name}: read as {kind} ({inferred.kind_reason})")
        if not isinstance(directed, bool) and name not in directions and inferred.directed_reason != DECLARED:
            reason = "; ".join(filter(None, (inferred.directed_reason, inferred.suggestion)))
            notes.append(f"{name}: read as {'directed' if is_directed else 'undirected'} ({reason})")
    return relations, notes


def _sorted_rows(table: Table, relations: Sequence[Relation]) -> tuple[Int64Array | None, Int64Array]:
    """The rows sorted by key, and the keys. Both directions of an undirected pair have the same key."""
    if all(relation.directed for relation in relations):
        return table.by_key
    return table.sorted_by(*ordered_pairs(relations, table.i, table.j, table.k))


def _positions(key: Int64Array, n: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """The i, j and k of keys made by `entry_keys`, computed in blocks that fit the processor cache.

    Below 2⁵² a quotient of floats is never rounded up to the next whole number, and takes a quarter of the time.
    """
    i, j, k = np.empty((3, key.size), dtype=np.int32)
    exact = not key.size or key[-1] < 1 << 52
    for start in range(0, key.size, BLOCK):
        block = slice(start, start + BLOCK)
        keys = key[block].astype(np.float64) if exact else key[block]
        rest = np.floor(keys / n) if exact else keys // n
        j[block] = keys - rest * n
        relation = np.floor(rest / n) if exact else rest // n
        i[block] = rest - relation * n
        k[block] = relation
    return i, j, k


def _represented(
    table: Table, relations: Sequence[Relation], represents: Array, row_key: Int64Array, key: Int64Array
) -> Array:
    """The number of pairs that each entry represents, from those of its rows; `key` has each of `row_key` once.

    A listed row among them represents itself. If a relation was directed when its negatives were sampled and is not
    now, both directions of a pair had a chance.
    """
    each = np.minimum.reduceat(represents, np.searchsorted(row_key, key)) if key.size else represents
    changed = np.array(
        [bool(table.declared.get(r.name, {}).get("directed")) and not r.directed for r in relations], dtype=bool
    )
    n = len(table.objects)
    two_cells = changed[key // (n * n)] & (key // n % n != key % n)
    return np.where(two_cells, negatives.represented_by_either(each), each)


def _count_positives(relations: Sequence[Relation], key: Int64Array, y: Array, n: int) -> list[int]:
    """The number of entries of each relation above its negative value."""
    bounds = np.searchsorted(key, np.arange(len(relations) + 1) * n * n)
    return [
        int(np.count_nonzero(y[bounds[k] : bounds[k + 1]] > units.negative(relation)))
        for k, relation in enumerate(relations)
    ]


def _count_self_pairs(key: Int64Array, n: int) -> int:
    """The number of self-pairs among keys."""
    cell = key % (n * n)
    return int(np.count_nonzero(cell // n == cell % n))
