"""The examples of CONTRIBUTING.md do what it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import mrwtd
from mrwtd.model import LOSSES, MrWTD

TEXT = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text()


def example(heading: str) -> str:
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]


def test_the_loss_of_a_users_own_file_fits_and_is_in_the_registry(tmp_path, monkeypatch):
    (tmp_path / "log_cosh.py").write_text(example("Adding a loss"))
    monkeypatch.syspath_prepend(tmp_path)
    try:
        import log_cosh  # noqa: F401

        assert "log-cosh" in LOSSES
        data = mrwtd.load_dataset("airports")
        train, test = data.only(["distance (km)"]).split(train=0.5, seed=0)
        model = MrWTD(rank=3, lam=0.3, loss="log-cosh").fit(train)
        error = np.mean((model.predict(test) - test.y) ** 2)
        assert error < 0.3 * test.y.var()
    finally:
        LOSSES.pop("log-cosh", None)
