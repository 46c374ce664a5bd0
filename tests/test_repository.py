"""Checks of the repository as a whole."""

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

# Written so that the pattern does not match this file.
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:[r]oot|[h]ome/\w+|[U]sers/\w+|[w]ork|[o]pt/\w+)/|[C]:\\Users")
TEXT = {"", ".css", ".md", ".py", ".sh", ".svg", ".toml", ".txt", ".yaml", ".yml"}


def repository_files() -> Iterator[Path]:
    for folder, folders, names in os.walk(TOP):
        hidden = {name for name in folders if name.startswith(".") and name not in (".ci", ".streamlit")}
        folders[:] = sorted({*folders} - hidden - {"__pycache__", "dist", "build", "runs", "screenshots"})
        yield from (Path(folder) / name for name in names if name != ".git")  # a file in a linked worktree


def requirements(file: str) -> list[str]:
    lines = (TOP / file).read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-r"))]


def test_pip_and_make_install_the_same_requirements() -> None:
    assert PROJECT["project"]["dependencies"] == requirements("requirements.txt")


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_has_a_minimum_version(file: str) -> None:
    listed = requirements(file)
    assert listed == sorted(listed)
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+(,<\d+)?", line) for line in listed)


def test_no_file_has_a_path_of_the_machine() -> None:
    hits = [
        f"{path.relative_to(TOP)}: {hit.group()}"
        for path in repository_files()
        if path.suffix in TEXT
        for hit in MACHINE_PATH.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not hits


def test_pictures_are_small() -> None:
    pictures = list((TOP / "docs" / "images").glob("*"))
    assert pictures
    assert [path.name for path in pictures if path.stat().st_size > 200_000] == []


def test_links_in_the_documents_are_valid() -> None:
    for document in (*TOP.glob("*.md"), *(TOP / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} → {target}"


@pytest.mark.parametrize("name", [name for name in mrwtd.__all__ if not name.startswith("_")])
def test_every_public_name_is_documented_with_an_example(name: str) -> None:
    item = getattr(mrwtd, name)
    if not (inspect.isclass(item) or inspect.isfunction(item)):
        pytest.skip("a constant has no docstring")
    assert ">>>" in (inspect.getdoc(item) or "")
    if inspect.isclass(item):
        public = {key: value for key, value in vars(item).items() if not key.startswith("_")}
        assert not [key for key, value in public.items() if callable(value) and not inspect.getdoc(value)]


def test_importing_the_library_is_cheap() -> None:
    heavy = ("sklearn", "networkx", "streamlit", "plotly", "openpyxl")
    code = f"import mrwtd, sys; print([name for name in {heavy} if name in sys.modules])"
    completed = subprocess.run([sys.executable, "-c", code], cwd=TOP, capture_output=True, text=True, check=True)
    assert completed.stdout.strip() == "[]"


def test_continuous_integration_runs_every_check() -> None:
    script = TOP / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "exec make test"


def test_the_wheel_contains_dashboard_and_samples(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=TOP, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("mrwtd-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        contents = set(archive.namelist())
        archive.extractall(tmp_path)
    pages = [f"pages/{path.name}" for path in (TOP / "pages").glob("*.py")]
    samples = [f"sample_data/{path.name}" for path in (TOP / "sample_data").iterdir()]
    for name in ("app.py", ".streamlit/config.toml", *pages, *samples):
        assert f"mrwtd/site/{name}" in contents
    assert {
        "mrwtd/__main__.py",
        "mrwtd/py.typed",
        "mrwtd/dashboard/shell/style.css",
        "mrwtd/dashboard/shell/icon.svg",
    } <= contents
    assert "mrwtd/experiments/paper.csv" in contents
    assert not [name for name in contents if not name.startswith(("mrwtd/", "mrwtd-"))]
    assert fingerprint(tmp_path / "mrwtd") == fingerprint(TOP / "mrwtd"), (
        "the installed package has the same version of the code"
    )
