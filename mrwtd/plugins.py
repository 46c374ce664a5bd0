"""Python files of the user that register a loss: loaded by name, also in every process started from this one.

The environment variable MRWTD_PLUGINS lists such files too, with the separator of PATH between them.
"""

import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable
from hashlib import sha256
from os import PathLike
from pathlib import Path

from .errors import DataError, Problem

VARIABLE = "MRWTD_PLUGINS"

_loaded: list[Path] = []


def loaded() -> tuple[Path, ...]:
    """The loaded files, in order: another process has to load the same."""
    return tuple(_loaded)


def load(files: Iterable[str | PathLike[str]]) -> None:
    """Run each file once, so that its losses are registered.

    >>> load(["no such file.py"])
    Traceback (most recent call last):
    mrwtd.errors.DataError: no such file.py: found no such file; expected a Python file that registers a loss
    """
    for file in files:
        path = Path(file).resolve()
        if path not in _loaded:
            _run(path)
            _loaded.append(path)


def load_named() -> None:
    """Load the files that MRWTD_PLUGINS names."""
    load(file for file in os.environ.get(VARIABLE, "").split(os.pathsep) if file)


def hand_on() -> None:
    """Set MRWTD_PLUGINS to all loaded files, for programs that are started from this one."""
    if _loaded:
        os.environ[VARIABLE] = os.pathsep.join(map(str, _loaded))


def _run(path: Path) -> None:
    expected = "a Python file that registers a loss"
    if not path.is_file():
        raise DataError(Problem("no such file", expected), file=path.name)
    # The name depends on the path, so that classes of two plugins are not confused.
    name = f"mrwtd_plugin_{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise DataError(Problem(f"a file that ends in {path.suffix!r}", expected), file=path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else (lines or [None])[-1]
        raise DataError(Problem(f"{type(error).__name__}: {error}", expected, line=line), file=path.name) from error
