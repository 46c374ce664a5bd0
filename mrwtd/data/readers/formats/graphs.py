"""GraphML, GEXF and GML through NetworkX: an edge's attribute names its relation, or each relation has its own graph.

Edges that are undirected make undirected relations. Attributes of nodes become attributes of objects. What
`mrwtd.write` wrote describes itself, and is read back exactly.
"""

from __future__ import annotations

import io
import json
import re
import warnings
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import pandas as pd

from ....errors import DataError, Problem, Problems
from ...table import Table, schema_arguments
from ..format import FORMATS, Reader
from ..parsing import graph_xml, markup
from ..parsing.edge_attributes import named, value_and_weight
from ..parsing.headers import role
from ..parsing.lines import floats, quote
from ..parsing.ties import Ties
from ..source import Source

EXTENSIONS = ("graphml", "gexf", "gml")
NAMES = ("label", "name")
"""Attributes that name a node better than its id does, if they tell all nodes apart."""

_MARKUP = re.compile(rb"<(?:\w+:)?(graphml|gexf)\b")
_GML = re.compile(r"\s*+(?:(?:#|creator\b|version\b|comment\b)[^\r\n]*+[\r\n]\s*+)*+graph\s*+\[", re.IGNORECASE)
_GRAPH = re.compile(r"^[ \t]*graph\s*\[", re.MULTILINE | re.IGNORECASE)
_NOT_ATTRIBUTES = ("id", "key", "start", "end", "viz", "spells", "slices", "parents", graph_xml.MARK)


@dataclass(frozen=True)
class _Graph:
    """One graph: NetworkX's, what it is called, and what `mrwtd.write` said of it."""

    graph: Any
    name: str
    schema: dict[str, Any]


def matches(source: Source) -> bool:
    """Whether the name or the content says so; a zip of such files too."""
    if source.is_zip:
        names = source.member_names
        return bool(names) and all(PurePosixPath(name).suffix.lower()[1:] in EXTENSIONS for name in names)
    return source.extension in EXTENSIONS or _xml_kind(source) != "" or _GML.match(source.head) is not None


def _xml_kind(source: Source) -> str:
    """Which kind of XML a file is, graphml or gexf, if it is any."""
    head = source.start[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    found = _MARKUP.search(head) if head.startswith(b"<") else None
    return found[1].decode() if found else ""


def read(source: Source) -> Table:
    """The edges of the graphs as entries, and the nodes as objects.

    >>> text = b'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 type "kin" weight 3 ] ]'
    >>> read(Source("office.gml", text)).relations
    ('kin',)
    """
    problems = Problems(source.name)
    files = source.members() if source.is_zip else [source]
    graphs = [graph for file in files for graph in _graphs(file, problems)]
    problems.check()
    if not graphs:
        raise DataError(Problem("no graph", "at least one"), file=source.name)
    ties = Ties()
    relations: list[str] = []
    notes: list[str] = []
    rows: dict[str, dict[str, Any]] = {}
    for graph in graphs:
        objects, attributes = _nodes(graph)
        for name, row in zip(objects.values(), attributes, strict=True):
            rows.setdefault(name, {}).update(row)
        if not _add_edges(graph, objects, ties, notes, problems):
            relations.append(graph.name)
    problems.check()
    try:
        known = schema_arguments(graphs[0].schema if len(graphs) == 1 else {})
    except DataError as error:
        raise DataError(error.problems, file=source.name) from None
    known = known or {"objects": list(rows), "relations": relations, "attributes": _frame(rows, source)}
    declared = known.pop("declared", None)
    table = ties.table(**known, notes=list(dict.fromkeys(notes)), file=source.name)
    return replace(table, declared=declared or table.declared, named=not relations or len(graphs) > 1)


def _graphs(source: Source, problems: Problems) -> list[_Graph]:
    """The graphs of one file, through NetworkX."""
    # Importing it costs a fifth of a second, which only those pay who read such files.
    import networkx as nx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = _xml_kind(source) or source.extension
            if kind not in ("graphml", "gexf"):
                return [_Graph(nx.parse_gml(_as_multigraph(source), label=None), source.stem, {})]
            root = markup.parse(source)
            found = list(getattr(graph_xml, kind)(root, problems))
            problems.check()
            graphs = []
            for number, graph in enumerate(found, start=1):
                stream = io.BytesIO(graph.document)
                parsed = nx.read_gexf(stream) if kind == "gexf" else nx.read_graphml(stream, force_multigraph=True)
                name = source.stem if len(found) == 1 else graph.id or f"relation {number}"
                graphs.append(_Graph(parsed, name, _schema(graph.schema)))
    except DataError as error:
        raise DataError(error.problems, file=source.name, total=error.total) from None
    except Exception as error:
        # NetworkX and what it parses with fail in many ways on damaged files.
        reason = str(error) if isinstance(error, nx.NetworkXException) else f"{type(error).__name__}: {error}"
        raise DataError(Problem(f"a graph that cannot be read ({reason[:300]})", "a graph"), file=source.name) from None
    return graphs


def _as_multigraph(source: Source) -> str:
    """GML that allows several edges between two nodes, whether it says so or not."""
    match = _GRAPH.search(source.text)
    if match is None:
        raise DataError(Problem("no graph", "graph [ … ] in GML"))
    return f"{source.text[: match.end()]} multigraph 1 {source.text[match.end() :]}"


def _schema(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text)) if text else {}
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(Problem(f"a damaged description of the data ({error})", "JSON as mrwtd writes it")) from None


