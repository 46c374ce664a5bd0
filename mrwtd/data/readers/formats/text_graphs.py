"""Graphs in small text formats, one edge or one node per line; `parsing/text_graphs.py` has the dialects.

Most are known by their extension: ncol, lgl, tgf, sif, dimacs, col, gr, graph, metis, adjlist, dot, gv. Lines with
arrows, edge lists of NetworkX with dictionaries, DIMACS and DOT files are known by their content.
"""

import re
from dataclasses import replace
from itertools import islice

import numpy as np

from ....errors import DataError, Problem
from ...factorized import Factorized
from ...table import Table
from ..parsing import text_graphs
from ..parsing.columns import Selection, load_plain
from ..parsing.dot import START, dot
from ..parsing.lines import numbered
from ..parsing.plain_tail import load_tail, one_relation
from ..source import Source, register_format

SAMPLE = 20
"""Number of lines used to recognize a dialect."""

BY_EXTENSION: dict[str, text_graphs.Dialect] = {**text_graphs.BY_EXTENSION, "dot": dot, "gv": dot}
"""The dialect of each file extension."""

COMMENTS: dict[text_graphs.Dialect, tuple[str, ...]] = {
    text_graphs.metis: ("%",),
    text_graphs.lgl: (),
    text_graphs.tgf: (),
    text_graphs.sif: (),
}
"""The first characters of comments, where they are not # and %."""


def matches(source: Source) -> bool:
    """Whether the extension or the first lines are those of a dialect."""
    return source.is_text and _dialect(source) is not None


def _dialect(source: Source) -> text_graphs.Dialect | None:
    if source.extension in BY_EXTENSION:
        return BY_EXTENSION[source.extension]
    if START.match(source.head):
        return dot
    lines = [line for line in source.head.splitlines()[: 10 * SAMPLE] if line.strip() and line[0] not in "#%"]
    lines = list(islice(lines, SAMPLE))
    if not lines:
        return None
    if all(line.rstrip().endswith("}") and len(line.partition("{")[0].split()) == 2 for line in lines):
        return text_graphs.networkx
    if all(sum(arrow in line for arrow in text_graphs.ARROWS) == 1 and "," not in line for line in lines):
        return text_graphs.arrows
    starts = [line.split(None, 2)[:2] for line in lines]
    is_dimacs = next((words for words in starts if words[0] != "c"), [""])
    return text_graphs.dimacs if is_dimacs in (["p", "edge"], ["p", "col"], ["p", "sp"]) else None


def _plain(source: Source, dialect: text_graphs.Dialect) -> Table | None:
    """The table of an NCOL or SIF file in which every line is one tie; None for other files and dialects."""
    if dialect not in (text_graphs.ncol, text_graphs.sif) or source.utf8.find(b"\t") >= 0:
        return None
    width = len(source.head.partition("\n")[0].split())
    is_sif = dialect is text_graphs.sif
    if width != 3 and (is_sif or width != 2):
        return None
    names, numbers = ((0, 1, 2), ()) if is_sif else ((0, 1), range(2, width))
    target = names[-1]
    columns = load_plain(source, Selection(1, width, names, numbers, ends=(0, target)))
    if columns is None:
        return None
    relation = columns.factorized(1) if is_sif else Factorized(np.zeros(columns.rows, dtype=np.int32), [source.stem])
    values = columns.numbers(2, "weight") if numbers else np.ones(columns.rows)
    ends = columns.factorized(0), columns.factorized(target)
    return Table.from_factorized(ends[0], relation, ends[1], values, lines=columns.lines)


def _plain_dimacs(source: Source, dialect: text_graphs.Dialect) -> Table | None:
    """The table of a DIMACS file that ends in plain lines, which are all edges or all arcs; None for other files."""
    first = re.search(rb"^[ea] ", source.utf8, re.MULTILINE) if dialect is text_graphs.dimacs else None
    tail = None if first is None else load_tail(source, first.start(), (0, 1, 2), (3, 4))
    if first is None or tail is None or len(tail.columns.factorized(0).names) > 1:
        return None
    graph = text_graphs.TextGraph(source.stem, source.size)
    dialect(graph, _lines(source.utf8[: first.start()].decode(), dialect))
    ends = tail.vertices((1, 2), graph.objects)
    if graph.problems.total or len(graph.ties) or ends is None:
        return None
    return one_relation(ends, source.stem, tail.numbers(3), tail.lines, undirected=first[0] == b"e ")


def _lines(text: str, dialect: text_graphs.Dialect) -> list[text_graphs.Line]:
    """The numbered lines of a text, without comments and, except where they are nodes, empty lines."""
    comments = COMMENTS.get(dialect, ("#", "%"))
    is_metis = dialect is text_graphs.metis  # in which an empty line is a node without neighbours
    return [
        (number, line)
        for number, line in numbered(text)
        if (line.strip() or is_metis) and not line.startswith(comments)
    ]


@register_format(
    "text graphs",
    "one edge or node per line: NCOL, LGL, TGF, SIF, DOT, DIMACS, METIS, adjacency lists, arrows (a -> b), NetworkX",
    tuple(BY_EXTENSION),
    matches,
    order=30,
)
def read(source: Source) -> Table:
    r"""The edges of a graph as entries.

    >>> table = read(Source("office.sif", b"ann likes bob cat\ndan\n"))
    >>> table.objects, table.relations
    (('ann', 'dan', 'bob', 'cat'), ('likes',))
    """
    dialect = _dialect(source)
    if dialect is None:
        known = ", ".join(f".{extension}" for extension in BY_EXTENSION)
        raise DataError(Problem("a text in none of these formats", f"a name that ends in {known}, or lines a -> b"))
    if (plain := _plain(source, dialect) or _plain_dimacs(source, dialect)) is not None:
        return plain
    lines = _lines(source.text, dialect)
    graph = text_graphs.TextGraph(source.stem, source.size)
    dialect(graph, lines)
    graph.problems.check()
    table = graph.ties.table(objects=list(dict.fromkeys(graph.objects)))
    return table if graph.declares_direction else replace(table, declared={})
