import io
import zipfile

import networkx as nx
import numpy as np
import pytest

from mrwtd import DataError
from mrwtd.data.build import build
from mrwtd.data.readers import Source, read_table
from mrwtd.data.readers.formats import graphs

WRITERS = {"graphml": nx.write_graphml, "gexf": nx.write_gexf, "gml": nx.write_gml}


def saved(graph, ending, name="office"):
    file = io.BytesIO()
    WRITERS[ending](graph, file)
    return Source(f"{name}.{ending}", file.getvalue())


def office(graph):
    graph.add_node("ann", group="G1", age=31)
    graph.add_node("bob", group="G2")
    graph.add_node("Émile <b>", age=45)
    graph.add_edge("ann", "bob", relation="advice", value=3)
    graph.add_edge("ann", "bob", relation="kin", value=1)
    graph.add_edge("bob", "Émile <b>", relation="advice", value=2)
    return graph


def rows(table):
    return [
        (table.objects[i], table.relations[k], table.objects[j], float(value))
        for i, k, j, value in zip(table.i, table.k, table.j, table.values, strict=True)
    ]


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_an_attribute_of_the_edges_names_the_relation(ending, kind):
    table = graphs.read(saved(office(kind()), ending))
    assert table.objects == ("ann", "bob", "Émile <b>")
    assert sorted(rows(table)) == [
        ("ann", "advice", "bob", 3), ("ann", "kin", "bob", 1), ("bob", "advice", "Émile <b>", 2),
    ]  # fmt: skip
    assert {properties["directed"] for properties in table.declared.values()} == {kind is nx.MultiDiGraph}
    assert table.attributes.loc["ann", "group"] == "G1"
    assert table.attributes["age"].tolist()[::2] == [31, 45]
    assert np.isnan(table.attributes["age"].iloc[1])


@pytest.mark.parametrize("ending", WRITERS)
def test_one_relation_is_named_after_the_file(ending):
    table = graphs.read(saved(nx.path_graph(3), ending))
    assert table.relations == ("office",)
    assert not table.named
    assert not build(table).relations[0].directed
    assert table.values.tolist() == [1, 1]


@pytest.mark.parametrize("ending", WRITERS)
def test_a_weight_without_a_value_is_the_value(ending):
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=0.5)
    assert graphs.read(saved(graph, ending)).values.tolist() == [0.5]
    graph.add_edge("a", "b", score=7.0)
    table = graphs.read(saved(graph, ending))
    assert table.values.tolist() == [7]
    assert table.weights.tolist() == [0.5]


def zipped(**graphs):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, source in graphs.items():
            archive.writestr(f"data/{name}.{source.extension}", source.data)
    return Source("office.zip", file.getvalue())


def test_a_zip_of_a_graph_for_each_relation():
    empty = nx.Graph()
    empty.add_nodes_from(["dan", "b"])
    source = zipped(
        advice=saved(nx.DiGraph([("a", "b")]), "graphml"),
        kin=saved(nx.Graph([("b", "c")]), "gexf"),
        nothing=saved(empty, "graphml"),
    )
    assert graphs.matches(source)
    table = graphs.read(source)
    assert rows(table) == [("a", "advice", "b", 1), ("b", "kin", "c", 1)]
    assert table.objects == ("a", "b", "c", "dan")
    assert table.relations == ("advice", "kin", "nothing")
    assert [relation.directed for relation in build(table).relations[:2]] == [True, False]


def test_several_graphs_in_a_file():
    xml = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <graph id="advice" edgedefault="directed"><node id="a"/><node id="b"/><edge source="b" target="a"/></graph>
      <graph id="kin" edgedefault="undirected"><node id="a"/><node id="c"/><edge source="a" target="c"/></graph>
    </graphml>"""
    assert rows(graphs.read(Source("a.graphml", xml.encode()))) == [("b", "advice", "a", 1), ("a", "kin", "c", 1)]


GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="r" for="edge" attr.name="relation" attr.type="string"/>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="r">kin</data></edge>
<edge source="c" target="a" directed="true"><data key="r">advice</data></edge>
<edge id="1" source="a" target="c"><data key="r">both</data></edge>
<edge id="1" source="a" target="b" directed="true"><data key="r">both</data></edge>
</graph></graphml>"""

GEXF = """<gexf xmlns="{}" version="1.3"><graph defaultedgetype="undirected">
<nodes><node id="0" label="a"/><node id="1" label="b"/><node id="2" label="c"/></nodes><edges>
<edge source="0" target="1" kind="kin"/>
<edge source="2" target="0" kind="advice" type="directed"/>
<edge id="1" source="0" target="2" kind="both"/>
<edge id="1" source="0" target="1" kind="both" type="directed"/>
</edges></graph></gexf>"""


