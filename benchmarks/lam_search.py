"""Quality and cost of the search for λ, on splits on which nothing was chosen.

python -m benchmarks.lam_search regret    score of the best λ in hindsight minus score of the search, eight data sets
python -m benchmarks.lam_search cost      CPU time of a search on Kinship in units of one fit at the chosen λ
python -m benchmarks.lam_search mixed     AUPRC of Synth-M's binary relation
python -m benchmarks.lam_search counts    MSE ÷ variance of flights between airports

Options: --first SEED and --splits N choose the splits.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed

import mrwtd
from benchmarks.measure import argument_parser, mean_auprc, report
from mrwtd.model import lambda_search
from mrwtd.model.lambda_grid import GRID

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
    """The search compared with fits at all values of the grid."""
    results = np.array(_in_parallel(_regret_of_split, [(name, seed) for name in CASES for seed in splits]))
    for name, values in zip(CASES, results.reshape(len(CASES), -1, 4), strict=True):
        score, best_score, lam, best_lam = values.T
        yield {
            "data": name,
            "splits": len(splits),
            "score of the search": f"{score.mean():.3f}",
            "of the best λ in hindsight": f"{best_score.mean():.3f}",
            "regret": f"{(best_score - score).mean():.3f}",
            "chosen": _unique(lam),
            "best": _unique(best_lam),
        }


def _regret_of_split(name: str, seed: int) -> tuple[float, ...]:
    options, fraction, rank = CASES[name]
    train, test = mrwtd.load_dataset(name, **options).split(train=fraction, seed=seed)
    model = mrwtd.MrWTD(rank=rank, seed=seed).fit(train)
    scores = {lam: mrwtd.MrWTD(rank=rank, seed=seed, lam=lam).fit(train)._score(test) for lam in GRID}
    best = max(scores, key=lambda lam: scores[lam])
    return model._score(test), scores[best], model.lam_, best


def cost(splits: range) -> Iterator[Row]:
    """Fits run one after another, because parallel ones would slow each other down."""
    data = mrwtd.load_dataset("kinship", symmetric=True)
    durations = []
    search = lambda_search.search

    def timed_search(*arguments: Any) -> Any:
        start = time.process_time()
        result = search(*arguments)
        durations.append(time.process_time() - start)
        return result

    lambda_search.search = timed_search
    mrwtd.MrWTD(rank=20).fit(data.split(train=0.1, seed=0)[0])  # compiles
    for loss in ("quadratic", "smooth-hinge", "logistic"):
        ratios = []
        for seed in splits:
            train, _ = data.split(train=0.1, seed=seed)
            lam = mrwtd.MrWTD(rank=20, loss=loss, seed=seed).fit(train).lam_
            start = time.process_time()
            mrwtd.MrWTD(rank=20, loss=loss, seed=seed, lam=lam).fit(train)
            ratios.append(durations[-1] / (time.process_time() - start))
        yield {"loss": loss, "splits": len(splits), "search ÷ one fit": f"{np.median(ratios):.1f}",
               "least, most": f"{min(ratios):.1f}, {max(ratios):.1f}"}  # fmt: skip


def mixed(splits: range) -> Iterator[Row]:
    """The binary relation with a tenth of the pairs known."""
    for name in ("MrWTD-L", "MrWTD-H"):
        scores = _in_parallel(_auprc_of_split, [(name, seed) for seed in splits])
        yield {"method": name, "splits": len(splits), "AUPRC": f"{np.mean(scores):.3f}", "least": f"{min(scores):.3f}"}


def _auprc_of_split(name: str, seed: int) -> float:
    train, test = mrwtd.load_dataset("synth-mixed").split(train=0.1, seed=seed)
    return mean_auprc(mrwtd.make_method(name, rank=10, seed=seed).fit(train), test)


def counts(splits: range) -> Iterator[Row]:
    """Splits by entry, and by pair as in the dashboard."""
    for by in ("entry", "auto"):
        for rank in (8, 10):
            for fraction in (0.10, 0.25, 0.50):
                values = np.array(_in_parallel(_counts_of_split, [(by, rank, fraction, seed) for seed in splits]))
                yield {"split by": by, "rank": rank, "training": f"{fraction:.0%}", "splits": len(splits),
                       "MSE ÷ variance": f"{values[:, 0].mean():.3f}", "largest": f"{values[:, 0].max():.3f}",
                       "largest prediction ÷ largest count": f"{values[:, 1].max():.2f}"}  # fmt: skip


def _counts_of_split(by: str, rank: int, fraction: float, seed: int) -> tuple[float, float]:
    train, test = mrwtd.load_dataset("airports").split(train=fraction, seed=seed, by=by)
    model = mrwtd.MrWTD(rank=rank, seed=seed).fit(train)
    flights = test.slice(test.relation_index("flights"))
    predicted, y = model.predict(test)[flights], test.y[flights]
    largest = train.y[train.slice(train.relation_index("flights"))].max()
    return float(np.mean((predicted - y) ** 2) / y.var()), float(predicted.max() / largest)


def _in_parallel(function: Callable[..., Any], cases: list[tuple[Any, ...]]) -> list[Any]:
    return list(Parallel(n_jobs=2)(delayed(function)(*case) for case in cases))


def _unique(lams: np.ndarray[Any, Any]) -> str:
    return ", ".join(f"{lam:g}" for lam in sorted(set(lams.tolist()), reverse=True))


TABLES = {"regret": regret, "cost": cost, "mixed": mixed, "counts": counts}

if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--first", type=int, default=1200)
    parser.add_argument("--splits", type=int, default=6)
    options = parser.parse_args()
    rows = list(TABLES[options.table](range(options.first, options.first + options.splits)))
    report(f"lam-search-{options.table}", rows)
