"""What the columns of a list are, from the names at their head.

Names are compared as letters alone, in any case, without an ending such as id or name: `Source_ID`, `source` and
`source name` are one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

SYNONYMS = {
    "source": (
        "source", "subject", "head", "from", "src", "sender", "ego", "start", "origin", "actor1", "node1", "entity1",
        "person1", "object1", "nodea", "ida", "h", "s", "i",
    ),
    "target": (
        "target", "object", "tail", "to", "dst", "dest", "destination", "receiver", "recipient", "alter", "end",
        "actor2", "node2", "entity2", "person2", "object2", "nodeb", "idb", "t", "o", "j",
    ),
    "relation": (
        "relation", "predicate", "relationship", "rel", "edgetype", "linktype", "tietype", "property", "layer",
        "label", "type", "r", "p", "k",
    ),
    "value": (
        "value", "val", "score", "rating", "count", "strength", "intensity", "amount", "frequency", "level", "truth",
        "tie", "y",
    ),
    "weight": ("weight", "weights", "w"),
}  # fmt: skip
"""For each part that a column can play, the names by which it is known, the best first."""

NO_RELATION = frozenset(
    ("", "time", "timestamp", "timeset", "date", "datetime", "year", "month", "day", "index", "row", "unnamed", "key")
)
"""Names of columns that say when or which, and are never a relation of a wide list."""

_ENDINGS = ("id", "ids", "name", "node", "label", "code", "idx")


@dataclass(frozen=True)
class Roles:
    """Which column plays which part, by position.

    >>> roles(["Weight", "to", "from", "when"])
    Roles(source=2, target=1, relations=(), value=None, weight=0, others=(3,))

    Attributes:
        source, target: the objects.
        relations: the columns that may name the relation, the best first.
        value, weight: numbers, or None.
        others: what plays no part.
    """

    source: int
    target: int
    relations: tuple[int, ...]
    value: int | None
    weight: int | None
    others: tuple[int, ...]


def role(name: str) -> tuple[str, int] | None:
    """The part that a column of this name plays, and how well the name says so (0 is best).

    >>> role("FromNodeId"), role("colour")
    (('source', 3), None)
    """
    word = _letters(name)
    while True:
        for part, names in SYNONYMS.items():
            if word in names:
                return part, names.index(word)
        ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) > len(e) + 1), None)
        if ending is None:
            return None
        word = word.removesuffix(ending)


def roles(header: Sequence[str]) -> Roles | None:
    """The parts that the columns play, or None where no source or no target is among them."""
    found: dict[str, list[tuple[int, int]]] = {part: [] for part in SYNONYMS}
    for position, name in enumerate(header):
        known = role(name)
        if known:
            found[known[0]].append((known[1], position))
    best = {part: [position for _, position in sorted(columns)] for part, columns in found.items()}
    if not best["source"] or not best["target"]:
        return None
    first = {part: columns[0] if columns else None for part, columns in best.items()}
    used = {*first.values(), *best["relation"]}
    assert first["source"] is not None
    assert first["target"] is not None
    return Roles(
        first["source"],
        first["target"],
        tuple(best["relation"]),
        first["value"],
        first["weight"],
        tuple(position for position in range(len(header)) if position not in used),
    )


def is_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names columns, given some of the rows below.

    Single letters (h, r, t) are names of columns only where all of them are and no row below uses them: they are
    good names of objects too.

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
    """Whether a column of this name says when or which row, and is no relation of its own.

    >>> is_time("Time stamp"), is_time("friendship")
    (True, False)
    """
    return _letters(name).rstrip("0123456789") in NO_RELATION


def relation_columns(header: Sequence[str], part: Roles) -> tuple[int, ...]:
    """The columns that are relations of their own, where a list is a wide one; none where it is a long one.

    It is long where a column names the relation, where one is called value or weight, or where the only
    column besides the objects is of that sort.

    >>> header = ["source", "target", "date", "advice", "trust"]
    >>> relation_columns(header, roles(header))
    (3, 4)
    """
    if part.relations:
        return ()
    columns = [c for c in range(len(header)) if c not in (part.source, part.target) and not is_time(header[c])]
    parts = [role(header[c]) for c in columns]
    if any(known in (("value", 0), ("value", 1), ("weight", 0)) for known in parts):
        return ()
    return () if len(columns) == 1 and parts[0] is not None else tuple(columns)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()
