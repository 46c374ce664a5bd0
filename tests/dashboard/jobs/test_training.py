"""Settings to runs: a stored run has the scores that the same code gives elsewhere."""

import re
from pathlib import Path

import numpy as np
import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job, training
from mrwtd.dashboard.state.settings import Choices, Settings, from_query
from mrwtd.model.progress import Stage
from mrwtd.runs import Hooks, Workspace, sampled_entries
from tests.dashboard.jobs.training_runs import SETTINGS, run_of


def test_runs_that_hold_out_something_else_have_another_name() -> None:
    names = {by: training.default_name(Settings("airports", by=by)) for by in ("auto", "entry", "pair")}
    assert len({*names.values()}) == 3
    assert names["auto"] == training.default_name(Settings("airports"))


def test_a_stored_run_restores_its_settings() -> None:
    data = mrwtd.load_dataset("bankwiring")
    within = Choices([r.name for r in data.relations], kinds=[r.kind for r in data.relations])
    settings, messages = from_query(SETTINGS.request(), ["bankwiring"], lambda name: within)
    assert (settings, messages) == (SETTINGS, ())


def test_a_refused_method_has_a_reason_and_the_others_have_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = mrwtd.load_dataset("florentine")
    settings = Settings("florentine", rank=2, lam=1.0, methods=("MrWTD", "Degree"), loss={"marriage": "poisson"})
    run = run_of(settings, data, tmp_path)
    assert run.methods == ("Degree",)
    reasons = run.scores.loc[run.scores["method"] == "MrWTD", "reason"].tolist()
    assert len(reasons) == 1
    assert "poisson" in reasons[0]


def test_a_run_without_any_fit_is_an_error_with_a_reason(tmp_path: Path) -> None:
    settings = Settings("florentine", rank=2, lam=1.0, methods=("MrWTD",), loss={"marriage": "poisson"})
    with pytest.raises(mrwtd.DataError, match="poisson"):
        run_of(settings, mrwtd.load_dataset("florentine"), tmp_path)
    assert Workspace(tmp_path).runs() == []


@pytest.mark.usefixtures("_same_process")
def test_a_training_cancelled_in_the_first_fit_is_saved_as_stopped(tmp_path: Path) -> None:
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
def test_a_cancelled_training_on_large_data_is_scored_on_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_training_cancelled_before_the_first_iteration_is_not_saved(tmp_path: Path) -> None:
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
def test_a_training_cancelled_after_collapsed_fits_saves_the_last_and_suggests_a_fix(
    method: str, tmp_path: Path
) -> None:
    class Weary(Job):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name == "status" and re.search("λ = 316.2.* iteration 7,", str(value)):
                self.cancel()

    settings = Settings("florentine", rank=2, lam="auto", methods=(method,))
    run = run_of(settings, mrwtd.load_dataset("florentine"), tmp_path, Weary("t", "train", "me", lambda job: None))
    assert run.state == "stopped"
    collapsed, stopped = run.models()[method].diagnostics_
    assert collapsed.values["cause"] == "search"
    assert stopped.values == {"during": "search"}
    assert collapsed.suggested_fix(settings) == {"lam": 1.0}


@pytest.mark.usefixtures("_same_process")
def test_progress_never_decreases_and_reports_held_out_scores(tmp_path: Path) -> None:
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
def test_progress_of_an_ensemble_counts_its_fits_and_shows_the_curve_of_the_first(tmp_path: Path) -> None:
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
    settings = Settings("monastery", rank=9_000, lam=1.0, methods=("BTF", "MrWTD-B"))
    with pytest.raises(mrwtd.DataError) as refused:
        run_of(settings, mrwtd.load_dataset("monastery"), tmp_path)
    head, *reasons = str(refused.value).splitlines()
    assert head == "2 problems"
    for method, line in zip(settings.methods, reasons, strict=True):
        assert line.startswith(f"  {method}: found rank = 9000, where a relation is drawn from")
        assert line.count("found") == line.count("expected") == 1


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
