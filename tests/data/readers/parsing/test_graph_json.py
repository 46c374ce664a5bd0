"""Graphs in JSON, in the forms of several programs."""

import io
import json

import pytest

import mrwtd
from mrwtd import DataError

NODES = [{"id": "ann", "age": 31}, {"id": "bob", "age": 40}, {"id": "cat"}, {"id": "dan"}]


def read(document, name="office.json", **options):
    text = document if isinstance(document, str) else json.dumps(document)
    stream = io.BytesIO(text.encode())
    stream.name = name
    return mrwtd.read(stream, **options)


def ties(data):
    names = [relation.name for relation in data.relations]
    rows = zip(data.i, data.j, data.k, data.y, strict=True)
    return {(data.objects[i], names[k], data.objects[j]): y for i, j, k, y in rows}


EDGES = [{"source": "ann", "target": "bob", "weight": 2}, {"source": "cat", "target": "bob", "weight": 12.5}]
WEIGHTED = {("ann", "office", "bob"): 2, ("cat", "office", "bob"): 12.5}

FORMS = {
    "NetworkX": {"directed": True, "multigraph": False, "graph": {}, "nodes": NODES, "links": EDGES},
    "NetworkX 3.4": {"directed": True, "multigraph": False, "graph": {}, "nodes": NODES, "edges": EDGES},
    "d3 by position": {
        "nodes": NODES,
        "links": [{"source": 0, "target": 1, "value": 2}, {"source": 2, "target": 1, "value": 12.5}],
    },
    "d3 after its layout": {
        "nodes": [{**node, "x": 1.5, "index": k} for k, node in enumerate(NODES)],
        "links": [{"source": {"id": edge["source"]}, "target": {"id": edge["target"]}, "value": edge["weight"]}
                  for edge in EDGES],
    },
    "Cytoscape.js": {
        "elements": {"nodes": [{"data": n} for n in NODES], "edges": [{"data": {"id": str(k), **e}} for k, e in
                                                                     enumerate(EDGES)]},
    },
    "Cytoscape.js in one list": [*({"group": "nodes", "data": n} for n in NODES), *({"data": e} for e in EDGES)],
    "JSON Graph Format": {
        "graph": {"directed": True, "nodes": {n["id"]: {"metadata": {"age": n.get("age")}} for n in NODES},
                  "edges": [{"source": e["source"], "target": e["target"], "metadata": {"weight": e["weight"]}}
                            for e in EDGES]},
    },
    "graphology": {
        "options": {"type": "directed"},
        "nodes": [{"key": n["id"], "attributes": {"age": n.get("age")}} for n in NODES],
        "edges": [{"source": e["source"], "target": e["target"], "attributes": {"weight": e["weight"]}} for e in EDGES],
    },
    "vis.js": {"nodes": NODES, "edges": [{"from": a, "to": b, "value": y} for a, b, y in map(dict.values, EDGES)]},
    "NetworkX adjacency": {
        "directed": True, "nodes": NODES,
        "adjacency": [[{"weight": 2, "id": "bob"}], [], [{"weight": 12.5, "id": "bob"}], []],
    },
    "neighbours with values": {"ann": {"bob": 2}, "cat": {"bob": 12.5}, "bob": {}, "dan": {}},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_graph_is_read_with_its_isolates(form):
    data = read(FORMS[form], directed=True)
    assert set(data.objects) == {"ann", "bob", "cat", "dan"}
    assert ties(data) == WEIGHTED


@pytest.mark.parametrize("form", [name for name in FORMS if name != "neighbours with values"])
def test_attributes_of_nodes(form):
    ages = read(FORMS[form]).attributes["age"]
    assert ages["bob"] == 40
    assert list(read(FORMS[form]).attributes) == ["age"]


def test_a_list_of_edges_and_lists_of_neighbours():
    assert ties(read(EDGES)) == WEIGHTED
    assert set(ties(read({"ann": ["bob", "cat"], "bob": []}))) == {("ann", "office", "bob"), ("ann", "office", "cat")}


def test_the_direction_is_obeyed_or_inferred():
    undirected = {"directed": False, "nodes": NODES, "links": EDGES}
    assert [r.directed for r in read(undirected).relations] == [False]
    assert any("read as directed" in note for note in read(FORMS["d3 by position"]).notes)


def test_an_undirected_adjacency_lists_each_edge_twice():
    neighbours = [[{"id": "bob"}], [{"id": "ann"}, {"id": "cat"}], [{"id": "bob"}]]
    data = read({"directed": False, "nodes": NODES[:3], "adjacency": neighbours})
    assert set(ties(data)) == {("ann", "office", "bob"), ("bob", "office", "cat")}


@pytest.mark.parametrize("name", ["relation", "type", "label", "interaction"])
def test_an_attribute_of_edges_names_the_relation(name):
    edges = [{**EDGES[0], name: "likes"}, {**EDGES[1], name: "calls"}]
    data = read({"directed": True, "nodes": NODES, "links": edges})
    assert ties(data) == {("ann", "likes", "bob"): 2, ("cat", "calls", "bob"): 12.5}


def test_content_decides_not_the_name():
    data = read(FORMS["NetworkX"], name="office.txt")
    assert ties(data) == WEIGHTED
    assert any("office.txt" in note for note in data.notes)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"format": ["MWnets"], "size": 3}, "JSON without a graph.*nodes and links"),
        ({"nodes": NODES, "links": []}, "JSON without a graph"),
        ([1, 2, 3], "JSON without a graph"),
        ({"nodes": NODES, "links": [{"a": 1}]}, "edges with 'a'.*source and target"),
        ({"nodes": NODES, "links": [{"source": "ann", "target": "eve"}]}, "edge 1.*'eve'.*two of the nodes"),
        ({"nodes": NODES, "links": [{"source": 0, "target": 9}]}, "edge 1"),
        ('{"nodes": [1, 2],\n "links": [', "line 2.*damaged JSON"),
        ('{"nodes": ' + "[" * 200_000, "nested JSON|damaged JSON"),
        ('{"links": [{"source": "a", "target": "b", "value": ' + "9" * 5000 + "}]}", "unreadable JSON"),
        ({"links": [{"source": "a", "target": "b", "value": "much"}]}, "'much'.*a finite number"),
    ],
)
def test_problems(document, message):
    with pytest.raises(DataError, match=message):
        read(document)
