import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrwtd import DataError
from mrwtd.data.build import _positions, build, count_contradictions
from mrwtd.data.table import Table
from mrwtd.data.validation import entry_keys

STEADY = settings(derandomize=True, max_examples=50, deadline=None)


def table(rows, values=None, weights=None, **rest):
    source, relation, target = zip(*rows, strict=True)
    return Table.from_names(source, relation, target, values, weights, file="ties.csv", **rest)


def entries(data):
    frame = data.to_frame()
    return {
        (s, r, t): v for s, r, t, v in zip(*(frame[c] for c in ("source", "relation", "target", "value")), strict=True)
    }


AB, BA, AC = ("a", "r", "b"), ("b", "r", "a"), ("a", "r", "c")


def test_binary_values_become_minus_and_plus_one():
    assert build(table([AB, AC], [0, 1])).y.tolist() == [-1, 1]
    assert build(table([AB, AC], [-1, 1])).y.tolist() == [-1, 1]


def test_zero_and_minus_one_together_raise_an_error():
    with pytest.raises(DataError, match=r"both −1 and 0"):
        build(table([AB, BA, AC], [0, 1, -1]), kinds={"r": "binary"})


def test_ordinal_values_become_levels():
    data = build(table([AB, BA, AC], [2, 5, 3]))
    assert data.relations[0].levels == (2, 3, 5)
    assert entries(data) == {AB: 2, BA: 5, AC: 3}
    assert sorted(data.y) == [0, 1, 2]


def test_declared_levels_are_kept_if_some_are_not_observed():
    declared = {"r": {"kind": "ordinal", "directed": True, "levels": (1, 2, 3, 4)}}
    assert build(table([AB, AC], [2, 4], declared=declared)).y.tolist() == [1, 3]
    with pytest.raises(DataError, match=r"9 in 'r'; expected one of the levels 1, 2, 3, 4"):
        build(table([AB, AC], [2, 9], declared=declared))


def test_an_undirected_pair_is_stored_once_whichever_way_it_is_listed():
    data = build(table([BA, ("c", "r", "b")], [3, 4]), directed=False)
    assert (data.i <= data.j).all()
    assert len(data) == 2


def test_identical_rows_merge():
    assert len(build(table([AB, AB, AC], [2, 2, 7]))) == 2
    assert len(build(table([AB, BA], [2, 2]), directed=False)) == 1
    assert len(build(table([AB, AB]))) == 1


def test_contradicting_rows_name_both_lines():
    with pytest.raises(DataError, match=r"2 and 7 for 'a' – 'b' in 'r' \(lines 4 and 9\)") as caught:
        build(table([AB, AC, AB], [2, 1, 7], lines=[4, 6, 9]))
    assert caught.value.problems[0].line == 9


def test_contradicting_directions_of_an_undirected_pair_are_contradicting_rows():
    with pytest.raises(DataError, match=r"for 'a' – 'b'"):
        build(table([AB, BA], [2, 7]), directed=False)


def test_rows_with_different_weights_contradict():
    with pytest.raises(DataError, match=r"1 with the weight 0.5 and 1 with the weight 0.25"):
        build(table([AB, AB], [1, 1], [0.5, 0.25]))


@pytest.mark.parametrize(("policy", "value", "weight"), [("mean", 20, 0.5), ("max", 30, 0.5), ("last", 10, 0.25)])
def test_contradicting_rows_follow_the_policy(policy, value, weight):
    data = build(table([AB, AC, AB], [30, 100, 10], [0.75, 1, 0.25]), kinds={"r": "count"}, duplicates=policy)
    assert entries(data) == {AB: value, AC: 100}
    assert data.w.tolist() == [weight, 1]


def test_mean_and_max_ignore_unobserved_values():
    rows, values = [AB, AB, AC], [np.nan, 4, 11]
    for policy in ("mean", "max"):
        assert entries(build(table(rows, values), duplicates=policy))[AB] == 4
    with pytest.raises(DataError, match=r"unobserved and 4"):
        build(table(rows, values))


@pytest.mark.parametrize(
    ("values", "kind"), [([-1, 1], "binary"), ([0, 1], "binary"), ([1, 2], "ordinal"), ([1, 2], "count")]
)
def test_a_mean_that_is_invalid_for_the_kind_raises_an_error(values, kind):
    with pytest.raises(DataError, match=r"largest \(max\) or the last"):
        build(table([AB, AB], values), kinds={"r": kind}, duplicates="mean")


def test_contradictions_are_counted_before_anything_is_built():
    rows = table([AB, AB, BA, BA], [1, 0, 3, 3])
    assert (count_contradictions(rows), count_contradictions(rows, directed=False)) == (1, 2)
    assert count_contradictions(table([AB, AB], None)) == 0


