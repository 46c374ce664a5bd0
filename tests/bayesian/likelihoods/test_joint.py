"""The log-likelihoods of several relations at once agree with those of each, entry by entry."""

import numpy as np
import pytest
from scipy.stats import logistic

from mrwtd.bayesian.likelihoods.joint import LogLikelihoods
from mrwtd.bayesian.likelihoods.logistic import Logistic
from mrwtd.data.relations import Relation


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_relations_together_have_the_log_likelihoods_of_their_entries(weighted):
    rng = np.random.default_rng(0)
    sizes = (0, 1, 63, 0, 64, 65, 200, 0)  # products are of up to 64 entries
    members, expected, values = [], [], []
    for size in sizes:
        y, x = rng.choice([-1.0, 1.0], size=size), rng.normal(scale=20, size=size)
        w = rng.uniform(0.5, 2, size=size) if weighted else np.ones(size)
        members.append(Logistic(Relation("likes", "binary", directed=True), y, w))
        expected.append(float(w @ logistic.logcdf(y * x)))
        values.append(x)
    assert LogLikelihoods(members)(np.concatenate(values)) == pytest.approx(expected)
    assert [member.log_likelihood(x) for member, x in zip(members, values, strict=True)] == pytest.approx(expected)


def test_no_entry_at_all_has_log_likelihood_0():
    none = np.zeros(0)
    assert LogLikelihoods([Logistic(Relation("likes", "binary", directed=True), none, none)])(none).tolist() == [0]
