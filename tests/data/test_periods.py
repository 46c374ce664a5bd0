"""Rows with times: counts over the whole time, or by period."""

import numpy as np
import pytest

from mrwtd import DataError
from mrwtd.data.periods import sum_over_time
from mrwtd.data.table import Table

SOURCES, TARGETS, TIMES = ["a", "b", "a", "a"], ["b", "a", "c", "b"], [0, 10, 19, 30]


def table(directed=False, times=TIMES, **rest):
    declared = {"met": {"directed": directed}}
    return Table.from_names(SOURCES, ["met"] * 4, TARGETS, times=np.array(times, float), declared=declared, **rest)


def rows(summed):
    names = zip(summed.i, summed.j, summed.k, summed.values, strict=True)
    return {(summed.objects[i], summed.objects[j], summed.relations[k]): value for i, j, k, value in names}


def test_contacts_of_a_pair_are_counted_over_the_whole_time():
    summed = sum_over_time(table())
    assert rows(summed) == {("a", "b", "met"): 3, ("a", "c", "met"): 1}
    reason = {"kind_reason": "rows of a pair are counted"}
    assert summed.declared == {"met": {"kind": "count", "directed": False, **reason}}
    assert (summed.times, summed.time_span) == (None, (0, 30))


def test_directions_are_counted_apart_if_they_matter():
    assert rows(sum_over_time(table(directed=True))) == {
        ("a", "b", "met"): 2, ("b", "a", "met"): 1, ("a", "c", "met"): 1,
    }  # fmt: skip


def test_periods_have_equal_lengths_and_the_last_time_is_in_the_last_one():
    first, second, third = (f"met, period {number}" for number in (1, 2, 3))
    assert rows(sum_over_time(table(), 3)) == {
        ("a", "b", first): 1, ("a", "b", second): 1, ("a", "c", second): 1, ("a", "b", third): 1,
    }  # fmt: skip


def test_a_period_without_rows_is_left_out():
    assert sum_over_time(table(times=[0, 1, 2, 90]), 3).relations == ("met, period 1", "met, period 3")


def test_values_are_summed():
    assert rows(sum_over_time(table(values=[1.5, 2, 3, 4]))) == {("a", "b", "met"): 7.5, ("a", "c", "met"): 3}


def test_one_moment_is_one_period():
    assert sum_over_time(table(times=[5, 5, 5, 5]), 4).relations == ("met, period 1",)


@pytest.mark.parametrize("periods", [0, -1, 1.5, "2", 10**9])
def test_other_numbers_of_periods_are_refused(periods):
    with pytest.raises(DataError, match=r"periods|relations"):
        sum_over_time(table(), periods)


def test_rows_without_times_have_no_periods():
    timeless = Table.from_names(["a"], ["met"], ["b"])
    assert sum_over_time(timeless) is timeless
    with pytest.raises(DataError, match="without times"):
        sum_over_time(timeless, 2)
