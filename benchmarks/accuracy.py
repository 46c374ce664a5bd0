"""Test AUPRC with λ chosen on held-out training entries: Kinship and Synth-B, mean over 5 splits.

python -m benchmarks.accuracy [--ensemble 8] [--splits 5] [--data kinship]
"""

import numpy as np
from joblib import Parallel, delayed

import mrwtd
from benchmarks.measure import argument_parser, mean_auprc, report, seconds


def fit(
    name: str, options: dict[str, object], rank: int, fraction: float, loss: str, ensemble: int, seed: int
) -> tuple[float, ...]:
    """AUPRC, λ, seconds, and the evaluations of the search in units of one fit."""
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed)
    model = mrwtd.MrWTD(rank=rank, loss=loss, ensemble=ensemble)
    duration = seconds(lambda: model.fit(train))
    search = model.lam_path_["evaluations"].sum() / (model.evaluations_ / ensemble)
    return mean_auprc(model, test), model.lam_, duration, search


if __name__ == "__main__":
    parser = argument_parser(__doc__)
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
    results = np.array(Parallel(n_jobs=options.jobs)(delayed(fit)(*job) for job in jobs))
    rows = []
    for (data, _, _, fraction, loss), values in zip(cases, results.reshape(len(cases), -1, 4), strict=True):
        scores, lams, durations, searches = values.T
        rows.append(
            {
                "data": data,
                "training": f"{fraction:.0%}",
                "loss": loss,
                "ensemble": options.ensemble,
                "AUPRC": f"{scores.mean():.3f} ({scores.std(ddof=1):.3f})",
                "λ": ", ".join(f"{lam:g}" for lam in sorted(set(lams))),
                "seconds": round(durations.mean(), 1),
                "search, in fits": round(searches.mean(), 1),
            }
        )
    report("accuracy" if options.ensemble == 1 else f"accuracy-ensemble-{options.ensemble}", rows)
