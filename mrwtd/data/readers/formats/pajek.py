"""Pajek networks: `.net`, with one relation or several.

    *Vertices 3
    1 "ann"
    *Arcs :1 "advice"      directed ties: from to [value]
    *Edges :2 "kin"        undirected ties: one other [value]
    *Arcslist, *Edgeslist  one vertex, then all that it is tied to
    *Matrix :3 "distance"  a row a vertex, a number for each other

A line `2: 5 7 1` in a list of ties belongs to relation 2, whatever the list says. Lines that begin with % are comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ....errors import Problems
from ...table import Table
from ..format import FORMATS, Reader
from ..parsing.grids import refuse_many
from ..parsing.lines import MOST_UNNAMED, floats, numbered, quote, whole, words
from ..parsing.ties import Ties
from ..source import Source

_START = re.compile(rb"\s*+(?:%[^\r\n]*+[\r\n]\s*+)*+\*(vertices|network)\b", re.IGNORECASE)
_SECTION = re.compile(r'\*\s*(\w+)\s*(?::\s*(\d{1,9}))?\s*(?:"([^"]*)"|(.*))')
_NUMBERED = re.compile(r"(\d{1,9})\s*:\s*(.*)")
# What may stand after the ends instead of a value: how to draw the tie, or when it held.
_DRAWING = re.compile(r"w|c|p|s|a|ap|l|lp|lr|lphi|lc|la|font|fos|[hak][12]|\[.*", re.IGNORECASE)
_LISTS = ("arcs", "edges", "arcslist", "edgeslist")


@dataclass
class _Network:
    """What has been read so far."""

    source: Source
    problems: Problems
    size: int = 0
    rows: int = 0
    """Of a network of two sets, the size of the first; else 0."""
    labels: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    ties: list[tuple[int, int, int, float, int, bool]] = field(default_factory=list)
    matrices: list[tuple[int, int, list[tuple[int, list[str]]]]] = field(default_factory=list)


def matches(source: Source) -> bool:
    """Whether the name says so, or the file begins with its vertices."""
    return source.extension == "net" or _START.match(source.start[:4096]) is not None


def read(source: Source) -> Table:
    r"""The relations of a network, with the vertices' labels as objects.

    >>> read(Source("advice.net", b'*Vertices 2\n1 "ann"\n2 "bob"\n*Arcs\n1 2 3\n')).objects
    ('ann', 'bob')
    """
    network = _Network(source, Problems(source.name))
    section, relation = "", 1
    for number, line in numbered(source.text):
        text = line.strip()
        if not text or text.startswith(("%", "/*")):
            continue
        if text.startswith("*"):
            section, relation = _section(network, text, number)
        elif section == "vertices":
            _vertex(network, text, number)
        elif section == "matrix":
            network.matrices[-1][2].append((number, words(text)))
        elif section in _LISTS:
            _tie(network, section, relation, text, number)
        elif section == "":
            network.problems.add(quote(text), "*Vertices and their number", number)
            break
    _cells(network)
    network.problems.check()
    return _table(network)


def _section(network: _Network, text: str, line: int) -> tuple[str, int]:
    """What the lines below hold, and of which relation."""
    match = _SECTION.match(text)
    kind = "" if match is None else match[1].lower()
    if match is None or kind not in ("vertices", "network", "matrix", *_LISTS):
        network.problems.add(quote(text), "*Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist or *Matrix", line)
        return "unknown", 1
    if kind == "vertices":
        sizes = [whole(word) for word in text.split()[1:3]]
        if network.size:
            network.problems.add("*Vertices again", "one network a file", line)
        elif not sizes or sizes[0] is None:
            network.problems.add(quote(text), "*Vertices and their number", line)
        elif sizes[0] > MOST_UNNAMED and sizes[0] > len(network.source.content):
            network.problems.add(f"{sizes[0]:,} vertices", f"at most {MOST_UNNAMED:,} without labels", line)
        else:
            network.size, network.rows = sizes[0], (sizes[1:] or [0])[0] or 0
        return kind, 1
    relation = int(match[2] or 1)
    name = match[3] or (match[4] or "").strip()
    if name and kind != "network" and network.names.setdefault(relation, name) != name:
        known = network.names[relation]
        network.problems.add(f"relation {relation} named {quote(name)}", f"{quote(known)}, as before", line)
    if kind == "matrix":
        network.matrices.append((relation, line, []))
    return kind, relation


def _vertex(network: _Network, text: str, line: int) -> None:
    found = words(text)
    number = whole(found[0]) if found else None
    if number is None or not 1 <= number <= network.size:
        network.problems.add(quote(text), f"the number of a vertex, 1 to {network.size}, and its label", line)
    elif number in network.labels:
        network.problems.add(f"vertex {number} again", "each vertex once", line)
    else:
        network.labels[number] = found[1] if len(found) > 1 and found[1] else str(number)


def _tie(network: _Network, section: str, relation: int, text: str, line: int) -> None:
    if numbered_line := _NUMBERED.fullmatch(text):
        relation, text = int(numbered_line[1]), numbered_line[2]
    found = words(text)
    ends = found if section.endswith("list") else found[:2]
    # Some lists mark the vertices of undirected ties with a minus.
    numbers = [whole(word.removeprefix("-") if section == "edgeslist" else word) for word in ends]
    good = [number for number in numbers if number is not None and 1 <= number <= network.size]
    if len(good) < max(len(ends), 2):
        network.problems.add(quote(text), f"numbers of vertices, 1 to {network.size}", line)
        return
    value = 1.0
    if not section.endswith("list") and len(found) > 2 and not _DRAWING.fullmatch(found[2]):
        values, wrong = floats(found[2:3])
        value = float(values[0])
        if wrong[0]:
            network.problems.add(quote(found[2]), "a finite number", line)
    for target in good[1:]:
        network.ties.append((good[0], target, relation, value, line, section.startswith("edges")))


def _cells(network: _Network) -> None:
    """The matrices as ties, each cell one."""
    height = network.rows or network.size
    width, offset = network.size - network.rows, network.rows
    for relation, line, rows in network.matrices:
        if len(rows) != height:
            network.problems.add(f"a matrix of {len(rows)} rows", f"{height} rows", line)
        refuse_many(sum(len(found) for _, found in rows) + len(network.ties), network.source.name)
        for row, (number, found) in enumerate(rows, start=1):
            values, wrong = floats(found)
            if len(found) != width:
                network.problems.add(f"{len(found)} numbers", f"{width}", number)
            for word, bad in zip(found, wrong, strict=True):
                if bad:
                    network.problems.add(quote(word), "a finite number", number)
            network.ties += [
                (row, offset + column, relation, float(value), number, False)
                for column, value in enumerate(values, start=1)
            ]


def _table(network: _Network) -> Table:
    notes = []
    labels = [network.labels.get(number, str(number)) for number in range(1, network.size + 1)]
    if len(set(labels)) < len(labels):
        labels = [str(number) for number in range(1, network.size + 1)]
        notes.append("objects are called by their numbers, since labels repeat")
    used = sorted({tie[2] for tie in network.ties} | set(network.names))
    alone = used in ([], [1])
    names = {k: network.names.get(k) or (network.source.stem if alone else f"relation {k}") for k in used}
    for k in used:
        twins = [other for other in used if names[other] == names[k]]
        if twins[0] != k:
            network.problems.add(f"{quote(names[k])} for relations {twins[0]} and {k}", "a name for each relation")
    network.problems.check()
    ties = Ties()
    for i, j, k, value, line, undirected in network.ties:
        ties.add(labels[i - 1], names[k], labels[j - 1], value, line=line, undirected=undirected)
    table = ties.table(objects=labels, relations=list(names.values()), notes=notes, file=network.source.name)
    # A matrix does not say whether it is meant to be symmetric.
    unsaid = {names[relation] for relation, _, _ in network.matrices}
    declared = {name: said for name, said in table.declared.items() if name not in unsaid}
    return replace(table, declared=declared, named=bool(network.names) or not alone)


READER = FORMATS.register(
    Reader(
        name="pajek",
        about="a Pajek network with *Vertices, and *Arcs, *Edges or *Matrix for each relation (.net)",
        extensions=("net",),
        matches=matches,
        read=read,
        order=20,
    )
)
