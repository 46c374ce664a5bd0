"""Clusters of objects with similar factors."""

import numpy as np
import pytest

from mrwtd.analysis import clustering as module
from mrwtd.analysis.clustering import cluster
from tests.analysis.test_projection import teams


def test_planted_teams_are_found_with_their_number() -> None:
    A, team = teams(60)
    clusters = cluster(A)
    assert clusters.count == 3
    assert len({(label, number) for label, number in zip(clusters.labels, team, strict=True)}) == 3
    assert clusters.silhouette > 0.5


def test_the_largest_group_comes_first() -> None:
    A = np.concatenate([np.full((3, 1), 9.0), np.full((7, 1), 0.0)]) + 0.01 * np.arange(10)[:, None]
    assert np.bincount(cluster(A, max_groups=2).labels).tolist() == [7, 3]


def test_many_objects_join_the_groups_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FITTED", 40)
    monkeypatch.setattr(module, "MAX_COMPARED", 30)
    A, team = teams(200)
    clusters = cluster(A)
    assert clusters.count == 3
    assert len({(label, number) for label, number in zip(clusters.labels, team, strict=True)}) == 3


@pytest.mark.parametrize("A", [np.zeros((8, 2)), np.ones((1, 2)), np.arange(2.0)[:, None]], ids=["zeros", "one", "two"])
def test_where_nothing_differs_there_is_one_group(A: np.ndarray) -> None:
    clusters = cluster(A)
    assert clusters.count == 1
    assert np.isnan(clusters.silhouette)
