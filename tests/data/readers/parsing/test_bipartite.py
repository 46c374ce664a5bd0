"""Bipartite graphs are two-mode data: nodes with a side, and ties that all connect the two sides."""

import io
import json

import networkx as nx
import pytest

import mrwtd
from mrwtd.data.two_mode import NUMBERED

WOMEN, EVENTS = ("ann", "bea"), ("e1", "e2", "e3")
TIES = {("ann", "e1"), ("ann", "e3"), ("bea", "e2")}


def read(text: bytes | str, name: str, **options) -> mrwtd.RelationalData:
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    stream.name = name
    return mrwtd.read(stream, **options)


def graph(attribute: str = "bipartite", kind=int, make=nx.Graph) -> nx.Graph:
    made = make()
    made.add_nodes_from(EVENTS, **{attribute: kind(1)})
    made.add_nodes_from(WOMEN, **{attribute: kind(0)})
    made.add_edges_from(TIES)
    return made


def written(made: nx.Graph, ending: str) -> bytes:
    stream = io.BytesIO()
    {"graphml": nx.write_graphml, "gml": nx.write_gml, "gexf": nx.write_gexf}[ending](made, stream)
    return stream.getvalue()


def ties(data: mrwtd.RelationalData) -> set[tuple[str, str]]:
    return {(data.objects[i], data.objects[j]) for i, j in zip(data.i, data.j, strict=True)}


@pytest.mark.parametrize("ending", ["graphml", "gml", "gexf"])
@pytest.mark.parametrize(("attribute", "kind"), [("bipartite", int), ("type", bool)])
def test_graphs_with_the_side_of_each_node(ending, attribute, kind):
    if (ending, kind) == ("gml", bool):
        kind = int  # GML has no logical values; igraph writes 0 and 1
    data = read(written(graph(attribute, kind), ending), f"davis.{ending}")
    assert data.relations[0].types == NUMBERED
    assert ties(data) == TIES
    types = dict(zip(data.objects, data.object_types, strict=True))
    assert [types[name] for name in (*WOMEN, *EVENTS)] == [NUMBERED[0]] * 2 + [NUMBERED[1]] * 3
    assert read(written(graph(attribute, kind), ending), f"davis.{ending}", two_mode=False).object_types is None


def test_json():
    data = read(json.dumps(nx.node_link_data(graph(), edges="links")), "davis.json", absent="negative")
    assert data.relations[0].types == NUMBERED
    assert len(data) == len(WOMEN) * len(EVENTS)


def test_directed_ties_keep_their_direction():
    made = graph(make=nx.DiGraph).reverse()
    data = read(written(made, "graphml"), "davis.graphml")
    assert data.relations[0].types == NUMBERED[::-1]
    assert ties(data) == {(event, woman) for woman, event in TIES}
    made.add_edge("ann", "e2")  # the other direction, too
    assert read(written(made, "graphml"), "davis.graphml").object_types is None


@pytest.mark.parametrize("change", ["a tie within a side", "a node without side", "one side"])
def test_other_graphs_have_one_type(change):
    made = graph()
    if change == "a tie within a side":
        made.add_edge("ann", "bea")
    elif change == "a node without side":
        del made.nodes["e3"]["bipartite"]
    else:
        nx.set_node_attributes(made, 0, "bipartite")
    assert read(written(made, "graphml"), "davis.graphml").object_types is None


PAJEK = '*Vertices 5 2\n1 "ann"\n2 "bea"\n3 "e1"\n4 "e2"\n5 "e3"\n'


@pytest.mark.parametrize("body", ["*Edges\n1 3\n5 1\n2 4\n", "*Arcs\n1 3\n1 5\n2 4\n", "*Matrix\n1 0 1\n0 1 0\n"])
def test_pajek_networks_of_two_sets(body):
    data = read(PAJEK + body, "davis.net")
    assert data.relations[0].types == NUMBERED
    assert data.object_types == (NUMBERED[0],) * 2 + (NUMBERED[1],) * 3
    assert ties(data.subset(data.y > 0)) == TIES
    assert read(PAJEK + "*Edges\n1 2\n", "davis.net").object_types is None
