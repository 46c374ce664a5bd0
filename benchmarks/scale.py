"""Time of one evaluation over partitions on a Dask cluster, for one worker and for two.

    python -m benchmarks.scale [ENTRIES …]      n = 10,000 objects, 3 undirected relations, rank 10, logistic loss

Workers are processes of this machine with one thread each, and create their partitions themselves. `local` is the same
objective in this process, with one thread and without a cluster.
"""

import os
import resource
import sys
import time
from functools import partial

import numpy as np
from distributed import Client, LocalCluster

import mrwtd
from benchmarks.measure import Timer, report
from mrwtd.data.relational import RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model.distributed.partitioned import Partitions
from mrwtd.model.objective import Objective

OBJECTS, RELATIONS, RANK, PARTITIONS = 10_000, 3, 10, 2
SIZES = (10_000, 100_000, 1_000_000, 4_000_000, 10_000_000)


def part(entries: int, number: int) -> RelationalData:
    """Random ±1 for random pairs whose smaller object is `number` modulo the number of partitions."""
    rng = np.random.default_rng(number)
    size, rows = entries // PARTITIONS // RELATIONS, OBJECTS // PARTITIONS
    i, j, k = [], [], []
    for relation in range(RELATIONS):
        cells = np.unique(rng.integers(0, rows * OBJECTS, int(2.3 * size)))
        a, b = cells // OBJECTS * PARTITIONS + number, cells % OBJECTS
        chosen = rng.permutation(np.flatnonzero(a < b))[:size]
        i.append(a[chosen])
        j.append(b[chosen])
        k.append(np.full(chosen.size, relation))
    y = rng.choice([-1.0, 1.0], sum(map(len, i)))
    relations = [Relation(f"r{relation}", "binary", False) for relation in range(RELATIONS)]
    return RelationalData(map(str, range(OBJECTS)), relations, *map(np.concatenate, (i, j, k)), y)


def over_partitions(entries: int) -> tuple[Objective, Objective, int]:
    """The objective on the current cluster, that of a local sample, and the number of entries."""
    partitions = Partitions([partial(part, entries, number) for number in range(PARTITIONS)])
    model = mrwtd.MrWTD(rank=RANK, lam=1.0)
    losses = model._prepare(partitions.typical())
    small = model._objective(partitions.sample(min(1.0, 1e5 / entries), seed=0), losses, 1.0)
    return partitions.objective(small, model), small, len(partitions)


def local_objective(entries: int, like: Objective) -> Objective:
    parts = [part(entries, number) for number in range(PARTITIONS)]
    columns = (np.concatenate([getattr(data, name) for data in parts]) for name in "ijky")
    data = RelationalData(parts[0].objects, parts[0].relations, *columns)
    return Objective(data, like.losses, RANK, 1.0, threads=1)


def measure(entries: int, clients: dict[int, Client], repeats: int) -> dict[str, object]:
    timer, count = Timer(repeats), 0
    for workers, client in clients.items():
        with client.as_current():
            distributed, small, count = over_partitions(entries)
        theta = np.random.default_rng(1).normal(scale=0.3, size=small.layout.size)
        timer.add(str(workers), partial(distributed, theta))
    timer.add("local", partial(local_objective(entries, small), theta))
    start = processor_time(clients[1])
    best = timer.run()
    cpu_time = (processor_time(clients[1]) - start) / (repeats + 1)
    return {
        "entries": count,
        "seconds, local": f"{best['local']:.4f}",
        "1 worker": f"{best['1']:.4f}",
        "2 workers": f"{best['2']:.4f}",
        "1 worker / 2 workers": round(best["1"] / best["2"], 2),
        "CPU ns per entry": round(cpu_time / count * 1e9, 1),
        "peak GB of a worker of 2": round(max(clients[2].run(peak).values()) / 1e9, 2),
    }


def processor_time(client: Client) -> float:
    return sum(client.run(time.process_time).values())


def peak() -> int:
    """Peak memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    sizes = [int(float(size)) for size in sys.argv[1:]] or SIZES
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=1, **options) as single, LocalCluster(n_workers=2, **options) as double:
        clients = {1: Client(single, set_as_default=False), 2: Client(double, set_as_default=False)}
        measure(10_000, clients, 1)  # compiles and imports everywhere, before memory is measured
        rows = []
        for size in sorted(sizes):
            rows.append(measure(size, clients, 15 if size < 2e6 else 5))
            load = f"Load of the machine over the last 5 minutes: {os.getloadavg()[1]:.1f}."
            note = "The minimum of several evaluations, run in turns. Theta is 0.8 MB in each direction."
            report("scale", rows, f"{note} {load}")
        for client in clients.values():
            client.close()
