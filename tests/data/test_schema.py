import numpy as np
import pytest

from mrwtd.data.schema import SAMPLE, infer_schema
from mrwtd.data.table import Table


def ring(values=None, both=False, n=6, weights=None):
    i = np.arange(n)
    source, target = i, (i + 1) % n
    if both:
        source, target = np.concatenate([source, target]), np.concatenate([target, source])
    return Table.from_names(source, np.zeros(source.size, dtype=int), target, values, weights)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (None, "binary"),
        ([0, 1, 0, 1, 0, 1], "binary"),
        ([-1, 1, 1, -1, 1, -1], "binary"),
        ([1, 1, 1, 1, 1, 1], "binary"),
        ([0, 0, 0, 0, 0, np.nan], "binary"),
        ([np.nan] * 6, "binary"),
        ([1, 2, 3, 2, 1, 1], "ordinal"),
        ([-1, 0, 1, 0, 1, 0], "ordinal"),
        ([0, 10, 5, 5, 5, 5], "ordinal"),
        ([0, 11, 5, 5, 5, 5], "count"),
        ([5, 5, 5, 5, 5, 5], "count"),
        ([0, 1, 2, 3, 4, 250], "count"),
        ([-20, 0, 1, 2, 3, 4], "real"),
        ([0.5, 1, 0, 1, 1, 1], "real"),
    ],
)
def test_kinds_follow_the_rule(values, kind):
    assert infer_schema(ring(values))[0].kind == kind


def test_eight_levels_are_a_count():
    values = np.arange(8)
    assert infer_schema(ring(values, n=8))[0].kind == "count"
    assert infer_schema(ring(values[:7], n=7))[0].kind == "ordinal"


@pytest.mark.parametrize("n", [6, 3 * SAMPLE])
def test_direction_follows_the_rule_for_lists_of_any_length(n):
    values = np.arange(n) % 5
    mutual = np.concatenate([values, values])
    assert infer_schema(ring(n=n))[0].directed
    assert not infer_schema(ring(both=True, n=n))[0].directed
    assert not infer_schema(ring(mutual, both=True, n=n))[0].directed
    differing = mutual.copy()
    differing[-1] += 1
    assert infer_schema(ring(differing, both=True, n=n))[0].directed
    assert "differ" in infer_schema(ring(differing, both=True, n=n))[0].directed_reason


def test_one_pair_in_one_direction_is_enough_among_many():
    n = 3 * SAMPLE
    table = ring(both=True, n=n)
    lone = Table.from_names(np.append(table.i, 0), np.zeros(table.i.size + 1, dtype=int), np.append(table.j, n // 2))
    assert infer_schema(lone)[0].directed


def test_pairs_unobserved_in_both_directions_are_mutual():
    assert not infer_schema(ring([1, 2, np.nan] * 4, both=True))[0].directed


def test_weights_that_differ_between_directions_make_a_relation_directed():
    assert infer_schema(ring([1] * 12, both=True, weights=np.linspace(0, 1, 12)))[0].directed


def test_a_pair_listed_twice_does_not_hide_that_it_is_mutual():
    table = Table.from_names(["a", "a", "b"], ["r"] * 3, ["b", "b", "a"], [2, 2, 2])
    assert not infer_schema(table)[0].directed


def test_self_pairs_do_not_determine_the_direction():
    result = infer_schema(Table.from_names(["a", "b"], ["r", "r"], ["a", "b"]))[0]
    assert result.directed
    assert "different objects" in result.directed_reason


def test_the_reason_has_the_percentage():
    table = Table.from_names(["a", "b", "a", "a"], ["r"] * 4, ["b", "a", "c", "d"])
    assert infer_schema(table)[0].directed_reason.startswith("50%")


def test_declarations_of_the_file_have_priority():
    table = Table.from_names(["a"], ["r"], ["b"], [1], declared={"r": {"kind": "count", "directed": False}})
    result = infer_schema(table)[0]
    assert (result.kind, result.directed) == ("count", False)


def test_relations_are_inferred_separately():
    table = Table.from_names(["a", "b", "a"], ["x", "x", "y"], ["b", "a", "b"], [1, 1, 2.5], relations=["none"])
    assert [(g.name, g.kind, g.directed) for g in infer_schema(table)] == [
        ("none", "binary", True),
        ("x", "binary", False),
        ("y", "real", True),
    ]
