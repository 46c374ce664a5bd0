"""Files in: `read` finds the format, the format's module makes a `Table`, and `build` makes the data.

A format is a module in this folder that defines `READER`; nothing else has to know of it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from os import PathLike
from typing import IO, Any

from ..build import build
from ..errors import DataError, Problem
from ..relational import RelationalData
from ..table import Table
from .reader import Reader
from .source import Source

__all__ = ["Reader", "Source", "formats", "read", "read_table", "readers"]


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader, the most particular first: those that know a file for certain before those that would try it."""
    found = [
        module.READER
        for info in pkgutil.iter_modules(__path__)
        if hasattr(module := importlib.import_module(f"{__name__}.{info.name}"), "READER")
    ]
    return tuple(sorted(found, key=lambda reader: (reader.order, reader.name)))


def formats() -> dict[str, str]:
    """The formats that `read` knows, by name, each with a line on what it is.

    >>> formats()["long"]
    'a row an entry: source, relation, target and, if there are any, value and weight (CSV, TSV)'
    """
    return {reader.name: reader.about for reader in readers()}


def read_table(file: str | PathLike[str] | IO[Any], format: str | None = None) -> Table:  # noqa: A002
    """What a file says, before kinds, directions and absent rows are decided: what a preview shows."""
    source = Source.open(file)
    if format is not None and format not in formats():
        raise DataError(Problem(f"format {format!r}", f"one of {', '.join(formats())}"), file=source.name)
    chosen = next((r for r in readers() if (r.name == format if format else r.matches(source))), None)
    if chosen is None:
        raise DataError(
            Problem("a file of no known format", f"one of: {'; '.join(formats().values())}"), file=source.name
        )
    return replace(chosen.read(source), file=source.name, format=chosen.name)


def read(
    file: str | PathLike[str] | IO[Any],
    format: str | None = None,  # noqa: A002
    kinds: Mapping[str, str] | None = None,
    directed: bool | Mapping[str, bool] | None = None,
    absent: str | int = "unobserved",
    duplicates: str = "error",
    *,
    seed: int = 0,
) -> RelationalData:
    """Data from a file: the format is found from name and content unless it is given."""
    table = read_table(file, format)
    return build(table, kinds=kinds, directed=directed, absent=absent, duplicates=duplicates, seed=seed)
