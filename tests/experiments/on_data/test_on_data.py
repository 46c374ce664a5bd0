"""Experiments on any data set: options by its size, results by hand, resuming, and files."""

import shlex
from pathlib import Path

import pandas as pd
import pytest

import mrwtd
from mrwtd.experiments.experiment import EXPERIMENTS
from mrwtd.experiments.on_data.data_experiment import DATA_EXPERIMENTS
from mrwtd.experiments.reports import write_report

DATA = mrwtd.load_dataset("florentine")
EVERY = pytest.mark.parametrize("name", list(DATA_EXPERIMENTS))
SMALL = {
    "learning-curve": {"methods": ("Degree", "CP"), "train": (0.3, 0.6), "rank": (2,), "lam": (1.0,)},
    "ranks": {"methods": ("CP",), "rank": (2, 3), "lam": (1.0,)},
    "lambdas": {"methods": ("CP", "RESCAL"), "lam": (0.1, 10.0), "rank": (2,)},
    "times": {"methods": ("Degree", "CP"), "train": (0.3, 0.6), "rank": (2,)},
}


def small(name: str):
    experiment = DATA_EXPERIMENTS[name].on(DATA, "My | *data*", "ties.csv")
    return experiment, experiment.check(experiment.presets["quick"].change(runs=2, n_jobs=1, **SMALL[name]))


def test_names_differ_from_those_of_the_paper() -> None:
    assert list(DATA_EXPERIMENTS) == ["learning-curve", "ranks", "lambdas", "times"]
    assert not {*DATA_EXPERIMENTS} & {*EXPERIMENTS}


@EVERY
@pytest.mark.parametrize("data", ["florentine", "airports", "monastery"])
def test_presets_are_valid_and_have_an_estimate(name: str, data: str) -> None:
    experiment = DATA_EXPERIMENTS[name].on(mrwtd.load_dataset(data))
    seconds = []
    for size in ("quick", "full"):
        options = experiment.check(experiment.presets[size])
        assert max(options.rank) <= experiment.data.n_objects
        assert len({job.key for job in experiment.jobs(options)}) == len(experiment.jobs(options))
        seconds.append(experiment.estimated_seconds(options))
    assert 0 < seconds[0] < seconds[1]


def test_large_data_has_smaller_presets() -> None:
    large = mrwtd.load_dataset("synth-binary", n_objects=500, n_relations=2, rank=3, seed=0)
    assert len(large) > 200_000
    quick = DATA_EXPERIMENTS["learning-curve"].on(large).presets["quick"]
    assert (quick.methods, quick.runs) == (("Degree", "MrWTD"), 1)


@EVERY
def test_each_runs_resumes_and_writes_its_files(name: str, tmp_path: Path) -> None:
    experiment, options = small(name)
    half = experiment.run(options, tmp_path, lambda done, *_: done >= 2)
    assert half.done == 2
    reports: list[int] = []
    result = experiment.run(options, tmp_path, lambda done, *_: reports.append(done))
    assert result.done == result.total == len(experiment.jobs(options))
    assert sorted(set(reports)) == list(range(2, result.total + 1)), "the first two are not repeated"
    written = write_report(experiment, result, tmp_path, experiment.command(options))
    assert {file.name for file in written} >= {f"{name}{ending}" for ending in (".csv", "-runs.csv", ".md", ".html")}
    runs = pd.read_csv(tmp_path / f"{name}-runs.csv")
    assert len(runs) == result.total
    assert experiment.figure(result.scores).data
    assert "My \\| *data*" in experiment.table(result.scores).markdown
    assert experiment.command(options).startswith(f"python -m mrwtd experiment {name} ties.csv --")


def test_the_score_at_a_given_lambda_is_that_of_a_fit_with_it(tmp_path: Path) -> None:
    experiment, options = small("lambdas")
    summary = experiment.summary(experiment.run(options, tmp_path).scores)
    expected = []
    for run in range(2):
        train, test = DATA.split(train=0.8, seed=run)
        scores = mrwtd.evaluate(mrwtd.make_method("CP", rank=2, lam=10.0, seed=run).fit(train), test)
        expected.append(scores.loc[scores["metric"] == "auprc", "value"].mean())
    (row,) = summary[(summary["method"] == "CP") & (summary["fixed_lam"] == 10)].to_dict("records")
    assert row["mean"] == pytest.approx(sum(expected) / 2)
    assert summary["fixed_lam"].unique().tolist() == [0.1, 10.0]


def test_times_are_those_of_the_fits(tmp_path: Path) -> None:
    experiment, options = small("times")
    result = experiment.run(options.change(n_jobs=4), tmp_path)
    assert set(result.scores["metric"]) == {"seconds"}
    assert len(result.scores) == result.total
    assert (result.scores["value"] == result.scores["seconds"]).all()


def test_methods_without_lambda_are_refused_where_it_varies() -> None:
    experiment, options = small("lambdas")
    with pytest.raises(mrwtd.DataError, match="Degree"):
        experiment.check(options.change(methods=("Degree",)))
    assert "Degree" not in experiment.offered_methods


def test_fits_of_two_data_sets_in_one_folder_do_not_mix(tmp_path: Path) -> None:
    experiment, options = small("ranks")
    experiment.run(options, tmp_path)
    other = DATA_EXPERIMENTS["ranks"].on(mrwtd.load_dataset("monastery"))
    assert other.gather(options, tmp_path).done == 0
    assert experiment.key != other.key


def test_the_command_quotes_the_name_of_the_file():
    curve = DATA_EXPERIMENTS["learning-curve"].on(mrwtd.load_dataset("florentine"), "ties", "my ties; 2.csv")
    words = shlex.split(curve.command(curve.presets["full"]))
    assert words[-1] == "my ties; 2.csv"
