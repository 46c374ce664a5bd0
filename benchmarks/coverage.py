"""Coverage of error bars, on data simulated from the model.

python -m benchmarks.coverage --method MrWTD-B:sweeps=300 --method BPTF:sweeps=300 --data-sets 20

Each data set has n objects, factors A ~ N(0, 1), R_k normal and scaled so that x = a_i R_k a_jᵀ + b_k has a standard
deviation of about 2, and a bias b_k ~ N(0, 0.5²). Binary values are drawn with probability 1 / (1 + exp(−x)); real
ones are x + N(0, 0.5²); levels are those of x + logistic noise between the cut points −1, 0.5 and 2; counts are
negative binomial with mean 10 exp(x/2) and shape 1.5. A method is trained on a random fraction of the pairs. For every
other pair its interval is prediction ± 1.645 standard deviations, which contains 90% of a normal distribution. Coverage
is the fraction of pairs whose true value is inside: the true probability of binary relations (E[y] = 2p − 1 for a
method without probabilities), x of real ones, the expected level, or the mean of a count. The estimate of an expected
level is made of the mean x and cut points.

A method is NAME or NAME:parameter=value,…; parameters are those of `mrwtd.make_method`.
"""

import argparse
import time
from ast import literal_eval
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

import mrwtd
from benchmarks.measure import argument_parser, report
from mrwtd.data.relations import KINDS, Relation
from mrwtd.data.validation import entry_keys
from mrwtd.typing import Array

Z = 1.645
"""Half width of the central 90% of a normal distribution, in standard deviations."""

X_DEVIATION, BIAS_DEVIATION, NOISE = 2.0, 0.5, 0.5
CUTS = np.array([-1.0, 0.5, 2.0])
MEAN_COUNT, SHAPE = 10.0, 1.5


def simulate(
    kind: str, *, directed: bool, rank: int, n_objects: int = 25, n_relations: int = 3, seed: int = 0
) -> tuple[mrwtd.RelationalData, Array]:
    """All pairs of a data set drawn from the model, and the true x of each entry."""
    rng = np.random.default_rng([seed, rank, directed, kind == "real"])
    A = rng.normal(size=(n_objects, rank))
    R = rng.normal(scale=X_DEVIATION / rank, size=(n_relations, rank, rank))
    if not directed:  # the off-diagonal numbers of a symmetric matrix occur twice in x
        R = np.tril(R) + np.tril(R, -1).transpose(0, 2, 1)
    b = rng.normal(scale=BIAS_DEVIATION, size=n_relations)
    rows, columns = np.nonzero(~np.eye(n_objects, dtype=bool) if directed else np.tri(n_objects, k=-1).T)
    i, j, k = (np.tile(rows, n_relations), np.tile(columns, n_relations), np.repeat(np.arange(n_relations), rows.size))
    x = np.einsum("ef,efg,eg->e", A[i], R[k], A[j]) + b[k]
    if kind == "binary":
        y = np.where(rng.random(x.size) < 1 / (1 + np.exp(-x)), 1.0, -1.0)
    elif kind == "ordinal":
        y = np.searchsorted(CUTS, x + rng.logistic(size=x.size)).astype(np.float64)
    elif kind == "count":
        y = rng.poisson(true_counts(x) * rng.gamma(SHAPE, 1 / SHAPE, size=x.size)).astype(np.float64)
    else:
        y = x + rng.normal(scale=NOISE, size=x.size)
    levels = tuple(range(CUTS.size + 1)) if kind == "ordinal" else ()
    relations = [Relation(f"r{number}", kind, directed, levels) for number in range(n_relations)]
    data = mrwtd.RelationalData([f"o{number}" for number in range(n_objects)], relations, i, j, k, y)
    return data, x  # the entries are in the order of the data


def true_counts(x: Array) -> Array:
    """The means of counts."""
    return np.asarray(MEAN_COUNT * np.exp(0.5 * x))


def expected_levels(x: Array, cuts: Array) -> Array:
    """The expected level of each entry: the sum of the probabilities to be above each cut point."""
    return np.asarray((1 / (1 + np.exp(cuts - x[:, None]))).sum(axis=1))


