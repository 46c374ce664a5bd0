import pickle
from pathlib import Path

import pandas as pd
import pytest

import mrwtd
from mrwtd.comparison import Job, OtherVersionError, ResultCache
from mrwtd.version import UNSTATED, results_version
from tests.stored_runs import changed

OLD = "0.0.9+0123456789"
ONE, TWO, THREE = (Job("CP", "CP", 0.1, run) for run in range(3))
ROWS = pd.DataFrame({"metric": ["auprc"], "value": [0.5]})


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the fits ONE and TWO of other code."""
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: OLD)
        finished = ResultCache(tmp_path, "timing")
        finished.save(ONE, ROWS)
        finished.save(TWO, ROWS)
        pd.testing.assert_frame_equal(finished[ONE.key], ROWS)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_results_of_other_code_are_refused_and_left_unchanged(old):
    before = contents(old)
    finished = ResultCache(old, "timing")
    for access in (finished.get, finished.__getitem__):
        with pytest.raises(OtherVersionError) as caught:
            access(ONE.key)
    assert caught.value.counts == {OLD: 2}
    assert caught.value.expected == results_version()
    for word in (OLD, results_version(), "--restart", str(old)):
        assert word in str(caught.value)
    assert isinstance(caught.value, mrwtd.DataError)
    assert contents(old) == before


def test_new_fits_do_not_interfere_with_old_ones(old):
    finished = ResultCache(old, "timing")
    finished.save(THREE, ROWS)
    pd.testing.assert_frame_equal(finished[THREE.key], ROWS)
    with pytest.raises(OtherVersionError) as caught:
        finished[ONE.key]
    assert caught.value.counts == {OLD: 2}, "those of this version are no problem"


def test_a_comparison_with_fits_of_other_code_runs_nothing(tmp_path, monkeypatch):
    data = mrwtd.load_dataset("florentine")
    request = {"methods": ["Degree"], "train": [0.5], "rank": 2, "n_jobs": 1}
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: OLD)
        mrwtd.compare(data, **request, runs=1, save=ResultCache(tmp_path, data).save)
    ran = []
    with pytest.raises(OtherVersionError):
        mrwtd.compare(
            data, **request, runs=3, cached=ResultCache(tmp_path, data), save=lambda job, rows: ran.append(job)
        )
    assert ran == []


def test_a_fit_that_does_not_state_its_version_is_refused(tmp_path):
    finished = ResultCache(tmp_path, "timing")
    finished.save(ONE, ROWS)
    (file,) = tmp_path.iterdir()
    file.write_bytes(changed(file.read_bytes(), {"code": ""}))
    with pytest.raises(OtherVersionError) as caught:
        finished[ONE.key]
    assert caught.value.counts == {UNSTATED: 1}


def test_restart_deletes_the_given_jobs_and_those_of_other_code(old):
    finished, other_data = ResultCache(old, "timing"), ResultCache(old, "other")
    finished.save(THREE, ROWS)
    other_data.save(THREE, ROWS)
    assert finished.restart([ONE.key]) == 2, "ONE was requested, TWO is of another version"
    assert list(finished) == [THREE.key]
    assert finished.restart([THREE.key]) == 1
    assert list(finished) == []
    assert list(other_data) == [THREE.key], "other data is none of its business"


def test_the_error_survives_pickling(old):
    with pytest.raises(OtherVersionError) as caught:
        ResultCache(old, "timing")[ONE.key]
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, OtherVersionError)
    assert (str(again), again.counts, again.expected) == (str(caught.value), {OLD: 2}, results_version())


def test_a_stored_fit_has_its_diagnostics(tmp_path):
    data = mrwtd.load_dataset("florentine")
    methods = {"collapsed": {"method": "MrWTD", "lam": 1000.0}}
    mrwtd.compare(data, methods, train=[0.5], rank=2, runs=1, n_jobs=1, save=ResultCache(tmp_path, data).save)
    (file,) = tmp_path.iterdir()
    (diagnostic, *_) = mrwtd.load_run(file).diagnostics["collapsed"]
    assert diagnostic.code == "collapsed"
    assert diagnostic.values["lam"] == 1000.0
