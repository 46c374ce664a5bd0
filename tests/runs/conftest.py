"""Small data and an empty workspace."""

from pathlib import Path

import pytest

import mrwtd
from mrwtd.runs import Workspace


@pytest.fixture
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "space")
