import pytest

from mrwtd.plots.training_progress import search_figure


@pytest.mark.parametrize(
    ("lams", "ticks"),
    [
        ([0.3162, 1.0, 3.162], ["0.316", "1", "3.16"]),
        ([1000.0, 316.2, 100.0, 31.62, 10.0, 3.162, 1.0, 0.3162, 0.1], ["0.1", "1", "10", "100", "1000"]),
        ([10.0], ["10"]),
    ],
)
def test_the_lambda_axis_has_decades_or_half_decades(lams, ticks):
    figure = search_figure(lams, [0.5] * len(lams), lams[0], name="λ")
    assert list(figure.layout.xaxis.ticktext) == ticks


def test_the_chosen_value_is_written_above_the_curve():
    for chosen, side in ((0.1, "left"), (1.0, "center"), (10.0, "right")):
        figure = search_figure([10.0, 1.0, 0.1], [0.1, 0.2, 0.3], chosen, name="λ")
        (annotation,) = figure.layout.annotations
        assert annotation.text == f"<b>chosen: λ = {chosen:g}</b>"
        assert (annotation.yref, annotation.y, annotation.xanchor) == ("paper", 1, side)
