"""Text graphs whose lines are alike, read as columns: line by line takes thirty to three hundred times as long.

Each function returns None for a file with anything unusual, which its dialect in `text_graphs` reads line by line.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ...factorized import Factorized
from ...table import Table
from ..source import Source
from . import dot as dot_language
from . import text_graphs
from .columns import Selection, load_plain
from .headers import best_name, value_and_weight
from .lines import Ties, floats
from .plain_tail import Tail, load_rewritten, load_tail, one_relation

_UNDIRECTED_ARROW = {arrow.encode(): undirected for arrow, undirected in text_graphs.ARROWS.items()}
_DICTIONARY = re.compile(rb"\S++ \S++( \{'(\w++)': )[^'\"{},\s]++\}\n")
_DIMACS_TIE = re.compile(rb"^[ea] ", re.MULTILINE)
_NOT_PYTHON = re.compile(rb" [+-]?+0[0-9]++\n")
_DOT_EDGE = re.compile(
    rb'^[ \t]*+"?+[^\s"\[\]{}]++"?+ (->|--) "?+[^\s"\[\]{};]++"?+'
    rb'( *+\[(\w++)="?+[^\s"\[\]{},;=]++"?+\])?+;?+$',
    re.MULTILINE,
)
_DOT_MARKS = b'{}[];,=:"<>/\\-\t\x0b\x0c'


def _undeclared(table: Table | None) -> Table | None:
    return None if table is None else replace(table, declared={})


def plain_ncol(source: Source) -> Table | None:
    """NCOL in which every line is one tie, with a weight on all lines or on none."""
    width = len(source.head.partition("\n")[0].split())
    columns = load_plain(source, Selection(1, width, (0, 1), range(2, width), (0, 1))) if width in (2, 3) else None
    if columns is None:
        return None
    relation = Factorized(np.zeros(columns.rows, dtype=np.int32), [source.stem])
    values = columns.numbers(2, "weight") if width == 3 else np.ones(columns.rows)
    return Table.from_factorized(columns.factorized(0), relation, columns.factorized(1), values, lines=columns.lines)


def plain_sif(source: Source) -> Table | None:
    """SIF in which every line is one tie."""
    columns = load_plain(source, Selection(1, 3, range(3), ends=(0, 2)))
    if columns is None:
        return None
    first, relation, second = map(columns.factorized, range(3))
    return Table.from_factorized(first, relation, second, lines=columns.lines)


def plain_dimacs(source: Source) -> Table | None:
    """DIMACS that ends in plain lines, which are all edges or all arcs."""
    first = _DIMACS_TIE.search(source.utf8)
    tail = None if first is None else load_tail(source, first.start(), (0, 1, 2), (3, 4))
    if first is None or tail is None or len(tail.columns.factorized(0).names) > 1:
        return None
    graph = text_graphs.TextGraph(source.stem, source.size)
    text_graphs.dimacs(graph, text_graphs.content_lines(source.utf8[: first.start()].decode(), text_graphs.dimacs))
    ends = tail.vertices((1, 2), graph.objects)
    if graph.problems.total or len(graph.ties) or ends is None:
        return None
    return one_relation(ends, source.stem, tail.numbers(3), tail.lines, undirected=first[0] == b"e ")


def plain_arrows(source: Source) -> Table | None:
    """One arrow on all lines, with a value on all lines or on none."""
    text = _text(source)
    lines = text.count(b"\n")
    arrow = next((arrow for arrow in _UNDIRECTED_ARROW if text.count(arrow) == lines), b"")
    if not arrow or not lines or sum(text.count(other) for other in _UNDIRECTED_ARROW) > lines or b";" in text:
        return None
    values = text.count(b": ")
    if values not in (0, lines):
        return None
    columns = text.replace(arrow, b" ").replace(b": ", b" ")
    tail = load_rewritten(source, 0, columns, (0, 1), (3 if values else 2,))
    return None if tail is None else _table(source, tail, undirected=_UNDIRECTED_ARROW[arrow])


def plain_networkx(source: Source) -> Table | None:
    """Edge lists of NetworkX in which each dictionary has the same one number, or nothing."""
    text = _text(source)
    lines = text.count(b"\n")
    if text.count(b" {}\n") == lines:
        tail = load_rewritten(source, 0, text.replace(b" {}\n", b"\n"), (0, 1), (2,))
    else:
        first = _DICTIONARY.match(text)
        if first is None or value_and_weight([first[2].decode()])[0] is None:
            return None
        if best_name([first[2].decode()], "relation") is not None:
            return None
        if not text.count(first[1]) == text.count(b"{") == text.count(b"}\n") == text.count(b"}") == lines:
            return None
        columns = text.replace(first[1], b" ").replace(b"}\n", b"\n")
        if _NOT_PYTHON.search(columns):
            return None
        tail = load_rewritten(source, 0, columns, (0, 1), (3,))
    return None if tail is None else _undeclared(_table(source, tail, undirected=False))


def plain_tgf(source: Source) -> Table | None:
    """TGF in which all ties have a number, or none has one."""
    mark = re.search(rb"^#[ \t]*\n", source.utf8, re.MULTILINE)
    tail = None if mark is None else load_tail(source, mark.end(), (0, 1), (2, 3))
    if mark is None or tail is None or source.utf8.find(b"\t", mark.end()) >= 0:
        return None
    labels: dict[str, str] = {}
    for _, line in text_graphs.content_lines(source.utf8[: mark.start()].decode(), text_graphs.tgf):
        words = line.split(None, 1)
        if words[0] == "#":
            return None
        labels[words[0]] = words[1].strip() if len(words) > 1 else words[0]
    return _undeclared(_labelled(source, tail, labels, undirected=False))


def plain_lgl(source: Source) -> Table | None:
    """LGL in which no line has more spaces than it needs, with weights on all ties or on none."""
    text = _text(source)
    if text.count(b"\r") or b"\t" in text or not text.startswith(b"# "):
        return None
    heads = text.count(b"\n# ") + 1
    lines = text.decode().split("\n")[:-1]
    ties = len(lines) - heads
    spaces = text.count(b" ")
    is_weighted = spaces == len(lines)
    if spaces not in (heads, len(lines)) or not ties or text.count(b"\n#") + 1 != heads:
        return None
    words = text.decode().split()
    if len(words) != spaces + len(lines):
        return None
    is_head = np.fromiter((line[0] == "#" for line in lines), dtype=bool, count=len(lines))
    if is_weighted:
        if not all(line.count(" ") == 1 for line in lines):
            return None
        first, second = words[::2], words[1::2]
        names = [b if head else a for a, b, head in zip(first, second, is_head.tolist(), strict=True)]
        numbers, wrong = floats([second[row] for row in np.flatnonzero(~is_head).tolist()])
        if wrong.any():
            return None
    else:
        names = [line[2:] if head else line for line, head in zip(lines, is_head.tolist(), strict=True)]
        numbers = np.ones(ties)
    column = Factorized.from_column(names)
    owner = column.codes[is_head][np.cumsum(is_head) - 1][~is_head]
    numbers_of_lines = np.flatnonzero(~is_head) + 1
    objects = list(dict.fromkeys(names[row] for row in np.flatnonzero(is_head).tolist()))
    ends = Factorized(owner, column.names), Factorized(column.codes[~is_head], column.names)
    return Ties().extend(ends, source.stem, numbers, numbers_of_lines, undirected=True).table(objects=objects)


def plain_adjacency(source: Source) -> Table | None:
    """Adjacency lists, with or without comments."""
    lines = text_graphs.content_lines(source.text, text_graphs.adjacency)
    words = [line.split() for _, line in lines]
    column = Factorized.from_column(list(chain.from_iterable(words)))
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    if not sizes.size or (sizes == 1).all():
        return None
    is_head = np.zeros(column.codes.size, dtype=bool)
    is_head[np.cumsum(sizes) - sizes] = True
    owner = np.repeat(column.codes[is_head], sizes - 1)
    numbers = np.fromiter((number for number, _ in lines), dtype=np.int64, count=len(lines))
    objects = list(dict.fromkeys(line[0] for line in words))
    ends = Factorized(owner, column.names), Factorized(column.codes[~is_head], column.names)
    ties = Ties().extend(ends, source.stem, np.ones(owner.size), np.repeat(numbers, sizes - 1))
    return _undeclared(ties.table(objects=objects))


def plain_dot(source: Source) -> Table | None:
    """DOT with one edge per line at the end, all with the same attribute or none."""
    text = _text(source)
    first = _DOT_EDGE.search(text)
    end = text.rstrip().rfind(b"}")
    if first is None or text[end:].strip() != b"}" or text[end - 1 : end] != b"\n":
        return None
    start, edges = text[: first.start()], text[first.start() : end]
    if (
        start.count(b"{") != 1
        or start.count(b"[") != start.count(b"]")
        or b"/*" in start
        or start.rstrip()[-1:] in b"=:"
    ):
        return None
    lines = edges.count(b"\n")
    edges = re.sub(rb"^[ \t]++", b"", edges, flags=re.MULTILINE) if edges[:1] in b" \t" else edges
    operator, attribute, key = b" " + first[1] + b" ", first[2], first[3]
    if edges.count(b";\n") == lines:
        edges = edges.replace(b";\n", b"\n")
    if attribute is not None:
        quoted = attribute.count(b'"') == 2
        opening = attribute[: attribute.index(b"=") + 1 + quoted]
        close = b'"]\n' if quoted else b"]\n"
        if not edges.count(opening) == edges.count(close) == edges.count(b"[") == edges.count(b"]") == lines:
            return None
        # A quote in front of the attribute ends a name, and is counted below.
        edges = edges.replace(opening, b" ").replace(close, b"\n")
    if b'"' in edges:
        edges = _without_quotes(edges, operator, lines, attribute is not None)
    if edges.count(operator) != lines:
        return None
    edges = edges.replace(operator, b" ")
    if len(edges.translate(None, _DOT_MARKS)) < len(edges):
        return None  # marks, or spaces in quoted names
    graph = text_graphs.TextGraph(source.stem, source.size)
    head = text_graphs.content_lines(start.decode(), dot_language.dot)
    labels, others = dot_language.statements(graph, head)
    if graph.problems.total or others:
        return None
    return _dot_table(source, first.start(), edges, key, labels, first[1] == b"--")


def _without_quotes(edges: bytes, operator: bytes, lines: int, has_attribute: bool) -> bytes:
    """Edges without the quotes around the names, if each name has them; otherwise nothing."""
    joint = b'"' + operator + b'"'
    ends = b'" ' if has_attribute else b'"\n'
    opened = edges.count(b'\n"') + edges.startswith(b'"')
    closed = edges.count(ends) - (edges.count(b'"' + operator) if has_attribute else 0)
    if not edges.count(joint) == opened == closed == lines or edges.count(b'"') != 4 * lines:
        return b""
    return edges.replace(b'"', b"")


def _dot_table(
    source: Source, start: int, edges: bytes, key: bytes | None, labels: dict[str, str], undirected: bool
) -> Table | None:
    name = "" if key is None else key.decode().lower()
    width = 2 if key is None else 3
    text = Source(source.name, source.utf8[:start] + edges)
    tail = load_tail(text, start, (0, 1), (width,))
    relation: Factorized | None = None
    if tail is not None and key is not None and value_and_weight([name])[0] is None and name != "label":
        return None
    if tail is None and key is not None:
        tail = load_tail(text, start, (2, 0, 1), (width,))
        if tail is None or best_name([name], "relation") is None:
            return None
        relation = tail.columns.factorized(2)
        if not floats(relation.names)[1].all():
            return None
    if tail is None:
        return None
    words = tail.ends((0, 1))
    if any(word.lower() == "subgraph" for column in words for word in column.used_names()):
        return None
    appearing = np.stack([column.codes for column in words], axis=1).ravel()
    shared = words[0].names
    appearing_names = (shared[code] for code in dict.fromkeys(appearing.tolist()))
    labels = {name: labels.get(name, name) for name in (*labels, *appearing_names)}
    return _labelled(source, tail, labels, undirected, relation)


def _labelled(
    source: Source, tail: Tail, labels: dict[str, str], undirected: bool, relation: Factorized | None = None
) -> Table | None:
    """The ties between nodes with labels, which are used if they are different; None if a node is not known."""
    labels = text_graphs.unique_labels(labels)
    ends = []
    for column in tail.ends((0, 1)):
        if not all(name in labels for name in column.used_names()):
            return None
        ends.append(Factorized(column.codes, [labels.get(name, "") for name in column.names]))
    values = np.ones(tail.lines.size) if relation is not None else tail.numbers(2)
    ties = Ties().extend((ends[0], ends[1]), relation or source.stem, values, tail.lines, undirected)
    return ties.table(objects=list(labels.values()))


def _table(source: Source, tail: Tail, undirected: bool) -> Table:
    return one_relation(tail.ends((0, 1)), source.stem, tail.numbers(2), tail.lines, undirected)


def _text(source: Source) -> bytes:
    """The bytes of a text, with a line break at its end."""
    text = bytes(source.utf8)
    return text if text.endswith(b"\n") else text + b"\n"


PLAIN: dict[Any, Callable[[Source], Table | None]] = {
    text_graphs.ncol: plain_ncol,
    text_graphs.sif: plain_sif,
    text_graphs.dimacs: plain_dimacs,
    text_graphs.arrows: plain_arrows,
    text_graphs.networkx: plain_networkx,
    text_graphs.tgf: plain_tgf,
    text_graphs.lgl: plain_lgl,
    text_graphs.adjacency: plain_adjacency,
    dot_language.dot: plain_dot,
}
"""The function of each dialect."""
