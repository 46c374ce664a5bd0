import numpy as np
import pytest

from mrwtd.bayesian.gibbs import relation_conditional
from mrwtd.bayesian.gibbs.relation_conditional import Ends, Prior, draw_by_blocks, draw_by_entries, draw_relation
from mrwtd.bayesian.gibbs.relation_draws import Unknowns
from tests.reference_posterior import Still, mixed_data


def relation(k, rank, n=7):
    """Entries of a relation with precisions and targets, a prior, A and R_k."""
    data, rng = mixed_data(n, diagonal=True), np.random.default_rng(k)
    part, directed = data.slice(k), data.relations[k].directed
    unknowns, size = Unknowns.of(rank, directed), part.stop - part.start
    R = rng.normal(size=(rank, rank))
    prior = Prior(unknowns, 0.7, rng.normal(size=unknowns.size), 0.3)
    root, value = rng.gamma(1.0, size=size), rng.normal(size=size)
    return Ends.of(data.i[part], data.j[part]), root, value, rng.normal(size=(n, rank)), R + R.T, prior


def mean_of_system(ends, root, value, A, R, prior):
    return draw_relation(ends, root, value, A, None, R, prior, Still())


@pytest.fixture
def by_system(monkeypatch):
    monkeypatch.setattr(relation_conditional, "uses_entries", lambda *arguments: False)


@pytest.mark.usefixtures("by_system")
@pytest.mark.parametrize("k", range(3))
def test_the_system_of_the_entries_has_the_mean_of_that_of_the_unknowns(k):
    ends, root, value, A, R, prior = relation(k, rank=5)
    expected, bias = mean_of_system(ends, root, value, A, R, prior)
    drawn, b = draw_by_entries(ends, root, value, A, prior, Still())
    np.testing.assert_allclose(drawn, expected, atol=1e-8)
    assert b == pytest.approx(bias)


@pytest.mark.usefixtures("by_system")
@pytest.mark.parametrize("block", [1, 10])  # columns one by one, two at a time
@pytest.mark.parametrize("k", range(3))
def test_means_of_blocks_converge_to_the_mean_of_all(k, block, monkeypatch):
    monkeypatch.setattr(relation_conditional, "BLOCK", block)
    monkeypatch.setattr(relation_conditional, "CHUNK_BYTES", 8 * 5 * 5 * 3)  # three objects at a time
    ends, root, value, A, R, prior = relation(k, rank=5)
    expected, bias = mean_of_system(ends, root, value, A, R, prior)
    for _ in range(300):
        R, b = draw_by_blocks(ends, root, value, A, R, prior, Still())
    np.testing.assert_allclose(R, expected, atol=1e-4)
    assert b == pytest.approx(bias, abs=1e-4)


def test_a_relation_without_entries_is_drawn_from_its_prior():
    nothing, rng = np.empty(0), np.random.default_rng(0)
    unknowns = Unknowns.of(2, False)
    prior, ends = Prior(unknowns, 4.0, np.array([1.0, 2.0, 3.0]), 0.25), Ends.of(*np.empty((2, 0), dtype=int))
    drawn = [draw_relation(ends, nothing, nothing, np.ones((3, 2)), None, np.eye(2), prior, rng) for _ in range(4000)]
    numbers = np.array([[*unknowns.pack(R), b] for R, b in drawn])
    np.testing.assert_allclose(numbers.mean(axis=0), [1, 2, 3, 0], atol=0.1)
    np.testing.assert_allclose(numbers.std(axis=0), [0.5, 0.5**1.5, 0.5, 2], rtol=0.05)


def test_only_what_is_cheap_is_shared_by_relations():
    few, many = (Ends.of(np.arange(size) % 9, np.arange(size) % 7) for size in (3, 40))
    assert relation_conditional.products_of(np.ones((9, 4)), [few, few]) is None
    assert relation_conditional.products_of(np.ones((9, 4)), [many, many]).shape == (9, 10)
