import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import plugins
from mrwtd.comparison import Job, ResultCache, make_jobs, run_job, run_jobs
from mrwtd.comparison.jobs import COLUMNS
from mrwtd.evaluation import average

METHODS = ["MrWTD-L", "RESCAL", "Degree"]


@pytest.fixture(scope="module")
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("synth-kinds", n_objects=20, seed=1)


@pytest.fixture(scope="module")
def scores(data) -> pd.DataFrame:
    return mrwtd.compare(data, METHODS, train=[0.3, 0.6], rank=2, runs=2, n_jobs=1)


def without_times(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="seconds")


def test_every_method_is_scored_on_every_split(scores, data):
    assert list(scores.columns) == list(COLUMNS)
    counts = scores.groupby(["method", "train", "run"]).size()
    assert len(counts) == 3 * 2 * 2
    assert counts.min() == counts.max()
    assert (scores["reason"] == "").sum() == scores["value"].notna().sum()
    searched = scores[scores["method"] != "Degree"]
    assert (searched["lam"] > 0).all()
    assert (searched["evaluations"] > 0).all()
    assert (scores["seconds"] > 0).all()


def test_all_methods_get_the_same_test_entries(scores):
    sizes = scores.groupby(["train", "run", "relation"])[["entries", "positives"]].nunique()
    assert sizes["entries"].eq(1).all()
    binary = scores[(scores["kind"] == "binary") & (scores["metric"] == "auprc")]
    assert binary.groupby(["train", "run"])["positives"].nunique().eq(1).all()
    assert binary.groupby("train")["positives"].nunique().gt(1).any(), "runs differ from each other"


def test_rows_equal_those_of_split_fit_and_evaluate(scores, data):
    train, test = data.split(train=0.3, seed=1)
    model = mrwtd.MrWTD(rank=2, loss={"binary": "logistic"}, seed=1).fit(train)
    rows = scores[(scores["method"] == "MrWTD-L") & (scores["train"] == 0.3) & (scores["run"] == 1)]
    by_hand = mrwtd.evaluate(model, test)
    assert rows["value"].to_numpy() == pytest.approx(by_hand["value"].to_numpy(), nan_ok=True)
    assert rows["lam"].unique() == [model.lam_]


def test_results_do_not_depend_on_the_number_of_processes(scores, data):
    again = mrwtd.compare(data, METHODS, train=[0.3, 0.6], rank=2, runs=2, n_jobs=2)
    pd.testing.assert_frame_equal(without_times(again), without_times(scores), check_exact=True)


def test_a_method_that_fails_has_a_row_and_the_others_continue(data):
    methods = {"bad": {"method": "MrWTD", "loss": "poisson"}, "good": {"method": "Degree"}}
    frame = mrwtd.compare(data, methods, train=[0.5], rank=2, runs=1, n_jobs=1)
    (failure,) = frame[frame["method"] == "bad"].to_dict("records")
    assert failure["metric"] == ""
    assert np.isnan(failure["value"])
    assert "poisson" in failure["reason"]
    assert frame.loc[frame["method"] == "good", "value"].notna().any()
    assert set(average(frame)["method"]) == {"good"}


def test_errors_other_than_bad_data_have_a_row(data, monkeypatch):
    def explode(*_: object) -> None:
        raise ZeroDivisionError("of all things\nthis")

    monkeypatch.setattr(mrwtd.MrWTD, "_fit", explode)
    row = run_job(data, Job("MrWTD", "MrWTD", 0.5, 0, rank=2))
    assert row["reason"].tolist() == ["ZeroDivisionError: of all things this"]
    assert row.dtypes.to_dict() == run_job(data, Job("Degree", "Degree", 0.5, 0)).dtypes.to_dict()


def test_a_method_can_be_compared_with_itself_with_other_parameters(data):
    methods = {"one": {"method": "MrWTD", "rank": 1}, "three": {"method": "MrWTD", "rank": 3}}
    frame = mrwtd.compare(data, methods, train=[0.5], runs=1, n_jobs=1, lam=1.0)
    assert frame.groupby("method")["rank"].unique().map(list).to_dict() == {"one": [1], "three": [3]}
    assert set(frame["lam"]) == {1.0}


def test_jobs_are_plain_values_with_a_stable_key():
    first, second = make_jobs({"mine": {"method": "MrWTD", "loss": {"r": "huber"}, "ensemble": 2}}, train=[0.1], runs=2)
    assert pickle.loads(pickle.dumps(first)) == first
    assert (
        first.key
        == make_jobs({"mine": {"loss": {"r": "huber"}, "ensemble": 2, "method": "MrWTD"}}, [0.1], runs=1)[0].key
    )
    assert first.key != second.key
    assert len({first, second}) == 2


