"""Pajek networks, `.net`, with one relation or several, and projects, `.paj`, with several networks.

    *Vertices 3            or, for two sets of vertices, their number and that of the first set: *Vertices 3 1
    1 "ann"
    *Arcs :1 "advice"      directed ties: source target [value]
    *Edges :2 "kin"        undirected ties: vertex vertex [value]
    *Arcslist, *Edgeslist  one vertex, then all vertices it is tied to
    *Matrix :3 "distance"  one row per vertex, one number per column

A line `2: 5 7 1` in a list of ties belongs to relation 2, whatever the list says. Lines that start with % are comments.
The networks of a project are joined by the labels of their vertices, and its partitions and vectors are attributes. If
all ties of a network have times, `1 2 3 [4,6-8]`, each time is a relation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ....errors import Problems
from ....typing import Array
from ...factorized import Factorized
from ...limits import ENTRIES, UNLABELLED
from ...table import Table
from ..parsing.bipartite import with_sides
from ..parsing.lines import Tie, Ties, checked_floats, numbered, quote, whole_number, words
from ..parsing.matrix import default_names
from ..parsing.pajek_project import Section, attributes, sections
from ..parsing.plain_tail import load_tail, one_relation
from ..source import Source, register_format
from .lists import concatenate

_START = re.compile(rb"\s*+(?:%[^\r\n]*+[\r\n]\s*+)*+\*(vertices|network)\b", re.IGNORECASE)
_SECTION = re.compile(r'\*\s*(\w+)\s*(?::\s*(\d{1,9}))?\s*(?:"([^"]*)"|(.*))')
_NUMBERED = re.compile(r"(\d{1,9})\s*:\s*(.*)")
# Allowed after the vertices in place of a value: how to draw the tie, or its time.
_DRAWING = re.compile(r"w|c|p|s|a|ap|l|lp|lr|lphi|lc|la|font|fos|[hak][12]|\[.*", re.IGNORECASE)
_TIMES = re.compile(r"\[([\d,\s-]*+)\]\s*+$")
_LAST = re.compile(rb"\n\*(arcs|edges)[ \t]*\n", re.IGNORECASE)

MAX_TIMES = 100
"""The largest number of times of one tie."""

_LISTS = ("arcs", "edges", "arcslist", "edgeslist")


@dataclass
class _Network:
    """The content of one network that was read so far."""

    source: Source
    title: str
    """The name of its only relation, if the file does not name it."""
    problems: Problems = field(default_factory=Problems)
    size: int = 0
    rows: int = 0
    """The size of the first set in a network of two sets, otherwise 0."""
    labels: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    ties: Ties = field(default_factory=Ties)
    matrices: list[tuple[int, int, list[tuple[int, Array]]]] = field(default_factory=list)
    """The relation, the line and the rows of each matrix, each row with its line."""
    times: list[int] = field(default_factory=list)
    """The times of ties that have one."""
    plain: Table | None = None
    """All ties, if they are plain lines of the only relation."""

    def unique_labels(self) -> tuple[list[str], list[str]]:
        """The names of the objects, and a note if they are not the labels."""
        labels = [self.labels.get(number, str(number)) for number in range(1, self.size + 1)]
        if len(set(labels)) == len(labels):
            return labels, []
        return default_names(self.size), ["Objects are named by their numbers, because labels are not unique."]


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts with its vertices."""
    return source.extension in ("net", "paj") or _START.match(source.start[:4096]) is not None


@register_format(
    "pajek",
    "a Pajek network: *Vertices, then *Arcs, *Edges or *Matrix per relation (.net), or a project (.paj)",
    ("net", "paj"),
    matches,
    order=20,
)
def read(source: Source) -> Table:
    r"""The relations of a network, with the labels of vertices as objects.

    >>> read(Source("advice.net", b'*Vertices 2\n1 "ann"\n2 "bob"\n*Arcs\n1 2 3\n')).objects
    ('ann', 'bob')
    """
    problems = Problems()
    parts, read_networks = _plain(source) or ([], [])
    if not read_networks:
        parts = sections(numbered(source.text))
        networks = [part for part in parts if part.kind == "network"]
        titles = _titles(networks, source)
        read_networks = [
            _read_network(part, source, title, problems) for part, title in zip(networks, titles, strict=True)
        ]
    UNLABELLED.check(sum(network.size for network in read_networks), source.size)
    problems.check()
    tables = [_table(network) for network in read_networks]
    if not tables:
        problems.add("no network", "*Vertices and the number of vertices")
        problems.check()
    table = (
        _two_mode(tables[0], read_networks[0].rows) if len(tables) == 1 else replace(concatenate(tables), named=True)
    )
    frame, notes = attributes(parts, [table.objects for table in tables], table.objects, problems)
    problems.check()
    return replace(table, attributes=frame, notes=(*table.notes, *notes))


