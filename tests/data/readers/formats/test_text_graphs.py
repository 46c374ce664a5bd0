"""Small text formats of graphs, Matrix Market and N-Triples: one look-alike of a published file per form."""

import io

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import read_table
from mrwtd.data.readers.parsing.lines import Ties


def read(name, text, **options):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return mrwtd.read(stream, **options)


def table_of(name, text):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return read_table(stream)


def ties(data):
    names = [relation.name for relation in data.relations]
    rows = zip(data.i, data.j, data.k, data.y, strict=True)
    return {(data.objects[i], names[k], data.objects[j]): y for i, j, k, y in rows}


MTX = "%%MatrixMarket matrix "

FORMS = {
    "NCOL": ("g.ncol", "ann bob 2.5\ncat bob 1\n", "ann bob cat", {"ann g bob": 2.5, "cat g bob": 1}, True),
    "NCOL of strings": ("g.ncol", "ann bob\ncat bob\n", "ann bob cat", {"ann g bob": 1, "cat g bob": 1}, True),
    "LGL": ("g.lgl", "# ann\nbob 2\ncat 12.5\n# dan\n", "ann dan bob cat", {"ann g bob": 2, "ann g cat": 12.5}, False),
    "TGF": ("g.tgf", "1 ann lee\n2 bob\n9 cat\n#\n1 2 likes\n2 9 kin\n", "ann_lee bob cat",
            {"ann_lee likes bob": 1, "bob kin cat": 1}, True),
    "SIF": ("g.sif", "ann likes bob cat\nbob pp cat\ndan\n", "ann bob cat dan",
            {"ann likes bob": 1, "ann likes cat": 1, "bob pp cat": 1}, True),
    "SIF with tabs": ("g.sif", "ann lee\tlikes\tbob\n", "ann_lee bob", {"ann_lee likes bob": 1}, True),
    "DIMACS edges": ("g.col", "c colouring\np edge 4 2\ne 1 2\ne 3 2\n", "1 2 3 4", {"1 g 2": 1, "2 g 3": 1}, False),
    "DIMACS arcs": ("g.txt", "c roads\np sp 3 2\na 1 2 5.5\na 3 2 7\n", "1 2 3", {"1 g 2": 5.5, "3 g 2": 7}, True),
    "METIS": ("g.graph", "% mesh\n4 2\n2 3\n1\n1\n\n", "1 2 3 4", {"1 g 2": 1, "1 g 3": 1}, False),
    "METIS with weights": ("g.graph", "3 2 011\n7 2 5.5\n8 1 5.5 3 4\n9 2 4\n", "1 2 3",
                           {"1 g 2": 5.5, "2 g 3": 4}, False),
    "adjacency list": ("g.adjlist", "# NetworkX\nann bob cat\nbob cat\ncat\ndan\n", "ann bob cat dan",
                       {"ann g bob": 1, "ann g cat": 1, "bob g cat": 1}, True),
    "arrows": ("g.txt", "ann lee -> bob\nbob -> cat: likes\n", "ann_lee bob cat",
               {"ann_lee g bob": 1, "bob likes cat": 1}, True),
    "undirected arrows": ("g.txt", "ann -- bob: 2.5\nbob -- cat\n", "ann bob cat",
                          {"ann g bob": 2.5, "bob g cat": 1}, False),
    "DOT": ("g.dot", 'strict digraph "my net" {\n  /* two\n  lines */ // more\n  node [shape=box]; rankdir=LR\n'
            '  a [label="ann lee"]\n  a -> b -> c [weight=2.5, color=red]; b:port -> a\n  subgraph x { d; }\n}\n',
            "ann_lee b c d", {"ann_lee g b": 2.5, "b g c": 2.5, "b g ann_lee": 1}, True),
    "DOT, undirected": ("g.txt", 'graph {\n "ann lee" -- bob [label=likes]\n bob -- cat [label="3"]\n}\n',
                        "ann_lee bob cat", {"ann_lee likes bob": 1, "bob g cat": 3}, False),
    "NetworkX": ("g.edgelist", "ann bob {'weight': 2.5}\nbob cat {'weight': 7}\n", "ann bob cat",
                 {"ann g bob": 2.5, "bob g cat": 7}, True),
    "NetworkX without data": ("g.edgelist", "ann bob {}\nbob cat {}\n", "ann bob cat",
                              {"ann g bob": 1, "bob g cat": 1}, True),
    "Matrix Market": ("g.mtx", MTX + "coordinate real general\n% x\n3 3 2\n1 2 0.5\n3 2 4\n", "1 2 3",
                      {"1 g 2": 0.5, "3 g 2": 4}, True),
    "Matrix Market, symmetric": ("g.mtx", MTX + "coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n", "1 2 3",
                                 {"1 g 2": 1, "1 g 3": 1}, False),
    "Matrix Market, dense": ("g.mtx", MTX + "array real general\n2 2\n0.5\n3\n2\n1\n", "1 2",
                             {"1 g 1": 0.5, "2 g 1": 3, "1 g 2": 2, "2 g 2": 1}, True),
    "Matrix Market, half": ("g.mtx", MTX + "array real symmetric\n2 2\n0.5\n3\n2\n", "1 2",
                            {"1 g 1": 0.5, "1 g 2": 3, "2 g 2": 2}, False),
    "N-Triples": ("g.nt", '<http://x/ann> <http://y#knows> <http://x/bob> .\n<http://x/ann> <http://y#age> "3" .\n',
                  "ann bob", {"ann knows bob": 1}, True),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_read_as_it_is_meant(form):
    name, text, objects, expected, directed = FORMS[form]
    data = read(name, text, kinds={})
    assert {o.replace(" ", "_") for o in data.objects} == set(objects.split())
    triples = {" ".join(part.replace(" ", "_") for part in key): y for key, y in ties(data).items()}
    assert triples == expected
    assert {relation.directed for relation in data.relations} == {directed}


def test_names_of_resources_stay_long_if_short_ones_are_equal():
    data = read("g.nt", "<http://x/ann> <http://y#knows> <http://z/ann> .\n")
    assert data.objects == ("http://x/ann", "http://z/ann")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.ncol", "ann bob 1 2\n", "line 1.*two names"),
        ("g.ncol", "ann bob many\n", "line 1.*'many'"),
        ("g.lgl", "bob 2\n", "line 1"),
        ("g.tgf", "1 ann\n#\n1 2\n", "line 3.*'2'"),
        ("g.sif", "ann likes\n", "line 1.*targets"),
        ("g.col", "p edge 2 1\ne 1 3\n", "line 2.*from 1 to 2"),
        ("g.col", "p edge 999999999 1\ne 1 2\n", "objects without labels"),
        ("g.dot", "digraph {\n a -> {b c}\n}\n", "line 2.*second node"),
        ("g.dot", "digraph {\n a -> b\n ] c\n}\n", "line 3.*a node or an edge"),
        ("g.dot", "hello world\n", "no {"),
        ("g.graph", "3 1\n2\n", "lines below the first.*3, one per node"),
        ("g.graph", "999999999 1\n2\n", "objects without labels"),
        ("g.graph", "2 1\n2\n7\n", "line 3.*from 1 to 2"),
        ("g.txt", "ann bob {'weight': 3}\nbob cat {oops}\n", "line 2"),
        ("g.mtx", MTX + "coordinate real symmetric\n3 4 1\n1 2 1\n", "3 rows and 4 columns"),
        ("g.mtx", MTX + "coordinate real general\n3 3 2\n1 2 1\n", "1 cells.*2, as announced"),
        ("g.mtx", MTX + "coordinate real general\n3 3 1\n1 5 1\n", "line 3.*from 1 to 3"),
        ("g.mtx", MTX + "coordinate complex general\n3 3 1\n1 2 1 0\n", "line 1"),
        ("g.nt", "<a> <b> <c>\n", "line 1"),
    ],
)
def test_problems(name, text, message):
    with pytest.raises(DataError, match=message):
        read(name, text)


