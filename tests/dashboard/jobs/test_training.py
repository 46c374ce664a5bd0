"""Settings to runs: a stored run has the scores that the same code gives elsewhere."""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.dashboard.jobs import Job, estimates, training
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.pages.train import code_export
from mrwtd.dashboard.state.settings import Choices, Settings, from_query
from mrwtd.data.splitting import split_units
from mrwtd.model.progress import Stage
from mrwtd.runs import Hooks, Run, Workspace, sampled_entries

SETTINGS = Settings(
    "bankwiring", train=0.5, seed=3, rank=3, lam=1.0, start="random", ensemble=2,
    methods=("MrWTD", "MrWTD-Q", "RESCAL", "Degree"), loss={"help": "smooth-hinge"}, weight={"help": 2.0},
)  # fmt: skip


def run_of(settings: Settings, data: mrwtd.RelationalData, folder: Path, job: Job | None = None) -> Run | None:
    job = job or Job("t", "train", "me", lambda job: None)
    job.work = train(settings, data, "title", Workspace(folder))
    return job.execute()


def values(scores: pd.DataFrame) -> pd.Series:
    keyed = scores[scores["metric"] != ""].set_index(["relation", "metric"])["value"]
    return keyed.astype(float).sort_index()


def test_the_code_on_the_page_gives_the_scores_of_the_run(tmp_path: Path) -> None:
    data = mrwtd.load_dataset("bankwiring")
    run = run_of(SETTINGS, data, tmp_path)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(SETTINGS, data)), names)
    assert list(names["scores"]) == list(run.methods)
    for method, scores in names["scores"].items():
        stored = run.scores[run.scores["method"] == method]
        pd.testing.assert_series_equal(values(scores), values(stored))


def test_the_command_line_gives_the_scores_of_the_run(tmp_path: Path) -> None:
    data = mrwtd.load_dataset("bankwiring")
    run = run_of(SETTINGS, data, tmp_path)
    line = code_export.on_command_line(training.spec_of(SETTINGS, data)).splitlines()[0]
    words = [*shlex.split(line)[1:], "--out", str(tmp_path / "out")]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    written = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False, na_values={"value": [""]})
    pd.testing.assert_series_equal(values(written), values(run.scores.query("method == 'MrWTD'")), rtol=1e-9)


@pytest.mark.parametrize("by", ["auto", "entry", "pair"])
def test_the_code_holds_out_what_the_run_held_out(tmp_path: Path, by: str) -> None:
    data = mrwtd.load_dataset("airports")
    settings = Settings("airports", train=0.5, seed=1, by=by, methods=("Degree",))
    run = run_of(settings, data, tmp_path)
    assert run.spec.split.by == by
    stored = run.scores.drop_duplicates("relation").set_index("relation")["held_out"]
    assert stored.to_dict() == split_units(data, by)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data)), names)
    pd.testing.assert_series_equal(values(names["scores"]["Degree"]), values(run.scores))
    words = [
        *shlex.split(code_export.on_command_line(training.spec_of(settings, data)))[3:],
        "--out",
        str(tmp_path / "out"),
    ]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    written = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False, na_values={"value": [""]})
    pd.testing.assert_series_equal(values(written), values(run.scores), rtol=1e-9)


def test_runs_that_hold_out_something_else_have_another_name() -> None:
    names = {by: training.default_name(Settings("airports", by=by)) for by in ("auto", "entry", "pair")}
    assert len({*names.values()}) == 3
    assert names["auto"] == training.default_name(Settings("airports"))


def test_an_upload_is_read_again_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "my ties.csv"
    mrwtd.write(mrwtd.load_dataset("bankwiring"), file)
    how = {"absent": "unobserved", "kinds": {"job_trading": "real"}, "directed": {"help": True}}
    data = mrwtd.read(file, **how)
    info = {"file": str(file), "how": how}
    settings = Settings("own-1", rank=2, lam=1.0, methods=("MrWTD",))
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))
    assert str(file) in words
    assert words[words.index("--kinds") + 1] == "job_trading=real"
    assert words[words.index("--direction") + 1] == "help=directed"


