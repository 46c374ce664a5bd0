"""Files whose lines are alike are read in columns; one more space or comment has them read line by line."""

import io

import pandas as pd
import pytest

import mrwtd

ENDS = [(3, 0), (1, 2), (0, 1), (1, 0), (2, 2)]
GML_NODES = "".join(f'node [ id {number} label "n{number}" ]\n' for number in range(4))
TGF_NODES = "0 x\n1 y\n2 z\n3 w\n#\n"


def lines(form):
    return "".join(form.format(a=a, b=b, v=a + b + 0.5) + "\n" for a, b in ENDS)


FORMS = {
    "arrows": ("a.txt", lines("n{a} -> n{b}"), lines("n{a}  -> n{b}")),
    "arrows with values": ("a.txt", lines("n{a} -- n{b}: {v}"), lines("n{a} -- n{b} : {v}")),
    "DOT": ("a.dot", "digraph {\n" + lines("  {a} -> {b};") + "}\n", "digraph {\n" + lines("  {a}->{b};") + "}\n"),
    "DOT with names in quotes": (
        "a.dot",
        "graph {\n" + lines('  "{a}" -- "{b}";') + "}\n",
        "graph {\n" + lines('  "{a}"-- "{b}";') + "}\n",
    ),
    "DOT with labels and weights": (
        "a.dot",
        'graph {\n1 [label="one"];\n' + lines("  {a} -- {b} [weight={v}];") + "}\n",
        'graph {\n1 [label="one"];\n' + lines("  {a} -- {b} [weight = {v}];") + "}\n",
    ),
    "DOT with relations": (
        "a.dot",
        "digraph {\n" + lines('  {a} -> {b} [label="r{a}"];') + "}\n",
        "digraph {\n" + lines('  {a} -> {b} [label = "r{a}"];') + "}\n",
    ),
    "NetworkX": ("a.txt", lines("{a} {b} {{'weight': {v}}}"), lines("{a} {b} {{'weight' : {v}}}")),
    "TGF": ("a.tgf", TGF_NODES + lines("{a} {b} {v}"), TGF_NODES + lines("{a}  {b} {v}")),
    "LGL": ("a.lgl", "# a\nb 2.5\nc 1\n# b\nc 3\n", "# a\nb  2.5\nc 1\n# b\nc 3\n"),
    "DL": (
        "a.dl",
        "dl n=4 format=edgelist1\nlabels: x,y,z,w\ndata:\n" + lines("  {a} {b} {v}").replace("0 ", "4 "),
        "dl n=4 format=edgelist1\nlabels: x,y,z,w\ndata:\n" + lines("{a}, {b}, {v}").replace("0, ", "4, "),
    ),
    "GDF": (
        "a.gdf",
        "nodedef>name VARCHAR\nedgedef>a VARCHAR,b VARCHAR,weight DOUBLE,directed BOOLEAN,relation VARCHAR\n"
        + lines("{a},{b},{v},true,r{a}"),
        "nodedef>name VARCHAR\nedgedef>a VARCHAR,b VARCHAR,weight DOUBLE,directed BOOLEAN,relation VARCHAR\n"
        + lines("{a}, {b}, {v},true,r{a}"),
    ),
    "multinet": (
        "a.mpx",
        "#LAYERS\nr1,DIRECTED\nr2,UNDIRECTED\n#EDGES\nann,bob,r1\nbob,ann,r2\n",
        "#LAYERS\nr1,DIRECTED\nr2,UNDIRECTED\n#EDGES\nann, bob,r1\nbob, ann,r2\n",
    ),
    "GML": (
        "a.gml",
        "graph [ directed 1\n" + GML_NODES + lines("edge [ source {a} target {b} weight {v} ]") + "]\n",
        "graph [ directed 1\n" + GML_NODES + "# edges\n" + lines("edge [ source {a} target {b} weight {v} ]") + "]\n",
    ),
    "undirected GML": (
        "a.gml",
        "graph [\n" + GML_NODES + lines("edge [ source {a} target {b} ]") + "]\n",
        "graph [\n" + GML_NODES + "# edges\n" + lines("edge [ source {a} target {b} ]") + "]\n",
    ),
}  # fmt: skip


def table(name, text):
    file = io.BytesIO(text.encode())
    file.name = name
    return mrwtd.data.readers.read_table(file)


@pytest.mark.parametrize("form", FORMS)
def test_lines_that_are_alike_are_read_like_others(form):
    name, plain, other = FORMS[form]
    first, second = (table(name, text) for text in (plain, other))
    assert (first.objects, first.relations, first.declared) == (second.objects, second.relations, second.declared)
    for column in ("i", "j", "k", "values"):
        assert getattr(first, column).tolist() == getattr(second, column).tolist()
    lines_of = [[each.line(row) for row in range(each.i.size)] for each in (first, second)]
    assert lines_of[0] == lines_of[1]


@pytest.mark.parametrize("directed", [True, False])
def test_edges_are_in_the_order_of_networkx(directed):
    networkx = pytest.importorskip("networkx")
    graph = networkx.MultiDiGraph() if directed else networkx.MultiGraph()
    graph.add_nodes_from(["a", "b", "c", "d"])
    edges = [("d", "a"), ("b", "c"), ("c", "b"), ("b", "a"), ("d", "a"), ("c", "c"), ("b", "c")]
    graph.add_edges_from(edges)
    text = pd.Series({"directed": directed, "nodes": [{"id": name} for name in "abcd"],
                      "links": [{"source": a, "target": b} for a, b in edges]}).to_json()  # fmt: skip
    read = table("a.json", text)
    assert [(read.objects[i], read.objects[j]) for i, j in zip(read.i, read.j, strict=True)] == list(graph.edges())
