"""One fit to more entries than a process holds: memory-mapped partitions on this machine, a worker per core.

    python -m benchmarks.mapped [--entries 1e8] [--objects 100000] [--relations 10] [--rank 20] [--folder DIR]

The entries are ±1 by planted factors with a tenth of ties, directed, in partitions that the workers write to disk. The
model learns from all of them but a sample of test pairs, which gives its AUPRC. Memory is what processes have for
themselves; pages of mapped files belong to the system, which can drop them. Seconds of the processor are those of all
processes together: other programs do not count.
"""

import os
import re
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster

import mrwtd
from benchmarks.measure import argument_parser, mean_auprc, report
from mrwtd.data.mapped import write_mapped
from mrwtd.data.relational import RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model.progress import Iteration

PARTITIONS = 8
TEST_ENTRIES = 200_000


def planted(n: int, m: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, rank)).astype(np.float32), rng.normal(size=(m, rank, rank)).astype(np.float32)


def part(number: int, entries: int, n: int, m: int, rank: int) -> RelationalData:
    """Entries of random pairs whose source is `number` modulo the number of partitions."""
    A, R = planted(n, m, rank)
    rng = np.random.default_rng([1, number])
    rows = -(-(n - number) // PARTITIONS)
    i, j, y = [], [], []
    for k in range(m):
        cells = np.unique(rng.integers(0, rows * n, entries // PARTITIONS // m))
        a, b = cells // n * PARTITIONS + number, cells % n
        keep = a != b
        a, b = a[keep].astype(np.int32), b[keep].astype(np.int32)
        x = np.einsum("ef,ef->e", (A @ R[k])[a], A[b]) / rank + rng.normal(scale=0.1, size=a.size)
        i.append(a)
        j.append(b)
        y.append(np.where(x > 1.2 * x.std(), 1.0, -1.0))
    k = np.repeat(np.arange(m, dtype=np.int32), [len(a) for a in i])
    relations = [Relation(f"r{relation}", "binary", True) for relation in range(m)]
    return RelationalData(map(str, range(n)), relations, *map(np.concatenate, (i, j)), k, np.concatenate(y))


def is_test(data: RelationalData) -> np.ndarray:
    return (data.i.astype(np.int64) * 31 + data.j) % 499 == 0


def write_part(folder: Path, number: int, *size: int) -> RelationalData:
    """Write a partition without its test entries, and return those."""
    data = part(number, *size)
    test = is_test(data)
    write_mapped(data.subset(~test), folder / str(number))
    return data.subset(test)


def own_memory() -> float:
    """The memory of this process in GB, without mapped files."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"RssAnon:\s+(\d+)", text)[1]) / 1e6


def peak_memory() -> float:
    """The most memory that this process ever had in GB, with the pages of mapped files."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def joined(parts: list[RelationalData]) -> RelationalData:
    columns = (np.concatenate([getattr(data, name) for data in parts]) for name in "ijky")
    return RelationalData(parts[0].objects, parts[0].relations, *columns)


def processor_seconds(client: Client) -> float:
    return time.process_time() + sum(client.run(time.process_time).values())


def measure(folder: Path, client: Client, size: tuple[int, int, int, int]) -> list[dict[str, object]]:
    rank, start, began = size[-1], time.perf_counter(), processor_seconds(client)
    futures = [client.submit(write_part, folder, number, *size, pure=False) for number in range(PARTITIONS)]
    test = joined(client.gather(futures))
    del futures
    written, written_cpu = time.perf_counter() - start, processor_seconds(client) - began
    memory, steps, warm_up = [0.0, 0.0], {}, [0.0]

    def watch(step: Iteration) -> None:
        memory[0] = max(memory[0], own_memory())
        if step.number % 10 == 1:  # asking the workers takes time too
            memory[1] = max(memory[1], *client.run(own_memory).values())
            cpu = processor_seconds(client) - began
            if step.stage.is_final:
                steps[step.number] = cpu
            else:
                warm_up[0] = cpu
            print(f"{step.stage}, iteration {step.number}, {cpu:.0f} s of the processor", flush=True)

    start, began = time.perf_counter(), processor_seconds(client)
    partitions = [folder / str(number) for number in range(PARTITIONS)]
    model = mrwtd.MrWTD(rank=rank, lam=10.0).fit(partitions, callback=watch, backend="dask")
    seconds, cpu = time.perf_counter() - start, processor_seconds(client) - began
    iterations = len(model.trace_)
    last = max(steps)
    entries = sum(np.load(path / "y.npy", mmap_mode="r").size for path in partitions)
    rng = np.random.default_rng(2)
    sample = test.subset(np.sort(rng.choice(len(test), min(len(test), TEST_ENTRIES), replace=False)))
    disk = sum(file.stat().st_size for file in folder.rglob("*.npy")) / 1e9
    figures = {
        "entries": f"{entries:,}",
        "objects, relations, rank": ", ".join(f"{number:,}" for number in size[1:]),
        "files": f"{disk:.2f} GB",
        "time to write them": f"{written:.0f} s, of the processor {written_cpu:.0f} s",
        "time of the fit": f"{seconds:.0f} s, of the processor {cpu:.0f} s",
        "of it for the warm-up": f"{warm_up[0]:.0f} s of the processor",
        "seconds of the processor per iteration": f"{(steps[last] - steps[1]) / max(last - 1, 1):.2f}",
        "evaluations, with those of the warm-up by its fraction": model.evaluations_,
        "iterations of the fit to all entries": iterations,
        "converged": model.converged_,
        "AUPRC of test pairs": f"{mean_auprc(model, sample):.3f} (ties {np.mean(sample.y > 0):.3f})",
        "most memory of the main process": f"{memory[0]:.1f} GB",
        "most memory of a worker": f"{memory[1]:.1f} GB",
        "the same, with mapped files": f"{peak_memory():.1f}, {max(client.run(peak_memory).values()):.1f} GB",
        "load of the machine": f"{os.getloadavg()[2]:.1f}",
    }
    return [{"figure": name, "value": value} for name, value in figures.items()]


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--entries", type=float, default=1e8)
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--relations", type=int, default=10)
    parser.add_argument("--rank", type=int, default=20)
    parser.add_argument("--folder")
    options = parser.parse_args()
    size = (int(options.entries), options.objects, options.relations, options.rank)
    workers = {"n_workers": os.cpu_count(), "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
    with tempfile.TemporaryDirectory(dir=options.folder) as name, LocalCluster(**workers) as cluster:
        client = Client(cluster, set_as_default=True)
        client.run(own_memory)  # imports this module everywhere, before the clock starts
        report("mapped", measure(Path(name), client, size))
        client.close()
