"""Diagnostics of fits: stored as data, rendered as messages, and raised as warnings in scripts."""

import json
import pickle
from dataclasses import replace
from typing import Any

import pytest

import mrwtd
from mrwtd.comparison.jobs import Job, run_job
from mrwtd.dashboard.state.settings import Settings
from mrwtd.errors import Problem
from mrwtd.model.diagnostics import CODES, Diagnostic, RankError, messages, without_warnings
from mrwtd.model.lambda_grid import GRID, nearest

VALUES: dict[str, dict[str, Any]] = {
    "collapsed": {"lam": 10.0, "cause": "lambda"},
    "failed": {},
    "wrong_slope": {"loss": "mine"},
    "not_converged": {"iterations": 300, "searched": False, "lam": 1.0},
    "refits_not_converged": {"count": 1, "of": 2},
    "stopped": {"during": "fit"},
    "no_lambda_helps": {},
    "lambda_not_scored": {},
    "rank_above_objects": {"rank": 30, "n_objects": 20},
    "rank_unused": {"rank": 30, "used": 11, "lam": 1.0},
    "underdetermined": {"rank": 30, "numbers": 1000, "entries": 10},
    "sampling_stopped": {"sweeps": 3, "of": 10, "kept": False},
    "chain_drifts": {"rank": 30, "n_objects": 50},
    "diagonal_mixes_slowly": {"share": 0.4},
    "mixing": {"chains": 4, "draws": 80, "effective": 12.3, "r_hat": 1.7, "agree": False},
    "slow_sweeps": {"n_relations": 3, "unknowns": 900, "billions": 12.0},
    "stacked": {"weights": [["binary", "MrWTD-B", 0.75], ["binary", "MrWTD-L", 0.25], ["real", "MrWTD-Q", 1.0]]},
    "methods_skipped": {"methods": ["CP", "BTF"]},
    "not_fitted": {"reason": "found rank = 900", "largest_rank": 70},
}


@pytest.mark.parametrize("code", CODES)
def test_every_diagnostic_has_a_message_and_survives_json(code):
    fact = Diagnostic(code, "likes", VALUES[code])
    assert fact.message()
    assert "{" not in fact.message()
    assert Diagnostic.from_json(json.loads(json.dumps(fact.to_json()))) == fact


@pytest.mark.parametrize("lam", ["auto", 1.0])
@pytest.mark.parametrize("code", CODES)
def test_a_suggested_fix_is_a_change_of_valid_settings(code, lam):
    settings = Settings("kinship", rank=100, lam=lam)
    changes = Diagnostic(code, values=VALUES[code]).suggested_fix(settings)
    if changes is not None:
        changed = settings.change(**changes)
        assert changed != settings
        assert changed.rank <= settings.rank
        assert changed.lam == "auto" or changed.lam in GRID or changed.lam == lam


@pytest.mark.parametrize(
    ("cause", "lam", "expected"),
    [("lambda", "auto", {"lam": 3.162}), ("lambda", 10.0, {"lam": "auto"}), ("search", "auto", {"lam": 1.0}),
     ("data", "auto", {"train": 0.6}), ("constant", "auto", None)],
)  # fmt: skip
def test_the_fix_of_a_collapse_depends_on_its_cause(cause, lam, expected):
    fact = Diagnostic("collapsed", values={"lam": 10.0, "cause": cause})
    assert fact.suggested_fix(Settings("kinship", lam=lam, train=0.3)) == expected


def test_one_diagnostic_of_many_relations_is_one_message():
    facts = [Diagnostic("no_lambda_helps", f"r{number}") for number in range(8)]
    (text,) = messages([*facts, facts[0]][:8])
    assert text.startswith("r0, r1, r2, r3, r4 and 3 more: ")
    assert len(messages([*facts, Diagnostic("lambda_not_scored")])) == 2


def test_collapsed_and_unconverged_fits_raise_a_warning():
    data = mrwtd.load_dataset("florentine")
    with pytest.warns(mrwtd.ConvergenceWarning, match="λ = 10000") as caught:
        mrwtd.MrWTD(rank=2, lam=1e4).fit(data)
    assert caught[0].filename == __file__
    with pytest.warns(mrwtd.ConvergenceWarning, match="still improving"):
        mrwtd.make_method("MMMF", rank=2, lam=0.1, max_iter=3).fit(data)


@pytest.mark.filterwarnings("error::mrwtd.ConvergenceWarning")
def test_comparisons_report_in_their_rows_and_good_fits_report_nothing():
    data = mrwtd.load_dataset("florentine")
    mrwtd.MrWTD(rank=2, lam=0.5).fit(data)
    rows = run_job(data, Job("MMMF+", "MMMF+", train=0.5, run=0, rank=2, lam=1e4))
    assert rows["messages"].str.contains("10000").all()
    with without_warnings():
        mrwtd.MrWTD(rank=2, lam=1e4).fit(data)
    with pytest.raises(mrwtd.ConvergenceWarning):
        mrwtd.MrWTD(rank=2, lam=1e4).fit(data)


def test_a_rank_that_is_too_high_raises_an_error_with_the_maximum():
    data = mrwtd.load_dataset("florentine")
    with pytest.raises(RankError) as caught:
        mrwtd.make_method("BTF", rank=9_000).fit(data)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.largest_rank, str(again)) == (caught.value.largest_rank, str(caught.value))
    mrwtd.make_method("BTF", rank=again.largest_rank).check(data)
    assert RankError(Problem("a", "b"), largest_rank=3).problems[0].found == "a"


def test_the_nearest_value_of_the_grid_is_by_ratio():
    assert [nearest(lam) for lam in (5.0, 6.0, 0.05)] == [3.162, 10.0, 0.03162]
    assert nearest(GRID[4] * 1.01) == GRID[4]
    assert len(GRID) == 13


def test_diagnostics_are_stored_with_the_model(tmp_path):
    with without_warnings():
        model = mrwtd.make_method("MMMF+", rank=2, lam=1e4).fit(mrwtd.load_dataset("florentine"))
    model.save(tmp_path / "model.npz")
    again = mrwtd.load_model(tmp_path / "model.npz")
    assert again.diagnostics_ == model.diagnostics_
    assert [fact.relation for fact in again.diagnostics_] == ["business", "marriage"]
    assert replace(again.diagnostics_[0], relation=None).message() in again.messages_[0]
