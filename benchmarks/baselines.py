"""All methods compared with the paper's appendix: mean AUPRC over the relations, λ by search, mean of 3 runs.

    python -m benchmarks.baselines [--methods NAME …] [--data Kinship] [--first-split 0] [--runs 3] [--restart]

Priors and stopping rules were chosen on splits 0 to 2; `--first-split 10` uses splits on which nothing was chosen.
Every score is written to results/baselines.csv at once, so that methods can be run one after another, and stored
splits are not run again. The table has all stored scores, with the splits of each row; `--runs 0` only rebuilds it.
Scores of another version of the code are refused: `--restart` deletes the file first.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import mrwtd
from benchmarks.measure import RESULTS, argument_parser, mean_auprc, report, seconds, stored_rows, with_version
from mrwtd.comparison import OtherVersionError
from mrwtd.experiments.paper_results import paper_results

CASES = {
    "Synth-B": ("synth-binary", {"n_objects": 500, "n_relations": 3, "rank": 10, "seed": 0}, 10),
    "Kinship": ("kinship", {"symmetric": True}, 20),
}
FRACTIONS = (0.05, 0.10, 0.25)
VARIANTS = {
    "RESCAL, 0/1": ("RESCAL", {"coding": "binary"}),
    "RESCAL, centred": ("RESCAL", {"coding": "centred"}),
    "MMMF+, smooth hinge": ("MMMF+", {"loss": {"binary": "smooth-hinge"}}),
}
"""Variants of a method that differ from the paper's."""

METHODS = (
    "MrWTD-Q", "MrWTD-H", "MrWTD-L", "RESCAL", "RESCAL-signs", "RESCAL, 0/1", "RESCAL, centred", "MMMF",
    "MMMF+", "MMMF+, smooth hinge", "CP", "BPTF", "BTF", "MrWTD-B", "Degree", "Common neighbours",
)  # fmt: skip
PAPER = pd.concat([paper_results("synth"), paper_results("real")]).query("kind == 'binary'")
FILE: Path = RESULTS / "baselines.csv"
KEYS = ["data", "training", "method", "run"]


def fit(data: str, fraction: float, method: str, run: int) -> dict[str, object]:
    """One fit and its score."""
    name, options, rank = CASES[data]
    base, parameters = VARIANTS.get(method, (method, {}))
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=run)
    model = mrwtd.make_method(base, rank=rank, lam="auto", seed=run, **parameters)
    row = {
        "data": data,
        "training": fraction,
        "method": method,
        "run": run,
        "seconds": seconds(lambda: model.fit(train)),
    }
    return row | {"auprc": mean_auprc(model, test), "lam": getattr(model, "lam_", np.nan)}


def save(rows: list[dict[str, object]]) -> pd.DataFrame:
    """Add rows to the file and return all, in the order of the table. Another process may write to the file too."""
    scores = pd.concat([stored_rows(FILE), with_version(pd.DataFrame(rows).round(4))])
    if scores.empty:
        return scores
    scores = scores.drop_duplicates(KEYS, keep="last").astype({"run": int})  # floats if the file had no rows
    scores["data"] = pd.Categorical(scores["data"], list(CASES))
    scores["method"] = pd.Categorical(scores["method"], list(dict.fromkeys([*METHODS, *scores["method"]])))
    scores = scores.sort_values(["data", "method", "training", "run"])
    scores.to_csv(FILE, index=False)
    return scores


def table(scores: pd.DataFrame) -> list[dict[str, object]]:
    """One row per method and block of splits: our scores, with the paper's in brackets."""
    rows = []
    runs = np.unique(scores["run"])
    block = scores["run"].map(dict(zip(runs, np.cumsum(np.diff(runs, prepend=runs[0]) > 1), strict=True)))
    for (data, method, _), group in scores.groupby(["data", "method", block], observed=True):
        paper = PAPER.query("data == @data and method == @method").set_index("train")["mean"]
        splits = f"{group['run'].min()}–{group['run'].max()}"
        row: dict[str, object] = {"data": data, "method": method, "splits": splits}
        for fraction in FRACTIONS:
            values = group[group["training"] == fraction]["auprc"]
            published = f" [{paper[fraction]:.2f}]" if fraction in paper.index else ""
            row[f"{fraction:.0%}"] = f"{values.mean():.3f} ± {values.std():.3f}{published}" if len(values) else ""
        row["λ"] = ", ".join(f"{lam:g}" for lam in sorted(set(group["lam"].dropna())))
        row["seconds per fit"] = round(group["seconds"].mean(), 1)
        rows.append(row)
    return rows


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--data", nargs="*", default=list(CASES))
    parser.add_argument("--first-split", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--restart", action="store_true", help="delete the stored scores")
    options = parser.parse_args()
    if options.restart:
        FILE.unlink(missing_ok=True)
    try:
        stored = {tuple(row) for row in stored_rows(FILE).reindex(columns=KEYS).to_numpy()}
    except OtherVersionError as error:
        parser.error(str(error))
    jobs = [
        (data, fraction, method, run)
        for method in options.methods
        for data in options.data
        for fraction in FRACTIONS
        for run in range(options.first_split, options.first_split + options.runs)
        if (data, fraction, method, run) not in stored
    ]
    for score in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(delayed(fit)(*job) for job in jobs):
        save([score])
    report("baselines", table(save([])))
