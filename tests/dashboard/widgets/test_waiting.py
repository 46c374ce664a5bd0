"""The text while files are read or wait for their turn."""

import pytest
from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.widgets import waiting


def script(ahead: int) -> None:
    from mrwtd.dashboard.widgets.waiting import Waiting

    Waiting()(ahead)


@pytest.mark.parametrize(("ahead", "start"), [(0, "Reading"), (1, "Waiting"), (3, "Waiting")])
def test_the_page_says_whether_it_reads_or_waits_for_others(
    ahead: int, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    monkeypatch.setattr(waiting, "INTERVAL", -1.0)
    (caption,) = AppTest.from_function(script, kwargs={"ahead": ahead}).run().caption
    assert caption.value.startswith(start)
    assert ("other file" in caption.value) == (ahead > 0)
