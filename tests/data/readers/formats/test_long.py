import gzip
import json

import numpy as np
import pytest

import mrwtd
from mrwtd import DataError
from tests.data.readers.edge_lists import file, problems, rows, table


@pytest.mark.parametrize(
    "header",
    [
        "source,relation,target,value",
        "subject,predicate,object,score",
        "Head,Label,Tail,VALUE",
        "from,type,to,weight",
        '"Source ID","Edge Type","Target ID","Weight"',
        "src,layer,dst,count",
        "sender,rel,receiver,strength",
        "Vertex 1,Relationship,Vertex 2,Freq",
    ],
)
def test_columns_have_many_accepted_names(header):
    result = table(f"{header}\nann,likes,bob,2\nbob,likes,cat,3\n")
    assert rows(result) == [("ann", "likes", "bob", 2), ("bob", "likes", "cat", 3)]


def test_columns_can_have_any_order():
    assert rows(table("value,to,when,relation,from\n7,b,x,r,a\n")) == [("a", "r", "b", 7)]


def test_three_columns_without_names_are_triples():
    result = table("ann\tlikes\tbob\nbob\thates\tcat\n", "train.txt")
    assert rows(result) == [("ann", "likes", "bob"), ("bob", "hates", "cat")]
    assert "have no names" in result.notes[0]


@pytest.mark.parametrize("text", ["a,b\nb,c\n", "source,target\na,b\nb,c\n", "# FromNodeId,ToNodeId\na,b\nb,c\n"])
def test_pairs_are_a_relation_with_the_name_of_the_file(text):
    result = table(text, "advice.csv")
    assert rows(result) == [("a", "advice", "b"), ("b", "advice", "c")]
    assert not result.named


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", " ", "   ", " \t "])
@pytest.mark.parametrize("header", [True, False])
def test_separators_are_detected(separator, header):
    lines = [["source", "relation", "target"]] * header + [["ann", "likes", "bob"], ["bob", "likes", "cat"]]
    result = table("".join(separator.join(line) + "\n" for line in lines))
    assert rows(result) == [("ann", "likes", "bob"), ("bob", "likes", "cat")]


def test_separators_are_detected_among_names_with_spaces_and_commas():
    assert rows(table("ann lee,best friend,bob ray\nbob ray,best friend,cat\n"))[0][1] == "best friend"
    assert rows(table("source;target\nlee, ann;ray, bob\n"))[0][0] == "lee, ann"
    assert rows(table('source,target\n"lee, ann","ray; bob"\n'))[0][2] == "ray; bob"


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings_and_line_ends_are_understood(ending, encoding):
    text = ending.join(["source,relation,target", "café,liké,thé", "thé,liké,x", ""])
    assert rows(table(text.encode(encoding))) == [("café", "liké", "thé"), ("thé", "liké", "x")]


def test_gzip_is_undone():
    assert table(gzip.compress(b"a,r,b\nb,r,c\n"), "ties.csv.gz").file == "ties.csv"


def test_quotes_hold_separators_quotes_and_lines():
    result = table('source,relation,target\n"a,1","r ""x""","b\n2"\nc, "r y" ,d\n')
    assert rows(result) == [("a,1", 'r "x"', "b\n2"), ("c", "r y", "d")]
    assert [result.line(row) for row in range(2)] == [2, 4]


def test_spaces_around_names_do_not_count():
    assert table("source, relation ,target\n a ,r,b\nb,r, a\n").objects == ("a", "b")


def test_numeric_names_are_kept_literally():
    assert table("007,r,7\n7.0,r,1e3\n").objects == ("007", "7.0", "7", "1e3")


def test_names_that_look_like_missing_values_are_names():
    assert table("source,relation,target\nNA,nan,None\nnull,r,-\n").objects == ("NA", "null", "None", "-")


def test_an_empty_value_is_not_observed():
    result = table("source,target,value\na,b,1\nb,c,\nc,a,NA\n")
    assert np.isnan(result.values).tolist() == [False, True, True]
    assert len(mrwtd.read(file("source,target,value\na,b,1\nb,c,\n"))) == 1


