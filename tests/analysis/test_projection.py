"""Projections to two and three dimensions."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import mrwtd
from mrwtd.analysis import projection as module
from mrwtd.analysis.projection import PROJECTIONS, align_signs, axis_scales, principal_axes, project


def teams(n: int, rank: int = 4, apart: float = 12.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Factors of objects in three separate teams, and the team of each."""
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
def test_the_same_seed_gives_the_same_points(how: str) -> None:
    A, _ = teams(20)
    assert np.array_equal(project(A, how, seed=1).points, project(A, how, seed=1).points)


def test_scaling_keeps_distances_that_fit_in_the_plane() -> None:
    plane = np.random.default_rng(0).normal(size=(15, 2)) @ np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]])
    assert np.allclose(pdist(project(plane, "MDS").points), pdist(plane), rtol=1e-3)


@pytest.mark.parametrize("how", ["t-SNE", "MDS"])
def test_above_a_limit_the_other_points_are_interpolated(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_degenerate_factors_have_finite_points(how: str, A: np.ndarray) -> None:
    for dimensions in (2, 3):
        embedded = project(A, how, dimensions)
        assert embedded.points.shape == (len(A), dimensions)
        assert np.isfinite(embedded.points).all()


def test_an_unknown_projection_raises_an_error() -> None:
    with pytest.raises(mrwtd.DataError, match="'UMAP'"):
        project(np.eye(3), "UMAP")
    with pytest.raises(mrwtd.DataError, match="4 dimensions"):
        project(np.eye(3), "PCA", 4)


@pytest.fixture
def drawn() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(12, 4)) * [0.5, 3.0, 1.0, 2.0] + 1.0, rng.normal(size=(3, 4, 4))


def test_rotated_factors_predict_the_same(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    A, R = drawn
    turned = principal_axes(A)
    points = turned.transform(A)
    assert np.allclose(points @ turned.transform_relations(R) @ points.T, A @ R @ A.T)
    assert np.allclose(points @ turned.transform_relations(R[0]) @ points.T, A @ R[0] @ A.T)


def test_axes_are_uncorrelated_and_sorted_by_variance(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    turned = principal_axes(drawn[0])
    points = turned.transform(drawn[0])
    spread = points.var(axis=0)
    assert (np.diff(spread) <= 1e-12).all()
    assert np.allclose(turned.variance_fractions, spread / spread.sum())
    correlation = np.corrcoef(points.T)
    assert np.allclose(correlation, np.eye(4), atol=1e-8)


def test_distances_between_objects_do_not_change(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    A = drawn[0]
    points = principal_axes(A).transform(A)
    assert np.isclose(np.linalg.norm(points[2] - points[7]), np.linalg.norm(A[2] - A[7]))


def test_the_farthest_object_is_on_the_high_side(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    points = principal_axes(drawn[0]).transform(drawn[0])
    assert np.array_equal(points.max(axis=0), np.abs(points).max(axis=0))


@pytest.mark.parametrize("A", [np.zeros((5, 3)), np.ones((1, 2)), np.arange(4.0)[:, None]])
def test_degenerate_factors_can_be_rotated(A: np.ndarray) -> None:
    turned = principal_axes(A)
    assert np.allclose(turned.basis @ turned.basis.T, np.eye(A.shape[1]))
    assert np.isfinite(turned.variance_fractions).all()


def test_flipping_only_changes_signs(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    like = principal_axes(drawn[0]).transform(drawn[0])
    assert np.array_equal(align_signs(like * [1, -1, -1, 1], like), like)
    assert np.array_equal(align_signs(-like, like[:, :2])[:, 2:], -like[:, 2:])


def test_sizes_are_in_the_unit_of_the_points() -> None:
    assert axis_scales(np.array([[3.0], [-4.0], [0.0]]) * 10)[0] == pytest.approx(10 * np.sqrt(25 / 3))
