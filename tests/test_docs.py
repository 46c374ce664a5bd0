"""The examples in docs/data.md run, and print what the page says."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "data.md"


def test_the_examples_of_the_page_on_data_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert results.attempted > 0
    assert not results.failed
