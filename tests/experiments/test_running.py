import math
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.comparison import Job, OtherVersionError, ResultCache, processes
from mrwtd.data.splitting import describe_split
from mrwtd.experiments.eta import RemainingTime
from mrwtd.experiments.method_comparison import Case
from mrwtd.experiments.reports import run_scores


@pytest.fixture
def fitted(monkeypatch) -> list[str]:
    """The jobs that were not cached."""
    ran: list[str] = []
    run_job = processes.run_job
    monkeypatch.setattr(processes, "run_job", lambda data, job: ran.append(str(job)) or run_job(data, job))
    return ran


def test_scores_equal_those_of_compare(small, tmp_path):
    options = small.presets["quick"]
    outcome = small.run(options, tmp_path)
    data = mrwtd.load_dataset("florentine")
    by_hand = mrwtd.compare(data, ["RESCAL", "Degree"], [0.5], rank=2, runs=3, n_jobs=1, by="entry")
    assert outcome.done == outcome.total == 6
    assert (outcome.scores["data"] == "Florentine").all()
    drop = ["seconds"]
    pd.testing.assert_frame_equal(outcome.scores.drop(columns=["data", *drop]), by_hand.drop(columns=drop))


def test_mutual_relations_are_held_out_by_pair_with_a_note(small, tmp_path):
    flights = replace(small, default_cases=(Case("Airports", "airports"), *small.default_cases))
    options = flights.presets["quick"].change(methods=("Degree",), runs=1)
    outcome = flights.run(options, tmp_path)
    ways = outcome.scores.drop_duplicates(["data", "relation"]).set_index("relation")
    assert ways.loc["flights", ["by", "held_out"]].tolist() == ["auto", "pair"]
    assert ways.loc["marriage", ["by", "held_out"]].tolist() == ["entry", "entry"]
    data = mrwtd.load_dataset("airports")
    assert f"Airports: {describe_split(data, 'auto')}" in outcome.notes
    assert flights.table(outcome.scores).summary["n"].eq(1).all()


def test_a_cancelled_experiment_keeps_finished_fits_and_resumes(small, tmp_path, fitted):
    options, calls = small.presets["quick"], []

    def twice(done, total, status, left):
        calls.append((done, total, status))
        return done == 2

    part = small.run(options, tmp_path, twice)
    assert [(done, total) for done, total, _ in calls] == [(0, 6), (1, 6), (2, 6)]
    assert calls[1][2] == "Florentine, Degree, 0.5 train, run 1"
    assert (part.done, part.total) == (2, 6)
    assert small.gather(options, tmp_path).done == len(fitted) == 2
    result = small.run(options, tmp_path)
    assert result.done == 6
    assert sorted(fitted) == sorted({*fitted}), "nothing was run twice"
    assert len(fitted) == 6
    again = small.run(options, tmp_path)
    assert len(fitted) == 6
    pd.testing.assert_frame_equal(again.scores, result.scores)
    more = small.run(options.change(runs=4), tmp_path)
    assert (more.done, len(fitted)) == (8, 8)


def as_printed(experiment, outcome):
    """The displayed scores, without the durations of the fits."""
    table = experiment.table(outcome.scores)
    files = (run_scores(experiment, outcome.scores).drop(columns="seconds"), outcome.lam_paths, table.summary)
    return [table.markdown, *table.notes, *(file.to_csv(index=False) for file in files)]


def test_an_experiment_run_in_pieces_gives_the_same_table(small, tmp_path, fitted):
    options = small.presets["quick"].change(train=(0.3, 0.5), runs=3)
    single_run = as_printed(small, small.run(options, tmp_path / "single"))
    fitted.clear()
    place = tmp_path / "pieces"
    for end in (1, 4, 10):
        assert small.run(options, place, lambda done, *_, end=end: done >= end).done == end
    assert len(fitted) == len({*fitted}) == 10, "nothing was run twice"
    assert as_printed(small, small.run(options.change(n_jobs=2), place)) == single_run, "processes change nothing"
    assert as_printed(small, small.gather(options, place)) == single_run


def test_runs_added_later_equal_those_of_a_single_run(small, tmp_path, fitted):
    options = small.presets["quick"]
    single_run = as_printed(small, small.run(options.change(runs=5), tmp_path / "single"))
    first = small.run(options.change(runs=2), tmp_path / "pieces")
    fitted.clear()
    more = small.run(options.change(runs=5), tmp_path / "pieces")
    assert as_printed(small, more) == single_run
    assert {name[-5:] for name in fitted} == {"run 3", "run 4", "run 5"}
    shared = more.scores[more.scores["run"] < 2].reset_index(drop=True)
    pd.testing.assert_frame_equal(shared, first.scores)


