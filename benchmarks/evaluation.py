"""Time of one evaluation of objective and gradient, relative to two sparse products of SciPy on the same entries.

python -m benchmarks.evaluation                     n = 8,000, 3 relations, 10% observed, rank 10
python -m benchmarks.evaluation --large             n = 100,000, 10 relations, 10 million entries, rank 20
python -m benchmarks.evaluation --threads           number of entries from which a second thread is faster
python -m benchmarks.evaluation --prefetch          number of objects from which prefetching is faster
"""

import resource
import time
from functools import partial
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from benchmarks.measure import Timer, argument_parser, report
from mrwtd.data.relational import RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model import kernels
from mrwtd.model.losses import LOSSES
from mrwtd.model.objective import Objective


def random_data(n: int, m: int, entries: int, *, directed: bool) -> RelationalData:
    """Random ±1 for random pairs: the cost of an evaluation does not depend on the values."""
    rng = np.random.default_rng(0)
    i, j, k = [], [], []
    for relation in range(m):
        cells = np.unique(rng.integers(0, n * n, int(entries / m * (1.05 if directed else 2.2))))
        a, b = cells // n, cells % n
        keep = np.flatnonzero(a != b if directed else a < b)[: entries // m]
        i.append(a[keep])
        j.append(b[keep])
        k.append(np.full(keep.size, relation))
    y = rng.choice([-1.0, 1.0], sum(map(len, i)))
    relations = [Relation(f"r{relation}", "binary", directed) for relation in range(m)]
    return RelationalData(map(str, range(n)), relations, *map(np.concatenate, (i, j, k)), y)


def add_evaluations(timer: Timer, data: RelationalData, loss: str, rank: int) -> None:
    """Add an evaluation at a random point with one thread, and one with two."""
    for threads in (1, 2):
        objective = Objective(data, [LOSSES[loss]] * data.n_relations, rank, 1.0, threads=threads)
        theta = np.random.default_rng(1).normal(scale=0.3, size=objective.layout.size)
        R = objective.layout.unpack(theta).R
        R += R.transpose(0, 2, 1).copy()
        timer.add(f"{loss}, {threads}", partial(objective, theta))


def ratios(data: RelationalData, rank: int, repeats: int) -> list[dict[str, object]]:
    n, m = data.n_objects, data.n_relations
    A = np.random.default_rng(2).normal(size=(n, rank))
    G = [sp.csr_array((data.y[k], (data.i[k], data.j[k])), shape=(n, n)) for k in map(data.slice, range(m))]
    timer = Timer(repeats)
    timer.add("products", lambda: [(g @ A, g.T @ A) for g in G])
    for loss in ("smooth-hinge", "logistic"):
        add_evaluations(timer, data, loss, rank)
    best = timer.run()
    return [
        {
            "loss": loss,
            "threads": threads,
            "seconds": round(best[f"{loss}, {threads}"], 4),
            "times G @ A + G.T @ A": round(best[f"{loss}, {threads}"] / best["products"], 2),
            "times smooth hinge": round(best[f"{loss}, {threads}"] / best[f"smooth-hinge, {threads}"], 2),
        }
        for loss in ("smooth-hinge", "logistic")
        for threads in (1, 2)
    ]


def thread_ratios(rank: int = 10) -> list[dict[str, object]]:
    rows = []
    for entries in (25_000, 50_000, 100_000, 200_000, 400_000, 800_000, 1_600_000):
        data = random_data(1_500, 3, entries, directed=False)
        timer = Timer(15)
        add_evaluations(timer, data, "logistic", rank)
        single_threaded, two_threaded = timer.run().values()
        rows.append({"entries": len(data), "one thread / two threads": round(single_threaded / two_threaded, 2)})
    return rows


def prefetch_ratios() -> list[dict[str, object]]:
    rows = []
    for n, m, entries, rank in (
        (2_000, 3, 600_000, 10),
        (8_000, 3, 9_600_000, 10),
        (16_000, 3, 9_600_000, 10),
        (32_000, 3, 9_600_000, 10),
        (100_000, 10, 10_000_000, 20),
    ):
        data = random_data(n, m, entries, directed=True)
        objective = Objective(data, [LOSSES["smooth-hinge"]] * m, rank, 1.0, threads=1)
        theta = np.random.default_rng(1).normal(scale=0.3, size=objective.layout.size)

        def evaluate(far: int, objective: Objective = objective, theta: np.ndarray = theta) -> None:
            with patch.object(kernels, "FAR", far):
                objective(theta)

        timer = Timer(5, time.process_time)
        timer.add("without", partial(evaluate, np.iinfo(np.int64).max))
        timer.add("with", partial(evaluate, 0))
        timer.add("as it is", partial(evaluate, kernels.FAR))
        best = timer.run()
        nanoseconds = {name: round(1e9 * best[name] / len(data), 1) for name in best}
        ratio = round(best["as it is"] / best["without"], 2)
        rows.append({"n": n, "entries": len(data), "rank": rank} | nanoseconds | {"as it is / without": ratio})
    return rows


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("--prefetch", action="store_true")
    options = parser.parse_args()
    if options.threads:
        report("evaluation-threads", thread_ratios())
    elif options.prefetch:
        report(
            "evaluation-prefetch",
            prefetch_ratios(),
            "Processor nanoseconds per entry; the results are the same numbers.",
        )
    elif options.large:
        report("evaluation-large", ratios(random_data(100_000, 10, 10_000_000, directed=True), 20, repeats=3))
    else:
        report("evaluation", ratios(random_data(8_000, 3, 9_600_000, directed=False), 10, repeats=7))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")
