"""The scores of the stored example on several splits."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from mrwtd.dashboard.state import current_run
from mrwtd.dashboard.state.stored_splits import CURVES, SPLITS, read_splits
from mrwtd.runs import Run
from mrwtd.runs.store import read_run


def example_in(folder: Path) -> Run:
    shutil.copytree(current_run.EXAMPLE, folder)
    run = read_run(folder)
    assert isinstance(run, Run)
    return run


def test_the_example_has_the_scores_of_several_splits() -> None:
    run = current_run.example()
    assert run is not None
    stored = read_splits(run)
    assert stored is not None
    assert stored.number >= 5
    assert "MrWTD-B" in run.methods
    assert set(stored.curves["run"]) == set(stored.scores["run"])
    # The run is the first of the splits.
    columns = ["method", "relation", "metric", "value"]
    first = stored.scores.loc[stored.scores["run"] == 0, columns].set_index(columns[:3])["value"]
    of_run = run.scores[columns].set_index(columns[:3])["value"]
    pd.testing.assert_series_equal(first.sort_index(), of_run.sort_index(), check_exact=False, rtol=1e-6)


@pytest.mark.parametrize("name", [SPLITS, CURVES])
def test_a_damaged_or_missing_file_leaves_the_run_as_it_is(name: str, tmp_path: Path) -> None:
    run = example_in(tmp_path / "example")
    assert read_splits(run) is not None
    (tmp_path / "example" / name).write_bytes(b"\x00damaged")
    assert read_splits(run) is None
    (tmp_path / "example" / name).unlink()
    assert read_splits(run) is None
