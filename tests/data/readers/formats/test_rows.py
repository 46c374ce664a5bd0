"""Which lines of a list are rows and which are comments, and that the fast and the general parser agree."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrwtd import DataError
from mrwtd.data.readers import read_table
from mrwtd.data.readers.parsing import columns
from tests.data.readers.edge_lists import file, rows, table


def test_comments_and_blank_lines_are_passed_over_but_counted():
    result = table("% about\n# more\n\nsource,relation,target\n# x,r\na,r,b\n\n  \n%\nb,r,c\n")
    assert rows(result) == [("a", "r", "b"), ("b", "r", "c")]
    assert [result.line(row) for row in range(2)] == [6, 10]


def test_a_target_can_start_like_a_comment(monkeypatch):
    monkeypatch.setattr(columns, "_load_carefully", None)  # nothing is out of the ordinary
    result = table("source,relation,target\nann,posts,#cats\nbob,posts,%dogs\n")
    assert result.objects == ("ann", "bob", "#cats", "%dogs")


@pytest.mark.parametrize("more", ["", "# a comment\n%\n"])
def test_a_row_can_start_like_a_comment(more):
    result = table(f"# about, this, file\nsource,relation,target\n#1,likes,#2\n{more}%3,likes,#1\n")
    assert rows(result) == [("#1", "likes", "#2"), ("%3", "likes", "#1")]
    assert result.line(1) == 4 + more.count("\n")


def test_rows_that_start_like_comments_use_the_fast_parser(monkeypatch):
    monkeypatch.setattr(columns, "_load_carefully", None)
    assert table("source,relation,target\n#1,likes,bob\nbob,likes,#1\n").objects == ("#1", "bob")


def test_words_and_quotes_distinguish_rows_from_comments():
    assert rows(table("ann likes bob\n#1 likes bob\n# so\n% three words more\n")) == [
        ("ann", "likes", "bob"),
        ("#1", "likes", "bob"),
    ]
    assert rows(table('source,target\n"a,b",c\n#1,"d,e"\n# f,g,h\n'))[1][::2] == ("#1", "d,e")


def test_a_header_in_a_comment_is_a_header():
    assert table("# source target weight\n0 1 0.5\n1 2 0.25\n").values.tolist() == [0.5, 0.25]


def careful(monkeypatch, text):
    with monkeypatch.context() as patch:
        patch.setattr(columns, "_load_fast", lambda *_: None)
        return outcome(text)


def outcome(text):
    """The result of reading a list: its rows with their lines, or its problems."""
    try:
        result = read_table(file(text), "long")
        return rows(result), [result.line(row) for row in range(result.i.size)], result.notes
    except DataError as error:
        return error.problems, error.total


cells = st.text(alphabet='ab1 ."#%é\n', max_size=4)
quoted = cells.map(lambda cell: '"' + cell.replace('"', '""') + '"')
plain = st.text(alphabet="ab1 .#é", max_size=4)
lines = st.lists(st.one_of(plain, plain, quoted), min_size=1, max_size=4).map(",".join)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.sampled_from(["source,relation,target", "source,target,value", ""]), st.lists(lines, max_size=6))
def test_the_fast_and_the_general_parser_agree(header, body):
    text = "\n".join([header, *body]) + "\n"
    monkeypatch = pytest.MonkeyPatch()
    fast, slow = outcome(text), careful(monkeypatch, text)
    assert repr(fast) == repr(slow)  # as text, because NaN does not equal NaN


def test_plain_files_use_the_fast_parser(monkeypatch):
    monkeypatch.setattr(columns, "_load_carefully", None)
    assert len(rows(table("source,relation,target,value\na,r,b,1\nb,r,c,yes\n"))) == 2
    assert len(rows(table('a|r|"b"\nb|r|c\n'))) == 2
