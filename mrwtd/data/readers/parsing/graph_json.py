"""Graphs in JSON: node-link data of NetworkX and d3, Cytoscape.js, JSON Graph Format, graphology, vis.js, and others.

Three forms are known, each with many names for its parts: nodes and edges, a list of edges alone, and a mapping of each
node to its neighbours. Objects inside an edge or a node, such as `data` or `attributes`, are read as part of it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import DataError, Problem, Problems
from ..source import Source
from .edge_list import EdgeList
from .graph_xml import MARK
from .headers import best_name
from .lines import quote

EXTENSIONS = ("json", "cyjs", "jgf")

MAX_DEPTH = 100
"""Levels of JSON that are searched for a graph; graphs have four."""

_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:\{\s*+[\"}]|\[\s*+[\[{\]])")
_EDGES = ("links", "edges", "relationships", "ties")
_NODES = ("nodes", "vertices")
_INSIDE = ("data", "attributes", "attr", "metadata", "properties")
_INSIDE_NAMES = frozenset(_INSIDE)
_IDS = ("id", "key", "_id", "name", "label", "title")
_LAYOUT = ("x", "y", "z", "vx", "vy", "fx", "fy", "px", "py", "index", "selected", "SUID", "SELECTED", "group_id")
_EXPECTED = "nodes and links (or edges), a list of edges with source and target, or neighbours by node"


def is_json(source: Source) -> bool:
    """Whether the extension or the first bytes are those of JSON."""
    return source.extension in EXTENSIONS or _START.match(source.start[:4096]) is not None


@dataclass(frozen=True)
class _Parts:
    """The nodes and edges of a document, and whether it says that edges are directed."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    directed: bool | None = None