def _plain(source: Source) -> tuple[list[Section], list[_Network]] | None:
    """A file with one network, whose last section has plain ties of the only relation; None for other files."""
    last = _LAST.search(source.utf8, _last_section(source.utf8))
    tail = None if last is None else load_tail(source, last.end(), (0, 1), (2, 3))
    if last is None or tail is None:
        return None
    parts = sections(numbered(source.utf8[: last.start() + 1].decode()))
    if [part.kind for part in parts] != ["network"]:
        return None
    network = _read_network(parts[0], source, source.stem, Problems())
    ends = tail.vertices((0, 1), network.unique_labels()[0])
    others = network.problems.total or network.times or network.names or set(network.ties.relations) - {1}
    if others or ends is None:
        return None
    undirected = last[1].lower() == b"edges"
    if len(network.ties) or network.matrices:
        numbers: list[Any] = [*range(1, network.size + 1)]
        numbered_ends = Factorized(ends[0].codes, numbers), Factorized(ends[1].codes, numbers)
        network.ties.extend(numbered_ends, 1, tail.numbers(2), tail.lines, undirected)
    else:
        network.plain = one_relation(ends, network.title, tail.numbers(2), tail.lines, undirected)
    return parts, [network]


def _last_section(text: Any) -> int:
    """The position of the line break above the last section, or 0; `rfind` takes ten times as long."""
    data = np.frombuffer(text, dtype=np.uint8)
    stars = np.flatnonzero(data == ord("*"))
    starts = stars[(stars > 0) & (data[stars - 1] == ord("\n"))]
    return int(starts[-1]) - 1 if starts.size else 0


def _titles(networks: Sequence[Section], source: Source) -> list[str]:
    """The name of each network: its title, or the name of the file if it is the only one."""
    if len(networks) == 1:
        return [source.stem]
    titles = [part.title or f"network {number}" for number, part in enumerate(networks, start=1)]
    counts: dict[str, int] = {}
    for position, title in enumerate(titles):
        counts[title] = counts.get(title, 0) + 1
        titles[position] = title if counts[title] == 1 else f"{title} ({counts[title]})"
    return titles


def _read_network(part: Section, source: Source, title: str, problems: Problems) -> _Network:
    network = _Network(source, title, problems)
    section, relation = "", 1
    for number, line in part.lines:
        text = line.strip()
        if not text or text.startswith(("%", "/*")):
            continue
        if text.startswith("*"):
            section, relation = _section(network, text, number)
        elif section == "vertices":
            _vertex(network, text, number)
        elif section == "matrix":
            network.matrices[-1][2].append((number, checked_floats(words(text), number, problems)))
        elif section in _LISTS:
            _tie(network, section, relation, text, number)
        elif section == "":
            problems.add(quote(text), "*Vertices and the number of vertices", number)
            break
    _add_matrices(network)
    return network


def _section(network: _Network, text: str, line: int) -> tuple[str, int]:
    """The type of the lines below, and their relation."""
    match = _SECTION.match(text)
    kind = "" if match is None else match[1].lower()
    if match is None or kind not in ("vertices", "network", "matrix", *_LISTS):
        network.problems.add(quote(text), "*Vertices, *Arcs, *Edges, *Arcslist, *Edgeslist or *Matrix", line)
        return "unknown", 1
    if kind == "vertices":
        size, rows = [*map(whole_number, text.split()[1:3]), None, None][:2]
        if network.size:
            network.problems.add("a second *Vertices", "one network per file", line)
        elif size is None or (rows or 0) > size:
            expected = "*Vertices and the number of vertices, and perhaps how many of them are in the first set"
            network.problems.add(quote(text), expected, line)
        else:
            UNLABELLED.check(size, network.source.size, where=f"line {line}")
            network.size, network.rows = size, rows or 0
        return kind, 1
    relation = int(match[2] or 1)
    name = match[3] or (match[4] or "").strip()
    if name and kind != "network" and network.names.setdefault(relation, name) != name:
        expected = f"{quote(network.names[relation])}, as above"
        network.problems.add(f"the name {quote(name)} for relation {relation}", expected, line)
    if kind == "matrix":
        network.matrices.append((relation, line, []))
    return kind, relation


def _vertex(network: _Network, text: str, line: int) -> None:
    fields = words(text)
    number = whole_number(fields[0]) if fields else None
    if number is None or not 1 <= number <= network.size:
        network.problems.add(quote(text), f"the number of a vertex, 1 to {network.size}, and its label", line)
    elif number in network.labels:
        network.problems.add(f"a second vertex {number}", "each vertex once", line)
    else:
        network.labels[number] = fields[1] if len(fields) > 1 and fields[1] else str(number)


