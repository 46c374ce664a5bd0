"""Fixtures shared by the tests of pages."""

import pandas as pd
import pytest

from mrwtd.dashboard.widgets import figures


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, pd.DataFrame]:
    """Tables that can be downloaded from the opened pages, by name."""
    tables: dict[str, pd.DataFrame] = {}

    def save(name: str, data: object, *, caption: str = "", picture: str = "") -> None:
        tables[name] = data() if callable(data) else data

    monkeypatch.setattr(figures, "download_buttons", save)
    return tables
