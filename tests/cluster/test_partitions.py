"""One fit over partitions on a real Dask cluster of two processes."""

import os
import pickle
import signal
import sys
from functools import partial

import numpy as np
import pytest
from distributed import Client

import mrwtd
from mrwtd import DataError, MrWTD, RelationalData
from mrwtd.data.mapped import write_mapped
from mrwtd.data.relations import Relation
from mrwtd.model.distributed import worker
from mrwtd.model.distributed.partitioned import Partitions

SETTINGS = {"rank": 3, "lam": 0.5, "positive_weight": 2.0}


@pytest.fixture
def client(cluster):
    with Client(cluster.scheduler_address) as dask_client:
        yield dask_client


@pytest.fixture(scope="module")
def data() -> RelationalData:
    """A relation of each kind, with weights, in which partitions differ in mean and deviation."""
    complete = mrwtd.load_dataset("synth-kinds", n_objects=16, seed=3)
    w = np.random.default_rng(0).random(len(complete))
    return RelationalData(complete.objects, complete.relations, complete.i, complete.j, complete.k, complete.y, w)


def in_parts(data: RelationalData, count: int) -> list[RelationalData]:
    """By rows of i, as files of a large data set are: no partition has values of all objects, and one has none."""
    edges = np.quantile(data.i, np.linspace(0, 1, count)).astype(int)
    return [data.subset(np.searchsorted(edges, data.i, side="left") == part) for part in range(count)] + [
        data.subset([])
    ]


def local_objective(model: MrWTD, data: RelationalData):
    return model._objective(data, [mrwtd.model.LOSSES[name] for name in model.losses_.values()], model.lam_)


def test_value_and_gradient_equal_the_local_ones(client, data):
    model = MrWTD(**SETTINGS, max_iter=1).fit(data)
    local = local_objective(model, data)
    spread = Partitions(in_parts(data, 4)).objective(local, model)
    rng = np.random.default_rng(1)
    for _ in range(10):
        theta = rng.normal(scale=0.5, size=local.layout.size)
        value, gradient = local(theta)
        remote = spread(theta)
        assert remote[0] == pytest.approx(value, rel=1e-10)
        assert np.abs(remote[1] - gradient).max() <= 1e-10 * np.abs(gradient).max()


def test_memory_mapped_folders_give_the_same_fit(client, data, tmp_path):
    parts, folders = in_parts(data, 3), [tmp_path / str(number) for number in range(4)]
    for part, folder in zip(parts, folders, strict=True):
        write_mapped(part, folder)
    fits = [MrWTD(**SETTINGS, max_iter=20).fit(sources, backend="dask") for sources in (parts, folders)]
    assert fits[0].decision_function(data).tolist() == fits[1].decision_function(data).tolist()
    sent = pickle.dumps(worker.load(folders[0]))
    assert len(sent) < 500
    assert pickle.loads(sent).data == parts[0]


def test_a_fit_reaches_the_local_optimum(client, data):
    parts = in_parts(data, 3)
    assert min(map(len, parts)) == 0
    local = MrWTD(**SETTINGS).fit(data)
    remote = MrWTD(**SETTINGS).fit(parts, backend="dask")
    assert remote.objective_ == pytest.approx(local.objective_, rel=1e-4)
    assert remote.scales_ == pytest.approx(local.scales_, rel=1e-12)
    assert remote.dispersions_ == pytest.approx(local.dispersions_, rel=1e-12)
    assert remote.objects_ == data.objects
    assert remote.predict(data).shape == data.y.shape
    assert local_objective(remote, data)(there_theta(remote, data))[0] == pytest.approx(remote.objective_, rel=1e-10)


def there_theta(model: MrWTD, data: RelationalData) -> np.ndarray:
    best = next(member for member in model.members_ if np.array_equal(member.A, model.A_))
    return local_objective(model, data).layout.pack(best)


def test_large_data_starts_from_a_sample_and_reaches_the_same_objective(client):
    data = mrwtd.load_dataset("synth-binary", n_objects=100, n_relations=2, rank=2, seed=0)
    parts = [data.subset(np.arange(len(data)) % 3 == part) for part in range(3)]
    stages: set[str] = set()
    local = MrWTD(rank=1, lam=1.0, tol=1e-7).fit(data)
    remote = MrWTD(rank=1, lam=1.0, tol=1e-7).fit(parts, lambda step: stages.add(step.stage.kind), backend="dask")
    assert stages == {"warm-up", "fit"}
    assert remote.objective_ == pytest.approx(local.objective_, rel=1e-4)


def test_workers_load_their_partitions_and_reload_those_of_a_dead_worker(client, data, tmp_path):
    parts = in_parts(data, 2)
    file = tmp_path / "part.parquet"
    mrwtd.write(parts[0], file)
    sources = [file, partial(RelationalData.subset, parts[1], np.arange(len(parts[1]))), parts[2]]

    def kill_in_the_middle(step) -> None:
        if step.number == 3:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    local = MrWTD(**SETTINGS).fit(data)
    remote = MrWTD(**SETTINGS).fit(sources, kill_in_the_middle, backend="dask")
    assert len(remote.trace_) > 3
    assert remote.objective_ == pytest.approx(local.objective_, rel=1e-4)


