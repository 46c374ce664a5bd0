"""Lines through a dozen points with an outlier: the fits of the lesson on losses, and the sentences about them."""

import re
from dataclasses import replace

import numpy as np
import pytest

from mrwtd.dashboard.pages.learn import learn_sentences
from mrwtd.dashboard.pages.learn.demos import line_fit
from mrwtd.dashboard.pages.learn.demos.line_fit import Line, compare_lines, fit_line, fit_lines, points
from mrwtd.model.losses import LOSSES
from mrwtd.plots.loss_curves import curve

PAIRS = [(name, kind) for name, loss in LOSSES.items() for kind in loss.kinds]
KINDS = list(line_fit.OUTLIERS)
NUMBERS = ("real", "count")


def outlier_values(kind: str) -> np.ndarray:
    low, high, step, _ = line_fit.OUTLIERS[kind]
    return np.arange(low, high + step / 2, 4 * step)


def line(kind: str, s: float, c: float) -> Line:
    return Line("quadratic", kind, s, np.array([c]))


@pytest.mark.parametrize("kind", KINDS)
def test_every_loss_for_a_kind_is_fitted(kind: str) -> None:
    fits = fit_lines(kind, line_fit.OUTLIERS[kind][3])
    assert set(fits) == {name for name, its_kind in PAIRS if its_kind == kind}
    for fit in fits.values():
        assert np.isfinite(fit.with_outlier).all()
        assert fit.with_outlier[0] < fit.with_outlier[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_outlier_follows_the_slider(kind: str) -> None:
    u, y = points(kind, line_fit.OUTLIERS[kind][1])
    assert line_fit.OUTLIERS[kind][1] in (u[-1], y[-1])


def test_a_line_through_points_on_a_line_is_found() -> None:
    u = np.linspace(-2, 2, 40)
    np.testing.assert_allclose(fit_line("quadratic", "real", u, 3 * u + 1).predict(u), 3 * u + 1, atol=0.1)


def test_the_quadratic_line_solves_the_normal_equations() -> None:
    u, y = points("binary", outlier=8.0)
    s, c = np.linalg.solve([[u @ u + line_fit.RIDGE, u.sum()], [u.sum(), u.size]], [u @ y, y.sum()])
    fitted = fit_line("quadratic", "binary", u, y)
    np.testing.assert_allclose([fitted.s, fitted.c[0]], [s, c], rtol=1e-6)
    assert fitted.crossing == pytest.approx(-c / s, abs=1e-6)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_no_line_nearby_has_less_loss_and_ridge(name: str, kind: str) -> None:
    u, y = points(kind, line_fit.OUTLIERS[kind][3])
    best = fit_line(name, kind, u, y)

    def total(s: float, c: np.ndarray) -> float:
        value, _, _ = LOSSES[name].evaluate((y - best.centre) / best.scale, s * u, c)
        return float(value.sum()) + 0.1 * s * s  # as the page shows it

    least = total(best.s, best.c)
    for step in (-0.01, 0.01):
        assert total(best.s + step, best.c) > least
        for index in range(best.c.size):
            assert total(best.s, best.c + step * np.eye(best.c.size)[index]) > least


def test_without_the_ridge_the_slope_is_unbounded() -> None:
    u, y = points("binary", outlier=2.5)
    losses = [LOSSES["logistic"].evaluate(y, s * u, np.zeros(1))[0].sum() for s in (1.0, 10.0, 100.0, 1000.0)]
    assert (np.diff(losses) < 0).all()


@pytest.mark.parametrize(("s", "c", "crossing"), [(2.0, 1.0, -0.5), (0.1, -0.3337, 3.337), (-1.0, 0.25, 0.25)])
def test_a_crossing_is_found_exactly(s: float, c: float, crossing: float) -> None:
    assert line("binary", s, c).crossing == pytest.approx(crossing, abs=1e-9)
    assert line("ordinal", s, c + 1.5).crossing == pytest.approx(crossing, abs=1e-9)
    assert Line("ordinal", "ordinal", s, np.array([-9.0, -c, 9.0])).crossing == pytest.approx(crossing, abs=1e-9)


def test_a_line_on_one_side_has_no_crossing() -> None:
    assert np.isnan(line("binary", 0.0, 1.0).crossing)
    assert np.isnan(line("binary", 1.0, 20.0).crossing)


def test_the_move_of_numbers_is_the_change_over_the_range_of_the_points() -> None:
    u = np.array([-1.0, 1.0])
    assert compare_lines(line("real", 1.0, 3.0), line("real", 1.0, 0.0), u).moved == pytest.approx(3.0)
    # A change of slope by 3 from −1 to 1: the root of the mean of (3 u)² is √3; nothing moves at u = 0.
    assert compare_lines(line("real", 4.0, 0.0), line("real", 1.0, 0.0), u).moved == pytest.approx(3**0.5, rel=0.01)


def test_the_move_of_classes_is_the_distance_of_the_crossings() -> None:
    fit = compare_lines(line("binary", 2.0, -1.0), line("binary", 1.0, 0.25), np.zeros(1))
    assert (fit.crossing, fit.crossing_without) == pytest.approx((0.5, -0.25))
    assert fit.moved == pytest.approx(0.75)


def test_a_steep_poisson_rate_is_not_moved_least() -> None:
    fits = fit_lines("count", outlier=60.0)
    last = line_fit.POSITIONS.searchsorted(2.5)
    rises = {name: fit.with_outlier[last] - fit.without_outlier[last] for name, fit in fits.items()}
    assert max(rises, key=rises.__getitem__) == "poisson"
    assert ranked(learn_sentences.outlier_text("count", fits, "poisson")) == ("huber", "quadratic")


def ranked(sentence: str) -> tuple[str, str] | None:
    """The losses that are moved least and most, according to the sentence."""
    match = re.search(r"It moves (.+) least \(.*\) and (.+) most", sentence)
    return (match[1], match[2]) if match else None


@pytest.mark.parametrize("kind", KINDS)
def test_least_and_most_moved_agree_with_the_drawn_lines(kind: str) -> None:
    claims = 0
    u = line_fit.POSITIONS
    for outlier in outlier_values(kind):
        fits = fit_lines(kind, outlier)
        rankings = {ranked(learn_sentences.outlier_text(kind, fits, name)) for name in fits}
        assert len(rankings) == 1  # whichever loss is chosen
        ends = rankings.pop()
        if kind in NUMBERS:  # the area between the lines, which is another measure than the page's
            within = np.abs(u) <= 2.5
            moved = {name: np.abs(fit.with_outlier - fit.without_outlier)[within].mean() for name, fit in fits.items()}
        else:  # the steps that are drawn: known to one place
            half = line_fit.MIDDLES[kind]
            moved = {
                n: 0.05 * np.count_nonzero((f.with_outlier > half) != (f.without_outlier > half))
                for n, f in fits.items()
            }
        if ends is None:
            assert max(moved.values()) - min(moved.values()) < max(0.15, 0.3 * max(moved.values()))
            continue
        claims += 1
        for name in ends[0].split(" and "):
            assert moved[name] <= 1.15 * min(moved.values()) + 0.051
        for name in ends[1].split(" and "):
            assert moved[name] >= 0.85 * max(moved.values()) - 0.051
    assert claims or kind == "ordinal"


def test_larger_outliers_move_quadratic_further_but_not_huber() -> None:
    fits = [fit_lines("real", outlier) for outlier in (0.0, -4.0, -8.0)]
    quadratic, huber = ([fit[name].moved for fit in fits] for name in ("quadratic", "huber"))
    assert quadratic[0] < quadratic[1] < quadratic[2]
    assert huber[2] - huber[1] < 0.5 * (quadratic[2] - quadratic[1])


def test_a_tie_far_on_the_right_side_moves_only_quadratic() -> None:
    fits = fit_lines("binary", outlier=9.0)
    assert fits["logistic"].moved < 0.02
    assert fits["smooth-hinge"].moved < 0.02
    assert fits["quadratic"].moved > 0.1
    assert ranked(learn_sentences.outlier_text("binary", fits, "logistic")) == (
        "smooth-hinge and logistic",
        "quadratic",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_increase_with_u_for_every_outlier(kind: str) -> None:
    for outlier in outlier_values(kind):
        for fit in fit_lines(kind, outlier).values():
            assert (np.diff(fit.with_outlier) >= -1e-9).all()


def test_levels_with_similar_crossings_are_not_ranked() -> None:
    fits = fit_lines("ordinal", outlier=3.0)
    assert abs(fits["ordinal"].moved - fits["quadratic"].moved) < learn_sentences.SMALL_MOVE
    assert "differ little" in learn_sentences.outlier_text("ordinal", fits, "ordinal")


def test_lines_that_differ_little_are_not_ranked() -> None:
    fit = compare_lines(line("real", 1.0, 0.1), line("real", 1.0, 0.0), np.array([-1.0, 1.0]))
    fits = {"huber": fit, "quadratic": replace(fit, moved=0.12)}
    assert "differ little" in learn_sentences.outlier_text("real", fits, "huber")
    fits["quadratic"] = replace(fit, moved=1.0)
    assert "huber least (0.10) and quadratic most (1.00)" in learn_sentences.outlier_text("real", fits, "huber")
    fits["huber"] = replace(fit, moved=float("nan"))
    assert "the same everywhere" in learn_sentences.outlier_text("binary", fits, "huber")
    assert "With huber, the prediction no longer changes" in learn_sentences.outlier_text("binary", fits, "quadratic")


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kind in PAIRS if kind == "binary"])
def test_the_sentence_says_which_losses_punish_a_sure_and_right_score(name: str, kind: str, y: float) -> None:
    sentence = learn_sentences.loss_text(name, curve(name, kind, y), x=0.0)
    right, surer = (curve(name, kind, y, x=[y * x]).value[0] for x in (1.5, 3.0))
    punished = surer > right  # the surer answer costs more
    assert punished == (name == "quadratic")
    assert ("punishes" in sentence) == punished
    assert "force of 2.00" in sentence if punished else "quadratic would (force 2.00)" in sentence
    assert f"x = {'+' if y > 0 else '−'}3" in sentence