def _tie(network: _Network, section: str, relation: int, text: str, line: int) -> None:
    if numbered_line := _NUMBERED.fullmatch(text):
        relation, text = int(numbered_line[1]), numbered_line[2]
    fields = words(text)
    ends = fields if section.endswith("list") else fields[:2]
    # Some lists mark the vertices of undirected ties with a minus.
    numbers = [whole_number(word.removeprefix("-") if section == "edgeslist" else word) for word in ends]
    vertices = [number for number in numbers if number is not None and 1 <= number <= network.size]
    if len(vertices) < max(len(ends), 2):
        network.problems.add(quote(text), f"two or more numbers of vertices, from 1 to {network.size}", line)
        return
    value = 1.0
    if not section.endswith("list") and len(fields) > 2 and not _DRAWING.fullmatch(fields[2]):
        value = float(checked_floats(fields[2:3], line, network.problems)[0])
    times = [] if section.endswith("list") else _times(text)
    network.times += times
    for target in vertices[1:] * max(len(times), 1):
        network.ties.append(Tie(vertices[0], relation, target, value, 1.0, line, section.startswith("edges")))


def _times(text: str) -> list[int]:
    """The times at the end of a line, such as [2,4-6]; none if there are no times, or too many."""
    match = _TIMES.search(text, max(text.rfind("["), 0))
    times: list[int] = []
    for part in match[1].split(",") if match else ():
        first, _, last = part.partition("-")
        start, end = whole_number(first.strip()), whole_number((last or first).strip())
        if start is None or end is None or not start <= end < start + MAX_TIMES - len(times):
            return []
        times += range(start, end + 1)
    return times


def _add_matrices(network: _Network) -> None:
    """Add each cell of the matrices as a tie."""
    height = network.rows or network.size
    width, offset = network.size - network.rows, network.rows
    for relation, line, rows in network.matrices:
        if len(rows) != height:
            network.problems.add(f"a matrix with {len(rows)} rows", f"{height} rows", line)
        ENTRIES.check(sum(len(cells) for _, cells in rows) + len(network.ties), network.source.size)
        for row, (number, cells) in enumerate(rows, start=1):
            if len(cells) != width:
                network.problems.add(f"{len(cells)} numbers", f"{width} numbers", number)
                continue
            for column, value in enumerate(cells.tolist(), start=1):
                network.ties.append(Tie(row, relation, offset + column, value, 1.0, number))


def _table(network: _Network) -> Table:
    labels, notes = network.unique_labels()
    if network.plain is not None:
        return replace(network.plain, notes=tuple(notes), named=False)
    used = sorted({*network.ties.relations, *network.names})
    alone = used in ([], [1])
    names = {k: network.names.get(k) or (network.title if alone else f"relation {k}") for k in used}
    first_with: dict[str, int] = {}
    for k in used:
        first = first_with.setdefault(names[k], k)
        if first != k:
            actual = f"the name {quote(names[k])} for relations {first} and {k}"
            network.problems.add(actual, "a different name for each relation")
    network.problems.check()
    network.ties.rename(dict(enumerate(labels, start=1)), names)
    table = network.ties.table(objects=labels, relations=list(names.values()), notes=notes)
    # A matrix does not declare whether it is symmetric.
    in_matrices = {names[relation] for relation, _, _ in network.matrices}
    declared = {name: values for name, values in table.declared.items() if name not in in_matrices}
    return _by_time(replace(table, declared=declared, named=bool(network.names) or not alone), network.times)


def _two_mode(table: Table, rows: int) -> Table:
    """The table as two-mode data, if the network has two sets of vertices and all ties connect them."""
    return with_sides(
        table, {name: number > rows for number, name in enumerate(table.objects, start=1)} if rows else {}
    )


def _by_time(table: Table, times: Sequence[int]) -> Table:
    """The table with a relation for each time, if all rows have a time."""
    if len(times) != table.i.size or len(set(times)) < 2:
        return table
    distinct, position = np.unique(times, return_inverse=True)
    codes, k = np.unique(table.k.astype(np.int64) * distinct.size + position, return_inverse=True)
    origin, time = np.divmod(codes, distinct.size)
    names = [f"{table.relations[r]}, time {distinct[t]}" for r, t in zip(origin, time, strict=True)]
    declared = {
        name: table.declared[table.relations[r]]
        for name, r in zip(names, origin, strict=True)
        if table.relations[r] in table.declared
    }
    notes = (*table.notes, "All ties have a time: each time is a relation.")
    rest = {"relations": tuple(names), "k": k.astype(np.int32), "declared": declared, "notes": notes, "named": True}
    return replace(table, **rest)
