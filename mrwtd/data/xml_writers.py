"""Writers of GraphML and GEXF.

NetworkX can open the GraphML: it rejects a mix of directed and undirected edges, so if relations differ, all edges are
directed and an attribute has the direction. Gephi can open the GEXF: each edge has a type, and the relation as its
kind, which keeps edges between the same two nodes apart.
"""

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import pandas as pd

from ..errors import Problem
from .relational import RelationalData
from .validation import is_one

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_EDGE_ATTRIBUTES = {"relation": "string", "value": "double", "entry_weight": "double"}


def invalid_characters(data: RelationalData) -> Iterator[Problem]:
    """A problem for each name or text with characters that XML cannot represent."""
    attributes = data.attributes
    texts = [
        *(("object", name) for name in data.objects),
        *(("relation", relation.name) for relation in data.relations),
        *(("attribute", name) for name in attributes.columns),
        *((f"attribute {c!r}", value) for c in attributes.columns for value in attributes[c] if isinstance(value, str)),
    ]
    for noun, text in texts:
        if _NOT_IN_XML.search(text):
            yield Problem(f"{noun} {text!r}", "no control characters, which XML cannot represent; or CSV or Parquet")


def graphml(data: RelationalData, schema: str) -> Iterator[str]:
    """The lines of a GraphML file."""
    mixed = len({relation.directed for relation in data.relations}) > 1
    yield f'{_HEAD}<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield '<key id="mrwtd" for="graph" attr.name="mrwtd" attr.type="string"/>'
    for name, kind in (_EDGE_ATTRIBUTES | ({"directed": "boolean"} if mixed else {})).items():
        yield f'<key id="{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>'
    for position, (name, kind) in enumerate(_attribute_types(data.attributes).items()):
        yield f'<key id="a{position}" for="node" attr.name={quoteattr(name)} attr.type="{kind}"/>'
    yield f'<graph edgedefault="{_edge_type(any(relation.directed for relation in data.relations))}">'
    yield f'<data key="mrwtd">{_text(schema)}</data>'
    for name, values in _objects(data):
        inner = "".join(f'<data key="a{position}">{_text(value)}</data>' for position, value in values)
        yield f"<node id={quoteattr(name)}>{inner}</node>"
    names = [quoteattr(name) for name in data.objects]
    relations = [
        f'<data key="relation">{_text(relation.name)}</data>'
        + (f'<data key="directed">{str(relation.directed).lower()}</data>' if mixed else "")
        for relation in data.relations
    ]
    for i, j, k, value, weight in _entries(data):
        more = "" if weight is None else f'<data key="entry_weight">{weight!r}</data>'
        inner = f'{relations[k]}<data key="value">{value!r}</data>{more}'
        yield f"<edge source={names[i]} target={names[j]}>{inner}</edge>"
    yield "</graph>\n</graphml>"


def gexf(data: RelationalData, schema: str) -> Iterator[str]:
    """The lines of a GEXF file, version 1.3."""
    yield f'{_HEAD}<gexf xmlns="http://gexf.net/1.3" version="1.3">'
    yield f"<meta><creator>mrwtd</creator><description>mrwtd {_text(schema)}</description></meta>"
    directed = any(relation.directed for relation in data.relations)
    yield f'<graph mode="static" defaultedgetype="{_edge_type(directed)}">'
    types = _attribute_types(data.attributes)
    if types:
        yield '<attributes class="node" mode="static">'
        for position, (name, kind) in enumerate(types.items()):
            yield f'<attribute id="a{position}" title={quoteattr(name)} type="{kind}"/>'
        yield "</attributes>"
    yield '<attributes class="edge" mode="static">'
    for name, kind in _EDGE_ATTRIBUTES.items():
        yield f'<attribute id="{name}" title="{name}" type="{kind}"/>'
    yield "</attributes>\n<nodes>"
    for name, values in _objects(data):
        inner = "".join(f'<attvalue for="a{position}" value={quoteattr(value)}/>' for position, value in values)
        inner = f"<attvalues>{inner}</attvalues>" if inner else ""
        yield f"<node id={quoteattr(name)} label={quoteattr(name)}>{inner}</node>"
    yield "</nodes>\n<edges>"
    names = [quoteattr(name) for name in data.objects]
    opening = [
        f'type="{_edge_type(relation.directed)}" kind={quoteattr(relation.name)}><attvalues>'
        f'<attvalue for="relation" value={quoteattr(relation.name)}/>'
        for relation in data.relations
    ]
    for number, (i, j, k, value, weight) in enumerate(_entries(data)):
        more = "" if weight is None else f'<attvalue for="entry_weight" value="{weight!r}"/>'
        inner = f'{opening[k]}<attvalue for="value" value="{value!r}"/>{more}</attvalues>'
        yield f'<edge id="{number}" source={names[i]} target={names[j]} {inner}</edge>'
    yield "</edges>\n</graph>\n</gexf>"


def _edge_type(directed: bool) -> str:
    return "directed" if directed else "undirected"


def _text(value: str) -> str:
    """Text between tags; an unescaped carriage return would be read as a line feed."""
    return escape(value, {"\r": "&#13;"})


def _attribute_types(attributes: pd.DataFrame) -> dict[str, str]:
    kinds = {"b": "boolean", "i": "long", "u": "long", "f": "double"}
    return {str(name): kinds.get(attributes[name].dtype.kind, "string") for name in attributes.columns}


def _objects(data: RelationalData) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Each object with its known attributes as text."""
    columns = [
        ["" if pd.isna(value) else str(value).lower() if isinstance(value, bool) else str(value) for value in column]
        for column in (data.attributes[name].tolist() for name in data.attributes.columns)
    ]
    for row, name in enumerate(data.objects):
        yield name, [(position, column[row]) for position, column in enumerate(columns) if column[row]]


def _entries(data: RelationalData) -> Iterator[tuple[int, int, int, float, float | None]]:
    weights = [None] * len(data) if is_one(data.w) else data.w.tolist()
    return zip(*(column.tolist() for column in (data.i, data.j, data.k, data.original_values())), weights, strict=True)