def test_futures_of_entries_are_partitions_too(client, data):
    futures = [client.submit(data.subset, np.arange(len(data)) % 2 == part) for part in (0, 1)]
    assert len(Partitions(futures)) == len(data)


def nothing() -> int:
    return 1 // 0


@pytest.mark.parametrize(
    ("partitions", "message"),
    [
        (lambda data: data, "RelationalData as training data; expected a list of partitions"),
        (lambda data: [], "no partition"),
        (lambda data: [data, mrwtd.load_dataset("florentine")], "partition 1 with other objects or relations"),
        (lambda data: [data, "no such file.csv"], "partition 1, no such file.csv: found No such file"),
        (lambda data: [nothing], "partition 0: found ZeroDivisionError"),
        (lambda data: [lambda: 3], "partition 0: .*found int"),
        (lambda data: [data.subset([])], "no training entry"),
        (lambda data: [data, data], "two entries for"),
    ],
)
def test_bad_partitions_are_refused(client, data, partitions, message):
    with pytest.raises(DataError, match=message):
        MrWTD(**SETTINGS).fit(partitions(data), backend="dask")


@pytest.mark.parametrize(
    ("settings", "backend", "message"),
    [
        ({"lam": "auto"}, "dask", "lam = 'auto'; expected a number for partitions"),
        ({"rank": 0}, "dask", "rank = 0"),
        ({}, "spark", "backend = 'spark'"),
        ({}, None, "list as training data"),
    ],
)
def test_bad_settings_are_refused(client, data, settings, backend, message):
    with pytest.raises(DataError, match=message):
        MrWTD(**(SETTINGS | settings)).fit([data], backend=backend)


def test_a_missing_client_or_dask_is_reported(data, monkeypatch):
    with pytest.raises(DataError, match="no Dask client"):
        MrWTD(**SETTINGS).fit([data], backend="dask")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DataError, match=r"mrwtd\[dask\]"):
        MrWTD(**SETTINGS).fit([data], backend="dask")


def test_constant_values_stay_constant(client):
    relation = Relation("r", "real", True)
    data = RelationalData("abc", [relation], [0, 0, 1], [1, 2, 2], [0, 0, 0], [0.1, 0.1, 0.1])
    typical = Partitions([data.subset([0]), data.subset([1, 2])]).typical()
    assert typical.y.std() == 0
    assert typical.y == pytest.approx([0.1, 0.1])


def test_values_of_weight_0_in_a_partition_do_not_affect_the_fit(client, data):
    hidden = np.random.default_rng(2).random(len(data)) < 0.3
    w = np.where(hidden, 0.0, data.w)
    count = np.array([relation.kind in ("count", "real") for relation in data.relations])[data.k]
    garbage = np.where(hidden & count, 1000.0 + data.y, data.y)
    fits = []
    for y in (data.y, garbage):
        masked = RelationalData(data.objects, data.relations, data.i, data.j, data.k, y, w)
        fits.append(MrWTD(**SETTINGS).fit(in_parts(masked, 3), backend="dask"))
    fits.append(MrWTD(**SETTINGS).fit(in_parts(data.subset(~hidden), 3), backend="dask"))
    answers = [fit.predict(data).tobytes() for fit in fits]
    assert answers[0] == answers[1]
    assert fits[0].predict(data) == pytest.approx(
        fits[2].predict(data), rel=0.05, abs=0.05
    )  # other sums, other rounding


def test_the_members_of_an_ensemble_are_refits_in_which_every_partition_draws_its_weights(client, data):
    model = MrWTD(**SETTINGS, ensemble=2).fit(in_parts(data, 3), backend="dask")
    first, second = model.members_
    assert not np.allclose(first.A, second.A)
    assert (model.predict_std(data) > 0).any()
    again = MrWTD(**SETTINGS, ensemble=2).fit(in_parts(data, 3), backend="dask")
    assert np.array_equal(again.members_[1].A, second.A)


def test_counts_are_bounded_by_the_largest_of_all_partitions(client, data):
    remote = MrWTD(**SETTINGS).fit(in_parts(data, 3), backend="dask")
    local = MrWTD(**SETTINGS).fit(data)
    assert np.array_equal(remote.largest_, local.largest_, equal_nan=True)


def test_an_ensemble_of_partitions_gives_no_entries_as_reasons(client, data):
    model = MrWTD(**SETTINGS, ensemble=2).fit(in_parts(data, 3), backend="dask")
    why = model.explain(data.objects[0], data.objects[1], data.relations[0].name, train=data)
    assert why.source_entries.empty
    assert len(why.factors) == 9
