"""GraphML, GEXF, GML and JSON through NetworkX: an edge attribute names the relation, or each relation is a graph.

Undirected edges make undirected relations. Attributes of nodes become attributes of objects. A bipartite graph, whose
nodes have the attribute `bipartite` of NetworkX or the logical `type` of igraph, is two-mode data. Files written by
`mrwtd.write` describe their data, and are read back exactly.
"""

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ....errors import DataError, Problem, Problems
from ....typing import Array, BoolArray
from ...factorized import Factorized
from ...limits import ATTRIBUTES
from ...published import column_parts
from ...table import REPRESENTS, Table, schema_arguments
from ..parsing import graph_json, graph_xml
from ..parsing.bipartite import sides_of, with_sides
from ..parsing.edge_list import EdgeList
from ..parsing.gml import plain_gml
from ..parsing.headers import best_name, role, value_and_weight
from ..parsing.lines import Ties, floats, quote
from ..source import Source, register_format

EXTENSIONS = ("graphml", "gexf", "gml", *graph_json.EXTENSIONS)
NAMES = ("label", "name")
"""Node attributes that are used as names in place of ids, if they are unique."""

_MARKUP = re.compile(rb"<(?:\w+:)?(graphml|gexf)\b")
_GML = re.compile(r"\s*+(?:(?:#|creator\b|version\b|comment\b)[^\r\n]*+[\r\n]\s*+)*+graph\s*+\[", re.IGNORECASE)
_GRAPH = re.compile(r"^[ \t]*graph\s*\[", re.MULTILINE | re.IGNORECASE)
_NOT_ATTRIBUTES = ("id", "key", "start", "end", "viz", "spells", "slices", "parents", graph_xml.MARK)


class _Graph(NamedTuple):
    """A graph, its name, and its description by `mrwtd.write`."""

    graph: EdgeList
    name: str
    schema: dict[str, Any]
    declares_direction: bool = True


def matches(source: Source) -> bool:
    """Whether the extension or the content is that of a graph format, or of all files in a zip."""
    if source.is_zip:
        names = source.member_names
        return bool(names) and all(PurePosixPath(name).suffix.lower()[1:] in EXTENSIONS for name in names)
    return (
        source.extension in EXTENSIONS
        or _xml_kind(source) != ""
        or _GML.match(source.head) is not None
        or graph_json.is_json(source)
    )


