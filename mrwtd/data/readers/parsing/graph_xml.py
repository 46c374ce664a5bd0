"""GraphML and GEXF files made such that NetworkX reads all of them.

NetworkX refuses graphs whose edges are partly directed and partly not, reads the first graph of a file alone, keeps
one of several edges with the same id, and invents nodes that edges name. Here such graphs become directed ones with
a mark on their undirected edges, graphs are taken one by one, ids of edges go, and unknown nodes are problems.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ....errors import Problems
from .lines import quote
from .markup import namespace

MARK = "mrwtd-undirected"
"""The attribute of an edge that is undirected in a directed graph."""

SCHEMA = "mrwtd"
"""What `mrwtd.write` says of its data: an attribute of a GraphML graph, the first word of a GEXF description."""

_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
_GEXF = "{http://www.gexf.net/1.2draft}"

Element = ET.Element


class XmlGraph(NamedTuple):
    """A document with one graph, the graph's own id, and the description that `mrwtd.write` gave it, or nothing."""

    document: bytes
    id: str
    schema: str


def graphml(root: Element, problems: Problems) -> Iterator[XmlGraph]:
    """The graphs of a GraphML file."""
    _rename(root, _GRAPHML)
    undirected = ET.Element(f"{_GRAPHML}key", {"id": MARK, "for": "edge", "attr.name": MARK, "attr.type": "boolean"})
    keys = [*root.findall(f"{_GRAPHML}key"), undirected]
    schema_keys = {key.get("id") for key in keys if key.get("attr.name") == SCHEMA and key.get("for") == "graph"}
    for graph in root.findall(f"{_GRAPHML}graph"):
        own = [edge.get("directed", "") for edge in graph.iter(f"{_GRAPHML}edge")]
        default = graph.get("edgedefault", "undirected")
        ways = [{"true": "directed", "false": "undirected"}.get(way, default) for way in own]
        for edge, way in _settled(graph, "edgedefault", ways, _GRAPHML, problems):
            edge.attrib.pop("directed", None)
            if way == "undirected":
                ET.SubElement(edge, f"{_GRAPHML}data", {"key": MARK}).text = "true"
        document = ET.Element(f"{_GRAPHML}graphml")
        document.extend([*keys, graph])
        schema = next((data.text for data in graph.findall(f"{_GRAPHML}data") if data.get("key") in schema_keys), "")
        yield XmlGraph(_written(document), graph.get("id", ""), schema or "")


def gexf(root: Element, problems: Problems) -> Iterator[XmlGraph]:
    """The graph of a GEXF file."""
    _rename(root, _GEXF)
    description = (root.findtext(f"{_GEXF}meta/{_GEXF}description") or "").strip()
    schema = description.removeprefix(f"{SCHEMA} ") if description.startswith(f"{SCHEMA} {{") else ""
    graph = root.find(f"{_GEXF}graph")
    if graph is None:
        return
    # When something held is no part of the data, but NetworkX fails on times without a format.
    graph.set("timeformat", "string")
    default = graph.get("defaultedgetype", "undirected")
    edges = list(graph.iter(f"{_GEXF}edge"))
    ways = [edge.get("type", default) for edge in edges]
    marks = {MARK: "boolean", "edge type": "string"}
    attributes = ET.SubElement(graph, f"{_GEXF}attributes", {"class": "edge"})
    for title, kind in marks.items():
        ET.SubElement(attributes, f"{_GEXF}attribute", {"id": f"mrwtd {title}", "title": title, "type": kind})
    for edge, way in _settled(graph, "defaultedgetype", ways, _GEXF, problems):
        if edge.get("type") != "mutual":
            edge.attrib.pop("type", None)
        found = {MARK: "true"} if way == "undirected" else {}
        if edge.get("kind"):
            found["edge type"] = edge.get("kind", "")
        values = edge.find(f"{_GEXF}attvalues")
        if found and values is None:
            values = ET.SubElement(edge, f"{_GEXF}attvalues")
        for title, value in found.items():
            ET.SubElement(values, f"{_GEXF}attvalue", {"for": f"mrwtd {title}", "value": value})  # type: ignore[arg-type]
    yield XmlGraph(_written(root), graph.get("id", ""), schema)


def _written(root: Element) -> bytes:
    """The bytes of a document. ElementTree leaves a carriage return in text bare: it would be read as a line feed."""
    return ET.tostring(root).replace(b"\r", b"&#13;")


def _rename(root: Element, wanted: str) -> None:
    """Give the elements of the file's own vocabulary the namespace that NetworkX knows it under."""
    found = namespace(root)
    for element in root.iter() if found != wanted else ():
        if namespace(element) == found:
            element.tag = wanted + element.tag[len(found) :]


def _settled(
    graph: Element, default: str, ways: list[str], space: str, problems: Problems
) -> Iterator[tuple[Element, str]]:
    """Each edge, its id gone and its ends checked, with its direction where that is not the graph's."""
    nodes = Counter(node.get("id") for node in graph.iter(f"{space}node"))
    for name, times in nodes.items():
        if name is None or times > 1:
            found = "a node without id" if name is None else f"the node {quote(name)} {times} times"
            problems.add(found, "a node for each id")
    common = "undirected" if "directed" not in ways and "mutual" not in ways else "directed"
    graph.set(default, common)
    for number, (edge, way) in enumerate(zip(graph.iter(f"{space}edge"), ways, strict=True), start=1):
        edge.attrib.pop("id", None)
        for end in ("source", "target"):
            if edge.get(end) not in nodes:
                found = "nothing" if edge.get(end) is None else quote(edge.get(end, ""))
                problems.add(found, "the id of a node", where=f"edge {number}, {end}")
        yield edge, way if way != common else ""
