"""Compiled functions work where they cannot be stored."""

import errno
import importlib.util
import logging
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numba
import pytest
from numba.core import caching

from mrwtd.model import compile_cache

SOURCE = """
from mrwtd.model.compile_cache import compiled

@compiled
def double(x):
    return 2 * x

@compiled
def quadruple(x):
    return double(double(x))
"""


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    compile_cache._warn.cache_clear()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither the sources nor the home folder can be written: Numba's own folders are left out of its search."""
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "UserProvidedCacheLocator")
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def load(tmp_path: Path) -> Callable[[], ModuleType]:
    """Import the module as a new process would."""
    file = tmp_path / "doubling.py"
    file.write_text(SOURCE)

    def load() -> ModuleType:
        spec = importlib.util.spec_from_file_location("doubling", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def test_a_private_temporary_folder_is_used_if_no_other_is_writable(temporary, load):
    assert load().quadruple(3) == 12
    (folder,) = temporary.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    again = load()
    assert again.quadruple(3) == 12
    assert again.quadruple.stats.cache_hits, "another process finds what this one has compiled"


def test_a_folder_that_others_can_write_is_not_used(temporary, load, caplog):
    load()
    (folder,) = temporary.iterdir()
    folder.chmod(0o777)
    numba.config.CACHE_DIR = ""
    with caplog.at_level(logging.WARNING):
        module = load()
    assert module.quadruple(3) == 12
    assert not list(folder.rglob("*.nbc"))
    (record,) = caplog.records
    assert "NUMBA_CACHE_DIR" in record.getMessage()


def test_a_link_in_place_of_the_folder_is_not_followed(temporary, load, tmp_path):
    load()
    (folder,) = temporary.iterdir()
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    numba.config.CACHE_DIR = ""
    assert load().quadruple(3) == 12
    assert not list((tmp_path / "elsewhere").rglob("*.nbc"))


def test_a_full_disk_is_reported_once_and_stops_no_fit(load, caplog, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "_save_index", full)
    with caplog.at_level(logging.WARNING):
        assert load().quadruple(3) == 12
    (record,) = caplog.records
    assert "No space left" in record.getMessage()


def test_a_damaged_cache_is_replaced(load, tmp_path):
    load().quadruple(3)
    indexes = list((tmp_path / "__pycache__").glob("*.nbi"))
    assert indexes
    for index in indexes:
        index.write_bytes(b"")
    assert load().quadruple(3) == 12
    again = load()
    assert again.quadruple(3) == 12
    assert again.quadruple.stats.cache_hits
