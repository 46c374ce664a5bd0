"""Frames of the replay of a fit."""

import numpy as np
import pytest

import mrwtd
from mrwtd.analysis import replay_frames as module
from mrwtd.analysis.replay_frames import replay_frames


@pytest.fixture(scope="module")
def played() -> tuple[mrwtd.MrWTD, mrwtd.RelationalData]:
    train, test = mrwtd.load_dataset("synth-kinds").split(train=0.2, seed=0)
    return mrwtd.MrWTD(rank=3, lam=1.0, snapshots=5, max_iter=40).fit(train), test


@pytest.mark.parametrize("k", range(4))
def test_every_kind_of_relation_has_replay_frames(played: tuple[mrwtd.MrWTD, mrwtd.RelationalData], k: int) -> None:
    model, test = played
    film = replay_frames(model, test, test.relations[k].name)
    assert film.iterations == tuple(snapshot.iteration for snapshot in model.snapshots_)
    assert film.points.shape == (len(film.iterations), 100, 2)
    assert set(film.curves) == set(film.iterations)
    assert np.isfinite(film.scores).all()
    assert film.objective["iteration"].is_monotonic_increasing


def test_the_last_score_is_that_of_the_model(played: tuple[mrwtd.MrWTD, mrwtd.RelationalData]) -> None:
    model, test = played
    binary = next(relation.name for relation in test.relations if relation.kind == "binary")
    scores = mrwtd.evaluate(model, test).query("metric == 'auprc'").set_index("relation")["value"]
    assert replay_frames(model, test, binary).scores[-1] == pytest.approx(scores[binary])


def test_all_snapshots_are_on_the_axes_of_the_last(played: tuple[mrwtd.MrWTD, mrwtd.RelationalData]) -> None:
    model, test = played
    film = replay_frames(model, test, test.relations[0].name)
    assert film.points[-1][:, 0].var() >= film.points[-1][:, 1].var()
    moved = np.linalg.norm(np.diff(film.points, axis=0), axis=2).mean(axis=1)
    assert moved[-1] < moved[0]


def test_many_held_out_entries_are_sampled(
    played: tuple[mrwtd.MrWTD, mrwtd.RelationalData], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, test = played
    monkeypatch.setattr(module, "MAX_ENTRIES", 500)
    film = replay_frames(model, test, test.relations[0].name)
    assert film.scores[-1] > film.scores[0]


def test_one_factor_is_enough_but_snapshots_are_required() -> None:
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    film = replay_frames(mrwtd.MrWTD(rank=1, lam=0.3, snapshots=3).fit(train), test, "marriage")
    assert film.points.shape[1:] == (15, 2)
    with pytest.raises(mrwtd.DataError, match="without snapshots"):
        replay_frames(mrwtd.MrWTD(rank=1, lam=0.3).fit(train), test, "marriage")
