import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrwtd import DataError
from mrwtd.data.factorized import Factorized
from mrwtd.data.table import Table, parse_numbers, schema_arguments, sorted_keys

STEADY = settings(derandomize=True, max_examples=50, deadline=None)


def test_names_are_listed_as_they_appear_after_the_known_ones():
    table = Table.from_names(["b", "a"], ["r", "q"], ["a", "c"], objects=["z", "a"], relations=["q"])
    assert table.objects == ("z", "a", "b", "c")
    assert table.relations == ("q", "r")
    assert [table.objects[i] for i in table.i] == ["b", "a"]
    assert [table.objects[j] for j in table.j] == ["a", "c"]
    assert [table.relations[k] for k in table.k] == ["r", "q"]


def test_a_number_and_its_text_are_one_name():
    assert Table.from_names([1, "1"], ["r", "r"], ["2", 2]).objects == ("1", "2")


def test_repeated_names_are_one_object():
    codes = np.array([0, 1], dtype=np.int32)
    table = Table.from_factorized(
        Factorized(codes, ["a", "a"]), Factorized(codes * 0, ["r"]), Factorized(codes, ["b", "c"])
    )
    assert table.objects == ("a", "b", "c")
    assert table.i.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), (" 2.5 ", 2.5), ("-1e3", -1000), ("−4", -4), ("TRUE", 1), ("no", 0), ("Yes", 1), ("f", 0)],
)
def test_numbers_and_words_are_understood(text, number):
    values, wrong = parse_numbers([text, "0"])
    assert values[0] == number
    assert not wrong.any()


@pytest.mark.parametrize("text", ["", "NA", "nan", "None", "?", "-", None])
def test_words_for_missing_values_are_unknown(text):
    values, wrong = parse_numbers([text, "1"])
    assert np.isnan(values[0])
    assert not wrong.any()


@pytest.mark.parametrize("text", ["abc", "1,5", "1_000", "0x1A", "inf", "-inf", "1e400", "1 2"])
def test_other_words_are_wrong(text):
    assert parse_numbers([text, "1"])[1].tolist() == [True, False]


def test_numbers_of_any_column_are_understood():
    assert parse_numbers(pd.Series([True, False]))[0].tolist() == [1, 0]
    assert parse_numbers(pd.Series(["1", "x", "1"], dtype="category"))[1].tolist() == [False, True, False]
    assert parse_numbers(np.array([1, np.inf]))[1].tolist() == [False, True]


def test_a_missing_column_of_a_frame_is_named():
    with pytest.raises(DataError, match=r"'relation', 'target'"):
        Table.from_frame(pd.DataFrame({"source": ["a"]}))


def test_an_invalid_value_of_a_frame_has_its_place():
    frame = pd.DataFrame({"source": ["a", "b"], "relation": "r", "target": ["b", "c"], "value": ["1", "much"]})
    with pytest.raises(DataError, match=r"row 1, column 'value': found 'much'"):
        Table.from_frame(frame)


def test_a_missing_name_of_a_frame_has_its_place():
    frame = pd.DataFrame({"source": ["a", None], "relation": "r", "target": ["b", "c"]})
    with pytest.raises(DataError, match=r"row 1, column 'source'"):
        Table.from_frame(frame)


@pytest.mark.parametrize("schema", [{"objects": 3}, {"objects": ["a"], "relations": [{"name": "r"}]}, {"x": 1}])
def test_a_damaged_description_is_a_data_error(schema):
    with pytest.raises(DataError):
        schema_arguments(schema)


@STEADY
@given(st.lists(st.integers(0, 2**62), max_size=40), st.integers(0, 61))
def test_the_order_of_keys_is_stable_at_any_size(numbers, bits):
    key = np.array(numbers, dtype=np.int64) >> bits
    order, ordered = sorted_keys(key)
    assert order.tolist() == sorted(range(key.size), key=lambda row: (int(key[row]), row))
    assert ordered.tolist() == sorted(key.tolist())


def test_a_row_has_its_line():
    assert Table.from_names(["a"], ["r"], ["b"]).line(0) is None
    assert Table.from_names(["a", "b"], ["r", "r"], ["b", "c"], lines=[4, 9]).line(1) == 9
