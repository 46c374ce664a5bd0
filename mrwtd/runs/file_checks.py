"""Checks of files and their contents: a run can come from anywhere, and any file can be damaged.

A run whose files do not match their checksums is damaged. Each function returns values of the types that pages rely on,
or raises a ValueError with the problem.
"""

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

DATA, DATA_ABOUT = "data.parquet", "data.json"

UPLOAD = "upload.zip"
"""The files that a data set was read from."""

MAX_CHANGES = 10
"""The largest number of times that data without the files of its upload can be changed."""

MAX_JSON_BYTES = 16_000_000
"""The largest size of a JSON file in bytes."""

MAX_TEXT, MAX_ITEMS = 20_000, 20_000
"""The largest number of characters of a text, and of items of a list."""

PARQUET = b"PAR1"
"""The first and last bytes of a complete Parquet file."""

_ID = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z-]{0,199}")


def is_id(text: object) -> bool:
    """Whether a value is the id of a run or the digest of a data set: safe as the name of a folder.

    >>> is_id("18f-2a"), is_id(""), is_id("../x"), is_id(3)
    (True, False, False, False)
    """
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def read_json(file: Path) -> dict[str, Any]:
    """The object in a JSON file.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "run.json"
    >>> _ = file.write_text('{"a": 1}')
    >>> read_json(file)
    {'a': 1}
    """
    try:
        content = json.loads(file.read_bytes()) if file.stat().st_size <= MAX_JSON_BYTES else None
    except FileNotFoundError:
        raise ValueError(f"{file.name} is missing") from None
    except (OSError, ValueError, RecursionError):
        raise ValueError(f"{file.name} is damaged") from None
    if not isinstance(content, dict):
        raise ValueError(f"{file.name} is damaged")  # noqa: TRY004 - callers catch one type of error
    return content


def parse_data_about(content: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """The description of an uploaded data set: its file or files, the options they were read with, and its name.

    `made_from` describes the data that was written to its file, if that is not a file of the user.

    >>> parse_data_about({"file": "ties.csv", "called": 3})
    Traceback (most recent call last):
    ValueError: data.json has no valid called
    """
    checks: dict[str, Callable[[Any], bool]] = {
        "file": lambda value: is_text(value) and bool(value),
        "files": lambda value: is_list(value, is_text) and bool(value),
        "how": is_options,
        "notes": lambda value: is_list(value, is_text),
        "size": is_text,
        "dataset": is_text,
        "kept": is_time,
        "called": is_text,
        "sampled_pairs": is_number,
        "made_from": lambda value: (
            isinstance(value, dict) and depth < MAX_CHANGES and bool(parse_data_about(value, depth + 1))
        ),
        "replaced": lambda value: is_list(value, is_id),
    }
    required = {name: check for name, check in checks.items() if name in content or name == "file"}
    return check_fields(content, required, DATA_ABOUT)


def check_data(folder: Path) -> None:
    """Refuse a data set whose file is missing or incomplete; its contents are not checked."""
    try:
        with (folder / DATA).open("rb") as file:
            start = file.read(len(PARQUET))
            file.seek(-len(PARQUET), 2)
            end = file.read()
    except FileNotFoundError:
        raise ValueError(f"{DATA} is missing") from None
    except OSError:  # too short to have an end
        start = end = b""
    if not start == end == PARQUET:
        raise ValueError(f"{DATA} is damaged")


def check_fields(content: Mapping[str, Any], checks: Mapping[str, Callable[[Any], bool]], where: str) -> dict[str, Any]:
    """The fields that have checks, if all of them pass.

    >>> check_fields({"rank": 3, "more": 1}, {"rank": is_number}, "run.json")
    {'rank': 3}
    """
    for name, is_valid in checks.items():
        if name not in content or not is_valid(content[name]):
            raise ValueError(f"{where} has no valid {name}")
    return {name: content[name] for name in checks}


def is_text(value: object) -> bool:
    """Whether a value is a text that a page can show."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half a character, which cannot be sent to a page
        return False
    return True


def is_number(value: object) -> bool:
    """Whether a value is a number, or NaN."""
    if isinstance(value, float):
        return not math.isinf(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e300


def is_time(value: object) -> bool:
    """Whether a value is a time as `datetime.isoformat` writes it."""
    try:
        datetime.fromisoformat(value).astimezone(UTC)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return False
    return True


def is_list(value: object, is_valid: Callable[[Any], bool]) -> bool:
    """Whether a value is a list of valid items."""
    return isinstance(value, list) and len(value) <= MAX_ITEMS and all(map(is_valid, value))


def is_mapping(value: object, is_valid: Callable[[Any], bool]) -> bool:
    """Whether a value is an object of JSON with valid values."""
    return isinstance(value, dict) and is_list([*value], is_text) and is_list([*value.values()], is_valid)


def is_options(value: object) -> bool:
    """Whether a value is parameters or options: names with plain values, lists of them, or mappings to either.

    They become code on the Train page, so names must be identifiers.

    >>> is_options({"kinds": {"calls": "count"}, "rank": 3}), is_options({"rank=1); import os #": 3})
    (True, False)
    """

    def is_plain(item: object) -> bool:
        return item is None or isinstance(item, bool) or is_number(item) or is_text(item)

    def is_value(item: object) -> bool:
        return is_plain(item) or is_list(item, is_plain)

    def is_option(item: object) -> bool:
        return is_value(item) or is_mapping(item, is_value)

    return isinstance(value, dict) and is_mapping(value, is_option) and all(map(str.isidentifier, value))


SIGNATURE = "sha256"


def checksum(file: Path) -> dict[str, Any]:
    """Size and SHA-256 of a file."""
    with file.open("rb") as stream:
        return {"bytes": file.stat().st_size, "sha256": file_digest(stream, "sha256").hexdigest()}


def verify(folder: Path, name: str, expected: Mapping[str, Any]) -> None:
    """Refuse a file that is missing or has changed; the checksum of an unchanged file is cached."""
    state = check_size(folder, name, expected)
    if _digest(folder / name, state) != expected["sha256"]:
        raise ValueError(f"{name} is damaged")


def check_size(folder: Path, name: str, expected: Mapping[str, Any] | None) -> tuple[int, ...]:
    """Refuse a file that is missing or has another size, and return its state."""
    state = file_state(f"{folder}/{name}")
    if expected is None or not state:
        raise ValueError(f"{name} is missing")
    if state[-1] != expected["bytes"]:
        raise ValueError(f"{name} is damaged")
    return state


@lru_cache(maxsize=1_000)
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
