import numpy as np
import pytest

from mrwtd import DataError
from mrwtd.data.build import build
from mrwtd.data.readers import Source
from mrwtd.data.readers.formats import multinet

OFFICE = """\
-- an office
#VERSION
3.0
#TYPE
multiplex

#LAYERS
lunch,UNDIRECTED
advice,DIRECTED,LOOPS
empty,DIRECTED

#ACTOR ATTRIBUTES
group,STRING
age, NUMERIC

#EDGE ATTRIBUTES
advice,mood,STRING
advice,rank,numeric

#ACTORS
ann,G1, 31
bob,NA,NA
cat,"G2, G3",45
dan,G1,50

#EDGES
ann,bob,lunch
ann,bob,advice,good,3
cat,ann,advice,bad,1
"""


def read(text):
    return multinet.read(Source("office.mpx", text.encode()))


def test_layers_actors_and_ties():
    table = read(OFFICE)
    assert table.objects == ("ann", "bob", "cat", "dan")
    assert table.relations == ("lunch", "advice", "empty")
    assert table.values.tolist() == [1, 3, 1]
    assert table.lines[1] == 28
    assert {name: properties["directed"] for name, properties in table.declared.items()} == {
        "lunch": False, "advice": True, "empty": True,
    }  # fmt: skip
    assert "advice: the value is the attribute 'rank'" in table.notes
    assert "advice: not used: 'mood'" in table.notes


def test_attributes_of_actors():
    attributes = build(read(OFFICE)).attributes
    assert attributes.loc["cat", "group"] == "G2, G3"
    assert attributes["group"].isna().tolist() == [False, True, False, False]
    assert attributes["age"].tolist()[0] == 31
    assert np.isnan(attributes["age"].iloc[1])


def test_a_bare_list_is_undirected():
    data = build(read("ann,bob,work\nbob,cat,work\n"))
    assert not data.relations[0].directed
    assert any("undirected" in note for note in data.notes)


def test_attributes_of_all_layers_are_last():
    table = read("#EDGE ATTRIBUTES\nweight,NUMERIC\na,value,NUMERIC\n#EDGES\nx,y,a,7,0.5\ny,z,b,3\n")
    assert table.values.tolist() == [7, 3]
    assert table.weights.tolist() == [0.5, 1]


def test_layers_of_a_multilayer_network():
    table = read("#TYPE multilayer\n#LAYERS\na,a,DIRECTED\nb,b,UNDIRECTED\na,b,DIRECTED\n#EDGES\nx,a,y,a\ny,b,z,b\n")
    assert table.relations == ("a", "b")
    assert table.declared["a"]["directed"]
    with pytest.raises(DataError, match="line 6: found a tie from layer 'a' to 'b'"):
        read("#TYPE multilayer\n#LAYERS\na,a,DIRECTED\nb,b,DIRECTED\n#EDGES\nx,a,y,b\n")


def test_vertices_without_ties_are_objects():
    assert read("#VERTICES\nzoe,work\n#EDGES\nann,bob,work\n").objects == ("zoe", "ann", "bob")


def test_the_format_is_detected_by_content():
    assert multinet.matches(Source("data.txt", b"#TYPE\nmultiplex\n"))
    assert not multinet.matches(Source("data.csv", b"# a comment\nsource,target\n"))


def test_all_bad_lines_are_listed_with_their_numbers():
    with pytest.raises(DataError) as caught:
        read("#LAYERS\na,SIDEWAYS\nb,DIRECTED\n#PARTY\n#EDGES\nx,y\nx,y,c\nx,,b\n")
    assert [problem.line for problem in caught.value.problems] == [2, 4, 6, 7, 8]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#ACTORS\nann\nann\n#EDGES\nann,bob,a\n", "'ann' twice"),
        ("#LAYERS\na,DIRECTED\na,DIRECTED\n", "each layer once"),
        ("#EDGE ATTRIBUTES\na,rank,NUMERIC\n#EDGES\nx,y,a,much\n", "line 4: found 'much'; expected a finite number"),
        ("#EDGE ATTRIBUTES\nrank\n", "name,type"),
        ("#ACTORS\nann,3\n", "expected actor"),
    ],
)
def test_invalid_files_raise_an_error(text, message):
    with pytest.raises(DataError, match=message):
        read(text)
