"""Graphs in small text formats, one edge or one node per line; `parsing/text_graphs.py` has the dialects.

Most are known by their extension: ncol, lgl, tgf, sif, dimacs, col, gr, graph, metis, adjlist, dot, gv. Lines with
arrows, edge lists of NetworkX with dictionaries, DIMACS and DOT files are known by their content.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from ....errors import DataError, Problem
from ...table import Table
from ..parsing import text_graphs
from ..parsing.dot import START, dot
from ..parsing.plain_text_graphs import PLAIN
from ..source import Source, register_format

SAMPLE = 20
"""Number of lines used to recognize a dialect."""

_QUOTED = re.compile(r'"[^"\n]*+"')

BY_EXTENSION: dict[str, text_graphs.Dialect] = {**text_graphs.BY_EXTENSION, "dot": dot, "gv": dot}
"""The dialect of each file extension."""


def matches(source: Source) -> bool:
    """Whether the extension or the first lines are those of a dialect."""
    return source.is_text and _dialect(source) is not None


def _dialect(source: Source) -> text_graphs.Dialect | None:
    if source.extension in BY_EXTENSION and not _is_csv(source):
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


def _is_csv(source: Source) -> bool:
    """Whether a file in a dialect that takes any words has lines with the same number of commas, or semicolons."""
    if BY_EXTENSION[source.extension] not in (text_graphs.sif, text_graphs.adjacency) or "\t" in source.head:
        return False
    lines = [line for line in source.head.splitlines() if line.strip() and line[0] not in "#%"]
    # The first lines of most files show that they are no CSV.
    return all(_has_as_many_marks(few) for few in (lines[:SAMPLE], lines))


def _has_as_many_marks(lines: Sequence[str]) -> bool:
    unquoted = [_QUOTED.sub("", line) for line in lines]
    counts = [{line.count(mark) for line in unquoted} for mark in ",;"]
    return len(lines) > 1 and any(len(count) == 1 and 0 not in count for count in counts)


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
    if dialect in PLAIN and (plain := PLAIN[dialect](source)) is not None:
        return plain
    lines = text_graphs.content_lines(source.text, dialect)
    graph = text_graphs.TextGraph(source.stem, source.size)
    dialect(graph, lines)
    graph.problems.check()
    table = graph.ties.table(objects=list(dict.fromkeys(graph.objects)))
    table = table if graph.has_values else replace(table, values=None)
    return table if graph.declares_direction else replace(table, declared={})
