"""Output of commands: JSON, tables, and a status line on a terminal."""

import json
import shutil
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import click
import numpy as np
import pandas as pd

from ..comparison.compare import STORED_FITS
from ..dashboard.widgets.formatting import format_duration
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model.progress import Iteration
from ..runs import estimated_notes


def echo_json(value: object) -> None:
    """Print a value as JSON. Missing and non-finite numbers become null."""
    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: object) -> Any:
    """Convert a value to JSON types.

    >>> plain({"lam": float("nan"), "scores": pd.DataFrame({"n": [1]}), "sizes": (np.int64(2), True)})
    {'lam': None, 'scores': [{'n': 1}], 'sizes': [2, True]}
    """
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def shape(data: RelationalData) -> dict[str, object]:
    """Size and relations of a data set, for JSON.

    >>> import mrwtd
    >>> shape(mrwtd.load_dataset("florentine"))["objects"]
    15
    """
    relations = [{"name": r.name, "kind": r.kind, "directed": r.directed} for r in data.relations]
    return {"objects": data.n_objects, "entries": len(data), "relations": relations, "notes": list(data.notes)}


def table(frame: pd.DataFrame) -> str:
    """A frame as an aligned text table.

    >>> print(table(pd.DataFrame({"method": ["CP"], "auprc": [0.123456], "brier": [np.nan]})))
    method  auprc  brier
        CP 0.1235      –
    """
    return str(frame.to_string(index=False, na_rep="–", float_format="{:.4g}".format))


def echo_estimated(scores: pd.DataFrame) -> None:
    """Print of how many sampled pairs the scores of a split are an estimate; nothing without sampled pairs."""
    for note in estimated_notes(scores):
        click.echo(note)


def echo_report(
    content: Mapping[str, Any], text: str, notes: Iterable[str], files: Iterable[Path], *, as_json: bool
) -> None:
    """Print a report as JSON or as text, with its notes and the names of the files that were written."""
    names = [str(file) for file in files]
    if as_json:
        echo_json({**content, "notes": list(notes), "files": names})
        return
    for line in (text, *notes, *(f"Wrote {name}" for name in names)):
        click.echo(line)


def failed_fits(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of fits that failed. Raises a `DataError` if all did.

    >>> failed_fits(pd.DataFrame({"metric": ["auprc", ""], "reason": ["", "too large"]}))["reason"].tolist()
    ['too large']
    """
    failures = scores[scores["metric"] == ""]
    if len(failures) == len(scores):
        raise DataError(Problem(f"no fit that succeeded ({failures['reason'].iloc[0]})", "at least one"))
    return failures


class Status:
    """A status line on stderr. If stderr is not a terminal, nothing is printed."""

    def __init__(self) -> None:
        self._shown, self._last, self._start = sys.stderr.isatty(), 0.0, time.monotonic()
        self._first: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._shown and self._last:
            click.echo("\r\x1b[K", err=True, nl=False)

    def iteration(self, step: Iteration) -> None:
        """Show an iteration of a fit, at most ten per second."""
        if time.monotonic() - self._last > 0.1:
            self._show(f"{step.stage}: iteration {step.number}, objective {step.objective:.6g}")

    def progress(self, done: int, total: int, label: str) -> None:
        """Show how many of the fits are finished, and the time left."""
        if self._first is None:  # stored fits do not count for the pace
            self._first = done if label == STORED_FITS else 0
        fitted = done - self._first
        left = (time.monotonic() - self._start) / fitted * (total - done) if fitted else 0.0
        self._show(f"{done} of {total}: {label}" + (f"; {format_duration(left)} left" if left else ""))

    def bar(self, done: int, total: int, label: str, left: float) -> None:
        """Show a progress bar. The time left is in seconds, or NaN if not known."""
        full = round(20 * done / total) if total else 20
        rest = f"; {format_duration(left)} left" if left > 0 else ""
        self._show(f"[{'█' * full}{'·' * (20 - full)}] {done} of {total}{rest}{': ' * bool(label)}{label}")

    def _show(self, text: str) -> None:
        if self._shown:
            self._last = time.monotonic()
            click.echo(f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}", err=True, nl=False)
