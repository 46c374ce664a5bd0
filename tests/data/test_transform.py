"""Other names for relations, and transforms of their values."""

import io
from typing import Any

import numpy as np
import pytest

import mrwtd
from mrwtd.data.build import build
from mrwtd.data.table import Table

TRADE = "source,relation,target,value\nus,trade,uk,99\nuk,trade,us,0\nus,1,uk,1\nuk,1,us,0\n"


def read(**options: Any) -> mrwtd.RelationalData:
    return mrwtd.read(io.StringIO(TRADE), **options)


def test_a_transformed_relation_is_real_and_named_by_its_scale() -> None:
    data = read(transform={"trade": "log1p"})
    assert [(relation.name, relation.kind) for relation in data.relations] == [
        ("log(1 + trade)", "real"),
        ("1", "binary"),
    ]
    assert sorted(data.original_values(0)) == pytest.approx([0, 2 * 2.302585092994046])
    assert sorted(data.original_values(1)) == [-1, 1]


def test_unlisted_pairs_of_a_transformed_relation_are_zero() -> None:
    table = Table.from_names(["a", "b"], ["r", "r"], ["b", "c"], values=[9, 99])
    assert np.exp(build(table, transform={"r": "log1p"}, absent="negative").y) == pytest.approx([10, 1, 1, 100, 1, 1])


def test_the_mean_of_contradicting_rows_is_transformed_not_the_rows() -> None:
    table = Table.from_names(["a", "a"], ["r", "r"], ["b", "b"], values=[1, 5])
    assert np.expm1(build(table, transform={"r": "log1p"}, duplicates="mean").y) == pytest.approx([3])


def test_other_options_use_the_new_names() -> None:
    data = read(rename={"1": "advice"}, kinds={"advice": "count"}, directed={"advice": True})
    assert [(relation.name, relation.kind) for relation in data.relations] == [("trade", "count"), ("advice", "count")]


def test_what_the_file_declares_follows_the_new_name() -> None:
    file = io.StringIO()
    mrwtd.write(read(kinds={"1": "ordinal"}), file, format="csv")
    file.seek(0)
    data = mrwtd.read(file, rename={"1": "advice"})
    assert (data.relations[1].name, data.relations[1].kind, data.relations[1].levels) == ("advice", "ordinal", (0, 1))


def test_two_relations_can_exchange_their_names() -> None:
    data = read(rename={"1": "trade", "trade": "1"})
    assert [(relation.name, relation.kind) for relation in data.relations] == [("1", "count"), ("trade", "binary")]


def test_a_mask_is_renamed_with_the_data() -> None:
    mask = io.StringIO("source,relation,target,value\nus,1,uk,0\nuk,trade,us,1\n")
    data = read(rename={"1": "advice"}, mask=mask)
    assert len(data.select_relations(["advice"])) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"rename": {"2": "advice"}}, "relation '2' in rename; expected one of 'trade', '1'"),
        ({"rename": {"1": "trade"}}, "the name 'trade' for two relations"),
        ({"rename": {"1": " "}}, "' ' as the new name of '1'"),
        ({"rename": ["1"]}, "rename = "),
        ({"transform": {"2": "log1p"}}, "relation '2' in transform"),
        ({"transform": {"trade": "sqrt"}}, "transform 'sqrt' for 'trade'; expected one of log1p"),
        ({"transform": "log1p"}, "transform = 'log1p'"),
        ({"transform": {"trade": "log1p"}, "kinds": {"trade": "count"}}, "kind 'count' for 'trade', which is transf"),
        ({"transform": {"1": "log1p"}, "rename": {"trade": "log(1 + 1)"}}, "twice"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(mrwtd.DataError) as raised:
        read(**options)
    assert problem in str(raised.value)


def test_a_value_outside_the_domain_is_reported_with_its_line() -> None:
    file = io.StringIO("source,target,value\na,b,9.5\nb,c,-3\n")
    file.name = "flows.csv"
    with pytest.raises(mrwtd.DataError) as raised:
        mrwtd.read(file, transform={"flows": "log1p"})
    assert "line 3" in str(raised.value)
    assert "-3 in 'flows'" in str(raised.value)
