"""Synth-B at 25% training: AUPRC against λ, from one start and from eight, for several levels of noise.

    python -m benchmarks.lam_curve

Eight perturbed starts end in one minimum for every λ that matters, so no better optimiser would score more, and no λ
does.
"""

from __future__ import annotations

import numpy as np

import mrwtd
from benchmarks.measuring import report
from mrwtd.data.relational import RelationalData
from mrwtd.metrics.ranking_curve import average_precision

LAMBDAS = (1.0, 2.0, 3.162, 5.0, 7.0, 10.0, 20.0)


def auprc(model: mrwtd.MrWTD, test: RelationalData) -> float:
    x = model.decision_function(test)
    return float(np.mean([average_precision(test.y[at], x[at]) for at in map(test.slice, range(test.n_relations))]))


if __name__ == "__main__":
    rows = []
    for noise in (0.1, 0.03, 0.0):
        for starts in (1, 8) if noise == 0.1 else (1,):
            row: dict[str, object] = {"noise": noise, "starts": starts}
            for lam in LAMBDAS:
                scores = []
                for seed in range(2):
                    train, test = mrwtd.load_dataset("synth-binary", seed=seed, noise=noise).split(
                        train=0.25, seed=seed
                    )
                    model = mrwtd.MrWTD(rank=10, loss="logistic", lam=lam, ensemble=starts).fit(train)
                    scores.append(auprc(model, test))
                row[f"λ = {lam:g}"] = f"{np.mean(scores):.4f}"
            rows.append(row)
    report("lam-curve", rows, "Mean AUPRC of two data sets and splits.")