def test_fits_of_another_version_are_refused_until_restart(small, tmp_path, fitted, monkeypatch):
    options = small.presets["quick"].change(runs=2)
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: "0.0.9+0123456789")
        small.run(options, tmp_path)
    contents = {file.name: file.read_bytes() for file in (tmp_path / "finished").iterdir()}
    fitted.clear()
    for call in (small.run, small.gather):
        with pytest.raises(OtherVersionError) as caught:
            call(options.change(runs=3), tmp_path)
        assert caught.value.counts == {"0.0.9+0123456789": 4}
    assert fitted == []
    assert {file.name: file.read_bytes() for file in (tmp_path / "finished").iterdir()} == contents
    assert small.restart(options.change(runs=1), tmp_path) == 4, "those of other code too"
    assert small.run(options, tmp_path).done == len(fitted) == 4


def test_restart_keeps_fits_that_were_not_requested(small, tmp_path, fitted):
    options = small.presets["quick"]
    small.run(options, tmp_path)
    assert small.restart(options.change(methods=("Degree",)), tmp_path) == 3
    fitted.clear()
    assert small.run(options, tmp_path).done == 6
    assert {name.split(",")[0] for name in fitted} == {"Degree"}


def test_an_experiment_cancelled_at_once_runs_nothing(small, tmp_path, fitted):
    assert small.run(small.presets["quick"], tmp_path, lambda *_: True).done == 0
    assert fitted == []


def test_the_first_run_of_everything_comes_first(small, tmp_path, fitted):
    small.run(small.presets["quick"].change(methods=("Degree",), train=(0.3, 0.5), runs=2), tmp_path)
    assert [name[-5:] for name in fitted] == ["run 1", "run 1", "run 2", "run 2"]


def test_in_each_run_the_long_fits_come_first(small, tmp_path, fitted):
    small.run(small.presets["quick"].change(train=(0.3, 0.5), runs=2), tmp_path)
    one_run = ["Degree, 0.5 train", "RESCAL, 0.5 train", "Degree, 0.3 train", "RESCAL, 0.3 train"]
    assert fitted == [f"{name}, run {run}" for run in (1, 2) for name in one_run]


def test_the_search_for_lam_is_returned_by_processes():
    rows = processes.run_job(mrwtd.load_dataset("florentine"), Job("RESCAL", "RESCAL", 0.5, 0, rank=2))
    assert len(rows.attrs["lam_path"]) > 2
    assert pickle.loads(pickle.dumps(rows)).attrs == rows.attrs


def test_the_search_for_lam_is_stored_with_the_scores(small, tmp_path):
    options = small.presets["quick"].change(runs=1)
    small.run(options, tmp_path)
    paths = small.gather(options, tmp_path).lam_paths
    train, _ = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    path = mrwtd.make_method("RESCAL", rank=2).fit(train).lam_path_
    assert set(paths["method"]) == {"RESCAL"}, "a floor has no λ"
    assert paths["lam"].tolist() == path["lam"].tolist()
    assert np.allclose(paths["score"], path["score"], equal_nan=True)


def test_a_method_that_fails_has_a_row_and_is_retried(small, tmp_path, monkeypatch, fitted):
    def explode(*_):
        raise MemoryError("too much")

    options = small.presets["quick"].change(runs=1)
    with monkeypatch.context() as broken:
        broken.setattr("mrwtd.baselines.rescal.RESCAL._fit", explode)
        scores = small.run(options, tmp_path).scores
    assert scores.loc[scores["metric"] == "", "reason"].tolist() == ["MemoryError: too much"]
    assert scores.loc[scores["method"] == "Degree", "value"].notna().any()
    assert small.run(options, tmp_path).scores["metric"].ne("").all()
    assert len(fitted) == 3


def test_results_are_stored_under_the_name_of_their_experiment(tmp_path):
    finished = ResultCache(tmp_path, "timing")
    job, rows = Job("CP", "CP", 0.1, 0), pd.DataFrame({"metric": ["seconds"], "value": [1.0]})
    finished.save(job, rows)
    pd.testing.assert_frame_equal(finished[job.key], rows)
    assert len(ResultCache(tmp_path, "other")) == 0


def finished_in(seconds: float) -> pd.DataFrame:
    return pd.DataFrame({"seconds": [seconds]})


def test_the_time_left_is_estimated_from_similar_fits():
    eta = RemainingTime(n_jobs=1)
    slow, quick = (lambda run, name=name: Job(name, name, 0.1, run) for name in ("MMMF", "RESCAL"))
    for run in range(3):
        eta.add("Kinship", slow(run), finished_in(60.0) if run == 0 else None)
        eta.add("Kinship", quick(run), finished_in(1.0) if run == 0 else None)
    assert eta.seconds() == pytest.approx(2 * 60 + 2 * 1)
    eta.update("Kinship", slow(1), finished_in(60.0))
    assert eta.seconds() == pytest.approx(60 + 2 * 1)
    assert (eta.done, eta.total) == (3, 6)


def test_the_time_left_is_unknown_until_something_is_finished():
    eta = RemainingTime()
    eta.add("Kinship", Job("CP", "CP", 0.1, 0), None)
    assert math.isnan(eta.seconds())
    eta.update("Kinship", Job("CP", "CP", 0.1, 0), finished_in(1.0))
    assert eta.seconds() == 0
