"""Test AUPRC with λ chosen on held-out training entries: Kinship and Synth-B, mean over 5 splits.

python -m benchmarks.accuracy [--ensemble 8] [--splits 5] [--first-split 0] [--data kinship] [--method MrWTD-H]
"""

import time

import numpy as np
from joblib import Parallel, delayed

import mrwtd
from benchmarks.measure import argument_parser, mean_auprc, report, seconds

METHODS = ("MrWTD-Q", "MrWTD-H", "MrWTD-L")
DATA = {"kinship": ({"symmetric": True}, 20), "synth-binary": ({}, 10)}


def fit(name: str, fraction: float, method: str, ensemble: int, seed: int) -> tuple[float, ...]:
    """AUPRC, λ, seconds of processor time, and the evaluations of the search in units of one fit."""
    options, rank = DATA[name]
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed, by="auto")
    model = mrwtd.make_method(method, rank=rank, ensemble=ensemble)
    duration = seconds(lambda: model.fit(train), time.process_time)
    if not hasattr(model, "lam_"):
        return mean_auprc(model, test), np.nan, duration, np.nan
    search = model.lam_path_["evaluations"].sum() / (model.evaluations_ / ensemble)
    return mean_auprc(model, test), model.lam_, duration, search


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--ensemble", type=int, default=1)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--first-split", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--data", choices=DATA, nargs="+", default=list(DATA))
    parser.add_argument("--training", type=float, nargs="+", default=[0.05, 0.10, 0.25])
    parser.add_argument("--method", choices=(*METHODS, "MrWTD-E"), nargs="+", default=METHODS)
    parser.add_argument("--out", help="The name of the file of results")
    options = parser.parse_args()
    cases = [
        (data, fraction, method) for data in options.data for fraction in options.training for method in options.method
    ]
    splits = range(options.first_split, options.first_split + options.splits)
    jobs = [(*case, options.ensemble, seed) for case in cases for seed in splits]
    results = np.array(Parallel(n_jobs=options.jobs)(delayed(fit)(*job) for job in jobs))
    rows = []
    for (data, fraction, method), values in zip(cases, results.reshape(len(cases), -1, 4), strict=True):
        scores, lams, durations, searches = values.T
        rows.append(
            {
                "data": data,
                "training": f"{fraction:.0%}",
                "method": method,
                "ensemble": options.ensemble,
                "splits": f"{splits[0]}…{splits[-1]}",
                "AUPRC": f"{scores.mean():.3f} ({scores.std(ddof=1):.3f})",
                "λ": ", ".join(f"{lam:g}" for lam in sorted(set(lams[~np.isnan(lams)]))),
                "CPU seconds": round(durations.mean(), 1),
                "search, in fits": round(searches.mean(), 1),
            }
        )
    report(options.out or ("accuracy" if options.ensemble == 1 else f"accuracy-ensemble-{options.ensemble}"), rows)
