"""Runs on disk for tests: small ones, and forged ones whose checksums are right."""

import errno
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mrwtd
from mrwtd.runs import DataRef, MethodSpec, Run, RunSpec, SplitSpec, Workspace, execute
from mrwtd.runs.file_checks import checksum, signed

METHODS = (
    MethodSpec("MrWTD", "MrWTD", {"rank": 2, "lam": 1.0, "snapshots": 3}),
    MethodSpec("A/B", "Degree"),
)

DISK_FULL = OSError(errno.ENOSPC, "No space left on device", "/srv/somewhere/data.parquet")


def spec_of(data: mrwtd.RelationalData, methods: tuple[MethodSpec, ...] = METHODS, **split: Any) -> RunSpec:
    reference = DataRef("florentine", "Florence", data.digest(), sample=True)
    return RunSpec(reference, SplitSpec(**({"train": 0.5, "by": "entry"} | split)), methods)


def save(space: Workspace, data: mrwtd.RelationalData, name: str = "first") -> Run:
    return space.save_run(execute(spec_of(data), data), name=name)


def changed(about: bytes | str, changes: Mapping[str, Any]) -> bytes:
    """A run.json with other fields, signed again as a forger would."""
    content = json.loads(about)
    merged = {key: content[key] | value if key == "spec" else value for key, value in changes.items()}
    return json.dumps(signed(content | merged)).encode()


def sign(folder: Path, **changes: Any) -> None:
    """Make the checksums of a run those of the files that are there, with other fields where they are given."""
    about = folder / "run.json"
    names = [name for name in json.loads(about.read_text())["files"] if (folder / name).is_file()]
    files = {name: checksum(folder / name) for name in names}
    about.write_bytes(changed(about.read_bytes(), {"files": files} | changes))


def signed_files(files: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
    """The files of a run, with a run.json whose checksums are theirs."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    sign(folder)
    return {name: (folder / name).read_bytes() for name in files}
