"""CPU time of MrWTD-B: per effective draw, next to another checkout, and next to MrWTD-L with its search for λ.

    python -m benchmarks.sampler [--before FOLDER] [CASES …]
    python -m benchmarks.sampler --one CASE METHOD FILE

Every fit has a process of its own, and both versions are measured in the same run. Effective draws are those of 200
predictions after the burn-in, by `mixing` of this version for both: a process stores the predictions in FILE. A
checkout given with `--before` may be as old as commit 4869f73, in which MrWTD-B is one chain.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

TOP = Path(__file__).resolve().parents[1]
CASES = {"kinship": (20, 0.1), "synth-binary 1000": (10, 0.1), "aucs": (10, 0.1), "synth-binary 2000": (10, 0.1)}
"""Rank and training fraction of each case."""

PAIRS = 200


def load(case, train):  # type: ignore[no-untyped-def]
    """Training and test entries. Also run by other versions of the package, so it uses what all have."""
    import mrwtd

    if case.startswith("synth-binary"):
        n, observed = int(case.split()[1]), train * 1.1
        data = mrwtd.load_dataset("synth-binary", n_objects=n, n_relations=3, rank=10, observed=observed, seed=0)
        return data.split(train=train / observed, seed=0)
    data = mrwtd.load_dataset(case, symmetric=True) if case == "kinship" else mrwtd.load_dataset(case)
    return data.split(train=train, seed=0)


def average_precision(y, x):  # type: ignore[no-untyped-def]
    ties = y[np.argsort(-x, kind="stable")] > 0
    return float((np.cumsum(ties)[ties] / (np.flatnonzero(ties) + 1)).mean())


def measure(case: str, method: str, file: str) -> dict[str, object]:
    """CPU time, score and effective draws of one fit."""
    import mrwtd

    rank, fraction = CASES[case]
    train, test = load(case, fraction)
    mrwtd.make_method(method, rank=3, seed=0).fit(mrwtd.load_dataset("florentine"))  # compiles
    chains, watching = record_chains(train, test) if method == "MrWTD-B" else ({}, [0.0])
    model = mrwtd.make_method(method, rank=rank, seed=0)
    started = time.process_time()
    model.fit(train)
    seconds = time.process_time() - started - watching[0]
    x = model.decision_function(test)
    parts = [test.slice(k) for k in range(test.n_relations)]
    scores = [average_precision(test.y[part], x[part]) for part in parts if (test.y[part] > 0).any()]
    row: dict[str, object] = {"cpu": seconds, "auprc": float(np.mean(scores))}
    draws = [np.array(x) for x in chains.values()]
    np.savez(file, *(x[round(model.burn_in * len(x) / model.sweeps) :] for x in draws))
    return row


def record_chains(train, test):  # type: ignore[no-untyped-def]
    """The predictions after each sweep by chain, and the time that recording them takes."""
    try:
        module = importlib.import_module("mrwtd.bayesian.gibbs.bilinear_chain")
    except ImportError:
        module = importlib.import_module("mrwtd.baselines.bilinear_chain")
    rng, chains, watching = np.random.default_rng(5), {}, [0.0]
    known, unknown = (rng.choice(len(part), PAIRS // 2, replace=False) for part in (train, test))
    i, j, k = (np.r_[getattr(train, name)[known], getattr(test, name)[unknown]] for name in "ijk")
    sweep = module.BilinearChain.sweep

    def recorded(self, *arguments):  # type: ignore[no-untyped-def]
        result, started = sweep(self, *arguments), time.process_time()
        x = np.einsum("ef,efg,eg->e", self.A[i], self.R[k], self.A[j]) + self.b[k]
        chains.setdefault(self, []).append(x)
        watching[0] += time.process_time() - started
        return result

    module.BilinearChain.sweep = recorded
    return chains, watching


def run(case: str, method: str, folder: Path) -> dict[str, float]:
    """The measurement in a process that imports the package from a folder."""
    from mrwtd.bayesian.mixing import mixing

    environment = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "draws.npz"
        command = [sys.executable, "-P", "-W", "ignore", __file__, "--one", case, method, str(file)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment, cwd=folder)
        result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        draws = [*np.load(file).values()]
    found = mixing(draws)
    if found is not None:
        result |= {"draws": found.effective_draws, "r_hat": found.r_hat, "chains": len(draws)}
    return result


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(*sys.argv[2:5])))
        sys.exit()
    from benchmarks.measure import argument_parser, report  # another version has no such module

    parser = argument_parser(__doc__)
    parser.add_argument("cases", nargs="*", default=[*CASES])
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    for case in options.cases:
        folders = {"now": TOP} | ({"before": options.before} if options.before else {})
        results = {name: run(case, "MrWTD-B", folder) for name, folder in folders.items()}
        penalized, now = run(case, "MrWTD-L", TOP), results["now"]
        for name, result in ({"MrWTD-L, λ by search": penalized} | results).items():
            per_draw = result["cpu"] / result["draws"] if "draws" in result else None
            rows.append({
                "data": f"{case}, rank {CASES[case][0]}",
                "method": name if name.startswith("MrWTD") else f"MrWTD-B, {name}",
                "AUPRC": round(result["auprc"], 3),
                "CPU seconds": round(result["cpu"], 2),
                "times MrWTD-L": round(result["cpu"] / penalized["cpu"], 1),
                "chains": result.get("chains", ""),
                "R̂": round(result["r_hat"], 2) if "r_hat" in result else "",
                "effective draws": round(result["draws"], 1) if "draws" in result else "",
                "CPU ms per effective draw": round(1e3 * per_draw) if per_draw else "",
            })  # fmt: skip
        report(
            "sampler", rows, "Training fraction 10%, split 0. `before` is the checkout of `--before`, measured in turn."
        )