def test_several_files_with_meanings_of_their_own_are_read_again_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.fspath(Path(mrwtd.__file__).parents[1])}
    monkeypatch.chdir(tmp_path)
    for name, ties in (("friends.csv", "ann,bob\nbob,eve\neve,dan"), ("advice.csv", "bob,ann\ndan,ann\neve,bob")):
        Path(name).write_text(f"source,target\n{ties}\n")
    with zipfile.ZipFile("files.zip", "w") as archive:
        archive.write("friends.csv")
        archive.write("advice.csv")
    how = {"absent": {"friends": "negative"}}
    data = mrwtd.read("files.zip", **how)
    Path("files.zip").unlink()
    info = {"file": "files.zip", "files": ["friends.csv", "advice.csv"], "how": how}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    Path("files.zip").unlink()
    for line in code_export.on_command_line(training.spec_of(settings, data), info).splitlines():
        words = shlex.split(line)[1:]
        done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "how",
    [{"format": "long"}, {"duplicates": "max"}, {"format": "long", "duplicates": "last", "kinds": {"calls": "real"}}],
)
def test_format_and_duplicates_are_read_again_as_they_were(
    tmp_path: Path, how: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ties.csv"
    again = "" if how == {"format": "long"} else "ann,calls,bob,4\n"
    file.write_text(f"source,relation,target,value\nann,calls,bob,12\nbob,calls,cat,3\ncat,calls,ann,50\n{again}")
    data, info = mrwtd.read(file, **how), {"file": str(file), "how": how}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    printed = capsys.readouterr().out
    assert printed.startswith("Degree\n")
    assert "calls" in printed
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))[3:]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0


def test_a_set_of_mit_is_loaded_again_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "RelationshipsFromSurveys.csv"
    file.write_text("id.A,id.B,relationship\n1,2,CloseFriend\n3,1,CloseFriend\n2,3,CloseFriend\n")
    data, info = mrwtd.load_dataset("social-evolution", folder=file), {"file": str(file), "dataset": "social-evolution"}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))[3:]
    assert words[:4] == ["fit", "social-evolution", "--data", str(file)]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert "84 objects" in done.output


def test_a_stored_run_restores_its_settings() -> None:
    data = mrwtd.load_dataset("bankwiring")
    within = Choices([r.name for r in data.relations], kinds=[r.kind for r in data.relations])
    settings, messages = from_query(SETTINGS.request(), ["bankwiring"], lambda name: within)
    assert (settings, messages) == (SETTINGS, ())


def test_a_method_that_refuses_leaves_its_reason_and_the_others_their_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = mrwtd.load_dataset("florentine")
    settings = Settings("florentine", rank=2, lam=1.0, methods=("MrWTD", "Degree"), loss={"marriage": "poisson"})
    run = run_of(settings, data, tmp_path)
    assert run.methods == ("Degree",)
    reasons = run.scores.loc[run.scores["method"] == "MrWTD", "reason"].tolist()
    assert len(reasons) == 1
    assert "poisson" in reasons[0]


def test_nothing_fitted_is_an_error_that_says_why(tmp_path: Path) -> None:
    settings = Settings("florentine", rank=2, lam=1.0, methods=("MrWTD",), loss={"marriage": "poisson"})
    with pytest.raises(mrwtd.DataError, match="poisson"):
        run_of(settings, mrwtd.load_dataset("florentine"), tmp_path)
    assert Workspace(tmp_path).runs() == []


