from __future__ import annotations

import numpy as np
import pytest

import mrwtd
from mrwtd.evaluation import Job, running
from mrwtd.model import objective, threads
from mrwtd.model.threads import allowed, at_most


@pytest.fixture
def shared(monkeypatch):
    """Even small data is shared among two threads; the answer lists every pool that was asked to work."""
    asked: list[str] = []

    class Pool(objective.ThreadPoolExecutor):
        def map(self, *given, **options):
            asked.append("map")
            return super().map(*given, **options)

    for module in (objective, threads):
        monkeypatch.setattr(module, "SERIAL_BELOW", 10)
        monkeypatch.setattr(module, "ThreadPoolExecutor", Pool)
        monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(objective, "SHARED_BLOCK", 20)
    objective._pool.cache_clear()
    yield asked
    objective._pool.cache_clear()


@pytest.mark.parametrize("method", ["MrWTD-L", "RESCAL", "BPTF"])
def test_a_limit_changes_no_result(method, shared):
    data = mrwtd.load_dataset("florentine")

    def fit() -> np.ndarray:
        options = {"sweeps": 4, "burn_in": 1} if method == "BPTF" else {"max_iter": 8}
        return mrwtd.make_method(method, rank=2, lam=1.0, **options).fit(data).decision_function(data)

    free = fit()
    assert shared, "two threads were at work"
    shared.clear()
    with at_most(1):
        alone = fit()
    assert shared == []
    assert np.array_equal(free, alone)


def test_a_job_of_several_processes_has_one_thread(shared):
    job = Job("MrWTD-L", "MrWTD-L", 0.5, 0, rank=2, lam=1.0)
    data = mrwtd.load_dataset("florentine")
    running._begin(data, (), ())
    _, rows = running._work(job)
    assert shared == []
    ((_, free),) = running.run_jobs(data, [job])
    assert shared
    assert rows["value"].equals(free["value"])


def test_limits_end_with_their_block_and_nest():
    with at_most(3):
        with at_most(1):
            assert allowed(8) == 1
        assert allowed(8) == 3
        assert allowed(2) == 2
    assert allowed(8) == 8
