"""Files that belong together: given as a list, zipped, or as sheets of a workbook, they give the same data."""

import gzip
import io

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import read_table
from tests.data.readers.example_files import workbook, zipped

MULTILAYER = {
    "ties_multiplex.edges": "1 1 2 1\n1 2 3 1\n2 1 3 1\n",
    "ties_layers.txt": "layerID layerLabel\n1 advice\n2 close friend\n3 unused\n",
    "ties_nodes.txt": "nodeID nodeLabel nodeCity\n1 ann 1\n2 bob 1\n3 cat 2\n4 dan 2\n",
}
EDGES = ["Source", "Target", "Type", "Id", "Label", "timeset", "Weight"]
NODES = [
    ["Id", "Label", "timeset", "group"],
    [1, "ann", "", "x"],
    [2, "bob", "", "y"],
    [3, "cat", "", "x"],
    [4, "dan", "", "y"],
]


def file(name, content):
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    stream.name = name
    return stream


def files(contents):
    return [file(name, content) for name, content in contents.items()]


def csv_text(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def rows(data):
    return [tuple(row) for row in data.to_frame()[["source", "relation", "target"]].to_numpy()]


def test_names_attributes_and_isolates_of_a_multilayer_network():
    data = mrwtd.read(files(MULTILAYER))
    assert data.objects == ("ann", "bob", "cat", "dan")
    assert rows(data) == [("ann", "advice", "bob"), ("bob", "advice", "cat"), ("ann", "close friend", "cat")]
    assert data.attributes["nodeCity"].tolist() == [1, 1, 2, 2]
    assert data.attributes["nodeID"].tolist() == [1, 2, 3, 4]


def test_files_give_the_same_together_zipped_and_by_path(tmp_path):
    for name, content in MULTILAYER.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "all.zip").write_bytes(zipped({f"data/{name}": text for name, text in MULTILAYER.items()}))
    data = mrwtd.read(tmp_path / "all.zip")
    assert data == mrwtd.read(files(MULTILAYER))
    assert data == mrwtd.read([tmp_path / name for name in MULTILAYER])
    assert data == mrwtd.read([str(tmp_path / "all.zip"), file("README.md", "about\n")])
    packed = {f"{name}.gz": gzip.compress(text.encode()) for name, text in MULTILAYER.items()}
    assert data == mrwtd.read(files(packed))


def test_one_list_of_layers_or_objects_is_enough():
    edges, layers, nodes = MULTILAYER
    named = read_table(files({name: MULTILAYER[name] for name in (edges, layers)}))
    assert (named.relations, named.objects) == (("advice", "close friend"), ("1", "2", "3"))
    known = read_table(files({name: MULTILAYER[name] for name in (edges, nodes)}))
    assert (known.relations, known.objects) == (("1", "2"), ("ann", "bob", "cat", "dan"))


@pytest.mark.parametrize(
    ("layers", "text"),
    [
        ("layerID layerLabel\n1 advice\n", "'2' missing"),
        ("layerID layerLabel\n1 advice\n2 advice\n", "each once"),
        ("layerID layerLabel\n1 advice\n2\n", "each once"),
    ],
)
def test_a_list_of_layers_that_does_not_fit_raises_an_error(layers, text):
    with pytest.raises(DataError, match=text) as caught:
        mrwtd.read(files({**MULTILAYER, "ties_layers.txt": layers}))
    assert caught.value.file == "ties_layers.txt"


def test_a_list_of_other_objects_raises_an_error():
    with pytest.raises(DataError, match="one of the objects of the data") as caught:
        mrwtd.read(files({**MULTILAYER, "ties_nodes.txt": "id age\nx 1\ny 2\nz 3\n"}))
    assert caught.value.file == "ties_nodes.txt"


@pytest.mark.parametrize(
    ("kinds", "relations", "directed"),
    [
        (["Directed", "Directed"], ("gephi",), True),
        (["Undirected", "Undirected"], ("gephi",), False),
        (["likes", "helps"], ("likes", "helps"), True),
    ],
)
def test_a_workbook_and_two_tables_of_gephi(kinds, relations, directed):
    edges = [EDGES, [1, 2, kinds[0], 0, "", "", 2], [2, 3, kinds[1], 1, "", "", 1]]
    book = mrwtd.read(file("gephi.xlsx", workbook({"Edges": edges, "Nodes": NODES})))
    assert book.objects == ("ann", "bob", "cat", "dan")
    assert tuple(relation.name for relation in book.relations) == relations
    assert [relation.directed for relation in book.relations] == [directed] * len(relations)
    assert list(book.attributes.columns) == ["Id", "group"]
    assert sorted(book.y) == [1, 2] or sorted(book.y) == [0, 1]
    tables = mrwtd.read(files({"gephi.csv": csv_text(edges), "nodes.csv": csv_text(NODES)}))
    assert tables == book


def test_directions_and_relations_of_gephi_are_in_two_columns():
    header, *ties = ["Source,Target,Type,Kind", "1,2,Undirected,likes", "2,3,Undirected,helps"]
    data = mrwtd.read(files({"Edges.csv": "\n".join([header, *ties]), "Nodes.csv": csv_text(NODES)}))
    assert [(relation.name, relation.directed) for relation in data.relations] == [("likes", False), ("helps", False)]


def test_labels_of_ties_are_no_relations():
    ties = "".join(f"{k},{k + 1},Directed,tie {k}\n" for k in range(20))
    assert read_table(file("net.csv", f"Source,Target,Type,Label\n{ties}")).relations == ("net",)


