"""Stopping rules: test score by iteration on six data sets, and the iteration at which each tolerance stops.

python -m benchmarks.stopping
"""

import numpy as np
import pandas as pd

import mrwtd
from benchmarks.measure import RESULTS, report, with_version
from mrwtd.data.splitting import sample_entries
from mrwtd.model.solver import WINDOW

BINARY = {"n_objects": 4_000, "n_relations": 3, "observed": 0.12}
MIXED = {"n_objects": 3_500, "observed": 0.12}
CASES = {
    "kinship 10%": ("kinship", {"symmetric": True}, 0.10, 20, 3.162),
    "synth-binary 10%": ("synth-binary", {}, 0.10, 10, 3.162),
    "synth-mixed 10%": ("synth-mixed", {}, 0.10, 10, 1.0),
    "aucs 25%": ("aucs", {}, 0.25, 10, 3.162),
    "synth-binary, 2.4 million": ("synth-binary", BINARY, 5 / 6, 10, 12.0),
    "synth-mixed, 1.2 million": ("synth-mixed", MIXED, 5 / 6, 10, 12.0),
}
MAX_TESTED = 200_000
TOLERANCES = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6)


def stopping_iteration(objective: np.ndarray, tol: float) -> int:
    decrease = (objective[:-WINDOW] - objective[WINDOW:]) / np.abs(objective[WINDOW:])
    below = np.flatnonzero(decrease <= tol)
    return int(below[0]) + WINDOW if below.size else objective.size - 1


if __name__ == "__main__":
    rows, curves = [], []
    for case, (name, options, fraction, rank, lam) in CASES.items():
        train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=0)
        test = sample_entries(test, MAX_TESTED, seed=0)
        trace = mrwtd.MrWTD(rank=rank, lam=lam, tol=0, max_iter=600).fit(train, held_out=test).trace_
        curves.append(trace.assign(case=case))
        score = trace["score"].to_numpy()
        row: dict[str, object] = {
            "data": case,
            "converged score": round(score[-1], 4),
            "best score": round(score.max(), 4),
            "iterations to within 0.002": int(np.flatnonzero(np.abs(score - score[-1]) > 0.002).max(initial=0)) + 2,
        }
        for tol in TOLERANCES:
            iteration = stopping_iteration(trace["objective"].to_numpy(), tol)
            row[f"tol {tol:g}"] = f"{iteration + 1}: {score[iteration]:.4f}"
        rows.append(row)
    report("stopping", rows, "Each tolerance: the iteration at which it stops, and the test score there.")
    with_version(pd.concat(curves).round(6)).to_csv(RESULTS / "stopping.csv", index=False)