def test_words_are_values():
    assert table("source,target,value\na,b,yes\nb,c,No\nc,a,TRUE\n").values.tolist() == [1, 0, 1]


def test_a_weight_without_a_value_is_the_value():
    both = table("source,target,value,weight\na,b,1,0.5\nb,c,0,1\n")
    assert (both.values.tolist(), both.weights.tolist()) == ([1, 0], [0.5, 1])
    assert any("'weight' is read as the weight" in note for note in both.notes)
    weight_only = table("source,target,weight\na,b,3\nb,c,4.5\n")
    assert (weight_only.values.tolist(), weight_only.weights) == ([3, 4.5], None)
    assert any("'weight' is read as the value" in note for note in weight_only.notes)


def test_unused_columns_are_named_in_a_note():
    assert any("'when', 'why' are not used" in n for n in table("source,target,value,when,why\na,b,1,2,x\n").notes)


def test_a_type_column_of_network_programs_is_the_direction():
    text = "Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,1\n2,3,Undirected,1,,2\n"
    assert [(r.name, r.directed) for r in mrwtd.read(file(text)).relations] == [("ties", False)]
    assert mrwtd.read(file(text.replace("Und", "D"))).relations[0].directed


def test_undirected_rows_among_directed_ones_count_in_both_directions():
    text = (
        "Source,Target,Type,Kind,Weight\na,b,Directed,x,1\nb,c,Undirected,x,2\nc,c,Undirected,x,5\na,c,Undirected,y,3\n"
    )
    data = mrwtd.read(file(text), self_pairs="keep")
    assert [(relation.name, relation.directed) for relation in data.relations] == [("x", True), ("y", False)]
    ties = data.to_frame()[["source", "relation", "target"]].agg("".join, axis=1)
    assert sorted(ties) == ["axb", "ayc", "bxc", "cxb", "cxc"]
    assert any("1 undirected row" in note for note in data.notes)
    (problem,) = problems(text + "c,b,Directed,x,7\n")  # which contradicts the undirected row
    assert "lines 6 and 3" in problem.found


def test_a_type_that_is_no_direction_is_the_relation():
    assert table("source,target,type\na,b,friend\nb,c,foe\n").relations == ("friend", "foe")


def test_decimal_commas_are_read_where_semicolons_separate():
    assert table("source;target;value\na;b;1,5\nb;c;-2\n").values.tolist() == [1.5, -2]
    result = problems("source\ttarget\tvalue\na\tb\t1,5\n")
    assert "decimal point" in result[0].expected
    assert problems("source;target;value\na;b;1,5\nb;c;1.5\n")[0].line == 2


def test_letters_name_columns_only_where_no_row_uses_them():
    assert rows(table("h,r,t\na,likes,b\n")) == [("a", "likes", "b")]
    assert rows(table("h,r,t\nt,r,h\n")) == [("h", "r", "t"), ("t", "r", "h")]


@pytest.mark.parametrize(
    "text",
    [
        "0 1 0.5\n1 2 0.25\n",
        "a b 1,5\nb c 2,5\n",
        "person,friend,strength\nann,bob,3\n",
        "person,relation,friend\na,r,b\n",
    ],
)
def test_unlikely_triples_raise_an_error(text):
    (problem,) = problems(text)
    assert problem.line == 1
    assert "source,target,value" in problem.expected


def test_every_problem_of_every_line_is_listed_at_once():
    text = (
        "# made up\n"
        "source,relation,target,value,weight\n"
        "a,r,b,1,0.5\n"
        "b,r,c,much,1.5\n"
        ",r,c,1,1\n"
        "\n"
        "a,r\n"
        "c,,d,inf,nan\n"
        "c,r,d,1,1,1\n"
    )
    result = [(problem.line, problem.where, problem.found) for problem in problems(text)]
    assert [line for line, _, _ in result] == [4, 4, 5, 7, 8, 8, 8, 9]
    assert (4, "column 'value'", "'much'") in result
    assert (4, "column 'weight'", "'1.5'") in result
    assert (8, "column 'value'", "'inf'") in result
    assert (8, "column 'weight'", "an empty cell") in result
    assert (7, "", "2 columns ('a | r')") in result