def test_sheets_that_are_lists_are_relations():
    sheets = {
        "likes": [["source", "target"], ["ann", "bob"]],
        "calls": [["source", "target", "value"], ["bob", "cat", 9]],
    }
    people = {"people": [["name", "age"], ["ann", 1], ["bob", 2], ["cat", 3], ["dan", 4]]}
    data = mrwtd.read(file("all.xlsx", workbook({**sheets, **people})))
    assert sorted(rows(data)) == [("ann", "likes", "bob"), ("bob", "calls", "cat")]
    assert data.objects[-1] == "dan"
    sheets["likes"].append(["ann", ""])
    with pytest.raises(DataError, match=r"all.xlsx, line 3, sheet 'likes'"):
        mrwtd.read(file("all.xlsx", workbook({**sheets, **people})))


def test_files_of_netzschleuder():
    edges = "# source, target, weight\n0,1,2\n1,2,9\n"
    nodes = (
        '# index, name, club, _pos\n0,ann,x,"array([1., 2.])"\n1,bob,y,"array([3., 4.])"\n2,cat,x,"array([1., 1.])"\n'
    )
    zipped_files = zipped({"edges.csv": edges, "nodes.csv": nodes, "gprops.csv": "# key, value\nname,club\n"})
    data = mrwtd.read(file("club.csv.zip", zipped_files))
    assert data.objects == ("ann", "bob", "cat")
    assert sorted(data.original_values(0)) == [2, 9]
    assert data.attributes["club"].tolist() == ["x", "y", "x"]


@pytest.mark.parametrize("headings", [True, False])
def test_workbook_of_nodexl(headings):
    above = {"Edges": [[None, None, "Visual Properties"]], "Vertices": [[None, "Graph Metrics"]]} if headings else {}
    edges = [["Vertex 1", "Vertex 2", "Color", "Relationship"], ["ann", "bob", None, "Replies"],
             ["bob", "cat", "red", "Mentions"]]  # fmt: skip
    vertices = [["Vertex", "Degree"], ["ann", 1], ["bob", 2], ["cat", 1], ["dan", 0]]
    others = {"Overall Metrics": [["Graph Metric", "Value"], ["Graph Type", "Directed"]]} if headings else {}
    sheets = {"Edges": above.get("Edges", []) + edges, "Vertices": above.get("Vertices", []) + vertices, **others}
    data = mrwtd.read(file("nodexl.xlsx", workbook(sheets)))
    assert sorted(rows(data)) == [("ann", "Replies", "bob"), ("bob", "Mentions", "cat")]
    assert data.objects == ("ann", "bob", "cat", "dan")
    assert data.attributes["Degree"].tolist() == [1, 2, 1, 0]


def test_several_lists_with_a_list_of_objects():
    lists = {"likes.csv": "source,target\n1,2\n2,3\n", "calls.csv": "source,target,value\n1,3,12\n"}
    data = mrwtd.read(files({**lists, "people.csv": "id,name,age\n1,ann,20\n2,bob,30\n3,cat,40\n4,dan,50\n"}))
    assert sorted(rows(data)) == [("ann", "calls", "cat"), ("ann", "likes", "bob"), ("bob", "likes", "cat")]
    assert data.n_objects == 4


def test_parts_of_a_knowledge_graph_are_not_read_as_attributes():
    parts = {"train.txt": "a\tin\tb\nb\tin\tc\nc\tnear\ta\n", "valid.txt": "d\tin\tb\ne\tin\tc\nf\tnear\ta\n"}
    table = read_table(files(parts))
    assert (table.format, table.relations, table.attributes) == ("splits", ("in", "near"), None)


def test_matrices_with_a_list_of_objects():
    matrices = {"likes.csv": ",1,2\n1,0,1\n2,0,0\n", "kin.csv": ",1,2\n1,0,1\n2,1,0\n"}
    data = mrwtd.read(files({**matrices, "people.csv": "id,name,age\n1,ann,20\n2,bob,30\n3,cat,4\n"}))
    assert data.objects == ("ann", "bob", "cat")
    assert len(data) == 4 + 3  # one relation is undirected


@pytest.mark.parametrize("kind", ["set", "age"])
def test_objects_without_ties_have_the_type_of_equal_ones(kind):
    ties = "% bip unweighted\n" + "".join(f"a{i} b{j}\n" for i in range(3) for j in range(2))
    values = {"a0": 1, "a1": 1, "a2": 1, "b0": 2, "b1": 2 if kind == "set" else 1, "a3": 1}
    rows = "".join(f"{name},{name.upper()},{value}\n" for name, value in values.items())
    data = mrwtd.read(files({"ties.txt": ties, "people.csv": f"id,name,{kind}\n{rows}"}))
    assert data.objects == ("A0", "A1", "A2", "B0", "B1", "A3")
    isolate = "source" if kind == "set" else ""  # the age does not tell the types apart
    assert data.object_types == ("source",) * 3 + ("target",) * 2 + (isolate,)
    assert any(("the same 'set'" if kind == "set" else "no type") in note for note in data.notes)


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_file_raises_an_error(nothing):
    with pytest.raises(DataError, match="as a file"):
        mrwtd.read(nothing)


def test_an_empty_file_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(DataError, match=r"missing\.csv"):
        mrwtd.read([file("ties.csv", "source,target\na,b\n"), tmp_path / "missing.csv"])
    with pytest.raises(DataError, match="an empty file"):
        mrwtd.read([file("empty.csv", "")])
