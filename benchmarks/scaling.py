"""Complete fits on the paper's timing data of growing size: 3 binary relations, 10% observed, rank 10, smooth hinge.

    python -m benchmarks.scaling [SIZES …]      each size in a separate process, to measure its peak memory
    python -m benchmarks.scaling --one N

A fit is measured until its test AUPRC is within 0.002 of the converged one, and until it stops by default.
"""

import json
import resource
import sys

import mrwtd
from benchmarks.measure import report, run_in_process
from benchmarks.measure import seconds as seconds_of

SIZES = (500, 1_000, 2_000, 4_000, 8_000)
LAM = {500: 3.0, 1_000: 5.0, 2_000: 8.0, 4_000: 12.0, 8_000: 20.0}


def fit(n: int) -> dict[str, object]:
    data = mrwtd.load_dataset(
        "synth-binary", n_objects=n, n_relations=3, rank=10, seed=0, observed=0.1 + 0.1 * (n < 4_000) + 0.01
    )
    n_train = 0.1 * n * (n - 1) / 2
    train, test = data.split(train=n_train / (len(data) / 3), seed=0)
    del data
    loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model = mrwtd.MrWTD(rank=10, loss="smooth-hinge", lam=LAM.get(n, 3.0))
    mrwtd.MrWTD(rank=10, loss="smooth-hinge", lam=1.0, max_iter=2).fit(mrwtd.load_dataset("florentine"))  # compiles
    seconds = seconds_of(lambda: model.fit(train))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    longer = mrwtd.MrWTD(rank=10, loss="smooth-hinge", lam=LAM.get(n, 3.0), tol=1e-7, max_iter=400).fit(
        train, held_out=test
    )
    scores = longer.trace_["score"]
    iterations = int((scores >= scores.iloc[-1] - 0.002).idxmax()) + 1
    score = scores.iloc[min(len(model.trace_), len(scores)) - 1]
    return {
        "n": n,
        "pairs": len(train),
        "seconds": round(seconds, 2),
        "evaluations": model.evaluations_,
        "microseconds per evaluation and 1,000 pairs": round(1e9 * seconds / model.evaluations_ / len(train), 1),
        "iterations to within 0.002": iterations,
        "AUPRC at the end": round(float(score), 4),
        "AUPRC converged": round(float(scores.iloc[-1]), 4),
        "peak GB of the fit": round(peak / 1e6, 2),
        "data, GB": round(loaded / 1e6, 2),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(fit(int(sys.argv[2]))))
    else:
        sizes = [int(size) for size in sys.argv[1:]] or SIZES
        rows = []
        for n in sizes:
            row = run_in_process("scaling", "--one", str(n))
            row["times the previous size"] = round(row["seconds"] / rows[-1]["seconds"], 2) if rows else ""
            print(row, flush=True)
            rows.append(row)
        report("scaling", rows)
