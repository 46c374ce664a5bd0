"""Other names for relations, and transforms of their values, such as log(1 + y) for trade or other heavy tails."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import Problem, Problems, raise_problems
from ..typing import Array, Int32Array
from .arguments import argument_error, short_repr
from .relations import Relation
from .table import Table


@dataclass(frozen=True)
class Transform:
    """A function of the values of a relation, which is real afterwards.

    Attributes:
        formula: the function as text.
        function: the function.
        low: the smallest value it is defined for.
    """

    formula: str
    function: Callable[[Array], Array]
    low: float

    def rename(self, name: str) -> str:
        """The name of a transformed relation: it says on what scale its values and predictions are.

        >>> TRANSFORMS["log1p"].rename("trade")
        'log(1 + trade)'
        """
        return self.formula.replace("y", name)


TRANSFORMS = {"log1p": Transform("log(1 + y)", np.log1p, 0.0)}
"""The transforms by name."""


def rename_relations(table: Table, names: Mapping[str, str] | None) -> Table:
    """The table with other names for some relations.

    >>> rename_relations(Table.from_names(["ann"], ["1"], ["bob"]), {"1": "advice"}).relations
    ('advice',)
    """
    if not isinstance(names, Mapping | None):
        raise argument_error("rename", names, "new names for some relations, such as {'1': 'advice'}")
    if not names:
        return table
    check_known(names, "rename", table)
    problems = [
        Problem(f"{short_repr(new)} as the new name of {old!r}", "a name")
        for old, new in names.items()
        if not isinstance(new, str) or not new.strip()
    ]
    relations = tuple(names.get(name, name) for name in table.relations)
    if not problems:
        repeated = [name for name, count in Counter(relations).items() if count > 1]
        problems = [Problem(f"the name {name!r} for two relations", "different names") for name in repeated]
    raise_problems(problems, table.file)
    declared = {names.get(name, name): facts for name, facts in table.declared.items()}
    return replace(table, relations=relations, declared=declared)


def check_known(names: Iterable[str], option: str, table: Table) -> None:
    """Raise an error if an option names a relation that the table does not have."""
    known = set(table.relations)
    expected = ", ".join(map(repr, table.relations[:20])) + ", …" * (len(table.relations) > 20)
    problems = [Problem(f"relation {name!r} in {option}", f"one of {expected}") for name in names if name not in known]
    raise_problems(problems, table.file)


def check_transforms(transform: Mapping[str, str] | None, kinds: Mapping[str, str], table: Table) -> dict[str, str]:
    """The kinds, with those of transformed relations. Both mappings are arguments of `mrwtd.read`.

    >>> check_transforms({"trade": "log1p"}, {}, Table.from_names(["us"], ["trade"], ["uk"], values=[900]))
    {'trade': 'real'}
    """
    if not isinstance(transform, Mapping | None):
        raise argument_error("transform", transform, "a transform for some relations, such as {'trade': 'log1p'}")
    transform = transform or {}
    check_known(transform, "transform", table)
    problems = []
    for name, function in transform.items():
        if not isinstance(function, str) or function not in TRANSFORMS:
            problems.append(
                Problem(f"transform {short_repr(function)} for {name!r}", f"one of {', '.join(TRANSFORMS)}")
            )
        if kinds.get(name, "real") != "real":
            problems.append(Problem(f"kind {short_repr(kinds[name])} for {name!r}, which is transformed", "kind real"))
    raise_problems(problems, table.file)
    return {**kinds, **dict.fromkeys(transform, "real")}


def check_domain(table: Table, transform: Mapping[str, str], problems: Problems) -> None:
    """Collect the values that a transform is not defined for."""
    for name, function in transform.items():
        low, k = TRANSFORMS[function].low, table.relations.index(name)
        rows = np.zeros(0, dtype=np.int64)
        if table.values is not None:
            rows = np.flatnonzero((table.k == k) & (table.values < low))
        for row in problems.first(rows):
            assert table.values is not None
            expected = f"a number of at least {low:g} for {TRANSFORMS[function].formula}"
            problems.add(f"{table.values[row]:g} in {name!r}", expected, *table.place(row))


def apply_transforms(
    relations: Sequence[Relation], k: Int32Array, y: Array, transform: Mapping[str, str]
) -> tuple[list[Relation], Array]:
    """The relations with the names of their transforms, and the transformed values; k is ascending."""
    if not transform:
        return list(relations), y
    y, bounds = y.copy(), np.searchsorted(k, np.arange(len(relations) + 1))
    transformed = list(relations)
    for position, relation in enumerate(relations):
        if relation.name in transform:
            function = TRANSFORMS[transform[relation.name]]
            part = slice(bounds[position], bounds[position + 1])
            y[part] = function.function(y[part])
            transformed[position] = replace(relation, name=function.rename(relation.name))
    return transformed, y
