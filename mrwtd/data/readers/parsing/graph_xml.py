"""GraphML and GEXF files, parsed safely and changed so that NetworkX can read all of them.

NetworkX rejects graphs with both directed and undirected edges, reads only the first graph of a file, keeps one of
several edges with the same id, and adds nodes that only edges name. Here such graphs become directed graphs with a mark
on undirected edges, each graph is a separate document, ids of edges are removed, and unknown nodes are problems.
"""

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ....errors import DataError, Problem, Problems
from ..source import Source
from .lines import quote

MARK = "mrwtd-undirected"
"""The attribute of undirected edges in a directed graph."""

SCHEMA = "mrwtd"
"""The name of the description by `mrwtd.write`: a graph attribute in GraphML, the first word of a GEXF description."""

_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
_GEXF = "{http://www.gexf.net/1.2draft}"

Element = ET.Element


class XmlGraph(NamedTuple):
    """A document with one graph, the id of the graph, and its description by `mrwtd.write`, or ""."""

    document: bytes
    id: str
    schema: str


class _NoDoctype(ET.TreeBuilder):
    """Rejects a document type before any of its entities could be expanded."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        expected = "XML without one, since its entities can expand without limit; remove the line"
        raise DataError(Problem("a document type (<!DOCTYPE …>)", expected))


def parse(source: Source) -> Element:
    """The root of an XML file.

    >>> parse(Source("a.graphml", b"<graphml/>")).tag
    'graphml'
    >>> parse(Source("a.graphml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found a document type (<!DOCTYPE …>); expected XML without one, ...
    """
    if source.is_text and not source.head.lstrip().startswith("<"):
        expected = "XML; or, for a file in another format, the ending of that format"
        raise DataError(Problem("a text that is not XML", expected))
    parser = ET.XMLParser(target=_NoDoctype())
    try:
        parser.feed(source.data)
        root: Element = parser.close()
    except DataError:
        raise
    except (ET.ParseError, ValueError, LookupError) as error:
        line = error.position[0] if isinstance(error, ET.ParseError) else None
        raise DataError(Problem(f"invalid XML ({error})", "well-formed XML; export the file again", line)) from None
    return root


def graphml(root: Element, problems: Problems) -> Iterator[XmlGraph]:
    """The graphs of a GraphML file."""
    _set_namespace(root, _GRAPHML)
    undirected = ET.Element(f"{_GRAPHML}key", {"id": MARK, "for": "edge", "attr.name": MARK, "attr.type": "boolean"})
    keys: dict[str | None, Element] = {}
    for key in [*root.findall(f"{_GRAPHML}key"), undirected]:
        for element in key.findall(f"{_GRAPHML}default"):
            key.remove(element)  # NetworkX repeats defaults in every graph, but not in nodes or edges
        keys[key.get("id")] = key
    schema_keys = {id for id, key in keys.items() if key.get("attr.name") == SCHEMA and key.get("for") == "graph"}
    for graph in root.findall(f"{_GRAPHML}graph"):
        default = graph.get("edgedefault", "undirected")
        types = {"true": "directed", "false": "undirected"}
        edge_types = [types.get(edge.get("directed", ""), default) for edge in graph.iter(f"{_GRAPHML}edge")]
        for edge, edge_type in _normalize_edges(graph, "edgedefault", edge_types, _GRAPHML, problems):
            edge.attrib.pop("directed", None)
            if edge_type == "undirected":
                ET.SubElement(edge, f"{_GRAPHML}data", {"key": MARK}).text = "true"
        document = ET.Element(f"{_GRAPHML}graphml")
        # Only the keys that the graph uses: a file can have thousands of keys, and of graphs.
        used = dict.fromkeys(data.get("key") for data in graph.iter(f"{_GRAPHML}data"))
        document.extend([*(keys[key] for key in used if key in keys), graph])
        schema = next((data.text for data in graph.findall(f"{_GRAPHML}data") if data.get("key") in schema_keys), "")
        yield XmlGraph(_to_bytes(document), graph.get("id", ""), schema or "")


def gexf(root: Element, problems: Problems) -> Iterator[XmlGraph]:
    """The graph of a GEXF file."""
    _set_namespace(root, _GEXF)
    description = (root.findtext(f"{_GEXF}meta/{_GEXF}description") or "").strip()
    schema = description.removeprefix(f"{SCHEMA} ") if description.startswith(f"{SCHEMA} {{") else ""
    graph = root.find(f"{_GEXF}graph")
    if graph is None:
        return
    # Times are not part of the data, but NetworkX fails on times without a format.
    graph.set("timeformat", "string")
    default = graph.get("defaultedgetype", "undirected")
    edge_types = [edge.get("type", default) for edge in graph.iter(f"{_GEXF}edge")]
    attributes = ET.SubElement(graph, f"{_GEXF}attributes", {"class": "edge"})
    for title, kind in {MARK: "boolean", "edge type": "string"}.items():
        ET.SubElement(attributes, f"{_GEXF}attribute", {"id": f"mrwtd {title}", "title": title, "type": kind})
    for edge, edge_type in _normalize_edges(graph, "defaultedgetype", edge_types, _GEXF, problems):
        if edge.get("type") != "mutual":
            edge.attrib.pop("type", None)
        added = {MARK: "true"} if edge_type == "undirected" else {}
        if edge.get("kind"):
            added["edge type"] = edge.get("kind", "")
        values = edge.find(f"{_GEXF}attvalues")
        if added and values is None:
            values = ET.SubElement(edge, f"{_GEXF}attvalues")
        for title, value in added.items():
            ET.SubElement(values, f"{_GEXF}attvalue", {"for": f"mrwtd {title}", "value": value})  # type: ignore[arg-type]
    yield XmlGraph(_to_bytes(root), graph.get("id", ""), schema)


def _to_bytes(root: Element) -> bytes:
    """The bytes of a document. ElementTree does not escape carriage returns, which would be read as line feeds."""
    return ET.tostring(root).replace(b"\r", b"&#13;")


def _namespace(element: Element) -> str:
    """The namespace of an element, in braces as in its tag, or ""."""
    tag = str(element.tag)
    return tag[: tag.rfind("}") + 1]


def _set_namespace(root: Element, wanted: str) -> None:
    """Change the namespace of the root, and of elements with the same namespace, to the one that NetworkX knows."""
    current = _namespace(root)
    for element in root.iter() if current != wanted else ():
        if _namespace(element) == current:
            element.tag = wanted + element.tag[len(current) :]


def _normalize_edges(
    graph: Element, default: str, edge_types: list[str], space: str, problems: Problems
) -> Iterator[tuple[Element, str]]:
    """Each edge without its id, with its type if that differs from the type of the graph; checks the ends."""
    nodes = Counter(node.get("id") for node in graph.iter(f"{space}node"))
    for name, count in nodes.items():
        if name is None or count > 1:
            actual = "a node without id" if name is None else f"{count} nodes with the id {quote(name)}"
            problems.add(actual, "a unique id for each node")
    common = "undirected" if "directed" not in edge_types and "mutual" not in edge_types else "directed"
    graph.set(default, common)
    for number, (edge, edge_type) in enumerate(zip(graph.iter(f"{space}edge"), edge_types, strict=True), start=1):
        edge.attrib.pop("id", None)
        for end in ("source", "target"):
            if (name := edge.get(end)) not in nodes:
                actual = "nothing" if name is None else quote(name)
                problems.add(actual, "the id of a node", where=f"edge {number}, {end}")
        yield edge, edge_type if edge_type != common else ""
