"""How long `mrwtd.read` takes for a list of a million rows, against `pandas.read_csv` alone on the same file.

Run it from the top of the repository: python benchmarks/readers.py [--rows N] [--runs N] [--json FILE]

Both are timed in turn, in one process, and the median of the rounds' ratios counts, because a busy moment slows
both; results/readers.md keeps it. What `mrwtd.read` does on top of parsing: counts names, guesses kinds and
directions, sorts, merges duplicates and checks everything.

From version 3.1 on, pandas reads a large file in as many threads as there are processors. The second ratio is to
pandas in one thread, which is how earlier versions read, and how any version reads a compressed file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import mrwtd
from benchmarks.measuring import report

MOST = 3.0
"""The ratio that reading must stay below."""


def columns(rows: int, n_objects: int, n_relations: int, entity: str, relation: str, seed: int) -> pd.DataFrame:
    """Random triples; the names are numbered after a pattern."""
    rng = np.random.default_rng(seed)
    objects = np.array([entity.format(number) for number in range(n_objects)])
    relations = np.array([relation.format(number) for number in range(n_relations)])
    return pd.DataFrame(
        {
            "source": objects[rng.integers(n_objects, size=rows)],
            "relation": relations[rng.integers(n_relations, size=rows)],
            "target": objects[rng.integers(n_objects, size=rows)],
        }
    )


def write_files(folder: Path, rows: int, seed: int) -> dict[str, Path]:
    """The files to read, by what they hold: 50,000 objects and 10 relations each."""
    plain = columns(rows, 50_000, 10, "object{}", "relation{}", seed)
    graph = columns(rows, 50_000, 10, "/m/0{:05x}", "/people/person/property_of_{}", seed)
    brief = columns(rows, 50_000, 10, "o{}", "r{}", seed)
    # A pair drawn twice has two values, which would be an error: what is timed is the way without one.
    valued = plain.drop_duplicates()
    valued = valued.assign(value=np.random.default_rng(seed).normal(size=len(valued)).round(4))
    frames = {
        "triples": plain,
        "triples with a value": valued,
        "triples as knowledge graphs name them": graph,
        "triples with the shortest names": brief,
    }
    paths = {}
    for number, (what, frame) in enumerate(frames.items()):
        paths[what] = folder / f"triples{number}.csv"
        frame.to_csv(paths[what], index=False)
    paths["triples without a header"] = folder / "headerless.csv"
    plain.to_csv(paths["triples without a header"], index=False, header=False)
    return paths


def seconds(call: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(path: Path, runs: int) -> dict[str, float]:
    """The medians of the times and of the ratios; what a ratio compares was timed one after the other."""
    found = {}
    for name, options in (("pandas", {}), ("pandas in one thread", {"low_memory": False})):
        calls = {name: lambda options=options: pd.read_csv(path, **options), "mrwtd": lambda: mrwtd.read(path)}
        rounds = pd.DataFrame([{key: seconds(call) for key, call in calls.items()} for _ in range(runs + 1)])
        rounds = rounds.iloc[1:]  # the first imports what is imported late
        found = dict(rounds.median()) | {f"ratio to {name}": (rounds["mrwtd"] / rounds[name]).median()} | found
    return found


def main() -> int:
    """Time all files, print a line for each, and fail where the first misses the mark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    arguments = parser.parse_args()
    print(f"pandas {pd.__version__}, Python {platform.python_version()}, {os.cpu_count()} processors")
    results = {}
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1) as other:
        # Written elsewhere: memory left over from writing would spare one of the two more of its work than the other.
        for what, path in other.submit(write_files, Path(folder), arguments.rows, 0).result().items():
            results[what] = compare(path, arguments.runs) | {"bytes": path.stat().st_size}
            size, found = results[what]["bytes"] / 1e6, results[what]
            took = {name: f"{found[name] * 1000:4.0f}" for name in ("pandas", "pandas in one thread", "mrwtd")}
            print(
                f"{what:38s} {size:4.0f} MB   pandas.read_csv {took['pandas']} ms (in one thread "
                f"{took['pandas in one thread']})   mrwtd.read {took['mrwtd']} ms   "
                f"ratio {found['ratio to pandas']:.2f} ({found['ratio to pandas in one thread']:.2f})"
            )
    report(
        "readers",
        [{"file": what} | {name: f"{number:.4g}" for name, number in found.items()} for what, found in results.items()],
        f"Seconds, pandas {pd.__version__}; load average when done: {os.getloadavg()[0]:.1f}.",
    )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return int(results["triples"]["ratio to pandas"] >= MOST)


if __name__ == "__main__":
    sys.exit(main())
