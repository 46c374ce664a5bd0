"""What the benchmarks share: one BLAS thread, times taken in turns, and tables kept as files."""

from __future__ import annotations

import datetime as dt
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from threadpoolctl import threadpool_limits

from mrwtd.comparison import OtherVersionError
from mrwtd.version import UNSTATED, results_version

RESULTS = Path(__file__).parent / "results"

HELD = threadpool_limits(1)
"""BLAS keeps to one thread while this lives: the cores belong to what is measured."""


class Timer:
    """The least time of each of several things, run in turns so that a busy moment hits all alike."""

    def __init__(self, repeats: int):
        self.repeats = repeats
        self.things: dict[str, Callable[[], object]] = {}

    def add(self, name: str, thing: Callable[[], object]) -> None:
        self.things[name] = thing

    def run(self) -> dict[str, float]:
        best = dict.fromkeys(self.things, float("inf"))
        for thing in self.things.values():
            thing()  # compiled, and in the caches
        for _ in range(self.repeats):
            for name, thing in self.things.items():
                began = time.perf_counter()
                thing()
                best[name] = min(best[name], time.perf_counter() - began)
        return best


def stamped(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column that states the version of the code that made them."""
    return rows.assign(version=results_version())


def kept_rows(file: Path) -> pd.DataFrame:
    """The rows that a benchmark has kept in a file, to add to; an `OtherVersionError` where other code made some."""
    if not file.exists():
        return pd.DataFrame()
    rows = pd.read_csv(file)
    versions = rows["version"] if "version" in rows else pd.Series(UNSTATED, index=rows.index)
    others = versions.fillna(UNSTATED)[versions != results_version()].value_counts().to_dict()
    if others:
        raise OtherVersionError(file.name, others, results_version())
    return rows


def report(name: str, rows: list[dict[str, object]], note: str = "") -> None:
    """Print a table and keep it as `results/NAME.md`, with date, versions and command."""
    import numpy as np
    import scipy

    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in columns) + " |" for row in rows]
    packages = f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    versions = f"mrwtd {results_version()}, {packages}"
    command = " ".join(["python -m", f"benchmarks.{Path(sys.argv[0]).stem}", *sys.argv[1:]])
    head = f"`{command}`, {dt.date.today():%Y-%m-%d}, {versions}, {os.cpu_count()} cores.\n"
    RESULTS.mkdir(exist_ok=True)
    table = "\n".join(lines)
    (RESULTS / f"{name}.md").write_text(f"{head}\n{table}\n{chr(10) + note + chr(10) if note else ''}")
    print(table, note, sep="\n")
