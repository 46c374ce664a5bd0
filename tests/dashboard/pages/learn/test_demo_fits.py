"""What the lessons fit: lines, pictures, paths over λ, one relation and all."""

from __future__ import annotations

import numpy as np
import pytest

import mrwtd
from mrwtd.dashboard.pages.learn.demos import collective_demo, image_completion, regularization_demo
from mrwtd.dashboard.pages.learn.demos.lambda_paths import lam_path


@pytest.fixture(scope="module")
def florentine() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


def test_weights_beat_zeros_when_half_of_the_picture_is_known() -> None:
    found = image_completion.complete(0.5)
    assert found.known.mean() == 0.5
    assert found.errors["missing"] < 0.5 * found.errors["zero"]
    assert found.ink["zero"] < 0.5 < found.ink["missing"]


def test_with_next_to_nothing_known_neither_way_helps() -> None:
    found = image_completion.complete(0.05)
    assert found.errors["mean"] < min(found.errors["zero"], found.errors["missing"])


def test_a_fit_of_the_whole_picture_is_the_same_either_way() -> None:
    truth = image_completion.picture()
    everything = np.ones_like(truth, dtype=bool)
    np.testing.assert_allclose(image_completion._fitted(truth, everything), truth, atol=0.1)


def test_a_path_ends_in_collapse(florentine: mrwtd.RelationalData) -> None:
    stops = lam_path(florentine, rank=2, lams=[1000.0, 0.1, 1.0])
    assert [stop.lam for stop in stops] == [0.1, 1.0, 1000.0]
    assert stops[0].loss < stops[1].loss < stops[2].loss
    assert stops[2].collapsed
    assert np.ptp(stops[2].matrix(0)) == 0
    k = florentine.relation_index("marriage")
    at = florentine.slice(k)
    entries = stops[0].reconstruct(florentine)[at]
    np.testing.assert_allclose(stops[0].matrix(k)[florentine.i[at], florentine.j[at]], entries)


def test_a_path_is_as_good_as_single_fits(florentine: mrwtd.RelationalData) -> None:
    train, _ = florentine.split(train=0.7, seed=0)
    path = lam_path(train, rank=2, lams=[0.3, 3.0])
    single = lam_path(train, rank=2, lams=[3.0])[0]
    assert path[-1].loss == pytest.approx(single.loss, rel=0.15)


def test_along_lam_the_fit_worsens_and_the_factors_shrink(florentine: mrwtd.RelationalData) -> None:
    first, _, path = regularization_demo.along(florentine, lams=(0.03, 0.3, 3.0, 300.0))
    assert (first.splits, path.splits) == (1, 3)
    assert path.frame["loss"].is_monotonic_increasing
    assert path.frame["size"].is_monotonic_decreasing
    assert path.edge == 300.0
    assert path.best < 300.0
    assert path.frame["held_out"].iloc[-1] == pytest.approx(path.chance, abs=0.02)
    assert len(path.stops) == 4


def test_shares_shrink_and_both_ways_are_scored(florentine: mrwtd.RelationalData) -> None:
    found = list(collective_demo.shrink(florentine, "marriage"))
    assert [one.fraction for one in found] == sorted((one.fraction for one in found), reverse=True)
    frame = collective_demo.table(found)
    assert frame[["alone", "together"]].to_numpy().min() > 0
    assert found[0].pictures["alone"].shape == found[0].pictures["together"].shape == (15, 15)


def test_ties_are_drawn_both_ways(florentine: mrwtd.RelationalData) -> None:
    drawn = collective_demo.ties(florentine.select_relations(["marriage"]))
    np.testing.assert_array_equal(drawn, drawn.T)
    assert np.isnan(np.diag(drawn)).all()
