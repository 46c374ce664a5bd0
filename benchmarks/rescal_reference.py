"""RESCAL on Kinship beside the published example, whose area under the precision–recall curve is 0.95.

    python -m benchmarks.rescal_reference [--folds 10]

The example (mnick/rescal.py, `examples/kinships.py`) has 1 for a tie and 0 elsewhere, rank 100 and λ = 10 for A and R.
A starts from eigenvectors of Σ X_k + X_kᵀ, and the sweeps end when the objective, as a fraction of ‖X‖², falls by less
than 0.001. The predictions of a pair are divided by their norm over all relations and rounded to three digits; one
curve is for all cells of a fold. Here are that algorithm, dense and independent of the package, with one thing changed
at a time, and ours.
"""

from collections.abc import Callable

import numpy as np

import mrwtd
from benchmarks.measure import argument_parser, report
from mrwtd.experiments.published.rescal2011 import (
    FOLDS,
    FoldJob,
    fold_of_cells,
    normalized,
    pooled_auc,
    run_fold_job,
    setting_of,
)
from mrwtd.typing import Array, BoolArray

RANK, LAM = 100, 10.0


def weights(X: Array, A: Array, lam: float) -> Array:
    """The best R for a given A, by the singular values of A."""
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    scale = np.outer(s, s) / (np.outer(s, s) ** 2 + lam)
    return Vt.T @ (scale * (U.T @ X @ U)) @ Vt


def example(X: Array, *, start: str = "sum", sweeps: int = 500, tol: float = 1e-3, lam_of_R: float = LAM) -> Array:
    """The reconstruction A R_k Aᵀ."""
    n = X.shape[1]
    if start == "sum":
        values, vectors = np.linalg.eigh((X + X.transpose(0, 2, 1)).sum(axis=0))
        A = vectors[:, np.argsort(-np.abs(values))[:RANK]]
    elif start == "squares":
        A = np.linalg.eigh((X @ X.transpose(0, 2, 1) + X.transpose(0, 2, 1) @ X).sum(axis=0))[1][:, ::-1][:, :RANK]
    else:
        A = np.random.default_rng(0).random((n, RANK))
    R, last = weights(X, A, lam_of_R), np.inf
    for _ in range(sweeps):
        G, Rt = A.T @ A, R.transpose(0, 2, 1)
        numerator = (X @ A @ Rt + X.transpose(0, 2, 1) @ A @ R).sum(axis=0)
        A = np.linalg.solve(LAM * np.eye(RANK) + (R @ G @ Rt + Rt @ G @ R).sum(axis=0).T, numerator.T).T
        R = weights(X, A, lam_of_R)
        value = LAM * (A**2).sum() + lam_of_R * (R**2).sum() + ((X - A @ R @ A.T) ** 2).sum()
        value /= 2 * (X**2).sum()
        if last - value < tol:
            break
        last = value
    return np.asarray(A @ R @ A.T)


VARIANTS: dict[str, Callable[[Array], Array]] = {
    "the example": example,
    "start from Σ X Xᵀ + Xᵀ X, as ours": lambda X: example(X, start="squares"),
    "random start": lambda X: example(X, start="random"),
    "2 sweeps": lambda X: example(X, sweeps=2, tol=0),
    "50 sweeps": lambda X: example(X, sweeps=50, tol=0),
    "λ of R = 1": lambda X: example(X, lam_of_R=1.0),
    "λ of R = 20": lambda X: example(X, lam_of_R=20.0),
}


def scores(data: mrwtd.RelationalData, held: BoolArray, predict: Callable[[Array], Array]) -> list[float]:
    """The area without and with the normalization."""
    X = np.zeros((data.n_relations, data.n_objects, data.n_objects))
    known = ~held & (data.y > 0)
    X[data.k[known], data.i[known], data.j[known]] = 1.0
    x = predict(X)[data.k, data.i, data.j]
    return [pooled_auc(data.y[held], values[held]) for values in (x, normalized(data, x))]


def with_self(data: mrwtd.RelationalData) -> mrwtd.RelationalData:
    """The data with the term that the copy lacks, "self", with one tie for each person."""
    n, m = data.n_objects, data.n_relations
    i, j = np.divmod(np.arange(n * n), n)
    y = np.where(i == j, 1.0, -1.0)
    relations = (*data.relations, mrwtd.Relation("self", "binary", True))
    parts = [np.concatenate(pair) for pair in ((data.i, i), (data.j, j), (data.k, np.full(n * n, m)), (data.y, y))]
    return mrwtd.RelationalData(data.objects, relations, *parts)


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--folds", type=int, default=FOLDS)
    options = parser.parse_args()
    data = mrwtd.load_dataset("kinship", form="standard")
    fewer = np.sort(np.argsort([-(data.y[data.slice(k)] > 0).sum() for k in range(data.n_relations)])[:23])
    common = data.select_relations([data.relations[k].name for k in fewer])
    fold, cases = fold_of_cells(data, seed=0), {}
    for name, predict in VARIANTS.items():
        cases[name] = [scores(data, fold == number, predict) for number in range(options.folds)]
    for name, other in (("the example, 26 terms with “self”", with_self(data)), ("the example, 23 terms", common)):
        parts = fold_of_cells(other, seed=0)
        cases[name] = [scores(other, parts == number, example) for number in range(options.folds)]
    setting = setting_of("RESCAL", "kinship")
    assert setting is not None
    jobs = [FoldJob("kinship", setting, number) for number in range(options.folds)]
    cases["ours"] = [run_fold_job(job, data)["value"].tolist() for job in jobs]
    rows = []
    for name, values in cases.items():
        table = np.array(values)
        texts = [
            f"{mean:.3f} ± {sd:.3f}" for mean, sd in zip(table.mean(axis=0), table.std(axis=0, ddof=1), strict=True)
        ]
        rows.append({"variant": name, "AUC-PR": texts[0], "normalized": texts[1]})
    report("rescal_reference", rows)
