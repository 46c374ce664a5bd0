"""The roles of columns and edge attributes, from their names: source, target, relation, value, weight.

Names are compared by their letters in lower case, without an ending such as id or name: `Source_ID`, `source` and
`source name` are equal.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

SYNONYMS = {
    "source": (
        "source", "subject", "head", "from", "src", "snd", "sender", "ego", "start", "origin", "actor1", "node1",
        "entity1", "person1", "object1", "vertex1", "var1", "nodea", "ida", "h", "s", "i",
    ),
    "target": (
        "target", "object", "tail", "to", "dst", "dest", "destination", "rec", "receiver", "recipient", "alter", "end",
        "actor2", "node2", "entity2", "person2", "object2", "vertex2", "var2", "nodeb", "idb", "t", "o", "j",
    ),
    "relation": (
        "relation", "predicate", "relationship", "rel", "edgetype", "linktype", "tietype", "property", "layer",
        "kind", "label", "type", "interaction", "r", "p", "k",
    ),
    "value": (
        "value", "val", "score", "rating", "count", "strength", "intensity", "amount", "frequency", "freq", "level",
        "truth", "tie", "sign", "y",
    ),
    "weight": ("weight", "weights", "w"),
}  # fmt: skip
"""For each role, the names that denote it, the best first."""

_ROLES = {name: (noun, rank) for noun, names in reversed(SYNONYMS.items()) for rank, name in enumerate(names)}

NO_RELATION = frozenset(
    ("", "time", "timestamp", "timeset", "date", "datetime", "year", "month", "day", "index", "row", "unnamed", "key")
)
"""Names of columns with times or row numbers, which are never a relation of a wide list."""

_ENDINGS = ("id", "ids", "name", "node", "label", "code", "idx")


@dataclass(frozen=True)
class Roles:
    """The columns of each role, by position.

    >>> roles(["Weight", "to", "from", "when"])
    Roles(source=2, target=1, relations=(), value=None, weight=0, others=(3,))

    Attributes:
        source, target: the objects.
        relations: the columns that may name the relation, the best first.
        value, weight: numbers, or None.
        others: columns without a role.
    """

    source: int
    target: int
    relations: tuple[int, ...]
    value: int | None
    weight: int | None
    others: tuple[int, ...]

    @property
    def value_and_weight(self) -> tuple[int | None, int | None]:
        """The columns to read as value and as weight; a weight without a value is the value."""
        return (self.weight, None) if self.value is None else (self.value, self.weight)


def role(name: str) -> tuple[str, int] | None:
    """The role of a column with this name, and the rank of the name among the names of the role (0 is best).

    >>> role("FromNodeId"), role("colour")
    (('source', 3), None)
    """
    word = letters(name)
    while True:
        if word in _ROLES:
            return _ROLES[word]
        ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) > len(e) + 1), None)
        if ending is None:
            return None
        word = word.removesuffix(ending)


def roles(header: Sequence[str]) -> Roles | None:
    """The roles of the columns, or None if there is no source or no target."""
    ranked = sorted((known[1], position, known[0]) for position, name in enumerate(header) if (known := role(name)))
    sources, targets, relations, values, weights = (
        [position for _, position, noun in ranked if noun == wanted] for wanted in SYNONYMS
    )
    if not sources or not targets:
        return None
    value, weight = (next(iter(positions), None) for positions in (values, weights))
    used = {sources[0], targets[0], *relations, value, weight}
    others = tuple(position for position in range(len(header)) if position not in used)
    return Roles(sources[0], targets[0], tuple(relations), value, weight, others)


def best_name(names: Sequence[str], noun: str) -> str | None:
    """The best name with a role, or None if there is none.

    >>> best_name(["Weight", "Label", "Layer"], "relation")
    'Layer'
    """
    ranked = [(known[1], name) for name in names if (known := role(name)) and known[0] == noun]
    return min(ranked, default=(0, None), key=lambda pair: pair[0])[1]


def value_and_weight(numeric: Sequence[str]) -> tuple[str | None, str | None]:
    """The value and the weight among numeric attributes; a weight without a value is the value.

    >>> value_and_weight(["weight"]), value_and_weight(["weight", "value"]), value_and_weight(["rank"])
    (('weight', None), ('value', 'weight'), ('rank', None))
    """
    value, weight = best_name(numeric, "value"), best_name(numeric, "weight")
    if value is None and len(others := [name for name in numeric if name != weight]) == 1:
        value = others[0]
    return (weight, None) if value is None else (value, weight)


def is_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether the first row has column names, given some of the rows below.

    Single letters (h, r, t) are column names only if all of them are and no row below has them, because they can be
    names of objects too.

    >>> is_header(["subject", "predicate", "object"], []), is_header(["ann", "likes", "bob"], [])
    (True, False)
    >>> is_header(["h", "r", "t"], [["a", "r", "b"]])
    False
    """
    if roles(first) is None:
        return False
    if any(len(name.strip()) > 1 for name in first if role(name)):
        return True
    below = {cell.strip() for row in rest for cell in row}
    return all(role(name) for name in first) and not below.intersection(name.strip() for name in first)


def is_time(name: str) -> bool:
    """Whether a column with this name has times or row numbers, and is no relation.

    >>> is_time("Time stamp"), is_time("friendship")
    (True, False)
    """
    return letters(name).rstrip("0123456789") in NO_RELATION


def relation_columns(header: Sequence[str], columns: Roles) -> tuple[int, ...]:
    """The columns of a wide list that are relations; none if the list is long.

    A list is long if a column names the relation, if a column is called value or weight, or if the only column besides
    the objects has a role.

    >>> header = ["source", "target", "date", "advice", "trust"]
    >>> relation_columns(header, roles(header))
    (3, 4)
    """
    if columns.relations:
        return ()
    ends = (columns.source, columns.target)
    others = [c for c in range(len(header)) if c not in ends and not is_time(header[c])]
    known = [role(header[c]) for c in others]
    if any(name in (("value", 0), ("value", 1), ("weight", 0)) for name in known):
        return ()
    return () if len(others) == 1 and known[0] is not None else tuple(others)


def letters(name: str) -> str:
    """The letters and digits of a name, in lower case.

    >>> letters("Node_ID")
    'nodeid'
    """
    return re.sub(r"[\W_]+", "", name).lower()
