"""Every baseline beside the paper's appendix: mean AUPRC over the relations, λ by search, the mean of 3 runs.

    python -m benchmarks.baselines [--methods NAME …] [--data Kinship] [--first-split 0] [--runs 3] [--restart]

Priors and stopping rules were chosen with splits 0 to 2 in sight; `--first-split 10` measures on splits that no choice
rests on. Every score is kept in results/baselines.csv as soon as it is known, so that methods can be run one after
another, and splits that are there are not run again. The table is made of all, with the splits of each row; `--runs 0`
makes it again. Scores of another version of the code are refused: `--restart` deletes the file first.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from benchmarks.measuring import RESULTS, kept_rows, report, stamped
from mrwtd.comparison import OtherVersionError

CASES = {
    "Synth-B": ("synth-binary", {"n_objects": 500, "n_relations": 3, "rank": 10, "seed": 0}, 10),
    "Kinship": ("kinship", {"symmetric": True}, 20),
}
FRACTIONS = (0.05, 0.10, 0.25)
VARIANTS = {
    "RESCAL, 0/1": ("RESCAL", {"zeros": "binary"}),
    "RESCAL, centred": ("RESCAL", {"zeros": "centred"}),
    "MMMF+, smooth hinge": ("MMMF+", {"loss": {"binary": "smooth-hinge"}}),
}
"""Ours beside the paper's form of a method."""

METHODS = (
    "MrWTD-Q", "MrWTD-H", "MrWTD-L", "RESCAL", "RESCAL, 0/1", "RESCAL, centred", "MMMF", "MMMF+", "MMMF+, smooth hinge",
    "CP", "BPTF", "BTF", "MrWTD-B", "Degree", "Common neighbours",
)  # fmt: skip
PAPER = {
    "Synth-B": {
        "MrWTD-Q": (0.23, 0.55, 0.73),
        "MrWTD-H": (0.20, 0.70, 0.92),
        "MrWTD-L": (0.32, 0.71, 0.93),
        "RESCAL": (0.16, 0.21, 0.57),
        "MMMF": (0.16, 0.24, 0.40),
        "MMMF+": (0.17, 0.36, 0.69),
        "BPTF": (0.27, 0.50, 0.66),
    },
    "Kinship": {
        "MrWTD-Q": (0.33, 0.44, 0.68),
        "MrWTD-H": (0.31, 0.46, 0.70),
        "MrWTD-L": (0.33, 0.48, 0.69),
        "RESCAL": (0.08, 0.13, 0.34),
        "MMMF": (0.09, 0.11, 0.18),
        "MMMF+": (0.09, 0.15, 0.33),
        "BPTF": (0.26, 0.49, 0.61),
    },
}
FILE: Path = RESULTS / "baselines.csv"
KEYS = ["data", "training", "method", "run"]


def one(data: str, fraction: float, method: str, run: int) -> dict[str, object]:
    """One fit and its score."""
    import mrwtd
    from mrwtd.baselines import make_method
    from mrwtd.metrics.ranking_curve import average_precision

    name, options, rank = CASES[data]
    made, params = VARIANTS.get(method, (method, {}))
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=run)
    began = time.perf_counter()
    model = make_method(made, rank=rank, lam="auto", seed=run, **params).fit(train)
    seconds = time.perf_counter() - began
    x = model.decision_function(test)
    scores = [average_precision(test.y[at], x[at]) for at in map(test.slice, range(test.n_relations))]
    lam = getattr(model, "lam_", np.nan)
    row = {"data": data, "training": fraction, "method": method, "run": run}
    return row | {"auprc": float(np.nanmean(scores)), "lam": lam, "seconds": seconds}


def keep(found: list[dict[str, object]]) -> pd.DataFrame:
    """All scores, these among them, in the order of the table. The file is read each time: others may write to it."""
    scores = pd.concat([kept_rows(FILE), stamped(pd.DataFrame(found).round(4))])
    if scores.empty:
        return scores
    scores = scores.drop_duplicates(KEYS, keep="last")
    scores["data"] = pd.Categorical(scores["data"], list(CASES))
    scores["method"] = pd.Categorical(scores["method"], list(dict.fromkeys([*METHODS, *scores["method"]])))
    scores = scores.sort_values(["data", "method", "training", "run"])
    scores.to_csv(FILE, index=False)
    return scores


def table(scores: pd.DataFrame) -> list[dict[str, object]]:
    """A row a method and block of splits: ours, and the paper's in brackets."""
    rows = []
    runs = np.unique(scores["run"])
    block = scores["run"].map(dict(zip(runs, np.cumsum(np.diff(runs, prepend=runs[0]) > 1), strict=True)))
    for (data, method, _), own in scores.groupby(["data", "method", block], observed=True):
        paper = dict(zip(FRACTIONS, PAPER[data].get(method, ()), strict=False))
        splits = f"{own['run'].min()}–{own['run'].max()}"
        row: dict[str, object] = {"data": data, "method": method, "splits": splits}
        for fraction in FRACTIONS:
            found = own[own["training"] == fraction]["auprc"]
            beside = f" [{paper[fraction]:.2f}]" if fraction in paper else ""
            row[f"{fraction:.0%}"] = f"{found.mean():.3f} ± {found.std():.3f}{beside}" if len(found) else ""
        row["λ"] = ", ".join(f"{lam:g}" for lam in sorted(set(own["lam"].dropna())))
        row["seconds a fit"] = round(own["seconds"].mean(), 1)
        rows.append(row)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--data", nargs="*", default=list(CASES))
    parser.add_argument("--first-split", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--restart", action="store_true", help="delete the scores that are there")
    options = parser.parse_args()
    if options.restart:
        FILE.unlink(missing_ok=True)
    try:
        kept = {tuple(row) for row in kept_rows(FILE).reindex(columns=KEYS).to_numpy()}
    except OtherVersionError as error:
        parser.error(str(error))
    jobs = [
        (data, fraction, method, run)
        for method in options.methods
        for data in options.data
        for fraction in FRACTIONS
        for run in range(options.first_split, options.first_split + options.runs)
        if (data, fraction, method, run) not in kept
    ]
    for score in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(delayed(one)(*job) for job in jobs):
        keep([score])
    report("baselines", table(keep([])))
