"""A Dask cluster: a connected client, and values in a form that its workers can read.

Dask is an optional dependency: it is imported when a cluster is used.
"""

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
"""The seconds to wait for a scheduler, and for a worker."""


def distributed() -> ModuleType:
    """Dask's package for clusters, or a `DataError` that says how to install it.

    >>> distributed().__name__
    'distributed'
    """
    try:
        return import_module("distributed")
    except ImportError:
        raise DataError(Problem("no Dask on this computer", "an installed Dask: pip install 'mrwtd[dask]'")) from None


@contextmanager
def connected(scheduler: str) -> Iterator[Any]:
    """A client of the cluster with this scheduler address, closed at the end.

    >>> with distributed().LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
    ...     with connected(cluster.scheduler_address) as client:
    ...         client.submit(sum, [1, 2]).result()
    3
    """
    expected = "the address of a running scheduler, such as tcp://127.0.0.1:8786"
    if not isinstance(scheduler, str) or not scheduler:  # an empty one makes Dask start a cluster here
        raise DataError(Problem(f"no Dask scheduler at {scheduler!r}", expected))
    package, client, reason = distributed(), None, ""
    try:
        client = package.Client(scheduler, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError, TypeError, OverflowError, RuntimeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
    if client is None:
        # A failed client closes itself when it is collected. While another one starts, which needs a lock, that would
        # never end.
        gc.collect()
        raise DataError(Problem(f"no Dask scheduler at {scheduler!r} ({reason})", expected))
    try:
        make_ready(client)
        yield client
    finally:
        client.close()


def make_ready(client: Any) -> None:
    """Wait for a worker, and refuse a cluster with another version of the package, or without it."""
    where = client.scheduler.address if client.scheduler is not None else "a closed client"
    try:
        client.wait_for_workers(1, timeout=TIMEOUT)
        versions = {client.run_on_scheduler(version), *client.run(version).values()}
    except (OSError, TimeoutError, ImportError, AttributeError) as error:
        if isinstance(error, TimeoutError):
            raise DataError(Problem(f"no worker at {where}", "a Dask cluster with at least one worker")) from None
        reason = " ".join(str(error).split())
        expected = "mrwtd installed on the scheduler and on every worker"
        raise DataError(Problem(f"a cluster that fails ({reason})", expected)) from None
    if versions != {version()}:
        others = ", ".join(sorted(versions))
        raise DataError(Problem(f"mrwtd {others} on the cluster", f"mrwtd {version()}, as on this computer"))


def version() -> str:
    """The version of the package in this process.

    >>> import mrwtd
    >>> version() == mrwtd.__version__
    True
    """
    # Imported by name: the package is a layer above this module.
    return str(import_module("mrwtd").__version__)


def sent(client: Any, value: object) -> Any:
    """A future of the value, which is sent to the cluster once. The scheduler stores it, so it survives any worker.

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
    """A value in a form that `unpacked` reads on every worker.

    Losses of a script, a notebook or a plugin are pickled by value: a worker cannot import them.

    >>> unpacked(packed(LOSSES["logistic"])).formula
    'log(1 + exp(−yx))'
    """
    import cloudpickle

    modules = [sys.modules[name] for name in {type(loss).__module__ for loss in custom_losses()} if name in sys.modules]
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


def custom_losses() -> tuple[Loss, ...]:
    """The losses that are not part of the package.

    >>> custom_losses()
    ()
    """
    return tuple(loss for loss in LOSSES.values() if type(loss).__module__.partition(".")[0] != "mrwtd")
