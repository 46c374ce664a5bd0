"""Tests keep what they make in a folder of their own, never in the user's."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_home() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="mrwtd-tests-") as folder:
        os.environ["MRWTD_HOME"] = folder
        yield


@pytest.fixture(autouse=True)
def own_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit puts a page in the place of `__main__`, and processes that are started later would run that page."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