@pytest.mark.parametrize(
    "source",
    [
        Source("a.graphml", GRAPHML.encode()),
        Source("a.xml", GRAPHML.replace(' xmlns="http://graphml.graphdrawing.org/xmlns"', "").encode()),
        Source("a.gexf", GEXF.format("http://gexf.net/1.3").encode()),
        Source("a.gexf", GEXF.format("http://www.gexf.net/1.9").encode("utf-16")),
    ],
    ids=["graphml", "graphml without namespace", "gexf", "gexf of another version"],
)
def test_edges_partly_directed_and_partly_not(source):
    table = graphs.read(source)
    assert sorted(rows(table)) == [
        ("a", "both", "b", 1), ("a", "both", "c", 1), ("a", "kin", "b", 1), ("c", "advice", "a", 1),
        ("c", "both", "a", 1),
    ]  # fmt: skip
    assert {name: properties["directed"] for name, properties in table.declared.items()} == {
        "kin": False, "advice": True, "both": True,
    }  # fmt: skip


def test_mutual_edges_of_gexf_go_both_ways():
    xml = GEXF.format("http://gexf.net/1.3").replace('type="directed"', 'type="mutual"')
    advice = [row for row in rows(graphs.read(Source("a.gexf", xml.encode()))) if row[1] == "advice"]
    assert sorted(advice) == [("a", "advice", "c", 1), ("c", "advice", "a", 1)]


def test_labels_name_objects_unless_they_repeat():
    labelled = 'graph [ node [ id 7 label "ann" ] node [ id 8 label "{}" ] edge [ source 7 target 8 ] ]'
    assert graphs.read(Source("a.gml", labelled.format("bob").encode())).objects == ("ann", "bob")
    assert graphs.read(Source("a.gml", labelled.format("ann").encode())).objects == ("7", "8")


def test_gml_without_the_multigraph_flag_can_repeat_an_edge():
    text = """Creator "me"
    graph [ directed 1 node [ id 1 ] node [ id 2 ]
    edge [ source 1 target 2 type "x" ] edge [ source 1 target 2 type "y" ] ]"""
    assert graphs.read(Source("a.gml", text.encode())).relations == ("x", "y")


@pytest.mark.parametrize("ending", WRITERS)
def test_the_format_is_detected_by_content(ending):
    source = saved(office(nx.MultiGraph()), ending)
    file = io.BytesIO(source.data)
    assert read_table(file).format == "graphs"


def test_a_list_that_mentions_graphml_is_not_a_graph():
    assert not graphs.matches(Source("a.csv", b"source,target\n<graphml>,<gexf>\n"))


BOMB = """<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
<graphml><graph><node id="&c;"/></graph></graphml>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("name", ["a.graphml", "a.gexf"])
def test_a_document_type_raises_an_error(encoding, name):
    with pytest.raises(DataError, match=f"{name}: found a document type"):
        graphs.read(Source(name, BOMB.encode(encoding)))


def test_external_files_are_not_fetched(tmp_path):
    (tmp_path / "secret").write_text("secret")
    xml = f'<!DOCTYPE graphml SYSTEM "file://{tmp_path}/secret"><graphml/>'
    with pytest.raises(DataError, match="document type"):
        graphs.read(Source("a.graphml", xml.encode()))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.graphml", "<graphml>\n<graph>", "a.graphml, line 2: found invalid XML"),
        ("a.graphml", "<other/>", "no graph"),
        ("a.gexf", "<gexf/>", "no graph"),
        ("a.gml", "hello", "no graph"),
        ("a.gml", "graph [ node [ ] ]", "has no 'id'"),
        ("a.graphml", GRAPHML.replace('source="c"', 'source="z"'), "edge 2, source: found 'z'"),
        ("a.graphml", GRAPHML.replace('<node id="b"/>', '<node id="a"/>'), "2 nodes with the id 'a'"),
        ("a.graphml", GRAPHML.replace('<data key="r">kin</data>', ""), "edge 'a' – 'b': found no relation"),
        ("a.graphml", GRAPHML.replace("relation", "value"), "a finite number"),
        ("a.graphml", GRAPHML.replace('key="r">', 'key="q">'), "no key q"),
    ],
)
def test_invalid_files_raise_an_error(name, text, message):
    with pytest.raises(DataError, match=message):
        graphs.read(Source(name, text.encode()))


def test_all_unknown_nodes_are_listed_at_once():
    xml = GRAPHML.replace('source="c"', 'source="z"').replace('target="c"', 'target="y"')
    with pytest.raises(DataError) as caught:
        graphs.read(Source("a.graphml", xml.encode()))
    assert caught.value.total == 2
