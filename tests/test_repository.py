"""What holds for the repository as a whole."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import mrwtd
from mrwtd.version import fingerprint

TOP = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())

# Written so that the pattern is not found in this file itself.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:[r]oot|[h]ome/\w+|[U]sers/\w+|[w]ork|[o]pt/\w+)/|[C]:\\Users")
TEXT = {"", ".css", ".md", ".py", ".sh", ".svg", ".toml", ".txt", ".yaml", ".yml"}


def own_files() -> Iterator[Path]:
    for folder, folders, names in os.walk(TOP):
        hidden = {name for name in folders if name.startswith(".") and name not in (".ci", ".streamlit")}
        folders[:] = sorted({*folders} - hidden - {"__pycache__", "dist", "build", "runs", "screenshots"})
        yield from (Path(folder) / name for name in names if name != ".git")  # a file in a linked worktree


def requirements(file: str) -> list[str]:
    lines = (TOP / file).read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r"))]


def test_pip_and_make_install_the_same() -> None:
    assert PROJECT["project"]["dependencies"] == requirements("requirements.txt")


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_has_a_least_version(file: str) -> None:
    listed = requirements(file)
    assert listed == sorted(listed)
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+(,<\d+)?", line) for line in listed)


def test_the_machine_that_a_file_was_written_on_is_not_in_it() -> None:
    found = [
        f"{path.relative_to(TOP)}: {hit.group()}"
        for path in own_files()
        if path.suffix in TEXT
        for hit in MACHINE_PATH.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_pictures_are_small() -> None:
    pictures = list((TOP / "docs" / "images").glob("*"))
    assert pictures
    assert [path.name for path in pictures if path.stat().st_size > 200_000] == []


def test_links_in_the_documents_lead_somewhere() -> None:
    for document in TOP.glob("*.md"):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (TOP / target).exists(), f"{document.name} → {target}"


@pytest.mark.parametrize("name", [name for name in mrwtd.__all__ if not name.startswith("_")])
def test_every_public_name_is_documented_with_an_example(name: str) -> None:
    found = getattr(mrwtd, name)
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        pytest.skip("a constant: no docstring of its own")
    assert ">>>" in (inspect.getdoc(found) or "")
    if inspect.isclass(found):
        own = {key: value for key, value in vars(found).items() if not key.startswith("_")}
        bare = [key for key, value in own.items() if callable(value) and not inspect.getdoc(value)]
        assert not bare


def test_importing_the_library_is_cheap() -> None:
    heavy = ("sklearn", "networkx", "streamlit", "plotly", "openpyxl")
    code = f"import mrwtd, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=TOP, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_continuous_integration_runs_every_check() -> None:
    script = TOP / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "exec make test"


def test_the_wheel_carries_dashboard_and_samples(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=TOP, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("mrwtd-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        carried = set(archive.namelist())
        archive.extractall(tmp_path)
    pages = [f"pages/{path.name}" for path in (TOP / "pages").glob("*.py")]
    samples = [f"sample_data/{path.name}" for path in (TOP / "sample_data").iterdir()]
    for name in ("app.py", ".streamlit/config.toml", *pages, *samples):
        assert f"mrwtd/site/{name}" in carried
    assert {
        "mrwtd/__main__.py",
        "mrwtd/py.typed",
        "mrwtd/dashboard/shell/style.css",
        "mrwtd/dashboard/shell/icon.svg",
    } <= carried
    assert "mrwtd/experiments/paper.csv" in carried
    assert not [name for name in carried if not name.startswith(("mrwtd/", "mrwtd-"))]
    assert fingerprint(tmp_path / "mrwtd") == fingerprint(TOP / "mrwtd"), "results of both can be told to be alike"
