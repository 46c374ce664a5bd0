"""The examples of pages in docs/ run, and print what the page says."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("page", ["data.md", "benchmarks.md"])
def test_the_examples_of_the_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=flags)
    assert results.attempted > 0
    assert not results.failed
