"""GraphML and GEXF, as they are written.

GraphML is such that NetworkX opens it: it refuses a mix of directed and undirected edges, so where relations differ,
all edges are called directed and carry an attribute that tells. GEXF is such that Gephi opens it: each edge
has its own type, and the relation as its kind, which keeps edges between the same two nodes apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from ..errors import Problem
from .relational import RelationalData
from .validation import is_one

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_EDGE_ATTRIBUTES = {"relation": "string", "value": "double", "entry_weight": "double"}


def invalid_characters(data: RelationalData) -> Iterator[Problem]:
    """Names and texts with characters that XML has no way to write."""
    attributes = data.attributes
    texts = [
        *(("object", name) for name in data.objects),
        *(("relation", relation.name) for relation in data.relations),
        *(("attribute", name) for name in attributes.columns),
        *((f"attribute {c!r}", value) for c in attributes.columns for value in attributes[c] if isinstance(value, str)),
    ]
    for what, text in texts:
        if _NOT_IN_XML.search(text):
            yield Problem(f"{what} {text!r}", "no control characters, which XML cannot hold; write CSV or Parquet")


def graphml(data: RelationalData, schema: str, stream: IO[bytes]) -> None:
    """Write GraphML."""
    ways = {relation.directed for relation in data.relations}
    types = _attribute_types(data.attributes)
    out = _Lines(stream)
    out.add(f'{_HEAD}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    out.add('<key id="mrwtd" for="graph" attr.name="mrwtd" attr.type="string"/>')
    edge_types = _EDGE_ATTRIBUTES | ({"directed": "boolean"} if len(ways) > 1 else {})
    for name, kind in edge_types.items():
        out.add(f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>')
    for at, (name, kind) in enumerate(types.items()):
        out.add(f'<key id="a{at}" for="node" attr.name={quoteattr(name)} attr.type="{kind}"/>')
    out.add(f'<graph edgedefault="{"directed" if True in ways else "undirected"}">')
    out.add(f'<data key="mrwtd">{_text(schema)}</data>')
    for name, values in _objects(data):
        inner = "".join(f'<data key="a{at}">{_text(value)}</data>' for at, value in values)
        out.add(f"<node id={quoteattr(name)}>{inner}</node>")
    names = [quoteattr(name) for name in data.objects]
    relations = [
        f'<data key="relation">{_text(relation.name)}</data>'
        + (f'<data key="directed">{str(relation.directed).lower()}</data>' if len(ways) > 1 else "")
        for relation in data.relations
    ]
    for i, j, k, value, weight in _entries(data):
        more = "" if weight is None else f'<data key="entry_weight">{weight!r}</data>'
        out.add(
            f'<edge source={names[i]} target={names[j]}>{relations[k]}<data key="value">{value!r}</data>{more}</edge>'
        )
    out.add("</graph>\n</graphml>")
    out.flush()


def gexf(data: RelationalData, schema: str, stream: IO[bytes]) -> None:
    """Write GEXF, version 1.3."""
    directed = any(relation.directed for relation in data.relations)
    out = _Lines(stream)
    out.add(f'{_HEAD}<gexf xmlns="http://gexf.net/1.3" version="1.3">')
    out.add(f"<meta><creator>mrwtd</creator><description>mrwtd {_text(schema)}</description></meta>")
    out.add(f'<graph mode="static" defaultedgetype="{"directed" if directed else "undirected"}">')
    types = _attribute_types(data.attributes)
    if types:
        out.add('<attributes class="node" mode="static">')
        for at, (name, kind) in enumerate(types.items()):
            out.add(f'<attribute id="a{at}" title={quoteattr(name)} type="{kind}"/>')
        out.add("</attributes>")
    out.add('<attributes class="edge" mode="static">')
    for name, kind in _EDGE_ATTRIBUTES.items():
        out.add(f'<attribute id="{name}" title="{name}" type="{kind}"/>')
    out.add("</attributes>\n<nodes>")
    for name, values in _objects(data):
        inner = "".join(f'<attvalue for="a{at}" value={quoteattr(value)}/>' for at, value in values)
        inner = f"<attvalues>{inner}</attvalues>" if inner else ""
        out.add(f"<node id={quoteattr(name)} label={quoteattr(name)}>{inner}</node>")
    out.add("</nodes>\n<edges>")
    names = [quoteattr(name) for name in data.objects]
    opening = [
        f'type="{"directed" if relation.directed else "undirected"}" kind={quoteattr(relation.name)}><attvalues>'
        f'<attvalue for="relation" value={quoteattr(relation.name)}/>'
        for relation in data.relations
    ]
    for number, (i, j, k, value, weight) in enumerate(_entries(data)):
        more = "" if weight is None else f'<attvalue for="entry_weight" value="{weight!r}"/>'
        out.add(
            f'<edge id="{number}" source={names[i]} target={names[j]} {opening[k]}'
            f'<attvalue for="value" value="{value!r}"/>{more}</attvalues></edge>'
        )
    out.add("</edges>\n</graph>\n</gexf>")
    out.flush()


class _Lines:
    """Lines on their way to a file, many at a time."""

    def __init__(self, stream: IO[bytes]):
        self._stream = stream
        self._waiting: list[str] = []

    def add(self, line: str) -> None:
        self._waiting.append(line)
        if len(self._waiting) >= 10_000:
            self.flush()

    def flush(self) -> None:
        self._stream.write("".join(f"{line}\n" for line in self._waiting).encode())
        self._waiting.clear()


def _text(value: str) -> str:
    """Text between tags; a bare carriage return would be read as a line feed."""
    return escape(value, {"\r": "&#13;"})


def _attribute_types(attributes: pd.DataFrame) -> dict[str, str]:
    def type_of(column: Any) -> str:
        if pd.api.types.is_bool_dtype(column.dtype):
            return "boolean"
        if pd.api.types.is_integer_dtype(column.dtype):
            return "long"
        return "double" if pd.api.types.is_float_dtype(column.dtype) else "string"

    return {str(name): type_of(attributes[name]) for name in attributes.columns}


def _objects(data: RelationalData) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Each object with its attributes, those that are known, as text."""
    columns = [
        ["" if pd.isna(value) else str(value).lower() if isinstance(value, bool) else str(value) for value in column]
        for column in (data.attributes[name].tolist() for name in data.attributes.columns)
    ]
    for position, name in enumerate(data.objects):
        yield name, [(at, column[position]) for at, column in enumerate(columns) if column[position]]


def _entries(data: RelationalData) -> Iterator[tuple[int, int, int, float, float | None]]:
    weights = [None] * len(data) if is_one(data.w) else data.w.tolist()
    return zip(
        data.i.tolist(), data.j.tolist(), data.k.tolist(), data.original_values().tolist(), weights, strict=True
    )  # fmt: skip
