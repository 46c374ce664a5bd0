"""The sections of a Pajek project: networks, and partitions and vectors that describe their vertices.

*Network Trade
*Vertices 3 …
*Partition Continent
*Vertices 3
1
2
2
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ....errors import Problems
from ....typing import Array
from ...limits import ATTRIBUTES
from .lines import checked_floats, enumeration, quote, whole_number

_SECTION = re.compile(r"\*\s*+(network|partition|vector|permutation|cluster|hierarchy)\b\s*+(.*)", re.IGNORECASE)

UNKNOWN = 9_999_998
"""Pajek's number for a missing value."""

LARGEST = 2**53
"""Whole numbers below it are exact."""

_KINDS = ("partition", "vector")

Line = tuple[int, str]


@dataclass
class Section:
    """A section of a project: its kind, its title, its first line, and its lines with their numbers."""

    kind: str
    title: str
    line: int
    lines: list[Line] = field(default_factory=list)


def sections(lines: Iterable[Line]) -> list[Section]:
    """The sections of a file. Lines before the first one belong to a network without a title.

    >>> [(part.kind, part.title) for part in sections([(1, "*Vertices 2"), (2, "*Partition Sex"), (3, "*Vertices 2")])]
    [('network', ''), ('partition', 'Sex')]
    """
    parts: list[Section] = []
    for number, line in lines:
        if match := _SECTION.match(line.strip()):
            parts.append(Section(match[1].lower(), match[2].strip().strip('"'), number))
        else:
            if not parts and line.strip() and not line.strip().startswith(("%", "/*")):
                parts.append(Section("network", "", number))
            if parts:
                parts[-1].lines.append((number, line))
    return parts


def vertex_values(section: Section, problems: Problems) -> Array | None:
    """The values of a partition or a vector, NaN where they are missing; None if they have problems."""
    rows = [(number, text.strip()) for number, text in section.lines if text.strip() and text.strip()[0] != "%"]
    words = rows[0][1].split() if rows else []
    size = whole_number(words[1]) if len(words) == 2 and words[0].lower() == "*vertices" else None
    where = f"{section.kind} {section.title!r}"
    if size is None:
        problems.add(quote(rows[0][1]) if rows else "nothing", "*Vertices and their number", section.line, where)
        return None
    if len(rows) - 1 != size:
        problems.add(f"{len(rows) - 1} lines", f"{size}, one per vertex", section.line, where)
        return None
    values = [float(checked_floats(text.split()[-1:], number, problems)[0]) for number, text in rows[1:]]
    numbers = np.array(values, dtype=np.float64)
    return np.where(numbers == UNKNOWN, np.nan, numbers)


def attributes(
    parts: Sequence[Section], labels: Sequence[tuple[str, ...]], objects: Sequence[str], problems: Problems
) -> tuple[pd.DataFrame | None, list[str]]:
    """Partitions and vectors as attributes of all objects, and notes.

    Each belongs to the last network above it with as many vertices, or else to any; `labels` has the vertices of each
    network.
    """
    columns: dict[str, pd.Series] = {}
    notes, above = list[str](), 0
    unused = [f"*{part.kind} {part.title}".strip() for part in parts if part.kind not in ("network", *_KINDS)]
    for part in parts:
        above += part.kind == "network"
        if part.kind not in _KINDS:
            continue
        values = vertex_values(part, problems)
        if values is None:
            continue
        fitting = [names for names in (*labels[:above][::-1], *labels[above:]) if len(names) == values.size]
        title = part.title or part.kind
        if not fitting:
            unused.append(title)
            continue
        copies = sum(name == title or name.startswith(f"{title} (") for name in columns)
        is_whole = part.kind == "partition" and bool((np.abs(values) < LARGEST).all()) and not (values % 1).any()
        column = values.astype(np.int64) if is_whole else values
        columns[title if not copies else f"{title} ({copies + 1})"] = pd.Series(column, index=list(fitting[0]))
        ATTRIBUTES.check(len(columns), None)
    if unused:
        notes.append(f"Not used: {enumeration(unused)}.")
    if not columns:
        return None, notes
    notes.append(f"Attributes of the objects: {enumeration(list(columns))}.")
    return pd.DataFrame(columns).reindex(pd.Index(list(objects), dtype="str")), notes
