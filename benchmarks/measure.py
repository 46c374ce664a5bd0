"""Shared code of the benchmarks: one BLAS thread, timing in turns, fits in processes, and tables in files."""

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
from threadpoolctl import threadpool_limits

import mrwtd
from mrwtd.comparison import OtherVersionError
from mrwtd.version import UNSTATED, results_version

RESULTS = Path(__file__).parent / "results"

BLAS_LIMIT = threadpool_limits(1)
"""BLAS uses one thread as long as this object exists: the cores are for the code that is measured."""


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Duration of one call."""
    start = clock()
    call()
    return clock() - start


class Timer:
    """Minimum time of several functions, called in turns so that other load affects all alike.

    With `time.process_time` as the clock, time in which other processes have the processor does not count.
    """

    def __init__(self, repeats: int, clock: Callable[[], float] = time.perf_counter):
        self.repeats, self.clock = repeats, clock
        self.functions: dict[str, Callable[[], object]] = {}

    def add(self, name: str, function: Callable[[], object]) -> None:
        self.functions[name] = function

    def run(self) -> dict[str, float]:
        for function in self.functions.values():
            function()  # compiles, and fills the caches
        rounds = [
            {name: seconds(call, self.clock) for name, call in self.functions.items()} for _ in range(self.repeats)
        ]
        return {name: min(times[name] for times in rounds) for name in self.functions}


def mean_auprc(model: mrwtd.MrWTD, test: mrwtd.RelationalData) -> float:
    """Mean AUPRC of the binary relations that have one."""
    scores = mrwtd.evaluate(model, test)
    return float(scores.loc[scores["metric"] == "auprc", "value"].mean())


def run_in_process(module: str, *arguments: str) -> dict[str, object] | str:
    """The JSON object that a benchmark prints in its own process, for its own peak memory, or the error message."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    if completed.returncode:
        return completed.stderr.strip().splitlines()[-1]
    row: dict[str, object] = json.loads(completed.stdout.splitlines()[-1])
    return row


def with_version(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column for the version of the code."""
    return rows.assign(version=results_version())


def stored_rows(file: Path, any_version: bool = False) -> pd.DataFrame:
    """The rows that a benchmark has stored in a file. Raises `OtherVersionError` if other code made some of them."""
    if not file.exists():
        return pd.DataFrame()
    rows = pd.read_csv(file)
    if any_version:
        return rows
    versions = rows["version"] if "version" in rows else pd.Series(UNSTATED, index=rows.index)
    others = versions.fillna(UNSTATED)[versions != results_version()].value_counts().to_dict()
    if others:
        raise OtherVersionError(file.name, others, results_version())
    return rows


def markdown(rows: list[dict[str, object]]) -> str:
    """A table with one line per row, and the columns of the first one."""
    columns = list(rows[0]) if rows else []
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in columns) + " |" for row in rows]
    return "\n".join(lines)


def report(name: str, rows: list[dict[str, object]], note: str = "") -> None:
    """Print a table and write it to `results/NAME.md`, with date, versions and command."""
    packages = f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
    versions = f"mrwtd {results_version()}, {packages}"
    command = " ".join(["python -m", f"benchmarks.{Path(sys.argv[0]).stem}", *sys.argv[1:]])
    head = f"`{command}`, {dt.date.today():%Y-%m-%d}, {versions}, {os.cpu_count()} cores.\n"
    RESULTS.mkdir(exist_ok=True)
    table = markdown(rows)
    (RESULTS / f"{name}.md").write_text(f"{head}\n{table}\n{chr(10) + note + chr(10) if note else ''}")
    print(table, note, sep="\n")
