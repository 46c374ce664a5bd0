import numpy as np
import pytest

import mrwtd
from mrwtd import RelationalData
from mrwtd.baselines.heuristics import CommonNeighbours, Degree
from mrwtd.data.relations import Relation


def ties(
    pairs: dict[tuple[int, int], float], kind: str = "binary", directed: bool = True, n: int = 5
) -> RelationalData:
    i, j = np.array(list(pairs)).T
    return RelationalData([*"abcde"][:n], [Relation("r", kind, directed)], i, j, np.zeros_like(i), list(pairs.values()))


def ask(data: RelationalData, *pairs: tuple[int, int]) -> RelationalData:
    """Entries for pairs in ascending order, which is the order of the scores."""
    assert list(pairs) == sorted(pairs)
    i, j = np.array(pairs).T
    return RelationalData(data.objects, data.relations, i, j, np.zeros_like(i), np.ones(i.size))


def test_degree_counts_sources_and_targets_separately():
    # a has ties to all and none in return; e has no ties.
    data = ties({(0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 0): -1, (2, 0): -1, (3, 0): -1, (4, 1): -1, (2, 4): -1})
    forward, backward, none = Degree().fit(data).decision_function(ask(data, (0, 1), (1, 0), (4, 4)))
    assert forward > backward
    assert forward > none


def test_degree_scores_by_hand():
    # The mean is 2; a: (3 + 1 + 2·2)/(2 + 2) = 2, b: (3 + 2·2)/(1 + 2) = 7/3, c: (1 + 2·2)/(1 + 2) = 5/3.
    data = ties({(0, 1): 3.0, (0, 2): 1.0}, kind="real", directed=False, n=4)
    model = Degree().fit(data)
    np.testing.assert_allclose(model.predict(ask(data, (0, 1), (0, 3), (1, 2))), [7 / 3, 2.0, 2.0])


def test_a_self_pair_counts_once_in_the_degree():
    # The mean is 2; a: (4 + 0 + 2·2)/(2 + 2) = 2, b: (0 + 2·2)/(1 + 2) = 4/3.
    data = ties({(0, 0): 4.0, (0, 1): 0.0}, kind="real", directed=False, n=3)
    np.testing.assert_allclose(Degree().fit(data).predict(ask(data, (0, 1), (0, 2))), [4 / 3, 2.0])


def test_degree_of_counts_is_multiplicative():
    data = ties({(0, 1): 6, (0, 2): 2, (1, 2): 1}, kind="count", directed=False, n=4)
    model = Degree().fit(data)
    rate = model.predict(ask(data, (0, 1), (1, 2), (3, 3)))
    assert (rate > 0).all()
    assert rate[2] == pytest.approx(3.0)  # an unknown object has the mean
    assert rate[0] > 3.0 > rate[1]


def test_common_neighbours_scores_by_hand():
    # a–c–b and a–d–b; e is only tied to a. b and e have no common neighbour, because b is only tied to c and d.
    data = ties({(0, 2): 1, (1, 2): 1, (0, 3): 1, (1, 3): 1, (0, 4): 1, (0, 1): -1, (2, 4): -1}, directed=False)
    x = CommonNeighbours().fit(data).decision_function(ask(data, (0, 1), (1, 4), (2, 3), (3, 4), (4, 4)))
    np.testing.assert_allclose(x - x[1], [2, 0, 2, 1, 1])


def test_a_self_tie_does_not_connect_others():
    data = ties({(0, 0): 1, (0, 1): 1, (1, 2): -1}, directed=False)
    pair, none = CommonNeighbours().fit(data).decision_function(ask(data, (0, 1), (2, 3)))
    assert pair == none


@pytest.mark.parametrize("method", [Degree, CommonNeighbours])
def test_an_entry_of_weight_zero_is_unknown(method):
    data = mrwtd.load_dataset("florentine")
    hidden = np.arange(len(data)) % 3 == 0
    at_zero = RelationalData(data.objects, data.relations, data.i, data.j, data.k, data.y, np.where(hidden, 0.0, 1.0))
    x, other = (method().fit(part).decision_function(data) for part in (at_zero, data.subset(~hidden)))
    np.testing.assert_allclose(x, other)


def test_common_neighbours_follow_directions():
    data = ties({(0, 1): 1, (1, 2): 1, (3, 1): -1})
    forward, backward = CommonNeighbours().fit(data).decision_function(ask(data, (0, 2), (2, 0)))
    assert forward == backward + 1


@pytest.mark.parametrize("method", [Degree, CommonNeighbours])
def test_heuristics_beat_chance_on_real_ties(method):
    data = mrwtd.load_dataset("kinship", symmetric=True)
    train, test = data.split(train=0.5, seed=0)
    x = method().fit(train).decision_function(test)
    from mrwtd.metrics.ranking_curve import average_precision

    scores = [average_precision(test.y[part], x[part]) for part in map(test.slice, range(test.n_relations))]
    assert np.mean(scores) > 0.1  # a random order scores 0.074


def test_no_tie_is_predicted_without_a_common_neighbour():
    train, test = mrwtd.load_dataset("florentine").split(train=0.5)
    model = CommonNeighbours().fit(train)
    x, predicted = model.decision_function(test), model.predict(test)
    fewest = np.array([x[part].min() for part in map(test.slice, range(2))])[test.k]
    assert (predicted[x == fewest] == -1).all()


def test_relations_that_are_not_binary_are_scored_by_degree():
    data = mrwtd.load_dataset("synth-kinds", n_objects=15, rank=2)
    degree, neighbours = (method().fit(data).decision_function(data) for method in (Degree, CommonNeighbours))
    assert np.array_equal(degree[data.k > 0], neighbours[data.k > 0])
    assert not np.array_equal(degree[data.k == 0], neighbours[data.k == 0])
