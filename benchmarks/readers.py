"""Time of `mrwtd.read` for a list of a million rows, relative to `pandas.read_csv` on the same file.

python -m benchmarks.readers [--rows N] [--runs N] [--json FILE]

Both are timed in turns, in one process, and the result is the median of the ratios, because other load slows down
both. Published forms of ties follow, with three tenths of the rows. Besides parsing, `mrwtd.read` factorizes names,
infers kinds and directions, sorts, merges duplicates and checks the data.

From version 3.1 on, pandas reads a large file with one thread per core. The second ratio is to pandas with one
thread, as in earlier versions, and as for compressed files in all versions.
"""

import json
import os
import platform
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mrwtd
from benchmarks.measure import argument_parser, report, seconds

MAX_RATIO = 3.0


def columns(rows: int, n_objects: int, n_relations: int, entity: str, relation: str, seed: int) -> pd.DataFrame:
    """Random triples with numbered names."""
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
    """Write the files to read, by description: 50,000 objects and 10 relations each."""
    plain = columns(rows, 50_000, 10, "object{}", "relation{}", seed)
    graph = columns(rows, 50_000, 10, "/m/0{:05x}", "/people/person/property_of_{}", seed)
    brief = columns(rows, 50_000, 10, "o{}", "r{}", seed)
    # A pair drawn twice would have two values, which is an error.
    valued = plain.drop_duplicates()
    valued = valued.assign(value=np.random.default_rng(seed).normal(size=len(valued)).round(4))
    frames = {
        "triples": plain,
        "triples with a value": valued,
        "triples as knowledge graphs name them": graph,
        "triples with the shortest names": brief,
    }
    paths = {}
    for number, (title, frame) in enumerate(frames.items()):
        paths[title] = folder / f"triples{number}.csv"
        frame.to_csv(paths[title], index=False)
    paths["triples without a header"] = folder / "headerless.csv"
    plain.to_csv(paths["triples without a header"], index=False, header=False)
    return paths


def write_forms(folder: Path, rows: int, seed: int) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Write ties in published forms, by description, each with the options that pandas needs."""
    ends = np.sort(np.random.default_rng(seed).integers(1, 50_001, size=(rows, 2)), axis=1)
    ties = pd.DataFrame(ends[ends[:, 0] != ends[:, 1]], columns=["a", "b"]).drop_duplicates()
    ties = ties.sample(frac=1, random_state=seed)
    a, b = ties["a"].astype(str), ties["b"].astype(str)
    market = f"%%MatrixMarket matrix coordinate real general\n50000 50000 {len(ties)}\n"
    forms = {
        "KONECT": ("out.club", "% sym unweighted\n", a + " " + b),
        "KONECT, two-mode": ("out.visits", "% bip unweighted\n", a + " " + b),
        "SNAP": ("club.txt", "# Directed graph: club\n", a + "\t" + b),
        "Matrix Market": ("club.mtx", market, a + " " + b + " 0.5"),
        "NCOL": ("club.ncol", "", "object" + a + " object" + b + " 0.5"),
        "SIF": ("club.sif", "", "object" + a + " knows object" + b),
        "N-Triples": ("club.nt", "", "<http://x.org/" + a + "> <http://y.org/knows> <http://x.org/" + b + "> ."),
        "DIMACS": ("club.gr", f"p sp 50000 {len(ties)}\n", "a " + a + " " + b + " 3"),
        "Pajek": ("club.net", "*Vertices 50000\n*Arcs\n", a + " " + b + " 1"),
        "VNA": ("club.vna", "*tie data\nfrom to knows\n", "object" + a + " object" + b + " 1"),
    }
    paths = {}
    for title, (name, head, lines) in forms.items():
        (folder / name).write_text(head + "\n".join(lines) + "\n")
        options = {"sep": "\t" if title == "SNAP" else " ", "header": None, "skiprows": head.count("\n")}
        paths[title] = folder / name, options
    return paths


def compare(path: Path, runs: int, **form: Any) -> dict[str, float]:
    """Medians of the times and of their ratios, which compare consecutive calls; `form` are options of pandas."""
    result = {}
    for name, options in (("pandas", form), ("pandas in one thread", {**form, "low_memory": False})):
        calls = {name: lambda options=options: pd.read_csv(path, **options), "mrwtd": lambda: mrwtd.read(path)}
        rounds = pd.DataFrame([{key: seconds(call) for key, call in calls.items()} for _ in range(runs + 1)])
        rounds = rounds.iloc[1:]  # the first one includes late imports
        result = dict(rounds.median()) | {f"ratio to {name}": (rounds["mrwtd"] / rounds[name]).median()} | result
    return result


def main() -> int:
    """Time all files, print one line per file, and fail if the first is too slow."""
    parser = argument_parser(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    arguments = parser.parse_args()
    print(f"pandas {pd.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
    results = {}
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1) as other:
        # Written in another process: memory left over from writing would favour one of the two.
        files = {
            title: (path, {})
            for title, path in other.submit(write_files, Path(folder), arguments.rows, 0).result().items()
        }
        files |= other.submit(write_forms, Path(folder), arguments.rows * 3 // 10, 0).result()
        for title, (path, form) in files.items():
            result = results[title] = compare(path, arguments.runs, **form) | {"bytes": path.stat().st_size}
            print(f"{title:38s}", ", ".join(f"{name} {number:.4g}" for name, number in result.items()), flush=True)
    report(
        "readers",
        [{"file": title} | {name: f"{value:.4g}" for name, value in row.items()} for title, row in results.items()],
        f"Seconds, pandas {pd.__version__}; load average at the end: {os.getloadavg()[0]:.1f}.",
    )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return int(results["triples"]["ratio to pandas"] >= MAX_RATIO)


if __name__ == "__main__":
    sys.exit(main())
