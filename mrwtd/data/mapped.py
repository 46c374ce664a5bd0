"""Entries in memory-mapped files: data larger than memory, of which the system loads what is read.

A folder has one NumPy file per array of the entries and a file with the names. Arrays are not copied when they are
opened, and the system can drop them from memory at any time. They are for partitions of your own (docs/scale.md), not
for uploads: only shapes and types are checked, since checking the values would read them all.
"""

import json
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import DataError, Problem
from ..typing import AnyArray
from .content import ENTRY_ARRAYS
from .relational import RelationalData
from .relations import Relation
from .table import schema_arguments
from .validation import is_one

SCHEMA = "schema.json"
TYPES = dict.fromkeys("ijk", np.int32) | dict.fromkeys(("y", "w", "represents"), np.float64) | {"part": np.int8}
OPTIONAL = ("w", "represents", "part")
"""Arrays without a file have their default."""


def write_mapped(data: RelationalData, folder: str | PathLike[str]) -> None:
    """Write data to a new folder, for `read_mapped`.

    >>> import mrwtd, tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     write_mapped(mrwtd.load_dataset("aucs"), Path(parent) / "aucs")
    ...     read_mapped(Path(parent) / "aucs") == mrwtd.load_dataset("aucs")
    True
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True)
        for name in ENTRY_ARRAYS:
            array = getattr(data, name)
            if array is not None and not (name in OPTIONAL and is_one(array)):
                np.save(folder / f"{name}.npy", array)
        (folder / SCHEMA).write_text(json.dumps({"entries": len(data), **data.schema()}), encoding="utf-8")
    except OSError as error:
        problem = Problem(error.strerror or "an error", "a new folder that can be written")
        raise DataError(problem, file=str(folder)) from None


def is_mapped(folder: str | PathLike[str]) -> bool:
    """Whether a path is a folder of `write_mapped`.

    >>> is_mapped("ties.csv")
    False
    """
    return (Path(folder) / SCHEMA).is_file()


def read_mapped(folder: str | PathLike[str]) -> RelationalData:
    """The data of a folder of `write_mapped`. Its arrays stay in their files."""
    folder = Path(folder)
    try:
        schema = json.loads((folder / SCHEMA).read_text(encoding="utf-8"))
        arrays = {name: _opened(folder / f"{name}.npy", name, schema["entries"]) for name in TYPES}
        content = schema_arguments(schema)
    except (OSError, ValueError, KeyError, TypeError) as error:
        expected = "a complete folder of mrwtd.data.mapped.write_mapped"
        raise DataError(Problem(f"{type(error).__name__}: {error}", expected), file=str(folder)) from None
    relations = [Relation(name, **properties) for name, properties in content["declared"].items()]
    empty: list[int] = []
    names = RelationalData(
        content["objects"], relations, empty, empty, empty, empty,
        attributes=content["attributes"], object_types=schema.get("object_types"),
    )  # fmt: skip
    return names._with(**arrays)


def _opened(file: Path, name: str, entries: int) -> AnyArray | None:
    """An array of the entries in its file; None if it has its default."""
    if name in OPTIONAL and not file.exists():
        return None
    mode: Literal["r"] | None = "r" if entries else None  # nothing cannot be mapped
    array: AnyArray = np.asarray(np.load(file, mmap_mode=mode, allow_pickle=False))
    if array.shape != (entries,) or array.dtype != TYPES[name]:
        raise ValueError(f"{file.name} has {array.dtype} {array.shape} where {entries:,} numbers are expected")
    return array