def test_finished_jobs_are_passed_on_and_not_repeated(data, tmp_path):
    request = {"methods": ["Degree", "Common neighbours"], "train": [0.5], "rank": 2, "runs": 2, "n_jobs": 1}
    finished, calls = ResultCache(tmp_path, data), []

    def stop_early(done: int, total: int, label: str) -> bool:
        calls.append((done, total))
        return done == 3

    part = mrwtd.compare(data, **request, progress=stop_early, save=finished.save)
    assert calls == [(1, 4), (2, 4), (3, 4)]
    assert len(finished) == len(list(finished)) == 3
    assert set(finished) <= {job.key for job in make_jobs(request["methods"], [0.5], 2, 2)}
    ran: list[str] = []
    resumed = mrwtd.compare(
        data, **request, cached=ResultCache(tmp_path, data), save=lambda job, rows: ran.append(job.label)
    )
    assert ran == ["Common neighbours"]
    pd.testing.assert_frame_equal(resumed[: len(part)], part)
    assert len(ResultCache(tmp_path, data.subset(data.y > 0))) == 0, "other data has finished nothing"


def test_failed_or_damaged_jobs_run_again(data, tmp_path):
    finished = ResultCache(tmp_path, data)
    bad, good = (
        Job("bad", "MrWTD", 0.5, 0, rank=2, options={"loss": "poisson"}),
        Job("Degree", "Degree", 0.5, 0, rank=2),
    )
    for job, rows in run_jobs(data, [bad, good]):
        finished.save(job, rows)
    assert list(finished) == [good.key]
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"PAR1 and no more")
    frame = mrwtd.compare(data, ["Degree"], [0.5], rank=2, runs=1, n_jobs=1, cached=finished)
    assert frame["value"].notna().any()


def test_a_comparison_on_processes_can_be_stopped(data):
    frame = mrwtd.compare(data, ["Degree"], [0.5], runs=6, n_jobs=2, progress=lambda done, total, label: done >= 2)
    assert frame["run"].nunique() == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": ["MrWTD-X"]}, "MrWTD-X"),
        ({"methods": []}, "no method"),
        ({"methods": {"a": {"method": "b"}}}, "'b'"),
        ({"train": [0.1, 1.0]}, "train = 1.0"),
        ({"rank": 0}, "rank = 0"),
        ({"runs": 0}, "runs = 0"),
        ({"seed": -1}, "seed = -1"),
        ({"lam": "high"}, "lam = 'high'"),
        ({"n_jobs": 0}, "n_jobs = 0"),
    ],
)
def test_bad_arguments_are_refused_before_anything_runs(data, arguments, message):
    with pytest.raises(mrwtd.DataError, match=message):
        mrwtd.compare(data, **({"methods": ["Degree"], "n_jobs": 1} | arguments))


DYING = """
import os
from mrwtd.model import register
from mrwtd.model.losses import Quadratic

@register
class Dying(Quadratic):
    name = "dying"

    def value_and_slope(self, y, x):
        os._exit(9)
"""


def test_a_process_that_dies_does_not_affect_other_jobs(data, tmp_path):
    file = tmp_path / "dying.py"
    file.write_text(DYING)
    plugins.load([file])
    methods = {"dies": {"method": "MrWTD", "loss": "dying"}, "lives": {"method": "Degree"}}
    try:
        frame = mrwtd.compare(data, methods, train=[0.5], rank=2, runs=1, lam=1.0, n_jobs=2)
    finally:
        mrwtd.model.LOSSES.unregister("dying")
        plugins._loaded.remove(file.resolve())
    assert frame.loc[frame["method"] == "lives", "value"].notna().any()
    assert frame.loc[frame["method"] == "dies", "reason"].str.contains("TerminatedWorkerError").all()


ENDLESS = """
import threading
from mrwtd.model import register
from mrwtd.model.losses import Quadratic

@register
class Endless(Quadratic):
    name = "endless"

    def value_and_slope(self, y, x):
        threading.Event().wait()
"""


