"""One thread for linear algebra in every test, set before NumPy is imported; and who runs which tests."""

from __future__ import annotations

import os
from typing import Any

import pytest

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

TOGETHER = ("tests/browser/", "tests/cluster/")
"""Folders whose tests share what takes long to start: a server and a browser, or a cluster."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest chain first, so that the other process has something to do until it ends."""
    items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where tests run in several processes: a file is one process's, and so is a folder of `TOGETHER`."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = next(filter(nodeid.startswith, TOGETHER), "")
            return folder or super()._split_scope(nodeid)

    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None
