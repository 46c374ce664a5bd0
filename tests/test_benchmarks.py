"""Stored scores and tables of benchmarks."""

import re
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import baselines, board_comparison, measure, real_networks
from mrwtd.comparison import OtherVersionError
from mrwtd.experiments.method_comparison import Case
from mrwtd.version import results_version

OLD = "0.0.9+0123456789"


def score(run: int, method: str = "CP") -> dict[str, object]:
    return {"data": "Kinship", "training": 0.1, "method": method, "run": run, "auprc": 0.5, "lam": 1.0, "seconds": 2.0}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(baselines, "FILE", tmp_path / "baselines.csv")
    return tmp_path / "baselines.csv"


def test_a_table_states_version_date_and_command(file, capsys):
    measure.report("small", [{"method": "CP", "auprc": 0.5}])
    head = (file.parent / "small.md").read_text(encoding="utf-8").splitlines()[0]
    assert f"mrwtd {results_version()}" in head
    assert re.search(r"20\d\d-\d\d-\d\d", head)
    assert head.startswith("`python -m benchmarks.")


def test_scores_of_this_version_are_added_to(file):
    assert baselines.save([]).empty
    assert not file.exists()
    baselines.save([score(0)])
    scores = baselines.save([score(1), score(0, "Degree")])
    assert len(scores) == len(pd.read_csv(file)) == 3
    assert set(pd.read_csv(file)["version"]) == {results_version()}
    assert len(baselines.table(scores)) == 2


@pytest.mark.parametrize("version", [OLD, None])
def test_scores_of_another_version_are_refused_and_left_alone(file, version):
    rows = pd.DataFrame([score(0), score(1)])
    (rows if version is None else rows.assign(version=version)).to_csv(file, index=False)
    before = file.read_bytes()
    with pytest.raises(OtherVersionError) as caught:
        baselines.save([score(2)])
    assert list(caught.value.counts.values()) == [2]
    assert version is None or version in str(caught.value)
    assert results_version() in str(caught.value)
    assert file.read_bytes() == before


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(measure, "RESULTS", tmp_path)
    monkeypatch.setattr(real_networks, "FILE", tmp_path / "real_networks.csv")
    monkeypatch.setattr(real_networks, "compile_method", lambda method: None)
    for fit in real_networks.all_fits([Case("Airports", "airports")], ["Degree", "Common neighbours"], runs=2):
        if fit.job.train == 0.5:
            real_networks.store(real_networks.run_fit(fit))
    return tmp_path / "real_networks.csv"


def test_the_board_has_one_score_per_kind_and_split(board):
    real_networks.write_tables(real_networks.stored())
    scores = pd.read_csv(board)
    assert len(scores) == 2 * 2 * 3  # methods, splits, kinds
    assert scores["value"].notna().all()
    assert (scores["seconds"] >= 0).all()
    rows = real_networks.board(scores, real_networks.summary(scores))
    assert {row["relations"] for row in rows} == {"count", "real", "binary"}
    assert all("(2)" in row["50%"] and row["5%"] == "" for row in rows)
    assert results_version() in (board.parent / "real_networks.md").read_text(encoding="utf-8")


def test_scores_of_another_version_are_compared_with_those_of_this_one(board):
    fits = real_networks.all_fits([Case("Airports", "airports")], ["Degree"], runs=2)
    scores = real_networks.stored()
    assert real_networks.largest_difference(scores.assign(version=OLD), fits, "Degree", 1) < 1e-6
    deviation = scores.groupby(["method", "kind"])["value"].transform("std")
    wrong = scores.assign(version=OLD, value=scores["value"] + 3 * deviation)
    assert real_networks.largest_difference(wrong, fits, "Degree", 1) == pytest.approx(3, rel=1e-3)
    alone = wrong[wrong["run"] == 0].assign(value=scores["value"] + 0.5)
    assert real_networks.largest_difference(alone, fits, "Degree", 1) == pytest.approx(0.5 / real_networks.UNKNOWN)
    assert real_networks.largest_difference(wrong.assign(version=results_version()), fits, "Degree", 1) == 0


def test_first_splits_of_long_fits_come_before_last_splits_of_short_ones(board):
    fits = real_networks.all_fits([Case("Airports", "airports")], ["Degree", "CP"], runs=1000)
    order = [(fit.job.label, fit.job.run) for fit in real_networks.in_order(fits, real_networks.stored())]
    assert order[0] == ("Degree", 0)
    assert order.index(("CP", 0)) < order.index(("Degree", 999))


def test_the_stacked_ensemble_is_compared_on_its_own_splits():
    """A is better on average, B is the luckiest on split 0, and C is missing on split 2."""
    values = {"MrWTD-E": [0.5, 0.5, 0.5], "A": [0.4, 0.6, 0.5], "B": [0.7, 0.3, 0.3], "C": [0.9, 0.9]}
    rows = [
        {"data": "net", "train": 0.5, "kind": "binary", "metric": "auprc", "method": method, "run": run, "value": value}
        for method, scores in values.items()
        for run, value in enumerate(scores)
    ]
    (cell,) = board_comparison.against_best(pd.DataFrame(rows)).itertuples()
    assert (cell.best, cell.splits) == ("A", 3)
    assert cell.difference == pytest.approx(0.0)
    # On splits 1 and 2 A is the best (.55), on 0 and 2 B (.5), on 0 and 1 A and B (.5): the first is taken.
    assert cell.from_others == pytest.approx(((0.5 - 0.4) + (0.5 - 0.3) + (0.5 - 0.5)) / 3)
