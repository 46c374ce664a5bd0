"""CP on directed data that a CP decomposition made, beside the CP of TensorLy and the other methods of the package.

    TENSORLY_PYTHON=PYTHON python -m benchmarks.cp_data [--runs 3]

x = Σ_f u_if c_kf v_jf with normal factors, n = 500, 5 relations, rank 10, and noise of 0.1 standard deviations; the
9.26% of the pairs with the largest values are positive, and 10% are known. All methods have rank 10 unless the table
says otherwise. The regularisation of each is chosen for each split on a quarter of its training entries.

PYTHON is an interpreter with NumPy and TensorLy, of an environment of its own: `benchmarks/cp_tensorly.py` runs there.
TensorLy gets ±1 less the mean of each relation, with a mask; λ (0.1 or 1) and the number of iterations (up to 300)
are chosen together. Without PYTHON, there is no row for it.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import mrwtd
from benchmarks.measure import argument_parser, mean_auprc, report
from mrwtd import Relation, RelationalData
from mrwtd.metrics.ranking_curve import average_precision
from mrwtd.model.validation_splits import validation_splits

N, M, RANK, NOISE, POSITIVES, TRAIN = 500, 5, 10, 0.1, 0.0926, 0.1

METHODS = {
    "CP": ("CP", {}),
    "CP, quadratic loss": ("CP", {"loss": "quadratic"}),
    "MrWTD-L": ("MrWTD-L", {}),
    "MrWTD-L, rank 20": ("MrWTD-L", {"rank": 2 * RANK}),
    "RESCAL": ("RESCAL", {}),
}


def cp_data(seed: int) -> RelationalData:
    """Every pair of different objects in every relation."""
    rng = np.random.default_rng(seed)
    U, V, C = rng.normal(size=(N, RANK)), rng.normal(size=(N, RANK)), rng.normal(size=(M, RANK))
    i, j = np.nonzero(~np.eye(N, dtype=bool))
    x = np.concatenate([((U * c) @ V.T)[i, j] for c in C])
    x += rng.normal(scale=NOISE * x.std(), size=x.size)
    y = np.where(x > np.quantile(x, 1 - POSITIVES), 1.0, -1.0)
    relations = [Relation(f"r{k}", "binary", True) for k in range(M)]
    objects = [f"o{number:03d}" for number in range(N)]
    return RelationalData(objects, relations, np.tile(i, M), np.tile(j, M), np.repeat(np.arange(M), i.size), y)


def tensorly_scores(python: str, train: RelationalData, test: RelationalData, seed: int) -> dict[str, object]:
    """AUPRC, CPU seconds and the chosen parameters of TensorLy."""
    (split,) = validation_splits(train, seed)
    means = np.array([train.y[train.slice(k)].mean() for k in range(M)])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.npz"
        arrays = {f"{name}_{key}": getattr(part, key) for name, part in
                  (("train", train), ("fitted", split.fitted), ("held", split.held)) for key in "ijky"}  # fmt: skip
        np.savez(file, means=means, rank=RANK, n=N, seed=seed, **arrays)
        script = Path(__file__).with_name("cp_tensorly.py")
        subprocess.run([python, str(script), str(file)], check=True)
        with np.load(file) as result:
            X, chosen, cpu = result["X"], str(result["chosen"]), float(result["seconds"])
    x = X[test.i, test.j, test.k]
    scores = [average_precision(test.y[test.slice(k)], x[test.slice(k)]) for k in range(M)]
    return {"auprc": float(np.mean(scores)), "seconds": cpu, "chosen": chosen}


def scores_of(method: str, train: RelationalData, test: RelationalData, seed: int) -> dict[str, object]:
    """AUPRC, CPU seconds with the search, and λ of one of our methods."""
    name, parameters = METHODS[method]
    model = mrwtd.make_method(name, **{"rank": RANK, "lam": "auto", "seed": seed, **parameters})
    start = time.process_time()
    model.fit(train)
    seconds = time.process_time() - start
    return {"auprc": mean_auprc(model, test), "seconds": seconds, "chosen": f"λ {model.lam_:g}"}


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    python = os.environ.get("TENSORLY_PYTHON", "")
    mrwtd.make_method("CP", rank=2, lam=1.0).fit(mrwtd.load_dataset("nations"))  # compiles
    names = [*METHODS, *(["TensorLy, CP"] if python else [])]
    results: dict[str, list[dict[str, object]]] = {name: [] for name in names}
    for seed in range(1, options.runs + 1):
        train, test = cp_data(seed).split(train=TRAIN, seed=seed, by="entry")
        for name in names:
            ours = name in METHODS
            row = scores_of(name, train, test, seed) if ours else tensorly_scores(python, train, test, seed)
            results[name].append(row)
            print(seed, name, row, flush=True)
    rows = []
    for name, fits in results.items():
        auprc = np.array([fit["auprc"] for fit in fits], dtype=float)
        rows.append(
            {
                "method": name,
                "AUPRC": f"{auprc.mean():.3f} ± {auprc.std(ddof=1):.3f}",
                "each split": ", ".join(f"{value:.3f}" for value in auprc),
                "chosen": "; ".join(str(fit["chosen"]) for fit in fits),
                "CPU seconds": round(float(np.mean([fit["seconds"] for fit in fits])), 1),
            }
        )
    note = f"A constant scores {POSITIVES}. CPU seconds are those of the search, or of all settings, and of the fit."
    report("cp_data", rows, note)
