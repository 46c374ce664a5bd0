"""Checksums of files: a run whose files have changed is damaged."""

import json
import os
from collections.abc import Mapping
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

SIGNATURE = "sha256"


def checksum(file: Path) -> dict[str, Any]:
    """Size and SHA-256 of a file."""
    with file.open("rb") as stream:
        return {"bytes": file.stat().st_size, "sha256": file_digest(stream, "sha256").hexdigest()}


def verify(folder: Path, name: str, expected: Mapping[str, Any]) -> None:
    """Refuse a file that is missing or has changed; the checksum of an unchanged file is cached."""
    state = file_state(f"{folder}/{name}")
    if not state:
        raise ValueError(f"{name} is missing")
    if state[-1] != expected["bytes"] or _digest(folder / name, state) != expected["sha256"]:
        raise ValueError(f"{name} is damaged")


@lru_cache(maxsize=10_000)
def _digest(file: Path, state: tuple[int, ...]) -> str:  # noqa: ARG001 - part of the cache key
    try:
        return str(checksum(file)["sha256"])
    except OSError:
        return ""


def file_state(file: str) -> tuple[int, ...]:
    """Time, inode and size of a file, which change when the file does; empty if there is none."""
    try:
        state = os.stat(file)  # noqa: PTH116 - several times as fast, and every page lists every run
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_ino, state.st_size


def signed(content: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON object with its own checksum.

    >>> is_signed(signed({"a": 1})), is_signed(signed({"a": 1}) | {"a": 2})
    (True, False)
    """
    plain = {name: value for name, value in content.items() if name != SIGNATURE}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True)
    return plain | {SIGNATURE: sha256(text.encode()).hexdigest()}


def is_signed(content: Mapping[str, Any]) -> bool:
    """Whether an object is unchanged since it was signed."""
    return bool(content.get(SIGNATURE) == signed(content)[SIGNATURE])
