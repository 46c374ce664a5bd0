"""RESCAL, BPTF and MrWTD-H on the paper's timing data as n grows: time and peak memory of a fit.

    python -m benchmarks.methods [SIZES …] [--methods NAME …] [--peer]
    python -m benchmarks.methods --one NAME N

Three binary relations, rank 10, 10% of the pairs known, λ given. Each fit has a process of its own, so that its peak
memory is its own. With `--peer` the package rescal 0.4 from PyPI, wherever Python finds it, is measured beside ours:
with its own test of convergence, which forms n × n matrices, and for 50 sweeps without it.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.measuring import RESULTS, report

SIZES = (500, 1_000, 2_000, 4_000, 8_000)
METHODS = ("RESCAL", "BPTF", "MrWTD-H")
LAM = {500: 3.0, 1_000: 5.0, 2_000: 8.0, 4_000: 12.0, 8_000: 20.0}
"""Larger data bears, and needs, a larger λ."""

PEER, PEER_SWEEPS = "rescal 0.4", "rescal 0.4, 50 sweeps"
Fit = Callable[[Any], tuple[Callable[[Any], np.ndarray], int]]
"""Training data in; what scores other entries, and the number of steps, out."""

ENOUGH = 3
"""Fits below a few seconds are run so many times, and the fastest counts."""


def one(method: str, n: int) -> dict[str, object]:
    """Time, memory and score of one fit."""
    import mrwtd
    from mrwtd.metrics import average_precision

    whole = mrwtd.load_dataset("synth-binary", n_objects=n, n_relations=3, rank=10, seed=0, observed=0.11)
    train, test = whole.split(train=10 / 11, seed=0)
    del whole
    fit = peer(method, n) if method in (PEER, PEER_SWEEPS) else ours(method, n)
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best = np.inf
    for _ in range(ENOUGH):
        began = time.perf_counter()
        score, steps = fit(train)
        best = min(best, time.perf_counter() - began)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if best > 5:
            break
    x = score(test)
    auprc = np.mean([average_precision(test.y[at], x[at]) for at in map(test.slice, range(3))])
    return {
        "method": method,
        "n": n,
        "entries": len(train),
        "seconds": round(best, 3),
        "steps": steps,
        "milliseconds a step": round(1e3 * best / steps, 2),
        "peak GB": round(peak / 1e6, 2),
        "of it data": round(loaded / 1e6, 2),
        "AUPRC": round(float(auprc), 3),
    }


def ours(method: str, n: int) -> Fit:
    """A fit by name, after one of a tiny data set, so that everything is compiled."""
    import mrwtd
    from mrwtd.baselines import make_method

    make_method(method, rank=10, lam=1.0).fit(mrwtd.load_dataset("florentine"))

    def fit(train: mrwtd.RelationalData):
        model = make_method(method, rank=10, lam=LAM.get(n, 3.0), seed=0).fit(train)
        return model.decision_function, len(model.trace_)

    return fit


def peer(method: str, n: int) -> Fit:
    """RESCAL by the package of that name, with its own test of convergence or for a number of sweeps."""
    from scipy.sparse import csr_matrix

    vars(np)["float"] = float  # it needs a name that NumPy has dropped
    from rescal import rescal_als

    lam = LAM.get(n, 3.0)

    def fit(train):
        slices = []
        for k in range(3):
            at = train.slice(k)
            i, j, y = train.i[at], train.j[at], train.y[at]
            slices.append(csr_matrix((np.tile(y, 2), (np.r_[i, j], np.r_[j, i])), shape=(n, n)))
        limits = {} if method == PEER else {"compute_fit": False, "maxIter": 50}
        A, R, _, steps, _ = rescal_als(slices, 10, lambda_A=lam, lambda_R=lam, init="nvecs", **limits)

        def score(test):
            rows = [(A @ R[k])[test.i[test.slice(k)]] * A[test.j[test.slice(k)]] for k in range(3)]
            return np.concatenate([part.sum(axis=1) for part in rows])

        return score, steps

    return fit


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
        for method in [*options.methods, *peers]:
            command = [sys.executable, "-m", "benchmarks.methods", str(n), "--one", method]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(method, n, done.stderr.strip().splitlines()[-1], flush=True)
                continue
            rows.append(json.loads(done.stdout.splitlines()[-1]))
            print(rows[-1], flush=True)
    pd.DataFrame(rows).to_csv(RESULTS / "methods.csv", index=False)
    report("methods", rows)