def covered(model: Any, test: mrwtd.RelationalData, x: Array) -> tuple[float, float, float]:
    """Coverage of the intervals, mean standard deviation, and root mean squared error."""
    spread = model.predict_std(test)
    kind = test.relations[0].kind
    if kind in ("real", "count"):
        estimate, truth = model.predict(test), x if kind == "real" else true_counts(x)
    elif kind == "ordinal":
        cuts = np.array([model.cuts_[relation.name] for relation in test.relations])
        estimate = expected_levels(model.decision_function(test), cuts[test.k])
        truth = expected_levels(x, CUTS)
    else:
        p = 1 / (1 + np.exp(-x))
        estimate, truth = model.predict_proba(test), p
        if not np.isfinite(estimate).all():
            estimate, truth = model.decision_function(test), 2 * p - 1
    error = np.abs(estimate - truth)
    return float(np.mean(error <= Z * spread)), float(spread.mean()), float(np.sqrt(np.mean(error**2)))


def parse_method(text: str) -> tuple[str, dict[str, Any]]:
    """The name of a method and its parameters, from NAME:parameter=value,….

    >>> parse_method("MrWTD:ensemble=10,lam=auto")
    ('MrWTD', {'ensemble': 10, 'lam': 'auto'})
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for pair in filter(None, rest.split(",")):
        key, _, value = pair.partition("=")
        try:
            parameters[key] = literal_eval(value)
        except (ValueError, SyntaxError):
            parameters[key] = value
    return name, parameters


def rows(options: argparse.Namespace) -> Iterator[dict[str, object]]:
    """One row per case and method: means over the data sets, with standard errors."""
    directions = [direction == "directed" for direction in options.direction]
    for kind, directed, true_rank, rank in product(options.kind, directions, options.true_rank, options.rank):
        if true_rank > rank:
            continue
        results: dict[str, list[tuple[float, float, float]]] = {text: [] for text in options.method}
        start = time.perf_counter()
        for seed in range(options.data_sets):
            data, x = simulate(kind, directed=directed, rank=true_rank, n_objects=options.objects, seed=seed)
            train, test = data.split(train=options.train, seed=seed)
            keys = (entry_keys(part.i, part.j, part.k, part.n_objects) for part in (data, test))
            truth = x[np.searchsorted(*keys)]
            for text in options.method:
                name, parameters = parse_method(text)
                model = mrwtd.make_method(name, **{"rank": rank, "seed": seed, **parameters}).fit(train)
                results[text].append(covered(model, test, truth))
        for text, values in results.items():
            coverage, spread, error = np.array(values).T
            yield {
                "values": kind,
                "relations": "directed" if directed else "undirected",
                "true rank": true_rank,
                "rank": rank,
                "method": text,
                "data sets": len(values),
                "coverage of 90%": f"{100 * coverage.mean():.1f}%",
                "standard error": f"{100 * coverage.std(ddof=1) / np.sqrt(len(values)):.1f}%",
                "least, most": f"{100 * coverage.min():.0f}%, {100 * coverage.max():.0f}%",
                "mean spread": f"{spread.mean():.3f}",
                "true error": f"{np.sqrt(np.mean(error**2)):.3f}",
            }
        print(f"{kind}, {directed=}, {true_rank=}, {rank=}: {time.perf_counter() - start:.0f} s", flush=True)


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--method", action="append", help="may be repeated; NAME:parameter=value,…")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=["binary", "real"])
    parser.add_argument(
        "--direction", nargs="+", choices=["directed", "undirected"], default=["directed", "undirected"]
    )
    parser.add_argument("--true-rank", nargs="+", type=int, default=[2, 10], help="rank of the data")
    parser.add_argument("--rank", nargs="+", type=int, default=[2, 10], help="rank of the method")
    parser.add_argument("--data-sets", type=int, default=20)
    parser.add_argument("--objects", type=int, default=25)
    parser.add_argument("--train", type=float, default=0.35)
    parser.add_argument("--out", default="coverage", help="name of the table in benchmarks/results")
    options = parser.parse_args()
    options.method = options.method or ["MrWTD-B:sweeps=300", "BTF:sweeps=300", "BPTF:sweeps=300"]
    report(options.out, list(rows(options)), NOTE)


NOTE = "Intervals are prediction ± 1.645 standard deviations, on pairs outside the training part."
"""Text below the table. results/coverage-reading.md has the interpretation."""

if __name__ == "__main__":
    main()
