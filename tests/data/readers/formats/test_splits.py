"""Published splits: files called train, valid and test, and a column that names the part."""

import io

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import detect_format, read_table
from tests.data.readers.example_files import zipped


def archive(members):
    stream = io.BytesIO(zipped({name: text.encode() for name, text in members.items()}))
    stream.name = "kin.zip"
    return stream


def entries(data):
    frame = data.to_frame()
    return set(zip(frame["source"], frame["relation"], frame["target"], strict=True))


# Every source once, and no target among the sources: like attributes of objects.
TRAIN = "ann\tkin\tbob\nbob\tlikes\tcat\ncat\tlikes\tann\n"
VALID = "ann\tin\teu\nbob\tin\tus\n"
TEST = "cat\tin\teu\ndan\tin\tus\n"


@pytest.mark.parametrize(
    "names",
    [
        ("train.txt", "valid.txt", "test.txt"),
        ("kg/train.tsv", "kg/dev.tsv", "kg/test.tsv"),
        ("wn18rr_train.txt", "wn18rr_val.txt", "wn18rr_test.txt"),
        ("Train.csv", "Validation.csv", "Test.csv"),
        ("train", "valid", "test"),
    ],
)
def test_parts_by_file_name(names):
    data = mrwtd.read(archive(dict(zip(names, (TRAIN, VALID, TEST), strict=True))))
    train, test, valid = data.published_split()
    assert entries(train) == {("ann", "kin", "bob"), ("bob", "likes", "cat"), ("cat", "likes", "ann")}
    assert entries(test) == {("cat", "in", "eu"), ("dan", "in", "us")}
    assert entries(valid) == {("ann", "in", "eu"), ("bob", "in", "us")}
    assert train.objects == test.objects == data.objects


def test_other_files_are_not_used_and_an_empty_part_is_empty():
    data = mrwtd.read(archive({"train.txt": TRAIN, "test.txt": TEST, "valid.txt": "\n", "entities.dict": "0\tann\n"}))
    assert [len(part) for part in data.published_split()] == [3, 2, 0]
    assert any("entities.dict" in note and "not used" in note for note in data.notes)


def test_lists_without_relations_are_one_relation():
    data = mrwtd.read(archive({"train.csv": "source,target\na,b\nb,c\n", "test.csv": "source,target\na,c\n"}))
    assert [relation.name for relation in data.relations] == ["kin"]
    assert [len(part) for part in data.published_split()] == [2, 1, 0]


def test_values_are_kept():
    header = "source,relation,target,value\n"
    data = mrwtd.read(archive({"train.csv": f"{header}a,r,b,1\nb,r,c,0\n", "test.csv": f"{header}a,r,c,0\n"}))
    assert [part.y.tolist() for part in data.published_split()] == [[1, -1], [-1], []]


def test_the_files_of_openke():
    members = {
        "entity2id.txt": "3\nann lee\t0\nbob\t1\ncat\t2\n",
        "relation2id.txt": "2\nlikes\t0\nkin\t1\n",
        "train2id.txt": "2\n0 1 0\n1 2 1\n",
        "valid2id.txt": "1\n2 0 1\n",
        "test2id.txt": "1\n0 2 0\n",
    }
    data = mrwtd.read(archive(members))
    train, test, valid = data.published_split()
    assert entries(train) == {("ann lee", "likes", "bob"), ("bob", "kin", "cat")}
    assert entries(test) == {("ann lee", "likes", "cat")}
    assert entries(valid) == {("cat", "kin", "ann lee")}
    with pytest.raises(DataError) as caught:
        mrwtd.read(archive(members | {"test2id.txt": "1\n0 7 0\n"}))
    (problem,) = caught.value.problems
    assert (problem.line, problem.found, problem.where) == (2, "'0 7 0'", "file 'test2id.txt'")


@pytest.mark.parametrize(
    "names", [("train.txt", "a/test.txt", "b/test.txt"), ("likes.txt", "test.txt"), ("likes-train.txt", "kin-test.txt")]
)
def test_other_names_are_no_split(names):
    assert detect_format(archive(dict.fromkeys(names, TRAIN))) == "lists"


def test_a_column_names_the_part():
    text = "source,relation,target,split\na,r,b,train\nb,r,c,dev\nc,r,a,TEST\n"
    data = mrwtd.read(io.StringIO(text))
    assert [entries(part) for part in data.published_split()] == [
        {("a", "r", "b")},
        {("c", "r", "a")},
        {("b", "r", "c")},
    ]
    assert not any("not used" in note for note in data.notes)


def test_a_column_with_other_words_is_not_used():
    table = read_table(io.StringIO("source,relation,target,set\na,r,b,train\nb,r,c,7\n"))
    assert table.part is None
    assert any("'set'" in note and "not used" in note for note in table.notes)


def test_problems_name_the_file():
    with pytest.raises(DataError) as caught:
        mrwtd.read(archive({"train.txt": TRAIN, "test.txt": "a\tb\tc\nx\ty\n"}))
    assert [(problem.line, problem.where) for problem in caught.value.problems] == [(2, "file 'test.txt'")]
