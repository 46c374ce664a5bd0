"""What more sweeps of MrWTD-B are worth, next to another method: AUPRC on splits on which nothing was chosen.

    python -m benchmarks.sweeps [--splits 5] [--most 3200] [--cases NAME …]

The table is written after each split, so that it can be used before the last one. The largest number of sweeps is tried
on the first split only if that takes more than `LONG` seconds of the processor there.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mrwtd
from benchmarks.measure import argument_parser, mean_auprc, report
from mrwtd.model.method import Method

FIRST_SPLIT = 300
SWEEPS = (200, 800, 3200)
LONG = 200.0


@dataclass(frozen=True)
class Curve:
    """A data set, a training fraction and a rank, with the method to compare with."""

    name: str
    train: float
    rank: int
    other: str
    options: dict[str, Any] = field(default_factory=dict)


CURVES = {
    "bank wiring 25%": Curve("bankwiring", 0.25, 5, "BPTF"),
    "kinship 10%": Curve("kinship", 0.10, 20, "MrWTD-L", {"symmetric": True}),
    "kinship 25%": Curve("kinship", 0.25, 20, "MrWTD-L", {"symmetric": True}),
    "umls 10%": Curve("umls", 0.10, 20, "MrWTD-L"),
}


def methods(curve: Curve, seed: int, most: int) -> dict[str, Method]:
    """The other method, and MrWTD-B with more and more sweeps: a quarter of them are the burn-in."""
    common = {"rank": curve.rank, "seed": seed}
    ours = {
        f"{sweeps} sweeps": mrwtd.make_method("MrWTD-B", sweeps=sweeps, burn_in=sweeps // 4, **common)
        for sweeps in SWEEPS
        if sweeps <= most
    }
    return {curve.other: mrwtd.make_method(curve.other, **common), **ours}


def row(name: str, curve: Curve, results: dict[str, list[tuple[float, float, float]]]) -> dict[str, object]:
    """Mean score, its standard error over splits, and the seconds of each method."""
    cells: dict[str, object] = {"data": name, "rank": curve.rank, "next to": curve.other}
    for label, values in results.items():
        scores, seconds, draws = np.array(values, dtype=float).T
        error = f" ± {scores.std(ddof=1) / scores.size**0.5:.3f}" if scores.size > 1 else ""
        effective = "" if np.isnan(draws).any() else f", {np.median(draws):.0f} draws"
        column = "other" if label == curve.other else label
        cells[column] = f"{scores.mean():.3f}{error} ({scores.size}; {seconds.mean():.0f} s{effective})"
    return cells


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--most", type=int, default=SWEEPS[-1])
    parser.add_argument("--cases", choices=CURVES, nargs="+", default=list(CURVES))
    options = parser.parse_args()
    note = "Mean ± standard error (splits; seconds of the processor, effective draws of a typical prediction)."
    results: dict[str, dict[str, list[tuple[float, float, float]]]] = {name: {} for name in options.cases}
    for split in range(FIRST_SPLIT, FIRST_SPLIT + options.splits):
        for name in options.cases:
            curve = CURVES[name]
            train, test = mrwtd.load_dataset(curve.name, **curve.options).split(curve.train, seed=split, by="auto")
            binary = [relation.name for relation in train.relations if relation.kind == "binary"]
            for label, method in methods(curve, split, options.most).items():
                done = results[name].setdefault(label, [])
                if done and done[0][1] > LONG:
                    continue
                began = time.process_time()
                method.fit(train)
                seconds = time.process_time() - began
                score = mean_auprc(method, test.select_relations(binary))
                done.append((score, seconds, getattr(method, "effective_draws_", None) or np.nan))
        report("sweeps", [row(name, CURVES[name], scores) for name, scores in results.items()], note)
