"""The configuration of a server: one TOML file with limits for uploads, jobs and workspaces.

`mrwtd dashboard --config server.toml` reads it, and the environment variable MRWTD_CONFIG names it. Every setting has a
default that suits a class of thirty on two cores. `docs/server.toml` lists all of them.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import DataError, Problem, raise_problems

VARIABLE = "MRWTD_CONFIG"
"""The environment variable that names the file."""

HOME = "MRWTD_HOME"
"""The environment variable of the folder of the workspaces; it has priority over the file."""

SESSION_ONLY = "MRWTD_SESSION_ONLY"
"""The environment variable that turns `session_only` on, if it is 1."""

MB = 1_000_000

EXPECTED: Mapping[object, str] = {bool: "true or false", str: "text in quotes"}
"""Values of a type, in the words of messages."""


@dataclass(frozen=True)
class Uploads:
    """Limits of uploaded files, and of the process that parses them.

    Attributes:
        max_mb: the largest file, in MB. `mrwtd dashboard` passes it to Streamlit.
        max_objects, max_relations, max_entries: the largest data set. 0: no limit.
        seconds, seconds_per_mb: the longest processor time of a step, and what is added for the size of the file.
        memory_mb, memory_factor: the largest memory to parse a file, in MB, and what is added for its size.
        processes: the number of processes that parse files, of all users. 0: no limit.
    """

    max_mb: int = 500
    max_objects: int = 1_000_000
    max_relations: int = 10_000
    max_entries: int = 50_000_000
    seconds: float = 10.0
    seconds_per_mb: float = 1.0
    memory_mb: int = 1_000
    memory_factor: float = 5.0
    processes: int = 3

    def time_limit(self, size: int) -> float:
        """Seconds of processor time for a step of reading a file of this many bytes, such as its preview.

        >>> Uploads().time_limit(20_000_000)
        30.0
        """
        return self.seconds + self.seconds_per_mb * size / MB

    def memory_limit(self, size: int) -> int:
        """Bytes of memory to parse a file of this many bytes.

        >>> Uploads().memory_limit(20_000_000)
        1100000000
        """
        return int(self.memory_mb * MB + self.memory_factor * size)


@dataclass(frozen=True)
class Jobs:
    """Limits of trainings and experiments.

    Attributes:
        workers: the number of jobs that run at once; one of them takes short jobs only. 0: one per core, at least 2.
        short_seconds: a job with at most this estimated time is short.
        max_minutes: the longest estimated time of a job.
        max_experiment_minutes: the longest estimated time of an experiment, which can be continued later.
        max_memory_mb: the largest estimated memory of a job, in MB. 0: what is free.
        max_waiting: the number of jobs of all users that wait.
        max_waiting_per_user: the number of jobs of one user that wait.
        away_minutes: a job stops this long after the last visit of its user.
    """

    workers: int = 0
    short_seconds: float = 15.0
    max_minutes: float = 60.0
    max_experiment_minutes: float = 240.0
    max_memory_mb: int = 0
    max_waiting: int = 64
    max_waiting_per_user: int = 4
    away_minutes: float = 10.0


@dataclass(frozen=True)
class Workspaces:
    """Limits of what is stored for users.

    Attributes:
        folder: the folder of all workspaces. Empty: `.mrwtd` in the home folder of the user who runs the server.
        max_users: the number of workspaces. 0: no limit.
        max_runs: the number of runs of one user. 0: no limit.
        max_mb: the disk space of one user, in MB. 0: no limit.
        idle_days: a workspace is deleted this many days after the last visit. 0: never.
        session_only: store nothing: a workspace ends with the browser session.
    """

    folder: str = ""
    max_users: int = 1_000
    max_runs: int = 200
    max_mb: int = 2_000
    idle_days: int = 180
    session_only: bool = False


@dataclass(frozen=True)
class Config:
    """The configuration of a server.

    >>> Config().jobs.max_minutes
    60.0
    """

    uploads: Uploads = field(default_factory=Uploads)
    jobs: Jobs = field(default_factory=Jobs)
    workspaces: Workspaces = field(default_factory=Workspaces)

    @property
    def home(self) -> Path:
        """The folder of the workspaces, which may not exist yet."""
        try:
            return Path(os.environ.get(HOME) or self.workspaces.folder or "~/.mrwtd").expanduser()
        except RuntimeError:  # no HOME, and a user who is not in the list of users
            return Path("/.mrwtd")


def read_config(path: Path) -> Config:
    r"""The configuration in a file. Unknown names and values of the wrong type raise `DataError`.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "server.toml"
    >>> _ = file.write_text("[jobs]\nmax_minutes = 10\n")
    >>> read_config(file).jobs.max_minutes
    10.0
    >>> _ = file.write_text("[jobs]\nmax_hours = 1\n")
    >>> read_config(file)
    Traceback (most recent call last):
    mrwtd.errors.DataError: server.toml: jobs.max_hours: found an unknown setting; expected one of workers, ...
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(Problem(error.strerror or "an unreadable file", "a TOML file"), file=path.name) from None
    except ValueError as error:  # not UTF-8, or not TOML
        raise DataError(Problem(f"invalid TOML ({error})", "a TOML file"), file=path.name) from None
    problems: list[Problem] = []
    sections = {item.name: item.default_factory for item in fields(Config)}
    chosen: dict[str, Any] = {}
    for name, values in content.items():
        if name not in sections or not isinstance(values, dict):
            problems.append(Problem("an unknown section", f"one of {', '.join(sections)}", where=f"[{name}]"))
        else:
            chosen[name] = _section(sections[name], name, values, problems)
    raise_problems(problems, path.name)
    return Config(**chosen)


def _section(cls: Any, section: str, values: dict[str, Any], problems: list[Problem]) -> Any:
    types = {item.name: item.type for item in fields(cls)}
    chosen = {}
    for name, value in values.items():
        where = f"{section}.{name}"
        if name not in types:
            problems.append(Problem("an unknown setting", f"one of {', '.join(types)}", where=where))
        elif not _is_valid(value, types[name]):
            expected = EXPECTED.get(types[name], "a number of at least 0")
            problems.append(Problem(repr(value), expected, where=where))
        else:
            chosen[name] = float(value) if types[name] is float else value
    return cls(**chosen)


def _is_valid(value: object, kind: object) -> bool:
    if kind in (bool, str):
        return type(value) is kind
    numeric = (int,) if kind is int else (int, float)
    return type(value) in numeric and value >= 0  # type: ignore[operator]


@cache
def config() -> Config:
    """The configuration of this server, from the file that MRWTD_CONFIG names, if any.

    >>> config().uploads.max_mb
    500
    """
    path = os.environ.get(VARIABLE)
    chosen = read_config(Path(path)) if path else Config()
    if os.environ.get(SESSION_ONLY) == "1":
        chosen = replace(chosen, workspaces=replace(chosen.workspaces, session_only=True))
    return chosen
