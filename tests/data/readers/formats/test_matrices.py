import io
import zipfile

import numpy as np
import openpyxl
import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import detect_format, read_table


def file(content, name):
    stream = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    stream.name = name
    return stream


def zipped(name="all.zip", **members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for member, content in members.items():
            archive.writestr(member if "." in member else f"{member}.csv", content)
    return file(stream.getvalue(), name)


def workbook(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return file(stream.getvalue(), "all.xlsx")


def matrix(result, relation=0):
    n = len(result.objects)
    rows = result.k == relation
    full = np.full((n, n), np.nan)
    full[result.i[rows], result.j[rows]] = result.values[rows]
    return full


def same(result, expected):
    return np.array_equal(result, np.array(expected, dtype=float), equal_nan=True)


ADVICE = ",ann,bob,cat\nann,0,1,\nbob,2,0,3\ncat,4,5,0\n"
EXPECTED = [[0, 1, np.nan], [2, 0, 3], [4, 5, 0]]


@pytest.mark.parametrize(
    "text",
    [
        ADVICE,
        ADVICE.replace(",", ";"),
        ADVICE.replace(",", "\t"),
        "# about\n" + ADVICE,
        "name" + ADVICE,
        '"","ann","bob","cat"\n"ann",0,1,NA\n"bob",2,0,3\n"cat",4,5,0\n',
        "ann bob cat\nann 0 1 NA\nbob 2 0 3\ncat 4 5 0\n",
        "ann,bob,cat\n0,1,\n2,0,3\n4,5,0\n",
        "ann,0,1,\nbob,2,0,3\ncat,4,5,0\n",
        ",ann,bob,cat\ncat,4,5,0\nann,0,1,\nbob,2,0,3\n",
    ],
)
def test_labels_are_at_the_top_the_side_or_both(text):
    result = read_table(file(text, "advice.csv"))
    assert result.format == "matrices"
    assert (result.objects, result.relations) == (("ann", "bob", "cat"), ("advice",))
    assert same(matrix(result), EXPECTED)
    assert not result.named


def test_labels_may_be_numbers():
    result = read_table(file(",3,1,2\n3,0,1,1\n1,1,0,0\n2,0,1,0\n", "a.csv"))
    assert result.objects == ("3", "1", "2")
    assert same(matrix(result), [[0, 1, 1], [1, 0, 0], [0, 1, 0]])


def test_without_labels_objects_are_numbered():
    text = "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n"
    result = read_table(file(text, "a.txt"))
    assert result.objects == ("1", "2", "3", "4")
    assert any("without labels" in note for note in result.notes)


def test_two_or_three_columns_of_numbers_are_a_matrix_only_by_option():
    text = "0,1,0\n1,0,1\n0,1,0\n"
    assert read_table(file(text, "a.csv")).format == "long"
    assert same(matrix(read_table(file(text, "a.csv"), "matrices")), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_a_symmetric_matrix_is_undirected_and_an_empty_cell_unknown():
    data = mrwtd.read(file(",a,b,c\na,,1,0\nb,1,,\nc,0,,\n", "ties.csv"), absent="negative")
    assert not data.relations[0].directed
    assert len(data) == 2


def test_a_zip_has_one_matrix_per_relation():
    result = read_table(zipped(advice=ADVICE, trust=ADVICE.replace("5", "9"), **{"README.md": "about"}))
    assert result.relations == ("advice", "trust")
    assert same(matrix(result, 0), EXPECTED)
    assert matrix(result, 1)[2, 1] == 9
    assert result.named


def test_labels_can_have_another_order_in_each_matrix():
    turned = ",cat,ann,bob\ncat,0,4,5\nann,,0,1\nbob,3,2,0\n"
    result = read_table(zipped(advice=ADVICE, turned=turned))
    assert same(matrix(result, 0), EXPECTED)
    assert same(matrix(result, 1), EXPECTED)


def test_a_matrix_without_labels_takes_those_of_the_others():
    result = read_table(zipped(advice=ADVICE, bare="0,1,\n2,0,3\n4,5,0\n"))
    assert result.objects == ("ann", "bob", "cat")
    assert same(matrix(result, 1), EXPECTED)


def test_a_workbook_has_one_sheet_per_relation():
    rows = [[None, "ann", "bob", "cat"], ["ann", 0, 1, None], ["bob", 2, 0, 3.0], ["cat", 4, 5, False]]
    result = read_table(workbook(advice=rows, trust=rows, empty=[]))
    assert result.relations == ("advice", "trust")
    assert same(matrix(result, 1), EXPECTED)


@pytest.mark.parametrize(
    ("rows", "relations", "format_"),
    [
        (
            [["from", "to", "relation"], ["ann", "bob", "likes"], [], ["bob", "cat", "hates"]],
            ("likes", "hates"),
            "long",
        ),
        ([["from", "to", "trust"], ["ann", "bob", 1], ["bob", "cat", 3]], ("trust",), "wide"),
        ([["from", "to"], ["ann", "bob"], ["bob", "cat"]], ("all",), "long"),
    ],
)
def test_a_single_sheet_can_be_a_list(rows, relations, format_):
    result = read_table(workbook(Sheet1=rows))
    assert result.objects == ("ann", "bob", "cat")
    assert result.relations == relations
    assert (result.format, result.file) == (format_, "all.xlsx")
    assert detect_format(workbook(Sheet1=rows)) == format_


def test_a_list_in_a_sheet_is_named_by_the_sheet_and_its_problems_by_the_file():
    result = read_table(workbook(friends=[["from", "to"], ["ann", "bob"]]))
    assert (result.relations, result.named) == (("friends",), True)
    with pytest.raises(DataError, match=r"all\.xlsx, line 3: found no name"):
        read_table(workbook(Sheet1=[["from", "to"], ["ann", "bob"], [None, "cat"]]))


def test_a_zip_with_one_file_is_read_as_that_file():
    assert read_table(zipped(advice=ADVICE)).relations == ("advice",)
    assert read_table(zipped(ties="source,relation,target\na,r,b\n")).format == "long"
    with pytest.raises(DataError, match=r"an empty file 'ties.csv'"):
        read_table(zipped(ties=""))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (",ann,bob,cat\nann,0,1,0\nbob,1,0,1\n", "2 rows and 3 columns"),
        (",ann,bob\nann,0,1\nbob,1,0\ncat,1,1\n", "3 rows and 2 columns"),
        ("0,1,0,1\n1,0,1,0\n", "2 rows and 4 columns"),
        (",ann,bob,bob\nann,0,1,1\nbob,1,0,1\nbob,1,1,0\n", "the column 'bob' twice"),
        (",ann,bob\nann,0,1\ndan,1,0\n", "'dan' only among the rows; 'bob' only among the columns"),
    ],
)
def test_matrices_that_are_not_square_raise_an_error(text, result):
    with pytest.raises(DataError, match=result):
        read_table(file(text, "a.csv"))


def test_cells_that_are_not_numbers_are_named():
    with pytest.raises(DataError) as caught:
        read_table(file("# x\n,ann,bob,cat\nann,0,1,z\nbob,inf,0,1\n\ncat,0,0,0\n", "a.csv"))
    assert [(p.line, p.where, p.found) for p in caught.value.problems] == [
        (3, "column 'cat'", "'z'"), (4, "column 'ann'", "'inf'"),
    ]  # fmt: skip


def test_ragged_rows_have_their_line():
    with pytest.raises(DataError, match=r"line 3: found 2 cells; expected 3"):
        read_table(file(",ann,bob,cat\nann,0,1,0\nbob,1,0\ncat,0,1,0\n", "a.csv"))


def test_contradicting_cells_of_an_undirected_matrix_name_their_lines():
    with pytest.raises(DataError, match=r"lines 2 and 3"):
        mrwtd.read(file(",ann,bob\nann,0,1\nbob,0,0\n", "a.csv"), directed=False)


def test_contradicting_labels_are_named():
    with pytest.raises(DataError) as caught:
        read_table(zipped(advice=ADVICE, trust=ADVICE.replace("bob", "dan"), small=",ann,bob\nann,0,1\nbob,1,0\n"))
    assert [(p.where, p.found, p.expected) for p in caught.value.problems] == [
        ("matrix 'small'", "2 objects", "3 objects, as in 'advice'"),
        ("matrix 'trust'", "the label 'dan'", "'bob', as in 'advice'"),
    ]


def test_problems_of_all_matrices_are_listed_with_their_file():
    with pytest.raises(DataError) as caught:
        read_table(zipped(advice=ADVICE.replace("5", "x"), trust="0,1\n", other="nothing\n"))
    assert [p.where for p in caught.value.problems] == [
        "file 'trust.csv'", "file 'other.csv'", "file 'advice.csv', column 'bob'",
    ]  # fmt: skip


def test_two_members_with_the_same_name_raise_an_error():
    with pytest.raises(DataError, match=r"two matrices called 'a'"):
        read_table(zipped(**{"x/a.csv": ADVICE, "y/a.csv": ADVICE}))


def test_a_damaged_workbook_is_a_data_error():
    data = workbook(advice=[[None, "a", "b"], ["a", 0, 1], ["b", 1, 0]]).getvalue()
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name)[:200])
    with pytest.raises(DataError, match=r"a damaged workbook"):
        read_table(file(stream.getvalue(), "all.xlsx"))


