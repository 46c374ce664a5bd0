"""Numba's cache of compiled functions, without its errors: a fit works where nothing can be stored.

Numba stores compiled functions in the folder NUMBA_CACHE_DIR, beside the source files, or in the user's home folder.
On a hardened server none of these may be writable, and Numba then refuses to start. Here a private folder for temporary
files is used instead. Without one, or with a full disk, the functions are compiled again in each process, which takes a
few seconds. A damaged cache is replaced.

A seed gives the same numbers to the last bit, whether a process compiles a function or loads it. Two rules ensure that:
functions called by compiled ones are `inlined`, and all are compiled with the same optimizations.
"""

import logging
import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, NullCache

LOG = logging.getLogger(__name__)

# Unrolled loops become vector instructions only with this pass, which Numba leaves off. It is set here, before anything
# is compiled: the cache does not distinguish functions compiled with and without it, which may round differently.
numba.config.SLP_VECTORIZE = 1


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function at its first call, and store it for other processes where that is possible.

    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(4)
    8
    """
    dispatcher = numba.njit(nogil=True, fastmath=True)(function)
    dispatcher._cache = _cache_of(function)
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function into each compiled function that calls it.

    A call would not do: LLVM optimizes a copy for each caller, with sums in another order, and the process runs the
    copy that it has loaded first. That depends on what it compiled itself and what came from the cache.

    >>> @inlined
    ... def double(x):
    ...     return 2 * x
    >>> @compiled
    ... def quadruple(x):
    ...     return double(double(x))
    >>> quadruple(4)
    16
    """
    return numba.njit(nogil=True, fastmath=True, forceinline=True)(function)


class _SafeCache(FunctionCache):  # type: ignore[misc]
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged pickle may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn(error.strerror or str(error))


def _cache_of(function: Callable[..., Any]) -> Any:
    if not Path(function.__code__.co_filename).exists():  # typed into an interpreter
        return NullCache()
    try:
        return _SafeCache(function)
    except RuntimeError:  # Numba's own folders cannot be written
        folder = _private_folder()
    if folder is None:
        _warn("no folder is writable")
        return NullCache()
    numba.config.CACHE_DIR = str(folder)
    return _SafeCache(function)


def _private_folder() -> Path | None:
    """A folder that only this user can write, because loading a compiled function runs what the file contains."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    try:
        folder = Path(tempfile.gettempdir()) / f"mrwtd-numba-{user}"
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    belongs_to_user = status.st_uid == user and not stat.S_IMODE(status.st_mode) & 0o077
    private = stat.S_ISDIR(status.st_mode) and (os.name != "posix" or belongs_to_user)
    return folder if private and os.access(folder, os.W_OK) else None


@cache
def _warn(reason: str) -> None:
    LOG.warning(
        "Compiled functions cannot be stored (%s): each process compiles them again. "
        "Set NUMBA_CACHE_DIR to a folder that the server can write.",
        reason,
    )
