"""Checks of what files say: a run can come from anywhere, and a disk can damage any file.

Each function gives values of the types that pages rely on, or raises a ValueError that says what is wrong.
"""

from __future__ import annotations

import errno
import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import DataError, Problem

DATA, DATA_ABOUT = "data.parquet", "data.json"

MAX_JSON_BYTES = 16_000_000
"""A file of JSON has at most this many bytes."""

MAX_TEXT, MAX_ITEMS = 20_000, 20_000
"""Letters of a text and items of a list at most."""

PARQUET = b"PAR1"
"""Begins and ends a whole Parquet file."""

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
"""Errors of a server that cannot write, rather than of a file that cannot be read."""

_ID = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z-]{0,199}")


def is_id(text: object) -> bool:
    """Whether something is the id of a run or the digest of a data set: safe as the name of a folder.

    >>> is_id("18f-2a"), is_id(""), is_id("../x"), is_id(3)
    (True, False, False, False)
    """
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def read_json(file: Path) -> dict[str, Any]:
    """The object in a file of JSON.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "run.json"
    >>> _ = place.write_text('{"a": 1}')
    >>> read_json(place)
    {'a': 1}
    """
    try:
        content = json.loads(file.read_bytes()) if file.stat().st_size <= MAX_JSON_BYTES else None
    except FileNotFoundError:
        raise ValueError(f"{file.name} is missing") from None
    except (OSError, ValueError, RecursionError):
        raise ValueError(f"{file.name} is damaged") from None
    if not isinstance(content, dict):
        raise ValueError(f"{file.name} is damaged")  # noqa: TRY004 - the caller asks for one kind of error
    return content


def parse_data_about(content: dict[str, Any]) -> dict[str, Any]:
    """What is said of an uploaded data set: its file or files, how they were read, and what it is called.

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
    }
    required = {name: check for name, check in checks.items() if name in content or name == "file"}
    return check_fields(content, required, DATA_ABOUT)


def check_data(folder: Path) -> None:
    """Refuse a data set whose file is missing or cut short; what is inside it is not looked at."""
    try:
        with (folder / DATA).open("rb") as file:
            begins = file.read(len(PARQUET))
            file.seek(-len(PARQUET), 2)
            ends = file.read()
    except FileNotFoundError:
        raise ValueError(f"{DATA} is missing") from None
    except OSError:  # too short to have an end
        begins = ends = b""
    if not begins == ends == PARQUET:
        raise ValueError(f"{DATA} is damaged")


def write_error(error: OSError) -> DataError:
    """What a user is shown where the server cannot write; the server's folders are not named.

    >>> print(write_error(OSError(errno.ENOSPC, "No space left on device", "/srv/mrwtd/x")))
    found no space left on the server; expected room for it: delete runs or data sets, or ask whoever runs the server
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        expected = "room for it: delete runs or data sets, or ask whoever runs the server"
        return DataError(Problem("no space left on the server", expected))
    return DataError(Problem("a server that cannot write files", "help from whoever runs it"))


def check_fields(content: Mapping[str, Any], checks: Mapping[str, Callable[[Any], bool]], where: str) -> dict[str, Any]:
    """The fields that have checks, where all of them pass.

    >>> check_fields({"rank": 3, "more": 1}, {"rank": is_number}, "run.json")
    {'rank': 3}
    """
    for name, is_valid in checks.items():
        if name not in content or not is_valid(content[name]):
            raise ValueError(f"{where} has no valid {name}")
    return {name: content[name] for name in checks}


def is_text(value: object) -> bool:
    """Whether something is a text that a page can show."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half a character, which no page can be sent
        return False
    return True


def is_number(value: object) -> bool:
    """Whether something is a number, or NaN."""
    if isinstance(value, float):
        return not math.isinf(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1e300


def is_time(value: object) -> bool:
    """Whether something is a time as `datetime.isoformat` writes it."""
    try:
        datetime.fromisoformat(value).astimezone(UTC)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return False
    return True


def is_list(value: object, is_valid: Callable[[Any], bool]) -> bool:
    """Whether something is a list of valid items."""
    return isinstance(value, list) and len(value) <= MAX_ITEMS and all(map(is_valid, value))


def is_mapping(value: object, is_valid: Callable[[Any], bool]) -> bool:
    """Whether something is an object of JSON with valid values."""
    return isinstance(value, dict) and is_list([*value], is_text) and is_list([*value.values()], is_valid)


def is_options(value: object) -> bool:
    """Whether something is parameters or options: names with plain values, lists of them, or one for each relation.

    They become code on the Train page, so that names are names and nothing else.

    >>> is_options({"kinds": {"calls": "count"}, "rank": 3}), is_options({"rank=1); import os #": 3})
    (True, False)
    """

    def is_plain(one: object) -> bool:
        return one is None or isinstance(one, bool) or is_number(one) or is_text(one)

    def is_one(one: object) -> bool:
        return is_plain(one) or is_mapping(one, is_plain) or is_list(one, is_plain)

    return isinstance(value, dict) and is_mapping(value, is_one) and all(map(str.isidentifier, value))
