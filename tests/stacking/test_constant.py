"""One value for all pairs of a relation."""

import numpy as np
import pytest

import mrwtd
from mrwtd import Relation, RelationalData
from mrwtd.stacking.constant import Constant

RELATIONS = (
    Relation("calls", "count", directed=True),
    Relation("rates", "ordinal", directed=True, levels=(1, 2, 3)),
    Relation("never seen", "real", directed=True),
)


def test_counts_have_a_geometric_mean_and_levels_the_median_of_weighted_entries():
    i, j, k = [0, 0, 1, 0, 0, 1], [1, 2, 2, 1, 2, 2], [0, 0, 0, 1, 1, 1]
    y, w = [0, 3, 15, 0, 1, 2], [1, 1, 0.5, 1, 1, 1]  # 1 + y is 1, 4 and 16
    data = RelationalData(["a", "b", "c"], RELATIONS, i, j, k, y, w)
    model = Constant().fit(data)
    assert model.predict(data) == pytest.approx([4 ** (2 / 2.5) - 1] * 3 + [1.0] * 3)
    assert model.values_[2] == 0  # without entries


def test_a_sampled_negative_counts_for_the_pairs_it_represents():
    ties = mrwtd.load_dataset("florentine")
    one = Relation("ties", "real", directed=False)
    y, represents = (ties.y[:105] > 0).astype(float), np.where(ties.y[:105] > 0, 1.0, 4.0)
    data = RelationalData(ties.objects, [one], ties.i[:105], ties.j[:105], np.zeros(105, int), y, represents=represents)
    assert Constant().fit(data).values_ == pytest.approx([y.sum() / represents.sum()])