def _nodes(found: _Graph) -> tuple[dict[Any, str], list[dict[str, Any]]]:
    """The name of each node, and the rest of what is said of it."""
    nodes = dict(found.graph.nodes(data=True))
    naming = None
    for name in () if found.schema else NAMES:
        texts = [str(data[name]) for data in nodes.values() if data.get(name) not in (None, "")]
        if len(texts) == len(set(texts)) == len(nodes):
            naming = name
            break
    objects = {node: str(node) if naming is None else str(data[naming]) for node, data in nodes.items()}
    plain = [
        {
            str(name): value
            for name, value in data.items()
            if name != naming and name not in _NOT_ATTRIBUTES and isinstance(value, (str, int, float))
        }
        for data in nodes.values()
    ]
    return objects, plain


def _add_edges(found: _Graph, objects: dict[Any, str], ties: Ties, notes: list[str], problems: Problems) -> bool:
    """Add the edges of a graph; whether they name their relations."""
    edges = list(found.graph.edges(data=True))
    names = list(dict.fromkeys(name for *_, data in edges for name in data if name not in _NOT_ATTRIBUTES))
    relation = named(names, "relation")
    roles = value_and_weight([name for name in names if name != relation and _is_numeric(name, edges)])
    if found.schema:
        relation, roles = "relation", ("value", "entry_weight")
    elif edges:
        for what, name in (("relation", relation), ("value", roles[0]), ("weight", roles[1])):
            if name is not None:
                notes.append(f"{found.name}: the {what} is the edge attribute {name!r}")
    columns = [[1.0 if name is None else data.get(name, 1.0) for *_, data in edges] for name in roles]
    numbers = []
    for name, column in zip(roles, columns, strict=True):
        parsed, wrong = floats(column)
        numbers.append(parsed)
        for at in wrong.nonzero()[0]:
            pair = f"edge {objects[edges[at][0]]!r} – {objects[edges[at][1]]!r}"
            problems.add(quote(str(column[at])), "a finite number", where=f"{pair}, attribute {name!r}")
    directed = found.graph.is_directed()
    for (u, v, data), value, weight in zip(edges, *numbers, strict=True):
        own = found.name if relation is None else data.get(relation, "" if found.schema else None)
        if own is None:
            pair = f"edge {objects[u]!r} – {objects[v]!r}"
            problems.add("no relation", f"the attribute {relation!r} on every edge", where=pair)
        undirected = not directed or bool(data.get(graph_xml.MARK, False))
        ties.add(objects[u], str(own), objects[v], float(value), float(weight), undirected=undirected)
    return relation is not None


def _is_numeric(name: str, edges: list[Any]) -> bool:
    """Whether an attribute is called a value or a weight, or holds numbers wherever it stands."""
    if (known := role(name)) and known[0] in ("value", "weight"):
        return True
    return all(isinstance(data[name], (int, float)) for *_, data in edges if name in data)


def _frame(rows: dict[str, dict[str, Any]], source: Source) -> pd.DataFrame | None:
    """What is said of the objects; a column of numbers and texts is one of texts."""
    names = dict.fromkeys(name for row in rows.values() for name in row)
    columns = {name: [row.get(name) for row in rows.values()] for name in names}
    for name, column in columns.items():
        if any(isinstance(value, str) for value in column):
            columns[name] = [None if value is None else str(value) for value in column]
    try:
        return pd.DataFrame(columns, index=pd.Index(list(rows), dtype="str")) if columns else None
    except UnicodeEncodeError as error:
        # GML can spell out half a character.
        found = f"the character {error.object[error.start]!r}"
        raise DataError(Problem(found, "whole characters"), file=source.name) from None


READER = FORMATS.register(
    Reader(
        name="graphs",
        about="a graph whose edges name their relations, or a zip of a graph for each (GraphML, GEXF, GML)",
        extensions=EXTENSIONS,
        matches=matches,
        read=read,
        order=20,
    )
)
