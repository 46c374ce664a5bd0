import os

import numpy as np
import pytest

import mrwtd
from mrwtd.comparison import Job, processes
from mrwtd.model import objective, threads
from mrwtd.model.losses import LOSSES
from mrwtd.model.threads import effective_threads, limit_threads


@pytest.fixture
def shared(monkeypatch):
    """Even small data uses two threads; the list has every pool that was used."""
    requests: list[str] = []

    class Pool(objective.ThreadPoolExecutor):
        def map(self, *arguments, **options):
            requests.append("map")
            return super().map(*arguments, **options)

    for module in (objective, threads):
        monkeypatch.setattr(module, "SERIAL_BELOW", 10)
        monkeypatch.setattr(module, "ThreadPoolExecutor", Pool)
        monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(objective, "THREADED_BLOCK", 20)
    objective._pool.cache_clear()
    yield requests
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
    with limit_threads(1):
        unlimited = fit()
    assert shared == []
    assert np.array_equal(free, unlimited)


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("method", mrwtd.METHODS)
def test_results_do_not_depend_on_the_number_of_cores(method, monkeypatch):
    data = mrwtd.load_dataset("synth-kinds", n_objects=20)
    if method == "MMMF+":  # one parameter for each relation, and no others
        data = data.select_relations(["binary 1"])
    train, test = data.split(train=0.5, seed=0)
    parameters = mrwtd.make_method(method).get_params()
    quick = {"max_iter": 8, "sweeps": 4, "burn_in": 1}
    options = {name: value for name, value in quick.items() if name in parameters}
    if method == "MrWTD-E":
        options["ensemble"] = 2

    def results(cores: int) -> tuple[np.ndarray, list[float]]:
        monkeypatch.setattr(threads.os, "cpu_count", lambda: cores)
        objective._pool.cache_clear()
        model = mrwtd.make_method(method, rank=2, lam=1.0, **options).fit(train)
        return model.decision_function(test), mrwtd.evaluate(model, test)["value"].tolist()

    (x, scores), *others = [results(cores) for cores in (1, 2, 8)]
    for other_x, other_scores in others:
        assert np.array_equal(x, other_x)
        assert np.array_equal(scores, other_scores, equal_nan=True)


def test_large_data_is_split_into_several_chunks_on_every_machine(shared, monkeypatch):
    data = mrwtd.load_dataset("florentine")
    cut = []
    for cores in (1, 2, 8):
        monkeypatch.setattr(threads.os, "cpu_count", lambda cores=cores: cores)
        batches = objective.Objective(data, [LOSSES["logistic"]] * 2, rank=2, lam=1.0)._batches
        cut.append([[len(blocks) for blocks in batch.tasks] for batch in batches])
    assert cut[0] == cut[1] == cut[2]
    assert max(map(len, cut[0])) > 2
    assert shared == []


def test_a_job_of_several_processes_has_one_thread(shared):
    job = Job("MrWTD-L", "MrWTD-L", 0.5, 0, rank=2, lam=1.0)
    data = mrwtd.load_dataset("florentine")
    processes._initialize(os.getppid(), data, (), ())
    _, rows = processes._work(job)
    assert shared == []
    ((_, free),) = processes.run_jobs(data, [job])
    assert shared
    assert rows["value"].equals(free["value"])


def test_limits_end_with_their_block_and_nest():
    with limit_threads(3):
        with limit_threads(1):
            assert effective_threads(8) == 1
        assert effective_threads(8) == 3
        assert effective_threads(2) == 2
    assert effective_threads(8) == 8
