"""One thread for linear algebra, set before NumPy is imported, and the distribution of tests over processes."""

from __future__ import annotations

import os
from typing import Any

import pytest

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

TOGETHER = ("tests/browser/", "tests/cluster/")
"""Folders whose tests share something slow to start: a server and a browser, or a cluster."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest folders first, while the other process runs the rest."""
    items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Schedule each file, and each folder of `TOGETHER`, in one process."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = next(filter(nodeid.startswith, TOGETHER), "")
            return folder or super()._split_scope(nodeid)

    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None
