"""What tests of pages share."""

from __future__ import annotations

import pandas as pd
import pytest

from mrwtd.dashboard.widgets import figures


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    """What can be downloaded from the pages that are opened, by name."""
    found: dict[str, pd.DataFrame] = {}

    def keep(name: str, data: object, *, caption: str = "", picture: str = "") -> None:
        found[name] = data() if callable(data) else data

    monkeypatch.setattr(figures, "download_buttons", keep)
    return found
