"""Stored scores and tables of benchmarks."""

import re
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import baselines, measure
from mrwtd.comparison import OtherVersionError
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
