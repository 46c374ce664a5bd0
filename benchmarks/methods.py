"""RESCAL, BPTF and MrWTD-H on the paper's timing data as n grows, beside the package rescal 0.4 from PyPI.

    python -m benchmarks.methods [SIZES …] [--methods NAME …] [--peer]
    python -m benchmarks.methods --one NAME N

The data and the measures are those of `python -m mrwtd paper timing`: time and peak memory of one fit in a process of
its own. With `--peer` the package, wherever Python finds it, is measured beside ours: with its own test of convergence,
which forms n × n matrices, and for 50 sweeps without it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd

from benchmarks.measuring import RESULTS, report, stamped
from mrwtd.experiments.timed_fit import measure, peak_bytes, reset_peak
from mrwtd.experiments.timing import TimingJob
from mrwtd.metrics.ranking_curve import average_precision

SIZES = (500, 1_000, 2_000, 4_000, 8_000)
METHODS = ("RESCAL", "BPTF", "MrWTD-H")
PEER, PEER_SWEEPS = "rescal 0.4", "rescal 0.4, 50 sweeps"
PEER_MOST = 2_000
"""Objects up to which the package is measured: its n × n matrices take minutes beyond."""


def one(method: str, n: int) -> dict[str, object]:
    """Time, memory and score of one fit."""
    found = (measure_peer if method in (PEER, PEER_SWEEPS) else measure)(TimingJob(method, n, run=0))
    return {
        "method": method,
        "n": n,
        "seconds": round(found["seconds"], 3),
        "steps": found["evaluations"],
        "milliseconds a step": round(1e3 * found["seconds"] / found["evaluations"], 2),
        "peak GB": round(found["peak_gb"], 2),
        "AUPRC": round(found["auprc"], 3),
    }


def measure_peer(job: TimingJob) -> dict[str, float]:
    """The same of RESCAL by the package of that name, with its own test of convergence or for a number of sweeps."""
    from scipy.sparse import csr_matrix

    vars(np)["float"] = float  # it needs a name that NumPy has dropped
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.one, options.sizes[0])))
        sys.exit()
    peers = [PEER, PEER_SWEEPS] if options.peer else []
    rows = []
    for n in options.sizes:
        for method in [*options.methods, *(peers if n <= PEER_MOST else [])]:
            command = [sys.executable, "-m", "benchmarks.methods", str(n), "--one", method]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(method, n, done.stderr.strip().splitlines()[-1], flush=True)
                continue
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(rows[-1], flush=True)
    stamped(pd.DataFrame(rows)).to_csv(RESULTS / "methods.csv", index=False)
    report("methods", rows)
