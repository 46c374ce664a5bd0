"""A mask: a second table that says which pairs were observed at all, 1 or true, and which were not, 0 or false.

A pair with 0 becomes unobserved, whatever the data says of it and whatever an absent row means. A pair with 1,
or that the mask does not mention, stays as the data has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import MAX_PROBLEMS, DataError, Problem, Problems
from ..typing import IndexArray, Int32Array, Int64Array
from .relations import Relation
from .table import Table, sorted_keys
from .units import problem_at
from .validation import entry_keys


def hidden_keys(mask: Table, objects: Sequence[str], relations: Sequence[Relation]) -> Int64Array:
    """The keys of the pairs that the mask hides, ascending, among the objects and relations of the data.

    A mask that names no relation (one matrix, say) holds for all of them.

    >>> likes = Relation("likes", "binary", directed=False)
    >>> mask = Table.from_names(["bob", "cat"], ["likes", "likes"], ["ann", "ann"], values=[0, 1])
    >>> hidden_keys(mask, ["ann", "bob", "cat"], [likes])
    array([1])
    """
    if mask.values is None:
        expected = "a value for each pair: 1 (observed) or 0 (missing)"
        raise DataError(Problem("a mask without values", expected), file=mask.file)
    problems = Problems(mask.file)
    place = _positions(mask, "object", mask.objects, objects, problems)
    names = [relation.name for relation in relations]
    if mask.named:
        its_relation = _positions(mask, "relation", mask.relations, names, problems)[mask.k]
    wrong = np.flatnonzero(~(np.isnan(mask.values) | (mask.values == 0) | (mask.values == 1)))
    problems.extend(
        (
            problem_at(mask, row, f"{mask.values[row]:g}", "1 (observed) or 0 (missing) in a mask")
            for row in wrong[:MAX_PROBLEMS]
        ),
        wrong.size,
    )
    problems.check()
    i, j = place[mask.i], place[mask.j]
    hidden = []
    for k, relation in enumerate(relations):
        rows = np.flatnonzero(its_relation == k) if mask.named else np.arange(mask.k.size)
        hidden.append(_hidden_in(mask, relation, k, i[rows], j[rows], rows, len(objects), problems))
    problems.check()
    return np.concatenate(hidden)


def _hidden_in(
    mask: Table,
    relation: Relation,
    k: int,
    i: Int32Array,
    j: Int32Array,
    rows: IndexArray,
    n: int,
    problems: Problems,
) -> Int64Array:
    assert mask.values is not None
    said = mask.values[rows]
    if not relation.directed:
        i, j = np.minimum(i, j), np.maximum(i, j)
    order, key = sorted_keys(entry_keys(i, j, np.full(i.size, k, dtype=np.int32), n))
    said = said[order]
    clash = np.flatnonzero((key[1:] == key[:-1]) & (said[1:] + said[:-1] == 1))
    problems.extend(
        (
            problem_at(
                mask, rows[order[at + 1]], f"0 and 1 for one pair of {relation.name!r}", "one value a pair in a mask"
            )
            for at in clash[:MAX_PROBLEMS]
        ),
        clash.size,
    )
    return np.unique(key[said == 0])


def _positions(mask: Table, what: str, names: Sequence[str], known: Sequence[str], problems: Problems) -> Int32Array:
    """The position in the data of each name of the mask; an unknown one is a problem."""
    index = {name: position for position, name in enumerate(known)}
    unknown = [position for position, name in enumerate(names) if name not in index]
    few = ", ".join(map(repr, known[:5])) + (", …" if len(known) > 5 else "")
    for position in unknown[:MAX_PROBLEMS]:
        used = mask.k == position if what == "relation" else (mask.i == position) | (mask.j == position)
        line = mask.line(int(np.argmax(used))) if used.any() else None
        problems.add(f"the {what} {names[position]!r} in a mask", f"{what}s of the data: {few}", line)
    problems.extend((), max(len(unknown) - MAX_PROBLEMS, 0))
    return np.array([index.get(name, -1) for name in names], dtype=np.int32)
