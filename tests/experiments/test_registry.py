import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.experiments.experiment import EXPERIMENTS
from mrwtd.experiments.paper_results import FRACTIONS, METHODS

EVERY = pytest.mark.parametrize("name", list(EXPERIMENTS))


@EVERY
def test_each_accepts_its_quick_and_full_options(name):
    experiment = EXPERIMENTS[name]
    assert list(experiment.presets) == ["quick", "full"]
    assert experiment.title
    assert experiment.about.endswith(".")
    sizes = {preset: len(experiment.jobs(options)) for preset, options in experiment.presets.items()}
    assert 0 < sizes["quick"] < sizes["full"] / 5
    for options in experiment.presets.values():
        assert experiment.check(options).methods == options.methods
        assert set(options.methods) <= set(mrwtd.METHODS)


@EVERY
def test_jobs_have_different_keys(name):
    experiment = EXPERIMENTS[name]
    jobs = experiment.jobs(experiment.presets["quick"])
    cases = len(experiment.cases(experiment.presets["quick"])) if hasattr(experiment, "cases") else 1
    assert len({job.key for job in jobs}) * cases == len(jobs)
    assert all(str(job) for job in jobs)


def test_the_full_options_are_those_of_the_paper():
    synth, real, rank, timing = (EXPERIMENTS[name].presets["full"] for name in EXPERIMENTS)
    assert (synth.methods, synth.train, synth.rank, synth.runs) == ((*METHODS, "BTF"), FRACTIONS, (10,), 20)
    assert (real.methods, real.train, real.rank, real.runs) == ((*METHODS, "BTF"), FRACTIONS, (20,), 20)
    assert METHODS == ("RESCAL-signs", "MMMF", "MMMF+", "BPTF", "MrWTD-Q", "MrWTD-H", "MrWTD-L")
    assert FRACTIONS == (0.03, 0.05, 0.10, 0.15, 0.20, 0.25)
    assert (rank.train, rank.rank, rank.runs) == ((0.25,), (5, 10, 20, 40), 20)
    assert (timing.methods, timing.runs) == (("RESCAL-signs", "BPTF", "MrWTD-H"), 10)
    assert timing.sizes == (500, 1000, 2000, 4000, 8000)


@EVERY
def test_its_command_is_valid_on_the_command_line(name):
    experiment = EXPERIMENTS[name]
    options = experiment.presets["quick"].change(seed=3, methods=("Degree", "Common neighbours"))
    words = experiment.command(options).split(" ", 3)
    assert words[:3] == ["python", "-m", "mrwtd"]
    help_text = CliRunner().invoke(main, ["paper", "--help"]).output
    assert all(word in help_text for word in words[3].split() if word.startswith("--"))
    assert "'Degree,Common neighbours'" in words[3]
    assert "--seed 3" in words[3]
    assert experiment.command(experiment.presets["full"]) == f"python -m mrwtd paper {name}"


@EVERY
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ("Oracle",)}, "Oracle"),
        ({"methods": ()}, "no method"),
        ({"train": (1.5,)}, "train = 1.5"),
        ({"train": ()}, "no train"),
        ({"rank": (0,)}, "rank = 0"),
        ({"runs": 0}, "runs = 0"),
        ({"n_jobs": 0}, "n_jobs = 0"),
        ({"sizes": (5, 6)}, "sizes"),
    ],
)
def test_bad_options_are_refused_before_anything_runs(name, change, message, tmp_path):
    experiment = EXPERIMENTS[name]
    with pytest.raises(mrwtd.DataError, match=message):
        experiment.run(experiment.presets["quick"].change(**change), tmp_path)
    assert not (tmp_path / "finished").exists() or not list((tmp_path / "finished").iterdir())


@pytest.mark.parametrize(("name", "change"), [("real", {"rank": (5, 10)}), ("rank", {"train": (0.1, 0.2)})])
def test_only_the_axis_has_several_values(name, change):
    experiment = EXPERIMENTS[name]
    with pytest.raises(mrwtd.DataError, match="one value"):
        experiment.check(experiment.presets["quick"].change(**change))


def test_duplicates_run_once():
    experiment = EXPERIMENTS["real"]
    options = experiment.presets["quick"].change(methods=("Degree", "Degree"), train=(0.1, 0.1), runs=1)
    assert len(experiment.jobs(options)) == 1


def test_an_unknown_experiment_is_refused():
    with pytest.raises(mrwtd.DataError, match="synth, real, rank, timing"):
        EXPERIMENTS["alchemy"]
