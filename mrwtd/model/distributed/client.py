"""A Dask cluster, as the package sees it: a client that is ready, and values that its workers can read.

Dask is an extra: it is imported when a cluster is asked for, and nothing else needs it.
"""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from ...errors import DataError, Problem
from ..losses import LOSSES, Loss

TIMEOUT = 10
"""Seconds that a scheduler has to answer in, and a worker to turn up."""


def distributed() -> ModuleType:
    """Dask's package for clusters, or a `DataError` that says how to get it.

    >>> distributed().__name__
    'distributed'
    """
    try:
        import distributed as found
    except ImportError:
        raise DataError(Problem("no Dask", "it to be installed for this: pip install 'mrwtd[dask]'")) from None
    module: ModuleType = found
    return module


@contextmanager
def connected(scheduler: str) -> Iterator[Any]:
    """A client of the cluster whose scheduler has that address, closed at the end.

    >>> with distributed().LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
    ...     with connected(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2]).result()
    3
    """
    expected = "the address of one that runs, such as tcp://127.0.0.1:8786"
    if not isinstance(scheduler, str) or not scheduler:  # Dask takes an empty one for "start a cluster here"
        raise DataError(Problem(f"no Dask scheduler at {scheduler!r}", expected))
    package, client, reason = distributed(), None, ""
    try:
        client = package.Client(scheduler, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError, OverflowError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
    if client is None:
        # What is left of a failed client closes itself when it is collected. In the middle of another's start, which
        # holds a lock, that would never end.
        gc.collect()
        raise DataError(Problem(f"no Dask scheduler at {scheduler!r} ({reason})", expected))
    try:
        make_ready(client)
        yield client
    finally:
        client.close()


def make_ready(client: Any) -> None:
    """Wait for a worker, and refuse a cluster that has another version of the package, or none."""
    where = client.scheduler.address if client.scheduler is not None else "a closed client"
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
        versions = {client.run_on_scheduler(version), *client.run(version).values()}
    except (OSError, TimeoutError, ImportError, AttributeError) as error:
        if isinstance(error, TimeoutError):
            raise DataError(Problem(f"no worker at {where}", "a Dask cluster with at least one")) from None
        reason = " ".join(str(error).split())
        expected = "mrwtd installed with the scheduler and every worker"
        raise DataError(Problem(f"a cluster that fails ({reason})", expected)) from None
    if versions != {version()}:
        found = ", ".join(sorted(versions))
        raise DataError(Problem(f"mrwtd {found} on the cluster", f"{version()}, as here"))


def version() -> str:
    """The version of the package where this runs.

    >>> import mrwtd
    >>> version() == mrwtd.__version__
    True
    """
    # By its name: the package itself stands above this module.
    found: str = import_module("mrwtd").__version__
    return found


def sent(client: Any, value: object) -> Any:
    """A future of the value, which goes to the cluster once. The scheduler keeps it: whatever worker dies, it is there.

    >>> with distributed().Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     sent(client, [1, 2]).result()
    [1, 2]
    """
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):  # it is meant to be large
        return client.submit(_same, value, pure=False)


def _same(value: object) -> object:
    return value


def packed(value: object) -> bytes:
    """A value in a form that `unpacked` understands on every worker.

    Losses of a script, a notebook or a plugin go along as they are: a worker cannot import them.

    >>> unpacked(packed(LOSSES["logistic"])).formula
    'log(1 + exp(−yx))'
    """
    import cloudpickle

    modules = [sys.modules[name] for name in {type(loss).__module__ for loss in own_losses()} if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        content: bytes = cloudpickle.dumps(value)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    return content


def unpacked(content: bytes) -> Any:
    """The value that was packed."""
    return pickle.loads(content)


def own_losses() -> tuple[Loss, ...]:
    """The losses that do not come with the package.

    >>> own_losses()
    ()
    """
    return tuple(loss for loss in LOSSES.values() if type(loss).__module__.partition(".")[0] != "mrwtd")