def test_an_empty_workbook_is_a_data_error():
    with pytest.raises(DataError, match=r"empty sheets only"):
        read_table(workbook(empty=[]))


def test_a_large_matrix_with_long_lines_is_detected():
    n = 900
    values = np.arange(n * n).reshape(n, n) * 1e9
    names = ",".join(f"object number {i}" for i in range(n))
    text = names + "\n" + "\n".join(",".join(f"{v:.0f}" for v in row) for row in values)
    result = read_table(file(text, "a.csv"))
    assert result.format == "matrices"
    assert same(matrix(result), values)


@pytest.mark.parametrize(
    "header",
    ["1,2,3,4", "V1,V2,V3,V4", "X1,X2,X3,X4", '"","V1","V2","V3","V4"', '"V1","V2","V3","V4"\r', "1,2,3,4,rows"],
)
def test_matrices_written_by_r(header):
    has_rows = header.startswith('"')
    rows = ["0,1,0,0", "1,0,1,0", "0,1,0,0", "0,0,1,0"]
    if header.endswith("rows"):
        header, rows = "1,2,3,4", [row.replace(",", ", ") for row in rows]
    lines = [f'"{number}",{row}' if has_rows else row for number, row in enumerate(rows, start=1)]
    stream = io.BytesIO("\n".join([header, *lines, ""]).encode())
    stream.name = "advice.csv"
    data = mrwtd.read(stream)
    assert data.objects == ("1", "2", "3", "4")
    assert [relation.name for relation in data.relations] == ["advice"]
    ties = {(int(i) + 1, int(j) + 1) for i, j, y in zip(data.i, data.j, data.y, strict=True) if y > 0}
    assert ties == {(1, 2), (2, 1), (2, 3), (3, 2), (4, 3)}
