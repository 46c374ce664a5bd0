"""Principal axes: what is predicted stays, and the variance is sorted."""

from __future__ import annotations

import numpy as np
import pytest

from mrwtd.analysis.rotation import flipped, principal, sizes


@pytest.fixture
def drawn() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(12, 4)) * [0.5, 3.0, 1.0, 2.0] + 1.0, rng.normal(size=(3, 4, 4))


def test_turned_factors_predict_what_they_did(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    A, R = drawn
    turned = principal(A)
    points = turned.points(A)
    assert np.allclose(points @ turned.relations(R) @ points.T, A @ R @ A.T)
    assert np.allclose(points @ turned.relations(R[0]) @ points.T, A @ R[0] @ A.T)


def test_axes_are_those_of_most_variance_and_uncorrelated(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    turned = principal(drawn[0])
    points = turned.points(drawn[0])
    spread = points.var(axis=0)
    assert (np.diff(spread) <= 1e-12).all()
    assert np.allclose(turned.shares, spread / spread.sum())
    correlation = np.corrcoef(points.T)
    assert np.allclose(correlation, np.eye(4), atol=1e-8)


def test_distances_between_objects_stay(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    A = drawn[0]
    points = principal(A).points(A)
    assert np.isclose(np.linalg.norm(points[2] - points[7]), np.linalg.norm(A[2] - A[7]))


def test_the_farthest_object_is_on_the_high_side(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    points = principal(drawn[0]).points(drawn[0])
    assert np.array_equal(points.max(axis=0), np.abs(points).max(axis=0))


@pytest.mark.parametrize("A", [np.zeros((5, 3)), np.ones((1, 2)), np.arange(4.0)[:, None]])
def test_little_to_turn_is_no_problem(A: np.ndarray) -> None:
    turned = principal(A)
    assert np.allclose(turned.basis @ turned.basis.T, np.eye(A.shape[1]))
    assert np.isfinite(turned.shares).all()


def test_flipping_turns_axes_round_and_nothing_else(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    like = principal(drawn[0]).points(drawn[0])
    assert np.array_equal(flipped(like * [1, -1, -1, 1], like), like)
    assert np.array_equal(flipped(-like, like[:, :2])[:, 2:], -like[:, 2:])


def test_sizes_are_in_the_unit_of_the_points() -> None:
    assert sizes(np.array([[3.0], [-4.0], [0.0]]) * 10)[0] == pytest.approx(10 * np.sqrt(25 / 3))
