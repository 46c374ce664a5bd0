"""Whether a machine is suitable for a server: software, resources, folders, processes and the port.

`mrwtd dashboard --check` prints one line for each. A problem prevents the server from working, a warning does not.
"""

import multiprocessing
import os
import platform
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from shutil import disk_usage
from typing import Literal

from packaging.requirements import Requirement

from ..data.location import site_folder
from .config import HOME, Config
from .isolated import HAS_FORK, Process, ProcessDiedError, TimeLimitError

Status = Literal["ok", "warning", "problem"]

GB = 1_000_000_000
MEMORY = (1.0, 2.0)
"""GB of free memory. Below the first number is a problem, below the second a warning."""

DISK = (0.5, 5.0)
"""GB of free disk space, likewise."""

DEFAULT_PORT = 8501
"""Streamlit's, which is the first that it tries."""

PROCESS_SECONDS = 60.0
"""Time for another process to start, load the package and answer."""


@dataclass(frozen=True)
class Finding:
    """What was found in one check, and what to do about it.

    >>> print(Finding("port", "problem", "8501 is in use", "choose another one with --port"))
    problem  port        8501 is in use: choose another one with --port
    """

    name: str
    status: Status
    found: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.status:<7}  {self.name:<10}  {self.found}{': ' * bool(self.advice)}{self.advice}"


def check_machine(config: Config, free_memory: float | None, address: str, port: int | None) -> Iterator[Finding]:
    """Check this machine for a server with this configuration, at an address and a port, if one is required.

    >>> [finding.name for finding in check_machine(Config(), 8e9, "localhost", None)][:3]
    ['Python', 'packages', 'user']
    """
    yield Finding("Python", "ok", platform.python_version())
    yield _packages()
    yield _user()
    yield _cores()
    yield _memory(free_memory)
    yield from _workspaces(config)
    yield _home(config)
    yield _temporary()
    yield _compiler()
    yield _processes()
    yield _port(address, port)


def _packages() -> Finding:
    missing = []
    for requirement in map(Requirement, _requirements()):
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            missing.append(f"{requirement} (not installed)")
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            missing.append(f"{requirement} (installed: {version})")
    if missing:
        return Finding("packages", "problem", f"missing: {', '.join(missing)}", "install them with pip")
    return Finding("packages", "ok", "all required versions are installed")


def _requirements() -> list[str]:
    """The requirements of the package, from the repository or from the metadata of the installed package."""
    file = site_folder() / "requirements.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else metadata.requires("mrwtd") or []
    return [line for line in lines if line and not line.startswith("#") and "extra ==" not in line]


def _user() -> Finding:
    if hasattr(os, "getuid") and os.getuid() == 0:
        return Finding("user", "warning", "root", "run the server as a user of its own")
    return Finding("user", "ok", "not root")


def _cores() -> Finding:
    from joblib import cpu_count

    count = cpu_count()  # within the limits of a container
    if count < 2:
        return Finding("cores", "warning", "1", "pages are slow during a training; use two or more")
    return Finding("cores", "ok", str(count))


def _memory(free: float | None) -> Finding:
    if free is None:
        return Finding("memory", "warning", "the system does not state it", f"{MEMORY[1]:.0f} GB should be free")
    more = "each further job or upload at a time (jobs.workers, uploads.processes)"
    advice = f"{MEMORY[1]:.0f} GB should be free, and 1 GB for {more}"
    return _amount("memory", free, MEMORY, advice)


def _workspaces(config: Config) -> Iterator[Finding]:
    if config.workspaces.session_only:
        yield Finding("workspaces", "ok", "are not stored (session only)")
        return
    folder = config.home
    error = _cannot_write(folder)
    if error:
        yield Finding("workspaces", "problem", f"{folder} is not writable ({error})", f"set {HOME} to a folder that is")
        return
    yield Finding("workspaces", "ok", f"{folder} is writable")
    advice = f"{DISK[1]:.0f} GB should be free; one user may store {config.workspaces.max_mb:,} MB (workspaces.max_mb)"
    yield _amount("disk", disk_usage(_existing(folder)).free, DISK, advice)


def _home(config: Config) -> Finding:
    error = _cannot_write(Path(os.path.expanduser("~")))  # noqa: PTH111 – pathlib raises an error without a home folder
    if not error:
        return Finding("home", "ok", "is writable")
    if config.workspaces.session_only or config.workspaces.folder or os.environ.get(HOME):
        return Finding("home", "ok", f"is not writable ({error}), and not needed")
    return Finding("home", "warning", f"is not writable ({error})", f"set {HOME} to a folder for the workspaces")


def _temporary() -> Finding:
    try:
        folder = Path(tempfile.gettempdir())
    except OSError:
        return Finding(
            "temporary", "problem", "no folder for temporary files", "set TMPDIR to a folder that is writable"
        )
    free = disk_usage(folder).free
    return _amount("temporary", free, (0.05, 0.2), f"0.2 GB should be free in {folder}; TMPDIR names another folder")


def _compiler() -> Finding:
    if os.environ.get("MRWTD_NUMBA") == "0":
        return Finding("Numba", "warning", "is turned off by MRWTD_NUMBA=0", "trainings take about ten times as long")
    try:
        from ..model.compiled import add_products
    except ImportError as error:
        return Finding("Numba", "warning", f"cannot be imported ({error})", "trainings take about ten times as long")
    folder = add_products.stats.cache_path
    if folder is None:
        advice = "set NUMBA_CACHE_DIR to a folder that is writable; until then each process compiles for some seconds"
        return Finding("Numba", "warning", "cannot store compiled functions", advice)
    return Finding("Numba", "ok", f"stores compiled functions in {folder}")


def _processes() -> Finding:
    if not HAS_FORK:
        advice = "use Linux or a container; here uploads and trainings run inside the server"
        return Finding("processes", "warning", "this system has no fork", advice)
    try:
        multiprocessing.Lock()  # needs shared memory
        with Process() as process:
            process.call(os.getpid, seconds=PROCESS_SECONDS)
    except (OSError, TimeLimitError, ProcessDiedError) as error:
        found = f"cannot be started ({getattr(error, 'strerror', None) or type(error).__name__})"
        return Finding("processes", "problem", found, "allow fork, /dev/shm and enough processes")
    return Finding("processes", "ok", "uploads and trainings have processes of their own")


def _port(address: str, port: int | None) -> Finding:
    wanted = port or DEFAULT_PORT
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family) as server:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((address, wanted))
    except OSError as error:
        found = f"{wanted} at {address} cannot be used ({error.strerror})"
        if port is None:
            return Finding("port", "warning", found, "the next free one is used; choose one with --port")
        return Finding("port", "problem", found, "choose another one with --port, or stop the other server")
    return Finding("port", "ok", f"{wanted} at {address} is free")


def _amount(name: str, found: float, limits: tuple[float, float], advice: str) -> Finding:
    """A problem below the first limit in GB, a warning below the second."""
    text = f"{found / GB:.1f} GB free"
    if found >= limits[1] * GB:
        return Finding(name, "ok", text)
    return Finding(name, "problem" if found < limits[0] * GB else "warning", text, advice)


def _cannot_write(folder: Path) -> str:
    """Why no file can be made in the folder or, if it does not exist, in the one that it would be made in."""
    try:
        with tempfile.TemporaryFile(dir=_existing(folder)):
            return ""
    except OSError as error:
        return error.strerror or type(error).__name__


def _existing(folder: Path) -> Path:
    return next((path for path in (folder, *folder.parents) if os.access(path, os.F_OK)), folder)