def test_nan_is_an_unobserved_pair():
    data = build(table([AB, BA, AC], [1, np.nan, 0]))
    assert AB in entries(data)
    assert BA not in entries(data)


def test_all_problems_of_all_relations_are_listed_at_once():
    rows = [AB, BA, ("a", "s", "b"), ("b", "s", "a"), AC, AC]
    with pytest.raises(DataError) as caught:
        build(
            table(rows, [0.5, 1, -3, 7, 0, 1], [1, 1, 1, 3, 1, 1], lines=[2, 3, 4, 5, 6, 7]),
            kinds={"r": "binary", "s": "count"},
        )
    assert [problem.line for problem in caught.value.problems] == [2, 4, 5, 7]


def test_the_first_bad_lines_are_listed_in_the_order_of_the_file():
    n = 300
    rows = [(f"o{n - row:03d}", "r", "x") for row in range(n)]
    with pytest.raises(DataError) as caught:
        build(table(rows, np.full(n, 0.5), lines=np.arange(n) + 2), kinds={"r": "count"})
    assert [problem.line for problem in caught.value.problems] == list(range(2, 102))
    assert caught.value.total == n


def test_without_lines_a_problem_names_the_pair():
    with pytest.raises(DataError, match=r"pair 'a' – 'c': found 0.5 in 'r'; expected 0, 1, 2"):
        build(table([AB, AC], [1, 0.5]), kinds={"r": "count"})


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kinds": {"q": "count"}}, "relation 'q' in kinds; expected one of 'r'"),
        ({"kinds": {"r": "counts"}}, "kind 'counts' for 'r'"),
        ({"directed": {"q": True}}, "relation 'q' in directed"),
        ({"duplicates": "first"}, "duplicates = 'first'"),
        ({"absent": "zero"}, "absent = 'zero'"),
        ({"absent": 0}, "absent = 0"),
        ({"absent": True}, "absent = True"),
    ],
)
def test_invalid_options_raise_an_error(options, text):
    with pytest.raises(DataError, match=text):
        build(table([AB]), **options)


def test_too_many_levels_raise_an_error():
    rows = [(f"a{n}", "r", "b") for n in range(60)]
    with pytest.raises(DataError, match=r"60 different values; expected at most 50 levels"):
        build(table(rows, np.arange(60)), kinds={"r": "ordinal"})


def test_infinite_values_and_invalid_weights_raise_an_error():
    with pytest.raises(DataError) as caught:
        build(table([AB, BA, AC], [1, np.inf, 2], [np.nan, 1, -0.5]), kinds={"r": "real"})
    assert {problem.found for problem in caught.value.problems} == {"value inf", "weight nan", "weight -0.5"}


def test_weights_of_one_take_no_memory():
    assert build(table([AB, AC], [1, 0], [1, 1])).w.strides == (0,)


def test_only_inferred_properties_are_noted():
    notes = build(table([AB])).notes
    assert any("binary" in note for note in notes)
    assert any("directed" in note for note in notes)
    assert build(table([AB]), kinds={"r": "binary"}, directed=True).notes == ()


def test_one_object_raises_an_error():
    with pytest.raises(DataError, match=r"ties.csv: found 1 object"):
        build(table([("a", "r", "a")]))


pairs = st.tuples(st.sampled_from("abcde"), st.sampled_from("rs"), st.sampled_from("abcde"))


@STEADY
@given(st.dictionaries(pairs, st.integers(0, 30), min_size=2), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows, random):
    names = sorted({name for s, _, t in rows for name in (s, t)})
    if len(names) < 2:
        return
    shuffled = list(rows)
    random.shuffle(shuffled)
    options = {"kinds": dict.fromkeys({r for _, r, _ in rows}, "count"), "directed": True}
    known = {"objects": names, "relations": sorted({r for _, r, _ in rows})}
    data = build(table(list(rows), list(rows.values()), **known), **options)
    two = build(table(shuffled, [rows[row] for row in shuffled], **known), **options)
    assert data == two
    assert entries(data) == rows


@STEADY
@given(
    n=st.integers(2, 3_000_000),
    places=st.lists(st.tuples(st.integers(0, 2**31), st.integers(0, 2**31), st.integers(0, 4_000)), max_size=30),
)
def test_positions_are_restored_from_keys(n, places):
    places = sorted(
        {(k, i % n, j % n) for i, j, k in places} | {(0, n - 1, n - 1)}
    )  # where a quotient is almost an integer
    k, i, j = np.array(places, dtype=np.int32).T
    result = _positions(entry_keys(i, j, k, n), n)
    assert [column.tolist() for column in result] == [i.tolist(), j.tolist(), k.tolist()]
