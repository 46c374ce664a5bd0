"""From a spec to a run: the numbers of the library, also with callbacks, stops and failures."""

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.model.progress import Iteration
from mrwtd.runs import Fit, Hooks, MethodSpec, execute, sampled_entries
from tests.stored_runs import spec_of

TWO = (MethodSpec("ours", "MrWTD", {"rank": 2, "lam": 0.1}), MethodSpec("RESCAL", "RESCAL", {"rank": 2, "lam": 1.0}))


@pytest.fixture
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


class Stopping(Hooks):
    """Ends the run at an iteration of a method."""

    def __init__(self, label: str, number: int):
        self._at, self._ended, self.ended = (label, number), False, []

    def iteration(self, label: str, step: Iteration) -> bool:
        self._ended = self._ended or (label, step.number) == self._at
        return self._ended

    def fitted(self, fit: Fit) -> None:
        self.ended.append((fit.label, fit.state))

    def cancelled(self) -> bool:
        return self._ended


def test_scores_equal_those_of_the_library(data: mrwtd.RelationalData) -> None:
    run = execute(spec_of(data, TWO), data)
    train, test = data.split(train=0.5, seed=0)
    for method in TWO:
        scores = mrwtd.evaluate(mrwtd.make_method(method.method, **method.parameters).fit(train), test)
        stored = run.scores[run.scores["method"] == method.label].reset_index(drop=True)
        pd.testing.assert_frame_equal(stored[scores.columns], scores)
    assert set(run.summary) == {"ours", "RESCAL"}
    assert run.diagnostics == {label: model.diagnostics_ for label, model in run.models().items()}


def test_callbacks_and_snapshots_do_not_change_results(data: mrwtd.RelationalData) -> None:
    class Watching(Hooks):
        max_watched, snapshots = 50, True

    watched, unwatched = execute(spec_of(data, TWO), data, Watching()), execute(spec_of(data, TWO), data)
    assert watched.scores["value"].equals(unwatched.scores["value"])
    assert watched.models()["ours"].trace_["score"].notna().all()
    assert unwatched.models()["ours"].trace_["score"].isna().all()
    assert len(watched.models()["ours"].snapshots_) > 1


def test_a_method_that_fails_has_a_reason_and_the_others_continue(
    data: mrwtd.RelationalData, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("mrwtd.baselines.rescal.RESCAL._fit", explode)
    bad = MethodSpec("bad", "MrWTD", {"loss": "poisson"})
    unknown = MethodSpec("unknown", "Oracle")
    run = execute(spec_of(data, (bad, TWO[1], unknown, TWO[0])), data)
    assert run.methods == ("ours",)
    assert run.state == "finished"
    reasons = run.scores[run.scores["metric"] == ""].set_index("method")["reason"]
    assert "poisson" in reasons["bad"]
    assert reasons["RESCAL"] == "ZeroDivisionError: of all things"
    assert "Oracle" in reasons["unknown"]


def test_a_run_stopped_in_the_second_fit_has_the_best_so_far(data: mrwtd.RelationalData) -> None:
    three = (*TWO, MethodSpec("Degree", "Degree"))
    hooks = Stopping("RESCAL", 2)
    run = execute(spec_of(data, three), data, hooks)
    assert run.state == "stopped"
    assert run.methods == ("ours", "RESCAL")
    assert hooks.ended == [("ours", "done"), ("RESCAL", "stopped"), ("Degree", "stopped")]
    assert len(run.models()["RESCAL"].trace_) == 2
    assert run.diagnostics["ours"][-1].values == {"methods": ["Degree"]}
    assert sampled_entries(run.scores) is None
    assert np.isfinite(run.scores.query("metric == 'auprc'")["value"]).all()


def test_a_stopped_run_has_the_number_of_sampled_entries(data: mrwtd.RelationalData) -> None:
    hooks = Stopping("RESCAL", 1)
    hooks.max_scored = 40
    run = execute(spec_of(data, TWO), data, hooks)
    assert sampled_entries(run.scores) == (40, 106)
    assert run.scores.drop_duplicates(["method", "relation"]).groupby("method")["entries"].sum().tolist() == [40, 40]


def test_a_run_on_all_entries_has_times_and_reasons_instead_of_scores(data: mrwtd.RelationalData) -> None:
    run = execute(spec_of(data, TWO, train=1), data)
    assert run.methods == ("ours", "RESCAL")
    assert run.scores["value"].isna().all()
    assert (run.scores[["entries", "test_entries"]] == 0).all(axis=None)
    assert set(run.scores["reason"]) == {"no test entry"}
    assert (run.scores["seconds"] > 0).all()
    assert run.summary == {}
    assert run.models()["ours"].train_.digest() == data.digest()


def test_a_split_that_cannot_be_made_is_an_error(data: mrwtd.RelationalData) -> None:
    with pytest.raises(mrwtd.DataError, match="train"):
        execute(spec_of(data, train=3), data)
