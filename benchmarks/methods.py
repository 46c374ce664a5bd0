"""RESCAL, BPTF and MrWTD-H on the paper's timing data of growing size, and the package rescal 0.4 from PyPI.

    python -m benchmarks.methods [SIZES …] [--methods NAME …] [--peer]
    python -m benchmarks.methods --one NAME N

Data and measurements are those of `python -m mrwtd paper timing`: time and peak memory of one fit in a separate
process. With `--peer` the installed package is measured too: with its convergence test, which forms n × n matrices,
and for 50 sweeps without it.
"""

import json
import sys
import time

import numpy as np
import pandas as pd

from benchmarks.measure import RESULTS, argument_parser, report, run_in_process, with_version
from mrwtd.experiments.timed_fit import measure, peak_bytes, reset_peak
from mrwtd.experiments.timing import TimingJob
from mrwtd.metrics.ranking_curve import average_precision

SIZES = (500, 1_000, 2_000, 4_000, 8_000)
METHODS = ("RESCAL-signs", "BPTF", "MrWTD-H")
PEER, PEER_SWEEPS = "rescal 0.4", "rescal 0.4, 50 sweeps"
MAX_PEER_OBJECTS = 2_000
"""The package is measured up to this size: with larger n × n matrices it takes minutes."""


def fit(method: str, n: int) -> dict[str, object]:
    """Time, memory and score of one fit."""
    result = (measure_peer if method in (PEER, PEER_SWEEPS) else measure)(TimingJob(method, n, run=0))
    return {
        "method": method,
        "n": n,
        "seconds": round(result["seconds"], 3),
        "steps": result["evaluations"],
        "milliseconds per step": round(1e3 * result["seconds"] / result["evaluations"], 2),
        "peak GB": round(result["peak_gb"], 2),
        "AUPRC": round(result["auprc"], 3),
    }


def measure_peer(job: TimingJob) -> dict[str, float]:
    """The same for the package rescal, with its convergence test or for a number of sweeps."""
    from scipy.sparse import csr_matrix

    vars(np)["float"] = float  # the package needs a name that NumPy has removed
    from rescal import rescal_als

    train, test = job.spec.split.parts(job.data())
    limits = {} if job.label == PEER else {"compute_fit": False, "maxIter": 50}
    reset_peak()
    started = time.perf_counter()
    slices = []
    for k in range(3):
        rows = train.slice(k)
        i, j, y = train.i[rows], train.j[rows], train.y[rows]
        slices.append(csr_matrix((np.tile(y, 2), (np.r_[i, j], np.r_[j, i])), shape=(job.n_objects, job.n_objects)))
    A, R, _, steps, _ = rescal_als(slices, job.rank, lambda_A=job.lam, lambda_R=job.lam, init="nvecs", **limits)
    seconds, peak = time.perf_counter() - started, peak_bytes()
    scores = []
    for k in range(3):
        rows = test.slice(k)
        x = np.sum((A @ R[k])[test.i[rows]] * A[test.j[rows]], axis=1)
        scores.append(average_precision(test.y[rows], x))
    return {"seconds": seconds, "evaluations": steps, "peak_gb": peak / 1e9, "auprc": float(np.mean(scores))}


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(fit(options.one, options.sizes[0])))
        sys.exit()
    peers = [PEER, PEER_SWEEPS] if options.peer else []
    rows = []
    for n in options.sizes:
        for method in [*options.methods, *(peers if n <= MAX_PEER_OBJECTS else [])]:
            row = run_in_process("methods", str(n), "--one", method)
            print(method, n, row, flush=True)
            rows += [row] if isinstance(row, dict) else []
    with_version(pd.DataFrame(rows)).to_csv(RESULTS / "methods.csv", index=False)
    report("methods", rows)
