"""Multilayer networks without column names."""

import io

import pytest

import mrwtd
from mrwtd import DataError
from mrwtd.data.readers import detect_format, read_table


def file(text, name):
    stream = io.BytesIO(text.encode())
    stream.name = name
    return stream


TIES = "".join(f"{layer} {source} {source % 9 + 1} {layer}.5\n" for layer in (1, 2) for source in range(1, 10))


def test_layers_are_relations_and_weights_are_values():
    data = mrwtd.read(file("1 1 2 1\n1 2 3 1\n2 1 3 7\n2 3 1 120\n", "ties.edges"))
    assert [(relation.name, relation.kind) for relation in data.relations] == [("1", "binary"), ("2", "count")]
    frame = data.to_frame()
    assert frame[["source", "relation", "target", "value"]].values.tolist() == [
        ["1", "1", "2", 1], ["2", "1", "3", 1], ["1", "2", "3", 7], ["3", "2", "1", 120],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "detected"),
    [
        (TIES, "ties.txt", "multilayer"),  # by its numbers
        (TIES.replace(" ", "\t"), "ties.txt", "multilayer"),
        ("0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", "matrix.txt", "matrices"),
        ("layer source target weight\n1 5 6 1\n2 5 7 1\n", "ties.edges", "long"),
        ("5 6\n6 7\n", "ties.edges", "long"),
    ],
)
def test_other_lists_and_matrices_are_not_read_as_layers(text, name, detected):
    assert detect_format(file(text, name)) == detected


def test_a_list_of_source_target_weight_and_time_is_not_read_as_layers():
    text = "".join(f"{k // 4 + 1} {k % 7 + 1} {k % 3} {1_000 + k}\n" for k in range(80))
    assert detect_format(file(text, "ties.txt")) != "multilayer"


def test_a_note_says_how_the_columns_are_read():
    assert "layer, source, target and weight" in read_table(file("1 1 2 1\n", "a.edges")).notes[0]


@pytest.mark.parametrize(
    ("row", "expected"), [("1 1 2", "4 columns"), ("1 1 2 x", "a finite number"), ("1 1 2 3 4", "4 columns")]
)
def test_problems_have_lines(row, expected):
    with pytest.raises(DataError) as caught:
        mrwtd.read(file(f"{TIES * 20}{row}\n", "ties.edges"))
    (problem,) = caught.value.problems
    assert problem.line == 18 * 20 + 1
    assert expected in problem.expected
