import numpy as np
import pytest

from mrwtd import DataError
from mrwtd.data.build import build
from mrwtd.data.table import Table

NAMES = ("a", "b", "c")


def ties(relations="r", **rest):
    return Table.from_names(["a", "b"], list(relations[:1] * 2), ["b", "c"], objects=NAMES, relations=relations, **rest)


def masking(rows, values, named=True, **rest):
    source, relation, target = zip(*rows, strict=True)
    return Table.from_names(source, relation, target, values, named=named, file="mask.csv", **rest)


def known(data):
    names = [relation.name for relation in data.relations]
    return {(data.objects[i], names[k], data.objects[j]) for i, j, k in zip(data.i, data.j, data.k, strict=True)}


def test_only_pairs_with_zero_are_hidden():
    mask = masking([("a", "r", "b"), ("b", "r", "c")], [0, 1])
    assert known(build(ties(), directed=True, mask=mask)) == {("b", "r", "c")}


def test_hidden_pairs_stay_unknown_in_a_closed_world():
    mask = masking([("a", "r", "b"), ("c", "r", "a")], [0, 0])
    result = build(ties(), directed=True, absent="negative", mask=mask)
    assert len(result) == 4
    assert not known(result) & {("a", "r", "b"), ("c", "r", "a")}


def test_hidden_pairs_are_not_sampled_as_negatives():
    rows = [("a", "r", "c"), ("b", "r", "a"), ("c", "r", "a")]
    result = build(ties(), directed=True, absent=100, mask=masking(rows, [0, 0, 0]))
    assert known(result) == {("a", "r", "b"), ("b", "r", "c"), ("c", "r", "b")}


def test_either_direction_hides_an_undirected_pair():
    mask = masking([("b", "r", "a")], [0])
    assert known(build(ties(), directed=False, mask=mask)) == {("b", "r", "c")}


def test_contradicting_directions_of_an_undirected_pair_raise_an_error():
    mask = masking([("a", "r", "b"), ("b", "r", "a")], [0, 1], lines=[2, 3])
    with pytest.raises(DataError, match=r"mask.csv, line 3: found both 0 and 1"):
        build(ties(), directed=False, mask=mask)
    assert len(build(ties(), directed=True, mask=mask)) == 1


def test_a_mask_without_names_applies_to_all_relations():
    mask = masking([("a", "mask", "b")], [0], named=False)
    result = build(ties("rs"), directed=True, absent="negative", mask=mask)
    assert len(result) == 10
    assert not known(result) & {("a", "r", "b"), ("a", "s", "b")}


def test_pairs_that_are_empty_in_a_mask_do_not_change():
    mask = masking([("a", "r", "b"), ("b", "r", "c")], [np.nan, 1])
    assert len(build(ties(), directed=True, mask=mask)) == 2


def test_a_mask_without_values_raises_an_error():
    with pytest.raises(DataError, match=r"mask.csv: found a mask without values; expected .* 1 \(observed\) or 0"):
        build(ties(), mask=masking([("a", "r", "b")], None))


def test_unknown_names_in_a_mask_are_listed():
    mask = masking([("a", "q", "b"), ("x", "r", "b"), ("a", "r", "b")], [1, 1, 0.5], lines=[2, 3, 4])
    with pytest.raises(DataError) as caught:
        build(ties(), mask=mask)
    assert [(p.line, p.found) for p in caught.value.problems] == [
        (2, "the relation 'q' in a mask"),
        (3, "the object 'x' in a mask"),
        (4, "0.5"),
    ]