def test_cancelled_jobs_are_not_waited_for(data, tmp_path):
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS)
    plugins.load([file])
    quick = Job("Degree", "Degree", 0.5, 0, rank=2)
    endless = [Job("endless", "MrWTD", 0.5, run, rank=2, lam=1.0, options={"loss": "endless"}) for run in (0, 1)]
    done: list[str] = []
    try:
        for job, _ in run_jobs(data, [quick, *endless], n_jobs=2, cancelled=lambda: bool(done)):
            done.append(job.label)
    finally:
        mrwtd.model.LOSSES.unregister("endless")
        plugins._loaded.remove(file.resolve())
    assert done == ["Degree"]


NOTEBOOK = """
import mrwtd
from mrwtd.model import register
from mrwtd.model.losses import Quadratic

@register
class Mine(Quadratic):
    name = "mine"

data = mrwtd.load_dataset("florentine")
frame = mrwtd.compare(data, {"mine": {"method": "MrWTD", "loss": "mine"}}, [0.5], rank=2, runs=2, lam=1.0, n_jobs=2)
print(frame.loc[frame["metric"].isin(["", "auprc"]), "reason"].unique().tolist())
"""


def test_a_loss_of_a_script_is_available_in_the_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(NOTEBOOK)
    root = str(Path(mrwtd.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "['']", done.stderr


@pytest.fixture(scope="module")
def mutual() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("airports")


def test_a_mutual_relation_is_held_out_by_pair_unless_requested_otherwise(mutual):
    frames = {
        by: mrwtd.compare(mutual, ["Degree"], train=[0.5], runs=2, n_jobs=1, by=by) for by in ("auto", "entry", "pair")
    }
    usual = mrwtd.compare(mutual, ["Degree"], train=[0.5], runs=2, n_jobs=1)
    pd.testing.assert_frame_equal(without_times(usual), without_times(frames["auto"]))
    for by, frame in frames.items():
        assert set(frame["by"]) == {by}
        ways = frame.drop_duplicates("relation").set_index("relation")["held_out"].to_dict()
        assert ways["flights"] == ("entry" if by == "entry" else "pair")
        assert ways["distance (km)"] == ways["same_state"] == "entry"
        train, test = mutual.split(train=0.5, seed=1, by=by)
        by_hand = mrwtd.evaluate(mrwtd.make_method("Degree").fit(train), test)
        assert frame.loc[frame["run"] == 1, "value"].tolist() == pytest.approx(by_hand["value"].tolist(), nan_ok=True)
        assert set(mrwtd.summarize(frame)["by"]) == {by}


def test_averages_are_over_relations_whatever_was_held_out_of_each():
    data = mrwtd.load_dataset("bankwiring")
    frame = mrwtd.compare(data, ["Degree"], train=[0.5], runs=2, n_jobs=1, by="pair")
    binary = frame[(frame["kind"] == "binary") & (frame["metric"] == "auprc")]
    assert set(binary["held_out"]) == {"entry", "pair"}
    means = average(binary)
    assert means["out_of"].tolist() == [5, 5]
    assert mrwtd.summarize(binary)["n"].tolist() == [2]


def test_another_hold_out_is_another_job(mutual, tmp_path):
    finished = ResultCache(tmp_path, mutual)
    options = {"train": [0.5], "runs": 1, "n_jobs": 1, "save": finished.save, "cached": finished}
    auto = mrwtd.compare(mutual, ["Degree"], **options)
    entry = mrwtd.compare(mutual, ["Degree"], **options, by="entry")
    assert len(finished) == 2
    assert not auto["value"].equals(entry["value"])


def test_unknown_ways_to_hold_out_are_refused(mutual):
    with pytest.raises(mrwtd.DataError, match="by = 'row'"):
        mrwtd.compare(mutual, ["Degree"], by="row")


KILLED = """
import mrwtd
from mrwtd.comparison import Job, run_jobs

def cancelled() -> bool:
    print("running", flush=True)
    return False

if __name__ == "__main__":
    jobs = [Job("MrWTD", "MrWTD", train=0.9, run=run, rank=40) for run in (0, 1)]
    for _ in run_jobs(mrwtd.load_dataset("kinship"), jobs, n_jobs=2, cancelled=cancelled):
        pass
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_worker_processes_end_when_their_parent_is_killed(tmp_path):
    (tmp_path / "killed.py").write_text(KILLED)
    environment = os.environ | {"PYTHONPATH": str(Path(mrwtd.__file__).parents[1])}
    command = [sys.executable, str(tmp_path / "killed.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as parent:
        for _ in range(5):  # after some of them, the workers have received their jobs
            assert parent.stdout.readline() == b"running\n"
        parent.kill()
        parent.communicate(timeout=30)  # until all processes have closed their output
