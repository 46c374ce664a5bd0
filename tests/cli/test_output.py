import io
import json

import numpy as np
import pandas as pd
import pytest

from mrwtd.cli.output import Status, echo_json
from mrwtd.comparison.compare import STORED_FITS
from mrwtd.model.progress import Iteration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_has_only_standard_values(capsys):
    frame = pd.DataFrame(
        {"n": pd.array([1, None], dtype="Int64"), "x": [0.5, np.inf], "s": ["ä", None], "b": [True, False]}
    )
    echo_json({"rows": frame, "at": np.float64(2), "none": None, 3: (np.int32(1),)})
    assert json.loads(capsys.readouterr().out) == {
        "rows": [{"n": 1, "x": 0.5, "s": "ä", "b": True}, {"n": None, "x": None, "s": None, "b": False}],
        "at": 2.0,
        "none": None,
        "3": [1],
    }


def test_a_terminal_shows_one_line_that_is_cleared_at_the_end(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with Status() as status:
        status.iteration(Iteration(7, 12.5, 0.1, 0.0))
        status.progress(1, 4, "RESCAL, 0.1 train, run 1")
    text = terminal.getvalue()
    assert "iteration 7, objective 12.5" in text
    assert "1 of 4: RESCAL" in text
    assert "left" in text
    assert "\n" not in text
    assert text.endswith("\r\x1b[K")


def test_stored_fits_do_not_count_for_the_time_left(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    status = Status()
    status.progress(90, 100, STORED_FITS)
    now[0] = 20.0
    status.progress(95, 100, "CP")
    assert "95 of 100: CP; 20 s left" in terminal.getvalue(), "the last five take as long as the five fitted ones"


def test_nothing_is_printed_to_a_file(monkeypatch: pytest.MonkeyPatch):
    file = io.StringIO()
    monkeypatch.setattr("sys.stderr", file)
    with Status() as status:
        status.iteration(Iteration(1, 1.0, 1.0, 0.0))
        status.progress(1, 2, "x")
    assert file.getvalue() == ""