def graph(source: Source) -> tuple[EdgeList, bool]:
    """The graph of a JSON file, and whether the file declares if edges are directed.

    >>> text = b'{"nodes": [{"id": "ann"}, {"id": "bob"}], "links": [{"source": 0, "target": 1, "value": 3}]}'
    >>> graph(Source("d3.json", text))[0].data
    [{'value': 3}]
    """
    parts = _parts(_load(source), 0)
    if parts is None or not parts.edges:
        raise DataError(Problem("JSON without a graph", _EXPECTED))
    undirected = parts.directed is False
    ids = _ids(parts.nodes)
    nodes = {key: _kept(node) for key, node in zip(ids, parts.nodes, strict=True)}
    names = list(dict.fromkeys(key for edge in parts.edges for key in edge))
    ends = best_name(names, "source"), best_name(names, "target")
    if None in ends:
        raise DataError(Problem(f"edges with {', '.join(map(quote, names[:10]))}", "edges with source and target"))
    first, second = map(str, ends)
    ignored = {first, second, *_LAYOUT}
    is_declared = parts.directed is not None
    has_flags = "directed" in names or "undirected" in names
    problems = Problems()
    pairs: list[tuple[str, str]] = []
    data: list[dict[str, Any]] = []
    for number, edge in enumerate(parts.edges, start=1):
        pair = _node(edge.get(first), ids, nodes), _node(edge.get(second), ids, nodes)
        if pair[0] is None or pair[1] is None:
            actual = ", ".join(quote(str(edge.get(end, "nothing"))) for end in (first, second))
            problems.add(f"an edge between {actual}", "two of the nodes, by id or position", where=f"edge {number}")
            continue
        kept = {k: value for k, value in edge.items() if k not in ignored and isinstance(value, (str, int, float))}
        flag = edge.get("directed", None if "undirected" not in edge else not edge["undirected"]) if has_flags else None
        if isinstance(flag, bool):
            is_declared = True
            kept = {key: value for key, value in kept.items() if key not in ("directed", "undirected")}
            kept |= {} if flag or undirected else {MARK: True}
        pairs.append(pair)  # type: ignore[arg-type]
        data.append(kept)
    problems.check()
    if not nodes:
        nodes = {name: {} for pair in pairs for name in pair}
    rank = {name: position for position, name in enumerate(nodes)}
    sources, targets = (np.array([rank[pair[end]] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return EdgeList.in_order(nodes, sources, targets, data, not undirected), is_declared


def _load(source: Source) -> Any:
    try:
        return json.loads(source.text)
    except json.JSONDecodeError as error:
        raise DataError(Problem(f"damaged JSON ({error.msg})", "complete JSON; save it again", error.lineno)) from None
    except RecursionError:
        raise DataError(Problem("deeply nested JSON", _EXPECTED)) from None
    except ValueError as error:  # a number with thousands of digits
        raise DataError(Problem(f"unreadable JSON ({error})", "numbers of a usual size")) from None


def _parts(document: Any, depth: int) -> _Parts | None:
    """The nodes and edges of a document, wherever they are; None if there are none."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(document, list):
        return _from_list(document, depth)
    if not isinstance(document, dict):
        return None
    nodes = next((document[name] for name in _NODES if isinstance(document.get(name), (list, dict))), None)
    edges = next((document[name] for name in _EDGES if isinstance(document.get(name), list)), None)
    directed = document.get("directed")
    options = document.get("options")
    if isinstance(options, dict) and options.get("type") in ("directed", "undirected"):
        directed = options["type"] == "directed"
    directed = directed if isinstance(directed, bool) else None
    if edges is not None:
        return _Parts(_nodes(nodes), [_flat(edge) for edge in edges if isinstance(edge, (dict, list))], directed)
    if isinstance(document.get("adjacency"), list) and isinstance(nodes, list):
        return _from_adjacency(_nodes(nodes), document["adjacency"], directed)
    for name in ("elements", "graph", "graphs", "network"):
        inner = _parts(document[name], depth + 1) if name in document else None
        if inner is not None:
            return _Parts(inner.nodes, inner.edges, directed if inner.directed is None else inner.directed)
    return _from_neighbours(document)


def _from_list(items: list[Any], depth: int) -> _Parts | None:
    """Edges, or nodes and edges in one list as in Cytoscape.js, or a graph in a list."""
    flat = [_flat(item) for item in items if isinstance(item, (dict, list))]
    for item in flat:
        if item.get("group") in ("nodes", "edges"):
            del item["group"]
    names = list(dict.fromkeys(key for item in flat for key in item))
    ends = best_name(names, "source"), best_name(names, "target")
    if flat and None not in ends:
        is_edge = [all(str(end) in item for end in ends) for item in flat]
        nodes = [item for item, edge in zip(flat, is_edge, strict=True) if not edge]
        return _Parts(nodes, [item for item, edge in zip(flat, is_edge, strict=True) if edge])
    return _parts(items[0], depth + 1) if len(items) == 1 else None


def _from_adjacency(nodes: list[dict[str, Any]], lists: list[Any], directed: bool | None) -> _Parts:
    """NetworkX's adjacency data: for each node a list of neighbours. An undirected edge is in two of them."""
    ids, edges = _ids(nodes), []
    rank = {key: position for position, key in enumerate(ids)}
    for key, neighbours in zip(ids, lists, strict=False):
        for neighbour in neighbours if isinstance(neighbours, list) else []:
            if isinstance(neighbour, dict) and "id" in neighbour:
                other = str(neighbour["id"])
                if directed is False and rank.get(other, -1) < rank[key]:
                    continue
                rest = {name: value for name, value in neighbour.items() if name != "id"}
                edges.append({**rest, "source": key, "target": other})
    return _Parts(nodes, edges, directed)


def _from_neighbours(document: Mapping[str, Any]) -> _Parts | None:
    """A mapping of each node to a list of its neighbours, or to a mapping of its neighbours to values."""
    if not document or not all(isinstance(value, (list, dict)) for value in document.values()):
        return None
    edges = []
    for node, neighbours in document.items():
        pairs = neighbours.items() if isinstance(neighbours, dict) else ((name, None) for name in neighbours)
        for name, value in pairs:
            if isinstance(name, (list, dict, bool)) or isinstance(value, list):
                return None
            inner = _flat(value) if isinstance(value, dict) else {} if value is None else {"value": value}
            edges.append({**inner, "source": node, "target": str(name)})
    names = dict.fromkeys([*document, *(edge["target"] for edge in edges)])
    return _Parts([{"id": name} for name in names], edges) if edges else None


def _nodes(nodes: Any) -> list[dict[str, Any]]:
    """The nodes of a list, or of a mapping from id to node."""
    if isinstance(nodes, dict):
        return [{**(_flat(node) if isinstance(node, dict) else {}), "id": key} for key, node in nodes.items()]
    return [_flat(node) if isinstance(node, dict) else {"id": node} for node in nodes or []]


def _flat(item: Any) -> dict[str, Any]:
    """A node or an edge, with what is in the objects inside it. A list is source, target and value."""
    if isinstance(item, list):
        return dict(zip(("source", "target", "value"), item, strict=False))
    if _INSIDE_NAMES.isdisjoint(item):
        return dict(item)
    inner = [item[name] for name in _INSIDE if isinstance(item.get(name), dict)]
    return {key: value for part in (*inner, item) for key, value in part.items() if key not in _INSIDE}


def _ids(nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The id of each node: the first name that all nodes have and that is different for all, else the position."""
    for name in _IDS:
        ids = [str(node[name]) for node in nodes if isinstance(node.get(name), (str, int, float))]
        if len(ids) == len(set(ids)) == len(nodes):
            return ids
    return [str(position) for position in range(len(nodes))]


def _node(end: Any, ids: Sequence[str], nodes: Mapping[str, Any]) -> str | None:
    """The id of an end of an edge: an id, the position of a node, or the node itself."""
    if type(end) is str and end in nodes:
        return end
    if isinstance(end, dict):
        end = next((end[name] for name in _IDS if name in end), None)
    if end is None or isinstance(end, (list, dict)):
        return None
    if not ids or str(end) in nodes:
        return str(end)
    is_position = isinstance(end, int) and not isinstance(end, bool) and 0 <= end < len(ids)
    return ids[end] if is_position else None


def _kept(item: Mapping[str, Any]) -> dict[str, Any]:
    """The texts and numbers of a node or an edge, without its place in a drawing."""
    return {key: value for key, value in item.items() if isinstance(value, (str, int, float)) and key not in _LAYOUT}