@pytest.mark.usefixtures("_same_process")
def test_cancelled_in_the_first_fit_it_is_saved_as_stopped(tmp_path: Path) -> None:
    class Watched(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and len(self.detail[0].objective) >= 2)

        def final_state(self) -> str:
            return "stopped"

    settings = Settings("florentine", rank=2, lam=0.1, methods=("MrWTD", "RESCAL", "MrWTD-B"))
    job = Watched("t", "train", "me", lambda job: None)
    run = run_of(settings, mrwtd.load_dataset("florentine"), tmp_path, job)
    assert run.state == "stopped"
    assert run.methods == ("MrWTD",)
    assert [fit.state for fit in job.detail] == ["stopped", "stopped", "stopped"]
    first, *_, last = run.models()["MrWTD"].diagnostics_
    assert first.code == "stopped"
    assert (last.code, last.values) == ("methods_skipped", {"methods": ["RESCAL", "MrWTD-B"]})
    assert run.display_name == f"{run.name} (stopped)"


@pytest.mark.usefixtures("_same_process")
def test_cancelled_it_is_scored_on_some_of_very_many_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and self.detail[0].objective)

    monkeypatch.setattr(Hooks, "max_scored", 200)
    data = mrwtd.load_dataset("nations")
    run = run_of(
        Settings("nations", rank=2, lam=0.1, methods=("MrWTD",)), data, tmp_path, Watched("t", "train", "me", print)
    )
    _, test = data.split(train=Settings().train, seed=0, by="auto")
    assert run.scores.drop_duplicates("relation")["entries"].sum() == 200
    assert sampled_entries(run.scores) == (200, len(test))


@pytest.mark.usefixtures("_same_process")
def test_all_methods_of_a_cancelled_training_are_scored_on_the_same_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Watched(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and self.detail[1].objective)  # in the second fit: the first was scored on all

    monkeypatch.setattr(Hooks, "max_scored", 500)
    settings = Settings("nations", rank=2, lam=0.1, methods=("MrWTD", "RESCAL", "Degree"))
    run = run_of(settings, mrwtd.load_dataset("nations"), tmp_path, Watched("t", "train", "me", print))
    assert run.methods == ("MrWTD", "RESCAL")
    counts = run.scores.pivot_table(index="relation", columns="method", values="entries")
    assert counts.sum().tolist() == [500, 500]
    assert (counts["MrWTD"] == counts["RESCAL"]).all()


@pytest.mark.usefixtures("_same_process")
def test_cancelled_before_the_first_iteration_it_saves_nothing(tmp_path: Path) -> None:
    class Hasty(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and self.detail[0].state != "waiting")

    settings = Settings("florentine", rank=2, lam="auto", methods=("MrWTD",))
    job = Hasty("t", "train", "me", lambda job: None)
    assert run_of(settings, mrwtd.load_dataset("florentine"), tmp_path, job) is None
    assert (job.detail[0].state, job.detail[0].stage) == ("stopped", None)
    assert Workspace(tmp_path).runs() == []


@pytest.mark.usefixtures("_same_process")
@pytest.mark.parametrize("method", ["MrWTD", "RESCAL"])
def test_cancelled_where_every_fit_of_the_search_has_collapsed_it_saves_the_last_and_suggests_a_fix(
    method: str, tmp_path: Path
) -> None:
    class Weary(Job):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name == "status" and "λ = 316.2, iteration 7" in str(value):
                self.cancel()

    settings = Settings("florentine", rank=2, lam="auto", methods=(method,))
    run = run_of(settings, mrwtd.load_dataset("florentine"), tmp_path, Weary("t", "train", "me", lambda job: None))
    assert run.state == "stopped"
    collapsed, stopped = run.models()[method].diagnostics_
    assert collapsed.values["cause"] == "search"
    assert stopped.values == {"during": "search"}
    assert collapsed.suggested_fix(settings) == {"lam": 1.0}


@pytest.mark.usefixtures("_same_process")
def test_progress_never_goes_back_and_watches_held_out_entries(tmp_path: Path) -> None:
    reported: list[float] = []

    class Watched(Job):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "progress":
                reported.append(value)
            super().__setattr__(name, value)

    settings = Settings("florentine", rank=2, methods=("MrWTD", "RESCAL", "Degree"))
    job = Watched("t", "train", "me", lambda job: None)
    run_of(settings, mrwtd.load_dataset("florentine"), tmp_path, job)
    assert reported == sorted(reported)
    assert reported[-1] == pytest.approx(1.0)
    for fit in job.detail:
        assert len(fit.score) == len(fit.objective) >= 1
        assert np.isfinite(fit.score).all()


