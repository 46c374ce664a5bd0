import numpy as np
import pytest

from mrwtd.analysis.loss_comparison import binary_losses
from mrwtd.plots.distributions import score_distributions, shared_range


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.1, 1.0, -1.0)
    return y + rng.normal(size=300), y


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("loss", [None, *binary_losses()])
def test_each_class_sums_to_one_and_the_margin_is_drawn(scores, loss, dark):
    x, y = scores
    figure = score_distributions(x, y, loss, shared_range([x]), dark=dark)
    assert [float(np.sum(trace.y)) for trace in figure.data[:2]] == pytest.approx([1.0, 1.0])
    places = {shape.x0 for shape in figure.layout.shapes if shape.type == "line"}
    assert places == {-1.0, 0.0, 1.0}
    assert len(figure.data) == (2 if loss is None else 4)


def test_the_loss_of_a_tie_falls_with_x_below_the_margin(scores):
    for loss in binary_losses():
        ties = next(trace for trace in score_distributions(*scores, loss, (-3, 3)).data if trace.name == "loss of ties")
        below = np.asarray(ties.x) < 0.9
        assert (np.diff(np.asarray(ties.y)[below]) < 0).all()


def test_scores_out_of_range_count_at_its_ends():
    figure = score_distributions(np.array([-50.0, 50.0]), np.array([-1.0, 1.0]), None, (-2, 2))
    assert [int(np.argmax(trace.y)) for trace in figure.data] == [0, len(figure.data[0].y) - 1]


def test_the_range_includes_the_margin_and_excludes_outliers():
    low, high = shared_range([np.append(np.linspace(-3, 0, 1_000), 1e6)])
    assert low == pytest.approx(-3, abs=0.1)
    assert high < 10
    assert shared_range([]) == shared_range([np.array([np.nan])])
    assert shared_range([])[0] <= -1 < 1 <= shared_range([])[1]


def test_a_class_without_entries_leaves_an_empty_picture():
    figure = score_distributions(np.array([1.0]), np.array([1.0]), "logistic", (-2, 2))
    assert float(np.sum(figure.data[0].y)) == 0