@pytest.mark.parametrize(
    "body", ["coordinate pattern general\n2 3 3\n1 1\n2 1\n2 3\n", "array real general\n2 3\n1\n1\n0\n0\n0\n1\n"]
)
def test_rows_and_columns_of_a_matrix_that_is_not_square_are_two_types(body):
    data = read("g.mtx", MTX + body)
    assert data.objects == ("1 (row)", "2 (row)", "1 (column)", "2 (column)", "3")
    assert data.object_types == ("row",) * 2 + ("column",) * 3
    pairs = {(source, target) for (source, _, target), y in ties(data).items() if y > 0}
    assert pairs == {("1 (row)", "1 (column)"), ("2 (row)", "1 (column)"), ("2 (row)", "3")}


PLAIN = {
    "g.ncol": ("ann bob 2\nbob cat 0.5\ndan ann 3\n", "dan  ann 3"),
    "g.sif": ("ann likes bob\nbob pp cat\ndan pp ann\n", "dan  pp ann"),
    "g.nt": ("<a> <likes> <b> .\n<b> <pp> <c> .\n_:d <pp> <a> .\n", "_:d  <pp> <a> ."),
    "g.mtx": (MTX + "coordinate real general\n4 4 3\n1 2 2\n2 3 0.5\n4 1 3\n", "4  1 3"),
    "g.gr": ("c x\np sp 5 3\nc y\na 1 2 2\na 2 3 0.5\na 4 1 3\n", "a 4  1 3"),
    "g.col": ("p edge 5 3\ne 1 02\ne 2 3\ne 4 1\n", "e 4  1"),
    "g.net": ('*Vertices 5\n1 "ann lee"\n3 cat\n*Arcs\n1 2 2\n2 3 0.5\n4 1 3\n', "4  1 3"),
    "h.net": ("*Vertices 4 2\n*Arcs\n*Edges\n1 3\n2 3\n4 1\n", "4  1"),
    "i.net": ("*Vertices 4\n*Arcs\n1 2 3\n*edges\n1 3\n2 3\n4 1\n", "4  1"),
    "g.vna": (
        "*Node data\nID age\ncat 3\n*Tie data\nfrom to likes calls\nann bob 1 2\nbob cat 0 0.5\ndan ann 1 3\n",
        "dan  ann 1 3",
    ),
    "h.vna": ("*Tie data\nfrom to\nann bob\nbob cat\ndan ann\n", "dan  ann"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_files_are_read_as_those_with_other_spaces(name):
    text, last = PLAIN[name]
    other = "\n".join([*text.split("\n")[:-2], last, ""])  # which is read line by line
    plain, careful = (table_of(name, content) for content in (text, other))
    for field in ("objects", "relations", "declared", "named", "notes"):
        assert getattr(plain, field) == getattr(careful, field)
    orders = [np.argsort(table.k, kind="stable") for table in (plain, careful)]  # tables of columns go column by column
    for column in ("i", "j", "k", "values"):
        columns = [getattr(table, column) for table in (plain, careful)]
        if columns[0] is not None or columns[1] is not None:
            assert np.array_equal(columns[0][orders[0]], columns[1][orders[1]]), column
    assert [plain.line(row) for row in orders[0]] == [careful.line(row) for row in orders[1]]


@pytest.mark.parametrize("name", sorted(PLAIN.keys() - {"i.net"}))
def test_plain_ties_are_not_read_line_by_line(name, monkeypatch):
    monkeypatch.delattr(Ties, "append")
    assert len(table_of(name, PLAIN[name][0]).i) % 3 == 0


@pytest.mark.parametrize("name", ["g.ncol", "g.nt"])
def test_comments_with_as_many_words_as_a_tie_are_no_ties(name):
    text = PLAIN[name][0]
    comment = "# a comment\n" if name == "g.ncol" else "# a comment .\n"
    first, rest = text.split("\n", 1)
    assert len(table_of(name, f"{first}\n{comment}{rest}").i) == 3


@pytest.mark.parametrize("start", ["\n", "c\n\n", "a\t3\t1\t7\n"])
def test_lines_above_the_plain_ones_of_a_dimacs_file_are_read(start):
    table = table_of("a.gr", f"p sp 3 2\n{start}a 1 2 5\na 2 3 1\n")
    pairs = list(zip(table.i.tolist(), table.j.tolist(), strict=True))
    assert pairs == [(2, 0)] * ("\t" in start) + [(0, 1), (1, 2)]


@pytest.mark.parametrize("name", ["ties.sif", "ties.adjlist"])
@pytest.mark.parametrize(
    "text",
    ["source,relation,target\nann lee,likes,bob day\nbob day,likes,cat orr\n", "source;target\nann lee;bob day\n"],
    ids=["commas", "semicolons"],
)
def test_a_list_in_csv_is_read_as_a_list_whatever_its_name_ends_in(name: str, text: str) -> None:
    file = io.BytesIO(text.encode())
    file.name = name
    table = read_table(file)
    assert table.format == "long"
    assert table.objects[:2] == ("ann lee", "bob day")
    assert any(name in note for note in table.notes)