@pytest.mark.usefixtures("_same_process")
def test_progress_of_an_ensemble_counts_its_fits_and_the_curve_is_that_of_the_first(tmp_path: Path) -> None:
    progress_by_stage: dict[Stage | None, float] = {}

    class Watched(Job):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name == "status" and self.detail:
                progress_by_stage[self.detail[0].stage] = self.detail[0].progress

    settings = Settings("florentine", rank=2, lam=1.0, ensemble=4, methods=("MrWTD",))
    job = Watched("t", "train", "me", lambda job: None)
    run = run_of(settings, mrwtd.load_dataset("florentine"), tmp_path, job)
    stages = [Stage("fit"), *(Stage("refit", number, 4) for number in (1, 2, 3, 4))]
    assert all(progress_by_stage[stage] > place / 5 for place, stage in enumerate(stages))
    assert progress_by_stage[Stage("fit")] < 0.25
    assert len(job.detail[0].objective) == len(run.models()["MrWTD"].trace_)


def test_the_reason_of_each_refused_method_is_listed(tmp_path: Path) -> None:
    settings = Settings("monastery", rank=80, lam=1.0, methods=("BTF", "MrWTD-B"))
    with pytest.raises(mrwtd.DataError) as refused:
        run_of(settings, mrwtd.load_dataset("monastery"), tmp_path)
    head, *reasons = str(refused.value).splitlines()
    assert head == "2 problems"
    for method, line in zip(settings.methods, reasons, strict=True):
        assert line.startswith(f"  {method}: found rank = 80, where each relation is a system of 6,400 unknowns")
        assert line.count("found") == line.count("expected") == 1


def test_more_than_the_memory_is_refused_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mrwtd.load_dataset("florentine")
    estimates.check(Settings("florentine"), data)
    monkeypatch.setattr(estimates, "available", lambda: 3e6)
    with pytest.raises(mrwtd.DataError, match=r"3 MB of memory.*about \d+ MB.*choose a rank of \d+ or less") as refused:
        estimates.check(Settings("florentine", rank=100), data)
    rank = int(re.search(r"a rank of (\d+)", str(refused.value))[1])
    estimates.check(Settings("florentine", rank=rank), data)
    assert estimates._what_fits(Settings("florentine", rank=1, ensemble=16), data, 5e4) == "no ensemble"
    monkeypatch.setattr(estimates, "available", lambda: 1e3)
    with pytest.raises(mrwtd.DataError, match="less data"):
        estimates.check(Settings("florentine"), data)
    monkeypatch.setattr(estimates, "available", lambda: None)
    estimates.check(Settings("florentine"), data)


def test_estimates_grow_with_the_settings() -> None:
    data = mrwtd.load_dataset("florentine")
    small = estimates.estimate(Settings("florentine", lam=1.0), data)
    for more in (Settings("florentine", lam=1.0, rank=40), Settings("florentine", lam="auto", ensemble=8)):
        large = estimates.estimate(more, data)
        assert large.seconds > small.seconds
        assert large.memory >= small.memory


@pytest.mark.parametrize("lam", [500.0, 1000.0])
def test_the_suggested_fix_of_a_collapse_helps(lam: float) -> None:
    data = mrwtd.load_dataset("florentine")
    settings = Settings("florentine", rank=2, lam=lam, train=0.8)
    part, _ = data.split(train=settings.train, seed=0)
    model = mrwtd.MrWTD(rank=2, lam=lam).fit(part)
    changes = model.diagnostics_[0].suggested_fix(settings)
    assert changes is not None
    fixed = mrwtd.MrWTD(rank=2, lam=settings.change(**changes).lam).fit(part)
    assert "collapsed" not in [fact.code for fact in fixed.diagnostics_]
