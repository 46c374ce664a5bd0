import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.plots.dataset_summary import correlation_figure, degree_figure, relation_correlations


@pytest.mark.parametrize("ties", [[0], [0, 1, 1], [2, 2, 3]])
def test_few_ties_have_ticks_at_whole_numbers(ties: list[int]) -> None:
    figure = degree_figure(pd.DataFrame({"object": [str(index) for index in range(len(ties))], "ties": ties}))
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert (axis.tick0, axis.dtick) == (0, 1)


def test_many_ties_have_automatic_ticks() -> None:
    figure = degree_figure(pd.DataFrame({"object": ["a", "b"], "ties": [0, 10_000]}))
    assert figure.layout.xaxis.dtick is None
    assert figure.layout.xaxis.tickformat == ",d"


def test_relation_names_are_truncated_before_they_are_escaped() -> None:
    labels = correlation_figure(["<b>a very long name of a relation", "r"], np.eye(2)).layout.xaxis.ticktext
    assert labels == ("&lt;b&gt;a very long name…", "r")


def test_correlations_of_huge_values_do_not_overflow() -> None:
    indices = np.arange(4)
    relations = [mrwtd.Relation(name, "real", True) for name in ("near", "far")]
    values = np.array([1.0, 2.0, 3.0, 5.0])
    data = mrwtd.RelationalData(
        list("abcd"), relations, np.tile(indices, 2), np.tile((indices + 1) % 4, 2), np.repeat([0, 1], 4),
        np.concatenate([values, -1e149 * values]),
    )  # fmt: skip
    np.testing.assert_allclose(relation_correlations(data), [[1, -1], [-1, 1]])
