"""The figure of the replay of a fit."""

from dataclasses import replace
from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest

import mrwtd
from mrwtd.analysis.replay_frames import Replay, replay_frames
from mrwtd.plots import replay_figure as module
from mrwtd.plots.embedding_map import Colouring
from mrwtd.plots.replay_figure import replay_figure


@cache
def film(relation: int) -> tuple[Replay, tuple[str, ...]]:
    train, test = mrwtd.load_dataset("synth-kinds").split(train=0.2, seed=0)
    model = mrwtd.MrWTD(rank=3, lam=1.0, snapshots=5, max_iter=30).fit(train)
    return replay_frames(model, test, test.relations[relation].name), test.objects


def draw(relation: int = 0, **options: object) -> go.Figure:
    played, objects = film(relation)
    colouring = options.pop(
        "colouring", Colouring("team", classes=["x" if index % 3 else "y" for index in range(len(objects))])
    )
    return replay_figure(played, objects, colouring, **options)


@pytest.mark.parametrize("relation", range(4))
@pytest.mark.parametrize("numbers", [False, True])
def test_every_frame_matches_its_traces(relation: int, numbers: bool) -> None:
    options = {"colouring": Colouring("age", numbers=np.arange(100.0))} if numbers else {}
    figure = draw(relation, dark=numbers, **options)
    played, _ = film(relation)
    assert [frame.name for frame in figure.frames] == [str(iteration) for iteration in played.iterations]
    for frame in figure.frames:
        assert len(frame.data) == len(frame.traces)
        for moved, number in zip(frame.data, frame.traces, strict=True):
            assert len(moved.x) == len(moved.y)
            if figure.data[number].customdata is not None:
                assert len(moved.x) == len(figure.data[number].x)


def test_frames_have_the_points_of_their_snapshot_and_start_with_the_first() -> None:
    figure, (played, _) = draw(), film(0)
    for index, frame in enumerate(figure.frames):
        for moved, number in zip(frame.data, frame.traces, strict=True):
            customdata = figure.data[number].customdata
            if customdata is not None:
                places = played.points[index][[data[0] for data in customdata]]
                assert np.array_equal(np.column_stack([moved.x, moved.y]), places)
    for moved, number in zip(figure.frames[0].data, figure.frames[0].traces, strict=True):
        assert np.array_equal(moved.y, figure.data[number].y)
    assert figure.layout.sliders[0].active == 0


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("numbers", [False, True])
def test_both_axes_have_the_same_scale_and_panels_do_not_overlap(narrow: bool, numbers: bool) -> None:
    options = {"colouring": Colouring("age", numbers=np.arange(100.0))} if numbers else {}
    layout = draw(narrow=narrow, **options).layout
    assert layout.yaxis.scaleanchor == "x"
    assert not layout.yaxis.scaleratio
    boxes = [(x.domain, y.domain) for x, y in zip(*axes(layout), strict=True)]
    for index, box in enumerate(boxes):
        for other in boxes[index + 1 :]:
            assert any(a[1] < b[0] or b[1] < a[0] for a, b in zip(box, other, strict=True))


def axes(layout: go.Layout) -> tuple[list[go.layout.XAxis], list[go.layout.YAxis]]:
    return [layout[f"xaxis{n}"] for n in ("", 2, 3)], [layout[f"yaxis{n}"] for n in ("", 2, 3)]


def test_points_curve_and_objective_move_together() -> None:
    figure, (played, _) = draw(), film(0)
    first, last = figure.frames[0], figure.frames[-1]
    for before, after in zip(first.data, last.data, strict=True):
        assert not np.array_equal(before.y, after.y)
    course = played.objective.set_index("iteration")["objective"]
    for iteration, frame in zip(played.iterations, figure.frames, strict=True):
        nearest = max(iteration, 1)  # the objective is that after an iteration; the start has none
        assert frame.data[-1].x[0] == nearest
        assert frame.data[-1].y[0] == course[nearest]


def test_the_slider_shows_iteration_and_score() -> None:
    played, _ = film(0)
    label = draw().layout.sliders[0].steps[0].label
    assert label.startswith("Iteration 0 of ")
    assert f"{played.scores[0]:.3f}" in label


def test_limits_include_the_points_of_all_snapshots() -> None:
    figure, (played, _) = draw(), film(0)
    for axis, side in ((figure.layout.xaxis, 0), (figure.layout.yaxis, 1)):
        assert axis.range[0] < played.points[:, :, side].min()
        assert axis.range[1] > played.points[:, :, side].max()


def test_a_sample_of_many_objects_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SVG", 20)
    figure, (played, objects) = draw(), film(0)
    clouds = [trace for trace in figure.data if trace.customdata is not None]
    assert sum(len(trace.x) for trace in clouds) == 20
    for trace in clouds:
        for x, name in zip(trace.x, trace.text, strict=True):
            assert x == played.points[0][objects.index(name), 0]
    moved = figure.frames[-1].data[0]
    assert np.array_equal(moved.x, played.points[-1][[objects.index(name) for name in clouds[0].text], 0])


def test_a_fit_that_stopped_at_its_start_is_drawn() -> None:
    replay, objects = film(0)
    ended = replace(replay, objective=replay.objective[:0])
    assert replay_figure(ended, objects, Colouring("all", numbers=np.arange(float(len(objects))))).frames
