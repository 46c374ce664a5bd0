"""GML files whose nodes are alike and whose edges are alike, as programs write them; NetworkX reads all others."""

import re
from typing import Any

import numpy as np

from .edge_list import EdgeList

_HEAD = re.compile(
    r'\s*+(?:(?:Creator|creator|Version|version|Comment|comment)\s++(?:"[^"\n]*+"|[0-9]++)\s++)*+graph\s*+\[\s*+'
    r'(?:(?:(?:directed|multigraph)\s++[01]|(?:comment|label|name|Creator)\s++"[^"\n]*+")\s++)*+'
)
_DIRECTED = re.compile(r"\bdirected\s++([01])\s")
_TOKEN = re.compile(r'"[^"\n]*+"|[^\s"\[\]]++|["\[\]]')
_KEY = re.compile(r"[A-Za-z][0-9A-Za-z_]*+")
_INTEGERS = re.compile(r"(?:[+-]?+[0-9]{1,18}\n)*+")
_REALS = re.compile(r"(?:[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[Ee][+-]?+[0-9]++)?+\n)*+")
_RESERVED = ("node", "edge", "graph", "key", "self", "node_for_adding", "u_for_edge", "v_for_edge")

Columns = dict[str, list[Any]]


def plain_gml(text: str) -> EdgeList | None:
    """The graph of a file, or None if it has anything that not all nodes, or not all edges, have.

    >>> text = 'graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 3 ] ]'
    >>> plain_gml(text).data
    [{'value': 3}]
    """
    head = _HEAD.match(text)
    start = 0 if head is None else head.end()
    first_edge = re.search(r"\bedge\s*\[", text)
    if not text.startswith("node", start) or first_edge is None:
        return None
    nodes = _records(_tokens(text[start : first_edge.start()]), "node")
    tokens = _tokens(text[first_edge.start() :])
    edges = _records(tokens[:-1], "edge") if tokens[-1] == "]" else None
    if nodes is None or edges is None or "id" not in nodes or not {"source", "target"} <= edges.keys():
        return None
    ids = nodes.pop("id")
    known = {node: position for position, node in enumerate(ids)}
    ends = [[known.get(node, -1) for node in edges.pop(end)] for end in ("source", "target")]
    if len(known) < len(ids) or any(-1 in end for end in ends):
        return None
    sources, targets = (np.array(end, dtype=np.int64) for end in ends)
    directions = _DIRECTED.findall(text[:start])
    if len(directions) > 1:
        return None
    rows = dict(zip(ids, _rows(nodes, len(ids)), strict=True))
    return EdgeList.in_order(rows, sources, targets, _rows(edges, len(sources)), directions == ["1"])


def _tokens(text: str) -> list[str]:
    """The words, quoted texts and brackets of a text."""
    if '"' in text:
        return _TOKEN.findall(text)
    return text.replace("[", " [ ").replace("]", " ] ").split()


def _records(tokens: list[str], word: str) -> Columns | None:
    """The columns of records `word [ key value key value ]`, by key; None if they are not all alike."""
    if "]" not in tokens:
        return None
    width = tokens.index("]") + 1
    keys = tokens[2 : width - 1 : 2]
    expected: dict[int, str] = {0: word, 1: "[", width - 1: "]", **dict(zip(range(2, width, 2), keys, strict=False))}
    count, rest = divmod(len(tokens), width)
    if rest or width % 2 == 0 or len(set(keys)) < len(keys) or not all(map(_KEY.fullmatch, keys)):
        return None
    if not set(keys).isdisjoint(_RESERVED):
        return None
    if any(tokens[position::width].count(token) < count for position, token in expected.items()):
        return None
    columns = {key: _values(tokens[position::width]) for position, key in zip(range(3, width, 2), keys, strict=True)}
    return None if None in columns.values() else columns  # type: ignore[return-value]


def _values(tokens: list[str]) -> list[Any] | None:
    """Whole numbers, numbers or quoted texts; None if they are of different kinds."""
    joined = "\n".join(tokens) + "\n"
    if _INTEGERS.fullmatch(joined):
        return list(map(int, tokens))
    if _REALS.fullmatch(joined):
        # A number without a point is a whole number, whatever the others are.
        return [int(token) if token.lstrip("+-").isdigit() else float(token) for token in tokens]
    if joined.count('"') != 2 * len(tokens) or not all(token[0] == '"' for token in tokens):
        return None
    if "&" in joined or '"()"' in joined or '"[]"' in joined:
        return None  # characters written as numbers, and empty lists
    return [token[1:-1] for token in tokens]


def _rows(columns: Columns, count: int) -> list[dict[str, Any]]:
    """One mapping per record; records without values share one."""
    if not columns:
        return [{}] * count
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
