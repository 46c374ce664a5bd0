"""A mask: a second table that marks pairs as observed (1 or true) or unobserved (0 or false).

A pair with 0 is unobserved, whatever the data says about it. A pair with 1, or a pair that is not in the mask, stays as
it is in the data.
"""

from collections.abc import Sequence

import numpy as np

from ..errors import DataError, Problem, Problems
from ..typing import IndexArray, Int32Array, Int64Array
from .relations import Relation
from .table import Table, sorted_keys
from .validation import entry_keys


def hidden_keys(mask: Table, objects: Sequence[str], relations: Sequence[Relation]) -> Int64Array:
    """The sorted keys of the pairs that the mask hides, among the objects and relations of the data.

    A mask that names no relation, such as a single matrix, applies to all relations.

    >>> likes = Relation("likes", "binary", directed=False)
    >>> mask = Table.from_names(["bob", "cat"], ["likes", "likes"], ["ann", "ann"], values=[0, 1])
    >>> hidden_keys(mask, ["ann", "bob", "cat"], [likes])
    array([1])
    """
    if mask.values is None:
        expected = "a column of values: 1 (observed) or 0 (unobserved) for each pair"
        raise DataError(Problem("a mask without values", expected), file=mask.file)
    problems = Problems(mask.file)
    place = _positions(mask, "object", mask.objects, objects, problems)
    names = [relation.name for relation in relations]
    if mask.named:
        relation_index = _positions(mask, "relation", mask.relations, names, problems)[mask.k]
    for row in problems.first(np.flatnonzero(~(np.isnan(mask.values) | (mask.values == 0) | (mask.values == 1)))):
        problems.add(f"{mask.values[row]:g}", "1 (observed) or 0 (unobserved) in a mask", *mask.place(row))
    problems.check()
    i, j = place[mask.i], place[mask.j]
    # Sorted once, because both rows and relations can be many.
    order = np.argsort(relation_index, kind="stable") if mask.named else np.arange(mask.k.size)
    bounds = np.searchsorted(relation_index[order], np.arange(len(relations) + 1)) if mask.named else None
    hidden = []
    for k, relation in enumerate(relations):
        rows = order if bounds is None else order[bounds[k] : bounds[k + 1]]
        low, high = i[rows], j[rows]
        if not relation.directed:
            low, high = np.minimum(low, high), np.maximum(low, high)
        key = entry_keys(low, high, np.full(rows.size, k, dtype=np.int32), len(objects))
        hidden.append(_hidden_of_relation(mask, relation.name, key, rows, problems))
    problems.check()
    return np.concatenate(hidden)


def _hidden_of_relation(mask: Table, name: str, key: Int64Array, rows: IndexArray, problems: Problems) -> Int64Array:
    """The keys with a 0; a pair with both 0 and 1 is a problem."""
    assert mask.values is not None
    order, key = sorted_keys(key)
    values = mask.values[rows[order]]
    clash = np.flatnonzero((key[1:] == key[:-1]) & (values[1:] + values[:-1] == 1))
    for row in problems.first(rows[order[clash + 1]]):
        problems.add(f"both 0 and 1 for a pair of {name!r}", "one value per pair in a mask", *mask.place(row))
    return np.unique(key[values == 0])


def _positions(mask: Table, noun: str, names: Sequence[str], known: Sequence[str], problems: Problems) -> Int32Array:
    """The position in the data of each name of the mask; an unknown name is a problem."""
    index = {name: position for position, name in enumerate(known)}
    unknown = [position for position, name in enumerate(names) if name not in index]
    examples = ", ".join(map(repr, known[:5])) + ", …" * (len(known) > 5)
    for position in problems.first(unknown):
        used = mask.k == position if noun == "relation" else (mask.i == position) | (mask.j == position)
        line = mask.line(int(np.argmax(used))) if used.any() else None
        problems.add(f"the {noun} {names[position]!r} in a mask", f"one of the {noun}s of the data: {examples}", line)
    return np.array([index.get(name, -1) for name in names], dtype=np.int32)
