"""GDF and VNA: tables of nodes and ties in one text."""

import io

import pytest

import mrwtd
from mrwtd import DataError

GDF = """nodedef>name VARCHAR,label VARCHAR,age DOUBLE
n1,'Ann Lee',31
n2,Bob,40.5
n3,Cat,
edgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE,directed BOOLEAN
n1,n2,2.5,true
n2,n1,7,true
"""
VNA = """*Node data
ID, gender, age
ann male 31
"bob lee" female 40
cat female 22
*Tie data
FROM TO friends advice
ann "bob lee" 1 3
"bob lee" ann 0 12
"""


def read(name, text):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return mrwtd.read(stream)


def test_gdf():
    data = read("g.gdf", GDF)
    assert data.objects == ("n1", "n2", "n3")
    assert [(r.name, r.directed) for r in data.relations] == [("g", True)]
    assert data.y.tolist() == [2.5, 7]
    assert data.attributes["label"].tolist() == ["Ann Lee", "Bob", "Cat"]
    assert data.attributes["age"].dropna().to_dict() == {"n1": 31, "n2": 40.5}


def test_gdf_without_direction_is_undirected():
    data = read("g.gdf", "nodedef>name VARCHAR\na\nb\nc\nedgedef>node1 VARCHAR,node2 VARCHAR\na,b\n")
    assert [(r.kind, r.directed) for r in data.relations] == [("binary", False)]
    assert data.n_objects == 3


def test_vna_has_one_relation_per_column():
    data = read("g.vna", VNA)
    assert data.objects == ("ann", "bob lee", "cat")
    assert [(r.name, r.kind) for r in data.relations] == [("friends", "binary"), ("advice", "ordinal")]
    assert list(data.attributes) == ["gender", "age"]
    assert data.attributes.loc["bob lee"].tolist() == ["female", 40]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.gdf", GDF.replace("2.5", "much"), "line 6.*'much'"),
        ("g.gdf", GDF.replace("n2,Bob,", "n2,"), "line 3.*2 cells.*3"),
        ("g.gdf", GDF.replace("n2,Bob", "n1,Bob"), "a node twice"),
        ("g.gdf", GDF.partition("edgedef")[0], "no ties"),
        ("g.vna", VNA.replace(" 1 3", " 1"), "line 8.*3 cells.*4"),
        ("g.vna", VNA.replace("FROM TO friends", "FROM TO advice"), "different names"),
    ],
)
def test_problems(name, text, message):
    with pytest.raises(DataError, match=message):
        read(name, text)
