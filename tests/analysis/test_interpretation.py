"""Descriptions of R_k."""

import numpy as np
import pytest

import mrwtd
from mrwtd.analysis.interpretation import effects, strong_cells

NAMES = ("ann", "bob", "cat", "dan")


def descriptions(
    points: list[list[float]], R: list[list[float]], kind: str = "binary", *, directed: bool = True
) -> list[str]:
    relation = mrwtd.Relation("r", kind, directed)
    return strong_cells(np.array(points), np.array(R), relation, NAMES)["description"].tolist()


def test_a_negative_cell_relates_opposite_sides() -> None:
    points = [[2.0, 0.1], [1.5, -0.1], [0.1, -2.0], [-0.1, -1.5]]
    (description,) = descriptions(points, [[0.0, -1.0], [0.0, 0.0]])
    source, target = description.split(" tend to ")
    assert source.endswith("high on factor 1 (ann, bob)")
    assert target.endswith("low on factor 2 (cat, dan).")


def test_a_factor_of_one_sign_is_described_on_one_side() -> None:
    low = [[-2.0], [-1.5], [-1.0], [-1.0]]
    for weight, verb in ((1.0, " tend to "), (-1.0, " tend not to ")):
        (description,) = descriptions(low, [[weight]])
        source, target = description.split(verb)
        assert source.endswith("low on factor 1 (ann, bob, cat)")
        assert target.endswith("one another.")


def test_opposite_sides_of_one_factor() -> None:
    (description,) = descriptions([[2.0], [2.0], [-2.0], [-2.0]], [[-1.0]])
    source, target = description.split(" tend to ")
    assert source.endswith("high on factor 1 (ann, bob)")
    assert target.endswith("low on it (cat, dan).")


@pytest.mark.parametrize("kind", ["count", "real", "ordinal"])
def test_values_are_higher_or_lower(kind: str) -> None:
    assert "higher values" in descriptions([[1.0]] * 4, [[1.0]], kind)[0]
    assert "lower values" in descriptions([[1.0]] * 4, [[-1.0]], kind)[0]


def test_descriptions_agree_with_the_predictions() -> None:
    """For the objects named by a sentence, the mean of x is above that of all pairs."""
    rng = np.random.default_rng(0)
    points, R = rng.normal(size=(40, 3)), rng.normal(size=(3, 3))
    names = tuple(f"o{index}" for index in range(40))
    cell = strong_cells(points, R, mrwtd.Relation("r", "binary", True), names, top=1).iloc[0]
    f, g = cell["source_factor"] - 1, cell["target_factor"] - 1
    term = np.outer(points[:, f], points[:, g]) * R[f, g]
    forward, backward = (
        [names.index(member) for member in part.split("(")[1].split(")")[0].split(", ")]
        for part in cell["description"].split("tend to")
    )
    assert term[np.ix_(forward, backward)].min() > np.quantile(term, 0.9)


def test_undirected_cells_are_described_once_and_weak_ones_omitted() -> None:
    points = np.ones((4, 2))
    R = np.array([[0.01, 1.0], [1.0, 0.0]])
    assert len(strong_cells(points, R, mrwtd.Relation("r", "binary", False), NAMES)) == 1
    assert len(strong_cells(points, R, mrwtd.Relation("r", "binary", True), NAMES)) == 2
    assert strong_cells(points, np.zeros((2, 2)), mrwtd.Relation("r", "binary", True), NAMES).empty


def test_effects_do_not_depend_on_the_scale_between_factors_and_relation() -> None:
    rng = np.random.default_rng(1)
    points, R = rng.normal(size=(9, 3)), rng.normal(size=(3, 3))
    scale = np.array([2.0, 0.1, 5.0])
    assert np.allclose(effects(points * scale, R / np.outer(scale, scale)), effects(points, R))
