"""Fixtures of all tests. Tests write to a temporary folder, never to the user's."""

import os
import sys
import tempfile
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from mrwtd import RelationalData
from mrwtd.data.relations import Relation
from mrwtd.model.method import Method


@pytest.fixture(scope="session", autouse=True)
def temporary_home() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="mrwtd-tests-") as folder:
        os.environ["MRWTD_HOME"] = folder
        yield


@pytest.fixture(autouse=True)
def restore_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit replaces `__main__` by a page, and processes started later would run that page."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


class FixedScores(Method):
    """A method that returns given scores."""

    def __init__(self, x=(), loss: str = "quadratic"):
        self.x = x
        self.loss = loss

    def _fit(self, train: RelationalData, callback) -> None:
        self.losses_ = {relation.name: self.loss for relation in train.relations}
        self.trace_ = pd.DataFrame()

    def _reconstruct(self, entries: RelationalData, relations: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        return np.asarray(self.x, dtype=float)


# Hidden from the registry of methods, because only tests use it.
Method.kinds = {name: kind for name, kind in Method.kinds.items() if kind is not FixedScores}


@pytest.fixture
def with_scores():
    """Data of one relation with the values y, in that order, and a fitted method whose scores for them are x."""

    def make(y, x, kind: str = "binary", loss: str = "quadratic", w=None) -> tuple[FixedScores, RelationalData]:
        levels = tuple(range(4)) if kind == "ordinal" else ()
        size = len(y)
        data = RelationalData(
            [f"o{index}" for index in range(size + 1)],
            [Relation("r", kind, True, levels)],
            np.zeros(size, dtype=int),
            np.arange(1, size + 1),
            np.zeros(size, dtype=int),
            y,
            w,
        )
        return FixedScores(x, loss).fit(data), data

    return make
