"""`StorageError`: a result cannot be stored because the server cannot write, or a limit is reached."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import DataError, Problem

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
"""Errors of a server that cannot write, as opposed to a file that cannot be read."""


class StorageError(DataError):
    """Nothing is wrong with the result itself: it can stay in memory, or be stored when there is space again."""


def write_error(error: OSError) -> StorageError:
    """The error shown to users if the server cannot write, without the server's folders.

    >>> print(write_error(OSError(errno.ENOSPC, "No space left on device", "/srv/mrwtd/x")))
    found no space left on the server; expected free space: delete runs or data sets, or ask the administrator
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        expected = "free space: delete runs or data sets, or ask the administrator"
        return StorageError(Problem("no space left on the server", expected))
    expected = "a writable folder of workspaces: ask the administrator"
    return StorageError(Problem(f"a server that cannot write files ({error.strerror or error})", expected))


@contextmanager
def as_storage_error() -> Iterator[None]:
    """Errors of the file system inside become a `StorageError`.

    >>> with as_storage_error():
    ...     raise OSError(errno.EROFS, "Read-only file system", "/srv/mrwtd/x")
    Traceback (most recent call last):
    mrwtd.runs.storage_error.StorageError: found a server that cannot write files (Read-only file system); expected ...
    """
    try:
        yield
    except OSError as error:
        raise write_error(error) from error