def test_problems_are_listed_for_a_hundred_lines_and_counted_beyond():
    lines = [f"a{row},b,x{row},2" for row in range(250)]
    with pytest.raises(DataError) as caught:
        mrwtd.read(file("source,target,value,weight\n" + "\n".join(lines)))
    assert len({problem.line for problem in caught.value.problems}) == 100
    assert [problem.line for problem in caught.value.problems[:4]] == [2, 2, 3, 3]
    assert caught.value.total == 500


def test_an_invalid_number_is_shown_as_in_the_file():
    text = "source,target,value,weight\na,b,1e999,1\nb,c,2,NA\nc,d,3,1.50\n"
    result = [(problem.line, problem.found) for problem in problems(text)]
    assert result == [(2, "'1e999'"), (3, "'NA'"), (4, "'1.50'")]


def test_a_problem_far_down_has_its_line():
    lines = [f"a{row},b,{row}" for row in range(20_000)]
    lines[15_000] = "x,y,many"
    assert [problem.line for problem in problems("source,target,value\n" + "\n".join(lines))] == [15_002]
    lines[15_000] = "x,y"
    assert [problem.line for problem in problems("source,target,value\n" + "\n".join(lines))] == [15_002]


def test_contradicting_rows_name_both_lines():
    text = "# c\nsource,target,value\na,b,1\n\n# d\nb,c,2\na,b,2\n"
    (problem,) = problems(text)
    assert problem.line == 7
    assert "(lines 3 and 7)" in problem.found


def test_kinds_that_do_not_fit_name_the_line():
    (problem,) = problems("source,target,value\na,b,1\n# x\nb,c,2.5\n", kinds={"ties": "count"})
    assert (problem.line, problem.found) == (4, "2.5 in 'ties'")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("source:target\na:b\n", "one column"),
        ("source,target,value\na;b;1\n", "1 column ('a;b;1')"),
        ("source,target,value\n", "only a header"),
        ("# nothing\n", "only comments"),
        ("a,r,a\n", "1 object"),
        ("a,b,c,d\ne,f,g,h\n", "4 columns without known names"),
        ('a,r,b\nb,r,"c\nd,r,e\n', "a quote that is never closed"),
        ('source,target\n"a,b\n', "a quote that is never closed"),
        ('"a,b\n', "a quote that is never closed"),
    ],
)
def test_invalid_lists_raise_an_error(text, result):
    assert any(result in problem.found for problem in problems(text))


SCHEMA = {
    "objects": [" a", "#b", "", "c\nd"],
    "relations": [{"name": "r", "kind": "ordinal", "directed": False, "levels": [1, 2, 3]}],
    "attributes": {"group": ["x", None, "y", "z"]},
}


def test_files_written_by_mrwtd_are_read_literally():
    text = f'# mrwtd {json.dumps(SCHEMA)}\nsource,relation,target,value,weight\n a,r,#b,3,1\n,r,"c\nd",1,0.5\n'
    data = mrwtd.read(file(text))
    assert data.objects == tuple(SCHEMA["objects"])
    assert data.relations == (mrwtd.Relation("r", "ordinal", False, (1, 2, 3)),)
    assert data.y.tolist() == [2, 0]
    assert data.w.tolist() == [1, 0.5]
    assert data.attributes["group"].tolist()[2:] == ["y", "z"]
    assert data.notes == ()


def test_described_data_may_be_empty():
    text = f"# mrwtd {json.dumps(SCHEMA)}\nsource,relation,target,value,weight\n"
    assert len(mrwtd.read(file(text))) == 0


@pytest.mark.parametrize(
    "text",
    [
        "# mrwtd {\na,b\n",
        '# mrwtd {"objects": 3}\nsource,relation,target\na,r,b\n',
        '# mrwtd {"x": 1}\nsource,target\na,b\n',
    ],
)
def test_a_damaged_description_is_a_data_error(text):
    assert problems(text)
