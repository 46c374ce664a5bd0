"""Comparisons on a real Dask cluster of two processes."""

import os
import signal
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from distributed import Client, LocalCluster

import mrwtd
from mrwtd import plugins
from mrwtd.__main__ import main
from mrwtd.comparison import dask_jobs as cluster_module
from mrwtd.comparison import run_job
from mrwtd.model.distributed import client as dask_client

METHODS = ["MrWTD-L", "Degree"]


@pytest.fixture(scope="module")
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


@pytest.fixture(scope="module")
def address(cluster) -> str:
    return cluster.scheduler_address


def without_times(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns="seconds")


def kill_a_worker(address: str) -> None:
    with Client(address, set_as_default=False) as client:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


def test_a_comparison_survives_a_killed_worker_and_equals_the_local_one(data, address):
    options = {"methods": METHODS, "train": [0.5], "rank": 2, "runs": 4}
    killed: list[str] = []

    def kill_in_the_middle(done: int, total: int, label: str) -> None:
        if done == total // 3:
            kill_a_worker(address)
            killed.append(label)

    remote = mrwtd.compare(data, **options, scheduler=address, progress=kill_in_the_middle)
    local = mrwtd.compare(data, **options, n_jobs=1)
    assert len(killed) == 1
    pd.testing.assert_frame_equal(without_times(remote), without_times(local), check_exact=True)


def test_the_data_is_sent_to_the_cluster_once(data, address, monkeypatch):
    sent: list[mrwtd.RelationalData] = []
    state = mrwtd.RelationalData.__getstate__
    monkeypatch.setattr(mrwtd.RelationalData, "__getstate__", lambda self: sent.append(self) or state(self))
    frame = mrwtd.compare(data, ["Degree"], [0.5], runs=6, scheduler=address)
    assert frame["run"].nunique() == 6
    assert len(sent) == 2, "to the scheduler, which is in this process, and from there to a worker"


OWN = """
from mrwtd.model import register
from mrwtd.model.losses import Quadratic

@register
class Same(Quadratic):
    name = "same"
"""


def test_a_loss_of_a_plugin_is_available_on_workers_without_its_file(data, address, tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN)
    plugins.load([file])
    file.unlink()
    methods = {"own": {"method": "MrWTD", "loss": "same"}, "known": {"method": "MrWTD", "loss": "quadratic"}}
    try:
        frame = mrwtd.compare(data, methods, train=[0.5], rank=2, runs=1, lam=1.0, scheduler=address)
    finally:
        mrwtd.model.LOSSES.unregister("same")
        plugins._loaded.remove(file.resolve())
    values = {method: rows["value"].tolist() for method, rows in frame.groupby("method")}
    assert values["own"] == pytest.approx(values["known"], nan_ok=True)


def test_a_job_that_kills_its_worker_does_not_affect_other_jobs(data, address, monkeypatch):
    rounds: list[list[str]] = []

    def one_round(client, shared, todo):
        rounds.append([job.label for job in todo])
        lost = [job for job in todo if "dies" in rounds[-1] and job.label != "first"]
        yield from ((job, run_job(data, job)) for job in todo if job not in lost)
        return lost

    monkeypatch.setattr(cluster_module, "_round", one_round)
    methods = {name: {"method": "Degree"} for name in ("first", "dies", "last")}
    frame = mrwtd.compare(data, methods, train=[0.5], runs=1, scheduler=address)
    assert rounds == [["first", "dies", "last"], ["dies"], ["last"]]
    assert frame.groupby("method")["value"].count().gt(0).to_dict() == {"first": True, "dies": False, "last": True}
    assert "ends every worker" in frame.loc[frame["method"] == "dies", "reason"].item()


def test_the_command_line_takes_a_scheduler(address):
    words = ["florentine", "--method", "Degree", "--train", "0.5", "--runs", "2", "--scheduler", address]
    result = CliRunner().invoke(main, ["compare", *words])
    assert result.exit_code == 0, result.output
    assert "Degree" in result.stdout


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:1", "ftp://127.0.0.1:1", "tcp://127.0.0.1:99999", "here", ""])
def test_an_unreachable_scheduler_is_a_one_line_error(scheduler, monkeypatch):
    monkeypatch.setattr(dask_client, "TIMEOUT", 0.2)
    result = CliRunner().invoke(main, ["compare", "florentine", "--method", "Degree", "--scheduler", scheduler])
    assert result.exit_code == 1
    assert f"no Dask scheduler at {scheduler!r}" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_cluster_without_workers_is_reported(data, cluster, monkeypatch):
    monkeypatch.setattr(dask_client, "TIMEOUT", 0.2)
    with (
        # In the running event loop: starting another one can take longer than the timeout of Dask.
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0", loop=cluster.loop) as empty,
        pytest.raises(mrwtd.DataError, match="no worker at"),
    ):
        mrwtd.compare(data, ["Degree"], [0.5], scheduler=empty.scheduler_address)


def test_workers_of_another_version_are_refused(data, address, monkeypatch):
    monkeypatch.setattr(mrwtd, "__version__", "0.0.1")
    with pytest.raises(mrwtd.DataError, match=r"on the cluster; expected mrwtd 0\.0\.1"):
        mrwtd.compare(data, ["Degree"], [0.5], scheduler=address)


def test_without_dask_the_error_names_the_package_to_install(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(mrwtd.DataError, match=r"pip install 'mrwtd\[dask\]'"):
        mrwtd.compare(data, ["Degree"], [0.5], scheduler="tcp://127.0.0.1:8786")
