"""Time and memory of `evaluate_ranking` for a data set of the size of FB15k-237, by rank of the model.

python -m benchmarks.ranking [--ranks R ...] [--ties N]

14,541 objects, 237 relations, 272,115 random training ties and 20,466 test ties. Factors are random: the time does not
depend on them.
"""

import resource
import time
import warnings

import numpy as np

import mrwtd
from benchmarks.measure import argument_parser, report
from mrwtd import Relation, RelationalData
from mrwtd.model.layout import Factors

N_OBJECTS, N_RELATIONS, N_TRAIN = 14_541, 237, 272_115


def random_ties(n_ties: int, rng: np.random.Generator) -> RelationalData:
    """Different directed ties. Few relations have most of them, as in knowledge graphs."""
    often = 1 / np.arange(1, N_RELATIONS + 1)
    k = rng.choice(N_RELATIONS, size=n_ties * 11 // 10, p=often / often.sum())
    i, j = rng.integers(N_OBJECTS, size=(2, k.size))
    _, rows = np.unique((k * N_OBJECTS + i) * N_OBJECTS + j, return_index=True)
    rows = rng.permutation(rows)[:n_ties]
    relations = [Relation(f"relation {k}", "binary", directed=True) for k in range(N_RELATIONS)]
    objects = [f"object {i}" for i in range(N_OBJECTS)]
    return RelationalData(objects, relations, i[rows], j[rows], k[rows], np.ones(rows.size))


def random_model(data: RelationalData, rank: int, rng: np.random.Generator) -> mrwtd.MrWTD:
    """A model with random factors, without a fit."""
    with warnings.catch_warnings(action="ignore", category=mrwtd.ConvergenceWarning):
        model = mrwtd.MrWTD(rank=rank, lam=1.0, max_iter=1, init="random").fit(data)
    A, R = rng.normal(size=(N_OBJECTS, rank)), rng.normal(size=(N_RELATIONS, rank, rank))
    return model._with_factors(Factors(A, R, tuple(np.zeros(1) for _ in R)))


def main() -> None:
    """Rank all test ties, and print one line per rank of the model."""
    parser = argument_parser(__doc__)
    parser.add_argument("--ranks", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--ties", type=int, default=20_466, help="the number of test ties")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    known = random_ties(N_TRAIN + arguments.ties, rng)
    is_test = np.zeros(len(known), dtype=bool)
    is_test[rng.choice(len(known), arguments.ties, replace=False)] = True
    train, test = known.subset(~is_test), known.subset(is_test)
    rows = []
    for rank in arguments.ranks:
        model = random_model(train, rank, rng)
        cpu, wall = time.process_time(), time.perf_counter()
        scores = mrwtd.evaluate_ranking(model, test, known=known)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        assert scores["count"].max() == 2 * arguments.ties
        rows.append({"rank": rank, "CPU s": f"{cpu:.1f}", "s": f"{wall:.1f}", "peak GB": f"{peak:.2f}"})
        print(rows[-1], flush=True)
    report("ranking", rows, f"{2 * arguments.ties:,} ranks among {N_OBJECTS:,} objects, {N_RELATIONS} relations.")


if __name__ == "__main__":
    main()
