"""Forged and damaged archives of runs, whose checksums are right where a forger would make them right."""

import io
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import numpy as np

import mrwtd
from mrwtd.runs import Workspace
from tests.data.readers.crafted_files import deflated, npy
from tests.data.readers.malformed_files import flip, insert, other_number
from tests.stored_runs import changed, save, signed_files

CHANGES = (
    {"id": ""}, {"id": "../x"}, {"methods": []}, {"methods": ["a"] * 3}, {"seconds": 1e999}, {"name": "a" * 10**6},
    {"created": "0001-01-01T00:00:00+23:59"}, {"state": "?"}, {"summary": {"a": "b"}}, {"files": {}}, {"format": 99},
    {"spec": {"methods": []}}, {"spec": {"split": None}}, {"spec": {"data": {"name": "nothing"}}}, {"code": 5},
)  # fmt: skip


@cache
def _files() -> dict[str, bytes]:
    """The files of a small run with its data."""
    data = mrwtd.load_dataset("florentine")
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace(Path(folder))
        space.save_dataset(data, {"file": "ties.csv", "how": {}})
        archive = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
        return {name: archive.read(name) for name in archive.namelist()}


def whole_run() -> bytes:
    """An archive without damage."""
    return deflated(_files())


def _signed(**files: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return deflated(signed_files(_files() | files, Path(folder)))


def _forged(name: str, content: Callable[[], bytes]) -> bytes:
    return _signed(**{name: content()})


def _damaged(name: str, change: Callable[[bytes, random.Random], bytes], rng: random.Random) -> bytes:
    return _signed(**{name: change(_files()[name], rng)})


def _model(**arrays: bytes) -> bytes:
    """The first model with other arrays."""
    with zipfile.ZipFile(io.BytesIO(_files()["models/0.npz"])) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return deflated(members | {f"{name}.npy": content for name, content in arrays.items()})


def _changed(changes: dict[str, object]) -> bytes:
    return deflated(_files() | {"run.json": changed(_files()["run.json"], changes)})


def _whole(change: Callable[[bytes, random.Random], bytes], rng: random.Random) -> bytes:
    return change(deflated(_files()), rng)


def forged_runs(seed: int, per_kind: int = 6) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """What is wrong with each archive, and a function for its content."""
    for change in CHANGES:
        yield f"run.json with {str(change)[:60]}", partial(_changed, change)
    for number in range(per_kind):
        for damage in (flip, insert, other_number):
            rng = random.Random(f"{seed} {number} {damage.__name__}")
            yield f"archive, {damage.__name__}", partial(_whole, damage, rng)
            for name in _files():
                if name != "run.json":
                    yield f"{name}, {damage.__name__}", partial(_damaged, name, damage, rng)
    large = {
        "zip in the zip": ("models/0.npz", lambda: deflated({"a.npz": deflated({"a.npy": npy((3, 3), bytes(10**8))})})),
        "expanding model": ("models/0.npz", lambda: _model(array4=npy((10**4, 10**4), bytes(8 * 10**8)))),
        "large shape": ("models/0.npz", lambda: _model(array4=npy((10**6, 10**6), bytes(72)))),
        "negative shape": ("models/0.npz", lambda: _model(array4=npy((-3, -3), bytes(72)))),
        "other shape": ("models/0.npz", lambda: _model(array4=npy((3, 3), bytes(72)))),
        "pickle": ("models/0.npz", lambda: _model(array4=_pickled())),
        "model that is no zip": ("models/0.npz", lambda: b"x" * 100),
        "expanding scores": ("scores.csv", lambda: b"method,metric\n" + b"a,b\n" * 50_000_000),
        "empty scores": ("scores.csv", lambda: b""),
        "wrong scores": ("scores.csv", lambda: b"method,metric,value\nx,y,z\n"),
        "data of another kind": ("data.parquet", lambda: b"PAR1" + b"x" * 100 + b"PAR1"),
        "deep description": ("data.json", lambda: b'{"file":' + b"[" * 100_000),
    }
    for damage, (name, content) in large.items():
        yield f"{name}: {damage}", partial(_forged, name, content)
    yield "run.json of 900 MB", lambda: deflated(_files() | {"run.json": b'{"a": "' + b"a" * 900_000_000 + b'"}'})
    yield "no run", lambda: deflated({"a": b"b"})
    yield "paths", lambda: deflated(_files() | {"../../x": b"y", "models/../../x.npz": b"z"})


def _pickled() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array([{}], dtype=object))
    return stream.getvalue()
