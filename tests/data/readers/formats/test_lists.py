import io
import zipfile

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import read_table
from mrwtd.data.readers.parsing.attributes import is_attribute_table
from mrwtd.data.readers.source import Source


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    stream.seek(0)
    stream.name = "all.zip"
    return stream


def rows(table):
    names = zip(table.i, table.k, table.j, strict=True)
    return [(table.objects[i], table.relations[k], table.objects[j]) for i, k, j in names]


def test_the_lists_of_a_knowledge_graph_are_one():
    result = read_table(zipped({"one.txt": "a\tr\tb\nb\tr\tc\n", "two.txt": "c\ts\td\na\tr\tc\n", "README.md": "x"}))
    assert result.format == "lists"
    assert rows(result) == [("a", "r", "b"), ("b", "r", "c"), ("c", "s", "d"), ("a", "r", "c")]
    assert result.values is None


def test_a_list_without_relations_is_named_after_its_file():
    result = read_table(zipped({"calls.csv": "from,to,value\na,b,12\n", "likes.csv": "source,target\nb,a\n"}))
    assert rows(result) == [("a", "calls", "b"), ("b", "likes", "a")]
    assert result.values.tolist() == [12, 1]
    data = mrwtd.read(zipped({"calls.csv": "from,to,value\na,b,12\n", "likes.csv": "source,target\nb,a\n"}))
    assert [relation.kind for relation in data.relations] == ["count", "binary"]


def test_long_and_wide_lists_can_be_in_one_zip():
    wide, long = "source,target,advice,trust\na,b,1,0\n", "source,relation,target,value,weight\nb,help,c,1,0.5\n"
    result = read_table(zipped({"a.csv": wide, "b.csv": long}))
    assert rows(result) == [("a", "advice", "b"), ("a", "trust", "b"), ("b", "help", "c")]
    assert result.weights.tolist() == [1, 1, 0.5]


def test_problems_name_file_and_line():
    with pytest.raises(DataError) as caught:
        read_table(zipped({"a.csv": "source,target,value\na,b,x\n", "b.csv": "source,target\na\n"}))
    assert [(p.line, p.where) for p in caught.value.problems] == [
        (2, "file 'a.csv', column 'value'"),
        (2, "file 'b.csv'"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,group,age\nann,red,20\nbob,red,30\n", True),
        ("source,target,value\nann,bob,1\nbob,cat,2\n", False),
        ("ann,likes,bob\nbob,likes,cat\ncat,likes,ann\n", False),
        (",ann,bob\nann,0,1\nbob,1,0\n", False),
        ("name\nann\nbob\n", False),
        ("name,group\nann,red\nann,blue\n", False),
    ],
)
def test_attribute_tables_are_detected(text, says):
    assert is_attribute_table(Source("x.csv", text.encode())) is says
