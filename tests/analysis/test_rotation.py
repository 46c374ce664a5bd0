"""Principal axes: what is predicted stays, and the variance is sorted."""

import numpy as np
import pytest

from mrwtd.analysis.rotation import align_signs, axis_scales, principal_axes


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


def test_axes_are_those_of_most_variance_and_uncorrelated(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    turned = principal_axes(drawn[0])
    points = turned.transform(drawn[0])
    spread = points.var(axis=0)
    assert (np.diff(spread) <= 1e-12).all()
    assert np.allclose(turned.variance_fractions, spread / spread.sum())
    correlation = np.corrcoef(points.T)
    assert np.allclose(correlation, np.eye(4), atol=1e-8)


def test_distances_between_objects_stay(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    A = drawn[0]
    points = principal_axes(A).transform(A)
    assert np.isclose(np.linalg.norm(points[2] - points[7]), np.linalg.norm(A[2] - A[7]))


def test_the_farthest_object_is_on_the_high_side(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    points = principal_axes(drawn[0]).transform(drawn[0])
    assert np.array_equal(points.max(axis=0), np.abs(points).max(axis=0))


@pytest.mark.parametrize("A", [np.zeros((5, 3)), np.ones((1, 2)), np.arange(4.0)[:, None]])
def test_little_to_turn_is_no_problem(A: np.ndarray) -> None:
    turned = principal_axes(A)
    assert np.allclose(turned.basis @ turned.basis.T, np.eye(A.shape[1]))
    assert np.isfinite(turned.variance_fractions).all()


def test_flipping_turns_axes_round_and_nothing_else(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    like = principal_axes(drawn[0]).transform(drawn[0])
    assert np.array_equal(align_signs(like * [1, -1, -1, 1], like), like)
    assert np.array_equal(align_signs(-like, like[:, :2])[:, 2:], -like[:, 2:])


def test_sizes_are_in_the_unit_of_the_points() -> None:
    assert axis_scales(np.array([[3.0], [-4.0], [0.0]]) * 10)[0] == pytest.approx(10 * np.sqrt(25 / 3))