def _xml_kind(source: Source) -> str:
    """The kind of an XML file, "graphml" or "gexf"; "" for other files."""
    head = source.start[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    match = _MARKUP.search(head) if head.startswith(b"<") else None
    return match[1].decode() if match else ""


@register_format(
    "graphs",
    "a graph whose edges name their relations, or a zip with one graph per relation (GraphML, GEXF, GML, JSON)",
    EXTENSIONS,
    matches,
    order=20,
)
def read(source: Source) -> Table:
    """The edges of the graphs as entries, and the nodes as objects.

    >>> text = b'graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 type "kin" weight 3 ] ]'
    >>> read(Source("office.gml", text)).relations
    ('kin',)
    """
    problems = Problems()
    files = source.members if source.is_zip else (source,)
    graphs = [graph for file in files for graph in _graphs(file, problems)]
    problems.check()
    if not graphs:
        raise DataError(Problem("no graph", "at least one graph"))
    ties = Ties()
    parts: list[str] = []
    relations: list[str] = []
    notes: list[str] = []
    rows: dict[str, dict[str, Any]] = {}
    for graph in graphs:
        objects, attributes = _nodes(graph)
        for name, row in zip(objects, attributes, strict=True):
            rows.setdefault(name, {}).update(row)
        if not _add_edges(graph, objects, ties, notes, problems):
            relations.append(graph.name)
        if graph.schema and len(graphs) == 1:
            parts = [data.get("part", "") for data in graph.graph.data]
    problems.check()
    known = graphs[0].schema if len(graphs) == 1 else {}
    known = known or {"objects": list(rows), "relations": relations, "attributes": _frame(rows)}
    if "declared" in known:
        known["represents"] = _represented_pairs(graphs[0])
    declared = known.pop("declared", None)
    table = ties.table(**known, notes=list(dict.fromkeys(notes)), part=column_parts(pd.Series(parts, dtype=object)))
    if not all(graph.declares_direction for graph in graphs):
        table = replace(table, declared={})
    table = replace(table, declared=declared or table.declared, named=not relations or len(graphs) > 1)
    return table if table.is_exact else with_sides(table, sides_of(rows))


def _graphs(source: Source, problems: Problems) -> list[_Graph]:
    """The graphs of one file, parsed by NetworkX."""
    # Imported here, because the import takes a fifth of a second.
    import networkx as nx

    try:
        with warnings.catch_warnings(action="ignore"):
            kind = _xml_kind(source) or source.extension
            if kind not in ("graphml", "gexf", "gml") and graph_json.is_json(source):
                graph, is_declared = graph_json.graph(source)
                return [_Graph(graph, source.stem, {}, is_declared)]
            if kind not in ("graphml", "gexf"):
                plain = plain_gml(source.text)
                parsed = plain or EdgeList.from_networkx(nx.parse_gml(_as_multigraph(source), label=None))
                return [_Graph(parsed, source.stem, {})]
            documents = list(getattr(graph_xml, kind)(graph_xml.parse(source), problems))
            problems.check()
            graphs = []
            for number, document in enumerate(documents, start=1):
                stream = io.BytesIO(document.document)
                graph = nx.read_gexf(stream) if kind == "gexf" else nx.read_graphml(stream, force_multigraph=True)
                name = source.stem if len(documents) == 1 else document.id or f"relation {number}"
                edges = EdgeList.from_networkx(graph)
                graphs.append(_Graph(edges, name, schema_arguments(document.schema) if document.schema else {}))
    except DataError as error:
        raise error.in_file(source.name) from None
    except Exception as error:  # NetworkX and its parsers raise many kinds of errors for damaged files
        reason = str(error) if isinstance(error, nx.NetworkXException) else f"{type(error).__name__}: {error}"
        expected = "a valid GraphML, GEXF, GML or JSON file; export it again"
        raise DataError(Problem(f"an unreadable graph ({reason[:300]})", expected), file=source.name) from None
    return graphs


def _as_multigraph(source: Source) -> str:
    """The GML text, changed to allow several edges between two nodes."""
    match = _GRAPH.search(source.text)
    if match is None:
        raise DataError(Problem("no graph", "graph [ … ] in GML"))
    return f"{source.text[: match.end()]} multigraph 1 {source.text[match.end() :]}"


def _nodes(graph: _Graph) -> tuple[list[str], list[dict[str, Any]]]:
    """The name of each node, and its attributes."""
    nodes = graph.graph.nodes
    naming = None
    for name in () if graph.schema else NAMES:
        texts = [str(data[name]) for data in nodes.values() if data.get(name) not in (None, "")]
        if len(texts) == len(set(texts)) == len(nodes):
            naming = name
            break
    objects = [str(node) if naming is None else str(data[naming]) for node, data in nodes.items()]
    ignored = {naming, *_NOT_ATTRIBUTES}
    attributes = [
        {str(k): value for k, value in data.items() if k not in ignored and isinstance(value, (str, int, float))}
        for data in nodes.values()
    ]
    return objects, attributes


def _add_edges(graph: _Graph, objects: list[str], ties: Ties, notes: list[str], problems: Problems) -> bool:
    """Add the edges of a graph to the ties. Returns whether an attribute names their relations."""
    edges = graph.graph
    numeric = _are_numeric(edges.data)
    relation = best_name(list(numeric), "relation")
    roles = value_and_weight([name for name, is_numeric in numeric.items() if is_numeric and name != relation])
    if graph.schema:
        relation, roles = "relation", ("value", "entry_weight")
    elif len(edges.data):
        for noun, name in (("relation", relation), ("value", roles[0]), ("weight", roles[1])):
            if name is not None:
                notes.append(f"{graph.name}: the {noun} is the edge attribute {name!r}")

    def edge_text(position: int) -> str:
        return f"edge {objects[edges.sources[position]]!r} – {objects[edges.targets[position]]!r}"

    numbers = []
    for name in roles:
        if name is None:
            numbers.append(np.ones(len(edges.data)))
            continue
        column = [data.get(name, 1.0) for data in edges.data]
        parsed, wrong = floats(column)
        numbers.append(parsed)
        for position in wrong.nonzero()[0].tolist():
            where = f"{edge_text(position)}, attribute {name!r}"
            problems.add(quote(str(column[position])), "a finite number", where=where)
    relations = Factorized(np.zeros(len(edges.data), dtype=np.int32), [graph.name])
    if relation is not None:
        missing = "" if graph.schema else None
        names = [data.get(relation, missing) for data in edges.data]
        for position in (position for position, name in enumerate(names) if name is None):
            problems.add("no relation", f"the attribute {relation!r} on every edge", where=edge_text(position))
        relations = Factorized.from_column(list(map(str, names)))
    marks = [bool(data.get(graph_xml.MARK, False)) for data in edges.data] if edges.directed and any(edges.data) else []
    undirected: BoolArray | bool = np.array(marks, dtype=bool) if marks else not edges.directed
    ends = Factorized(edges.sources.astype(np.int32), objects), Factorized(edges.targets.astype(np.int32), objects)
    ties.extend(ends, relations, numbers[0], undirected=undirected, weights=numbers[1])
    return relation is not None


def _represented_pairs(graph: _Graph) -> Array | None:
    """The number of pairs that each edge stands for, in a file written by `mrwtd.write`; None if all are 1."""
    cells = [data.get(REPRESENTS) for data in graph.graph.data]
    return None if all(cell is None for cell in cells) else floats([1.0 if cell is None else cell for cell in cells])[0]


def _are_numeric(edges: Sequence[Mapping[str, Any]]) -> dict[str, bool]:
    """For each attribute of edges, whether it is called a value or a weight, or has only numbers."""
    numeric: dict[str, bool] = {}
    for data in filter(None, edges):
        for name, value in data.items():
            if name not in _NOT_ATTRIBUTES:
                numeric[name] = numeric.get(name, True) and isinstance(value, (int, float))
    return {
        name: is_numeric or ((known := role(name)) is not None and known[0] in ("value", "weight"))
        for name, is_numeric in numeric.items()
    }


def _frame(rows: dict[str, dict[str, Any]]) -> pd.DataFrame | None:
    """The attributes of the objects; a column with both numbers and texts becomes texts."""
    names = dict.fromkeys(name for row in rows.values() for name in row)
    ATTRIBUTES.check(len(names), None)
    columns = {name: [row.get(name) for row in rows.values()] for name in names}
    for name, column in columns.items():
        if any(isinstance(value, str) for value in column):
            columns[name] = [None if value is None else str(value) for value in column]
    try:
        return pd.DataFrame(columns, index=pd.Index(list(rows), dtype="str")) if columns else None
    except UnicodeEncodeError as error:  # GML can have half of a surrogate pair
        actual = f"the character {error.object[error.start]!r}"
        raise DataError(Problem(actual, "valid Unicode characters")) from None
