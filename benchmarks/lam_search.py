"""What the search for λ is worth, on splits on which nothing was chosen.

python -m benchmarks.lam_search regret    score of the best λ in hindsight minus that of the search, eight data sets
python -m benchmarks.lam_search cost      CPU time of a search on Kinship in units of one fit at the λ that it chose
python -m benchmarks.lam_search mixed     AUPRC of Synth-M's binary relation
python -m benchmarks.lam_search counts    MSE ÷ variance of flights between airports

Options: --first SEED and --splits N say which splits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from benchmarks.measuring import report

CASES: dict[str, tuple[dict[str, Any], float, int]] = {
    "monastery": ({}, 0.50, 5),
    "airports": ({}, 0.10, 10),
    "nations": ({}, 0.25, 10),
    "aucs": ({}, 0.25, 10),
    "kinship": ({"symmetric": True}, 0.10, 20),
    "synth-binary": ({}, 0.10, 10),
    "synth-mixed": ({}, 0.10, 10),
    "umls": ({}, 0.10, 20),
}
"""Options, training fraction and rank of each data set."""

Row = dict[str, object]


def regret(splits: range) -> Iterator[Row]:
    """The search against all values of the grid, each fitted as a user would at a given λ."""
    done = _in_parallel(_one_regret, [(name, seed) for name in CASES for seed in splits])
    for at, name in enumerate(CASES):
        values = np.array(done[at * len(splits) : (at + 1) * len(splits)])
        yield {
            "data": name,
            "splits": len(splits),
            "score of the search": f"{values[:, 0].mean():.3f}",
            "of the best λ in hindsight": f"{values[:, 1].mean():.3f}",
            "regret": f"{(values[:, 1] - values[:, 0]).mean():.3f}",
            "chosen": _listed(values[:, 2]),
            "best": _listed(values[:, 3]),
        }


def _one_regret(name: str, seed: int) -> tuple[float, ...]:
    import mrwtd
    from mrwtd.model.lambda_grid import GRID

    options, fraction, rank = CASES[name]
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed)
    model = mrwtd.MrWTD(rank=rank, seed=seed).fit(train)
    scores = {lam: mrwtd.MrWTD(rank=rank, seed=seed, lam=lam).fit(train)._score(test) for lam in GRID}
    best = max(scores, key=lambda lam: scores[lam])
    return model._score(test), scores[best], model.lam_, best


def cost(splits: range) -> Iterator[Row]:
    """One after another, as times would be those of a busy machine."""
    import mrwtd
    from mrwtd.model import lambda_search

    data = mrwtd.load_dataset("kinship", symmetric=True)
    spent = []
    whole_search = lambda_search.search

    def timed(*arguments: Any) -> Any:
        began = time.process_time()
        result = whole_search(*arguments)
        spent.append(time.process_time() - began)
        return result

    lambda_search.search = timed
    mrwtd.MrWTD(rank=20).fit(data.split(train=0.1, seed=0)[0])  # compiles
    for loss in ("quadratic", "smooth-hinge", "logistic"):
        ratios = []
        for seed in splits:
            train, _ = data.split(train=0.1, seed=seed)
            lam = mrwtd.MrWTD(rank=20, loss=loss, seed=seed).fit(train).lam_
            began = time.process_time()
            mrwtd.MrWTD(rank=20, loss=loss, seed=seed, lam=lam).fit(train)
            ratios.append(spent[-1] / (time.process_time() - began))
        yield {"loss": loss, "splits": len(splits), "search ÷ one fit": f"{np.median(ratios):.1f}",
               "least, most": f"{min(ratios):.1f}, {max(ratios):.1f}"}  # fmt: skip


def mixed(splits: range) -> Iterator[Row]:
    """With a tenth of the pairs known."""
    for name in ("MrWTD-L", "MrWTD-H"):
        scores = _in_parallel(_one_mixed, [(name, seed) for seed in splits])
        yield {"method": name, "splits": len(splits), "AUPRC": f"{np.mean(scores):.3f}", "least": f"{min(scores):.3f}"}


def _one_mixed(name: str, seed: int) -> float:
    import mrwtd

    train, test = mrwtd.load_dataset("synth-mixed").split(train=0.1, seed=seed)
    scores = mrwtd.evaluate(mrwtd.make_method(name, rank=10, seed=seed).fit(train), test)
    return float(scores.loc[scores["metric"] == "auprc", "value"].mean())


def counts(splits: range) -> Iterator[Row]:
    """By entry, and by pair as the dashboard splits."""
    for by in ("entry", "auto"):
        for rank in (8, 10):
            for fraction in (0.10, 0.25, 0.50):
                values = np.array(_in_parallel(_one_counts, [(by, rank, fraction, seed) for seed in splits]))
                yield {"split by": by, "rank": rank, "training": f"{fraction:.0%}", "splits": len(splits),
                       "MSE ÷ variance": f"{values[:, 0].mean():.3f}", "largest": f"{values[:, 0].max():.3f}",
                       "largest prediction ÷ largest count": f"{values[:, 1].max():.2f}"}  # fmt: skip


def _one_counts(by: str, rank: int, fraction: float, seed: int) -> tuple[float, float]:
    import mrwtd

    train, test = mrwtd.load_dataset("airports").split(train=fraction, seed=seed, by=by)
    model = mrwtd.MrWTD(rank=rank, seed=seed).fit(train)
    flights = test.slice(test.relation_index("flights"))
    predicted, y = model.predict(test)[flights], test.y[flights]
    most = train.y[train.slice(train.relation_index("flights"))].max()
    return float(np.mean((predicted - y) ** 2) / y.var()), float(predicted.max() / most)


def _in_parallel(function: Callable[..., Any], cases: list[tuple[Any, ...]]) -> list[Any]:
    return list(Parallel(n_jobs=2)(delayed(function)(*case) for case in cases))


def _listed(lams: np.ndarray[Any, Any]) -> str:
    return ", ".join(f"{lam:g}" for lam in sorted(set(lams.tolist()), reverse=True))


TABLES = {"regret": regret, "cost": cost, "mixed": mixed, "counts": counts}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--first", type=int, default=1200)
    parser.add_argument("--splits", type=int, default=6)
    options = parser.parse_args()
    rows = list(TABLES[options.table](range(options.first, options.first + options.splits)))
    report(f"lam-search-{options.table}", rows)
