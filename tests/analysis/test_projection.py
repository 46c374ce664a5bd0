"""Points of two and three dimensions."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import mrwtd
from mrwtd.analysis import projection as module
from mrwtd.analysis.projection import PROJECTIONS, project


def teams(n: int, rank: int = 4, apart: float = 12.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Factors of objects in three far teams, and the team of each."""
    rng = np.random.default_rng(seed)
    team = np.arange(n) % 3
    return rng.normal(size=(n, rank)) + apart * np.eye(rank)[team], team


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("how", PROJECTIONS)
def test_teams_stay_together(how: str, dimensions: int) -> None:
    A, team = teams(45)
    embedded = project(A, how, dimensions, perplexity=8)
    assert embedded.points.shape == (45, dimensions)
    assert len(embedded.axes) == dimensions
    centres = np.stack([embedded.points[team == number].mean(axis=0) for number in range(3)])
    nearest = np.linalg.norm(embedded.points[:, None] - centres, axis=2).argmin(axis=1)
    assert np.mean(nearest == team) > 0.9


@pytest.mark.parametrize("how", PROJECTIONS)
def test_a_seed_gives_the_same_points_again(how: str) -> None:
    A, _ = teams(20)
    assert np.array_equal(project(A, how, seed=1).points, project(A, how, seed=1).points)


def test_scaling_keeps_distances_that_fit_in_the_plane() -> None:
    plane = np.random.default_rng(0).normal(size=(15, 2)) @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]])
    assert np.allclose(pdist(project(plane, "MDS").points), pdist(plane), rtol=1e-3)


@pytest.mark.parametrize("how", ["t-SNE", "MDS"])
def test_above_a_limit_the_others_are_between_their_nearest(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(module.MAX_OBJECTS, how, 30)
    A, team = teams(90)
    embedded = project(A, how, perplexity=5)
    assert embedded.placed == 30
    centres = np.stack([np.median(embedded.points[team == number], axis=0) for number in range(3)])
    nearest = np.linalg.norm(embedded.points[:, None] - centres, axis=2).argmin(axis=1)
    assert np.array_equal(nearest, team)


@pytest.mark.parametrize("how", PROJECTIONS)
@pytest.mark.parametrize(
    "A", [np.zeros((6, 3)), np.ones((2, 1)), np.arange(5.0)[:, None]], ids=["zeros", "two", "line"]
)
def test_there_are_points_whatever_the_factors(how: str, A: np.ndarray) -> None:
    for dimensions in (2, 3):
        embedded = project(A, how, dimensions)
        assert embedded.points.shape == (len(A), dimensions)
        assert np.isfinite(embedded.points).all()


def test_a_strange_projection_is_bad_input() -> None:
    with pytest.raises(mrwtd.DataError, match="'UMAP'"):
        project(np.eye(3), "UMAP")
    with pytest.raises(mrwtd.DataError, match="4 dimensions"):
        project(np.eye(3), "PCA", 4)
