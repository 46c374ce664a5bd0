"""The search for λ compared with the one of an older version, on the same splits.

    git worktree add --detach ../4869f73 4869f73
    python -m benchmarks.lam_search_paired --checkout ../4869f73 [--data NAME …] [--first 5200] [--splits 6] [--restart]

Both versions fit the same training entries with λ "auto", and their predictions for the same test entries are scored by
this version. In hindsight the best λ is that of the highest test score among fits at all values of the grid, by this
version: each starts from the previous one and continues until it no longer improves. Regret is that score minus the
score of the version's model; regret of λ is that score minus the score of the fit in hindsight at the chosen λ. The
difference of two regrets is taken split by split, so that what makes a split hard cancels.

Every split is written to results/lam-search-paired.csv at once, and stored splits are not run again: the table has all
of them. It has 20 splits of the small data sets (30 of nations), and six of the others.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import mrwtd
from benchmarks.lam_search import CASES
from benchmarks.measure import RESULTS, argument_parser, report, stored_rows, with_version
from mrwtd.comparison import OtherVersionError
from mrwtd.metrics import relation_scores, selection_score
from mrwtd.model.lambda_grid import GRID
from mrwtd.model.lambda_search import COARSER
from mrwtd.model.progress import Stage
from mrwtd.model.validation_splits import ValidationSplit
from mrwtd.typing import Array

FILE: Path = RESULTS / "lam-search-paired.csv"

OLDER = """
import json, sys, numpy as np, mrwtd
name, options, fraction, rank, seed, file = json.loads(sys.argv[1])
train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed)
model = mrwtd.MrWTD(rank=rank, seed=seed).fit(train)
np.savez(file, y=test.y, lam=model.lam_, x=model.decision_function(test), predicted=model.predict(test))
"""
"""What the older version runs: only public names, which it must have."""


def compare(name: str, seed: int, checkout: Path) -> dict[str, object]:
    """One split, fitted by both versions."""
    options, fraction, rank = CASES[name]
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed)
    model = mrwtd.MrWTD(rank=rank, seed=seed).fit(train)
    older_lam, older_score = _older(name, seed, checkout, test)
    hindsight = _hindsight(rank, seed, train, test)
    best = max(hindsight, key=lambda lam: hindsight[lam])
    return {
        "data": name,
        "split": seed,
        "lam": model.lam_,
        "older_lam": older_lam,
        "best_lam": best,
        "score": model._score(test),
        "older_score": older_score,
        "score_at_lam": hindsight[model.lam_],
        "score_at_older_lam": hindsight[older_lam],
        "best_score": hindsight[best],
    }


def _older(name: str, seed: int, checkout: Path, test: mrwtd.RelationalData) -> tuple[float, float]:
    """λ and test score of the older version."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/predictions.npz"
        arguments = json.dumps([name, *CASES[name], seed, file])
        subprocess.run([sys.executable, "-c", OLDER, arguments], cwd=checkout, check=True)
        with np.load(file) as stored:
            arrays = dict(stored)
    if not np.array_equal(arrays["y"], test.y):
        raise SystemExit(f"The older version has other test entries of {name} in split {seed}.")
    binary = np.array([relation.kind == "binary" for relation in test.relations])[test.k]
    return float(arrays["lam"]), _score(np.where(binary, arrays["x"], arrays["predicted"]), test)


def _hindsight(rank: int, seed: int, train: mrwtd.RelationalData, test: mrwtd.RelationalData) -> dict[float, float]:
    """The test score at each λ, of fits as exact as the default for a given λ."""
    tol = mrwtd.MrWTD().tol / COARSER  # fits of a path end at a multiple of it
    trial = mrwtd.MrWTD(rank=rank, seed=seed, tol=tol)._trial(ValidationSplit(train, test), None)
    scores, state = {}, None
    for lam in GRID:
        result = trial(lam, state, Stage("path", lam=lam))
        scores[lam], state = _score(result.predictions, test), result.next_start
    return scores


def _score(values: Array, test: mrwtd.RelationalData) -> float:
    kinds = [relation.kind for relation in test.relations]
    return selection_score(zip(kinds, relation_scores(kinds, test.y, values, test.bounds), strict=True))


def save(rows: list[dict[str, object]]) -> pd.DataFrame:
    """Add rows to the file and return all."""
    scores = pd.concat([stored_rows(FILE), with_version(pd.DataFrame(rows).round(5))])
    if not scores.empty:
        scores = scores.astype({"split": int})  # floats if the file had no rows
        scores["data"] = pd.Categorical(scores["data"], list(CASES))
        scores = scores.sort_values(["data", "split"])
        scores.to_csv(FILE, index=False)
    return scores


def table(scores: pd.DataFrame) -> Iterator[dict[str, object]]:
    """One row per data set: mean regrets, and mean differences with their standard errors."""
    for name, group in scores.groupby("data", observed=True):
        best = group["best_score"]
        regret, older = best - group["score"], best - group["older_score"]
        regret_of_lam, older_of_lam = best - group["score_at_lam"], best - group["score_at_older_lam"]
        yield {
            "data": name,
            "splits": f"{group['split'].min()}–{group['split'].max()}",
            "regret": f"{regret.mean():.4f}",
            "older": f"{older.mean():.4f}",
            "difference": _mean_and_error(regret - older),
            "regret of λ": f"{regret_of_lam.mean():.4f}",
            "older's λ": f"{older_of_lam.mean():.4f}",
            "difference of λ": _mean_and_error(regret_of_lam - older_of_lam),
            "splits with another λ": int((group["lam"] != group["older_lam"]).sum()),
        }


def _mean_and_error(values: pd.Series) -> str:
    return f"{values.mean():+.4f} ± {values.sem():.4f}"


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of the older version")
    parser.add_argument("--data", nargs="*", choices=CASES, default=list(CASES))
    parser.add_argument("--first", type=int, default=5200)
    parser.add_argument("--splits", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--restart", action="store_true", help="delete the stored scores")
    options = parser.parse_args()
    if options.restart:
        FILE.unlink(missing_ok=True)
    scores = stored_scores(parser)
    stored = set(zip(scores["data"], scores["split"], strict=True)) if len(scores) else set()
    splits = range(options.first, options.first + options.splits)
    jobs = [(name, seed, options.checkout) for name in options.data for seed in splits if (name, seed) not in stored]
    for row in Parallel(n_jobs=options.jobs, return_as="generator_unordered")(delayed(compare)(*job) for job in jobs):
        save([row])
    commit = subprocess.run(
        ["git", "-C", options.checkout, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    report("lam-search-paired", list(table(save([]))), NOTE.format(commit=commit))


def stored_scores(parser: argparse.ArgumentParser) -> pd.DataFrame:
    """The scores of the file, if this version made them."""
    try:
        return stored_rows(FILE)
    except OtherVersionError as error:
        parser.error(str(error))


NOTE = """The older version is commit {commit}. Means over the splits, with standard errors. A difference below 0 is in
favour of this version."""

if __name__ == "__main__":
    main()
