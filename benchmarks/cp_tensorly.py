"""The CP of TensorLy on data of `benchmarks.cp_data`, for an interpreter that has TensorLy and not mrwtd.

python cp_tensorly.py FILE reads the entries from FILE, and writes the reconstruction X to it.
"""

import sys
import time
import warnings

import numpy as np
import tensorly
from tensorly.decomposition import parafac

STRENGTHS, STARTS = (0.1, 1.0), ("svd",)
ITERATIONS = (100, 200, 300)


def ranking_score(y, x):
    """The mean precision at the positive entries."""
    order = np.argsort(-x, kind="stable")
    hits = y[order] > 0
    return float((np.cumsum(hits) / np.arange(1, hits.size + 1))[hits].mean())


def tensors(data, name):
    """Values less the mean of their relation, and the mask of the entries."""
    n, m = int(data["n"]), data["means"].size
    i, j, k, y = (data[f"{name}_{key}"] for key in "ijky")
    T, mask = np.zeros((n, n, m)), np.zeros((n, n, m))
    T[i, j, k], mask[i, j, k] = y - data["means"][k], 1.0
    return T, mask


def path(data, name, strength, start, steps):
    """The reconstruction after each number of iterations."""
    T, mask = tensors(data, name)
    cp, done = start, 0
    for step in steps:
        cp = parafac(
            T, rank=int(data["rank"]), mask=mask, n_iter_max=step - done, init=cp, l2_reg=strength, tol=0,
            random_state=int(data["seed"]),
        )  # fmt: skip
        done = step
        yield step, tensorly.cp_to_tensor(cp)


def main(file):
    """Choose the parameters on the held-out entries, and fit all training entries with them."""
    with np.load(file) as stored:
        data = dict(stored)
    i, j, k, y = (data[f"held_{key}"] for key in "ijky")
    began, scores = time.process_time(), {}
    for start in STARTS:
        for strength in STRENGTHS:
            for step, X in path(data, "fitted", strength, start, ITERATIONS):
                x = X[i, j, k]
                scores[start, strength, step] = np.mean([ranking_score(y[k == r], x[k == r]) for r in np.unique(k)])
    start, strength, step = max(scores, key=scores.get)
    ((_, X),) = path(data, "train", strength, start, (step,))
    chosen = f"{start}, λ {strength:g}, {step} iterations"
    np.savez(file, X=X, chosen=chosen, seconds=time.process_time() - began)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1])
