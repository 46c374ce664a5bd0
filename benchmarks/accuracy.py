"""Held-out accuracy with λ chosen on held-out training entries: Kinship and Synth-B, mean over 5 splits.

python -m benchmarks.accuracy [--ensemble 8] [--splits 5] [--data kinship]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from joblib import Parallel, delayed

from benchmarks.measuring import report


def one(
    name: str, options: dict[str, object], rank: int, fraction: float, loss: str, ensemble: int, seed: int
) -> tuple[float, ...]:
    import mrwtd
    from mrwtd.metrics.ranking_curve import average_precision

    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed)
    began = time.perf_counter()
    model = mrwtd.MrWTD(rank=rank, loss=loss, ensemble=ensemble).fit(train)
    seconds = time.perf_counter() - began
    x = model.decision_function(test)
    scores = [average_precision(test.y[at], x[at]) for at in map(test.slice, range(test.n_relations))]
    search = model.lam_path_["evaluations"].sum() / (model.evaluations_ / ensemble)
    return float(np.nanmean(scores)), model.lam_, seconds, search


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ensemble", type=int, default=1)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--data", choices=["kinship", "synth-binary"], nargs="+", default=["kinship", "synth-binary"])
    options = parser.parse_args()
    cases = [
        (data, extra, rank, fraction, loss)
        for data, extra, rank in (("kinship", {"symmetric": True}, 20), ("synth-binary", {}, 10))
        if data in options.data
        for fraction in (0.05, 0.10, 0.25)
        for loss in ("quadratic", "smooth-hinge", "logistic")
    ]
    jobs = [(*case, options.ensemble, seed) for case in cases for seed in range(options.splits)]
    done = dict(zip(range(len(jobs)), Parallel(n_jobs=options.jobs)(delayed(one)(*job) for job in jobs), strict=True))
    rows = []
    for at, (data, _, _, fraction, loss) in enumerate(cases):
        own = np.array([done[at * options.splits + seed] for seed in range(options.splits)])
        rows.append(
            {
                "data": data,
                "training": f"{fraction:.0%}",
                "loss": loss,
                "ensemble": options.ensemble,
                "AUPRC": f"{own[:, 0].mean():.3f} ({own[:, 0].std(ddof=1):.3f})",
                "λ": ", ".join(f"{lam:g}" for lam in sorted(set(own[:, 1]))),
                "seconds": round(own[:, 2].mean(), 1),
                "search, in fits": round(own[:, 3].mean(), 1),
            }
        )
    report("accuracy" if options.ensemble == 1 else f"accuracy-ensemble-{options.ensemble}", rows)
