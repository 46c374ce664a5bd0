"""Curves of every registered loss."""

import numpy as np
import pytest

from mrwtd.model.losses import LOSSES, Loss, register
from mrwtd.plots.loss_curves import EXAMPLES, curve, formula_markdown, line_figure, loss_figure, sparkline

PAIRS = [(name, kind) for name, loss in LOSSES.items() for kind in loss.kinds]


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_the_slope_is_the_derivative_of_the_value(name: str, kind: str) -> None:
    x = np.linspace(-2.93, 2.93, 40)
    step = 1e-5
    up, down = curve(name, kind, x=x + step).value, curve(name, kind, x=x - step).value
    np.testing.assert_allclose(curve(name, kind, x=x).slope, (up - down) / (2 * step), atol=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_has_a_sparkline(name: str) -> None:
    line = sparkline(name)
    assert len(line) == 25
    assert np.isfinite(line).all()
    assert max(line) > min(line) >= 0


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_the_point_is_on_the_chosen_curve(name: str, kind: str) -> None:
    curves = {other: curve(other, kind) for other, loss in LOSSES.items() if kind in loss.kinds}
    figure = loss_figure(curves, name, x=0.5)
    exact = curve(name, kind, x=[0.5])
    np.testing.assert_allclose(
        [figure.data[-2].y[0], figure.data[-1].y[0]], [exact.value[0], exact.slope[0]], atol=1e-6
    )
    widths = {trace.name: trace.line.width for trace in figure.data if trace.name}
    assert max(widths, key=widths.__getitem__) == name
    assert set(widths) == set(curves)


@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("name", [name for name, kind in PAIRS if kind == "binary"])
def test_the_derivative_of_quadratic_is_visible_at_a_sure_and_right_tie(name: str, y: float) -> None:
    curves = {other: curve(other, "binary", y) for other, loss in LOSSES.items() if "binary" in loss.kinds}
    low, high = loss_figure(curves, name, x=0.5).layout.yaxis2.range
    assert low < 2 * y < high  # the derivative of (x − y)²/2 at x = 3y
    assert low < -4 * y < high  # and at x = −3y


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_the_chosen_loss_is_visible_and_not_flattened(name: str, kind: str) -> None:
    curves = {other: curve(other, kind) for other, loss in LOSSES.items() if kind in loss.kinds}
    figure, chosen = loss_figure(curves, name, x=0.5), curves[name]
    for axis, values in ((figure.layout.yaxis, chosen.value), (figure.layout.yaxis2, chosen.slope)):
        low, high = axis.range
        assert low <= values.min()
        assert values.max() <= high
        assert np.ptp([*values, 0.0]) > 0.08 * (high - low)


def test_curves_are_not_simplified() -> None:
    figures = [
        loss_figure({name: curve(name) for name in LOSSES}, "quadratic", x=0.5),
        line_figure(*[np.arange(3.0)] * 3, {name: np.arange(3.0) for name in LOSSES}, "quadratic", np.arange(3.0)),
    ]
    for figure in figures:
        lines = [trace for trace in figure.data if trace.mode == "lines" and len(trace.x) > 2]
        assert len(lines) >= len(LOSSES)
        assert all(trace.line.simplify is False for trace in lines)


def test_every_kind_has_an_example() -> None:
    assert {kind for _, kind in PAIRS} == set(EXAMPLES)


@pytest.mark.parametrize("name", LOSSES)
def test_every_formula_is_valid_markdown(name: str) -> None:
    text = formula_markdown(LOSSES[name].formula)
    assert text.count("$") % 2 == 0
    assert r"\ell(y, x) =" in text
    assert not set(text) & set("−²Σθ∓ℓ")


def test_words_stay_words() -> None:
    assert formula_markdown("d² up to 1, |d| beyond") == r"${\ell(y, x) = d^2}$ up to ${1}$, ${|d|}$ beyond"


def test_a_registered_loss_has_curves() -> None:
    @register
    class Cubic(Loss):
        name, kinds = "cubic", ("real",)

        def value_and_slope(self, y, x):
            return np.abs(x - y) ** 3, 3 * (x - y) * np.abs(x - y)

    try:
        assert sparkline("cubic", points=3) == [27.0, 0.0, 27.0]
        assert loss_figure({"cubic": curve("cubic")}, "cubic", x=1.0).data[-2].y[0] == pytest.approx(1.0, abs=1e-6)
    finally:
        LOSSES.unregister("cubic")


def test_the_outlier_is_the_last_trace() -> None:
    u, y = np.array([0.0, 1.0, 5.0]), np.array([0.0, 1.0, -3.0])
    figure = line_figure(u, y, u, {"huber": y, "quadratic": y}, "huber", y)
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (5.0, -3.0)
    low, high = figure.layout.yaxis.range
    assert low < -3.0
    assert high > 1.0
