"""Whole fits as n grows, on the paper's timing data: 3 binary relations, 10% observed, rank 10, smooth hinge.

    python -m benchmarks.scaling [SIZES …]      each size in a process of its own, so that its peak memory is its own
    python -m benchmarks.scaling --one N

A fit is counted until its held-out AUPRC is within 0.002 of what it has converged to, and as it ends by default.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from benchmarks.measuring import report

SIZES = (500, 1_000, 2_000, 4_000, 8_000)
LAM = {500: 3.0, 1_000: 5.0, 2_000: 8.0, 4_000: 12.0, 8_000: 20.0}


def one(n: int) -> dict[str, object]:
    import mrwtd

    whole = mrwtd.load_dataset(
        "synth-binary", n_objects=n, n_relations=3, rank=10, seed=0, observed=0.1 + 0.1 * (n < 4_000) + 0.01
    )
    n_train = 0.1 * n * (n - 1) / 2
    train, test = whole.split(train=n_train / (len(whole) / 3), seed=0)
    del whole
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = mrwtd.MrWTD(rank=10, loss="smooth-hinge", lam=LAM.get(n, 3.0))
    mrwtd.MrWTD(rank=10, loss="smooth-hinge", lam=1.0, max_iter=2).fit(mrwtd.load_dataset("florentine"))  # compiled
    began = time.perf_counter()
    model.fit(train)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    evaluations, score = model.evaluations_, None
    longer = mrwtd.MrWTD(rank=10, loss="smooth-hinge", lam=LAM.get(n, 3.0), tol=1e-7, max_iter=400).fit(
        train, held_out=test
    )
    scores = longer.trace_["score"]
    enough = int((scores >= scores.iloc[-1] - 0.002).idxmax()) + 1
    score = scores.iloc[min(len(model.trace_), len(scores)) - 1]
    return {
        "n": n,
        "pairs": len(train),
        "seconds": round(seconds, 2),
        "evaluations": evaluations,
        "microseconds an evaluation and 1,000 pairs": round(1e9 * seconds / evaluations / len(train), 1),
        "iterations to within 0.002": enough,
        "AUPRC then": round(float(score), 4),
        "AUPRC converged": round(float(scores.iloc[-1]), 4),
        "peak GB of the fit": round(peak / 1e6, 2),
        "of it data": round(loaded / 1e6, 2),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(int(sys.argv[2]))))
    else:
        sizes = [int(size) for size in sys.argv[1:]] or SIZES
        rows = []
        for n in sizes:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.scaling", "--one", str(n)],
                capture_output=True,
                text=True,
                check=True,
            )
            rows.append(json.loads(done.stdout))
            before = rows[-2] if len(rows) > 1 else None
            rows[-1]["times the step before"] = round(rows[-1]["seconds"] / before["seconds"], 2) if before else ""
            print(rows[-1], flush=True)
        report("scaling", rows)
