"""The scores of the stored example on several splits."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from mrwtd.dashboard.state import current_run
from mrwtd.dashboard.state.stored_splits import CURVES, SPLITS, read_splits
from mrwtd.hosting.uploads import unpack_in_process
from mrwtd.runs import Run, Workspace
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


@pytest.mark.parametrize("packed", [False, True])
def test_an_imported_run_has_no_such_files_whatever_it_brings(packed: bool, tmp_path: Path) -> None:
    source = example_in(tmp_path / "example").folder
    assert source is not None
    for name in (SPLITS, CURVES):
        (source / name).write_bytes((source / name).read_bytes() + b"\x00forged")
    zipped = Path(shutil.make_archive(str(tmp_path / "example"), "zip", source))
    imported = Workspace(tmp_path / "space").import_run(zipped if packed else source, unpack_in_process)
    assert imported.folder is not None
    stored = {str(file.relative_to(imported.folder)) for file in imported.folder.rglob("*") if file.is_file()}
    assert stored == {"run.json", *imported.files}
    assert read_splits(imported) is None


@pytest.mark.parametrize("name", [SPLITS, CURVES])
def test_a_damaged_or_missing_file_leaves_the_run_as_it_is(name: str, tmp_path: Path) -> None:
    run = example_in(tmp_path / "example")
    assert read_splits(run) is not None
    (tmp_path / "example" / name).write_bytes(b"\x00damaged")
    assert read_splits(run) is None
    (tmp_path / "example" / name).unlink()
    assert read_splits(run) is None
