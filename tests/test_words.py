"""Plain words: the private vocabulary of earlier versions is neither in code, documents nor interface texts."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]

BANNED = {
    "told": "shown, stated, reported",
    "visitors?": "user",
    "he|his|him|himself": "they, their",
    "anew": "again, rebuilt",
    "reckon(s|ed|ing)?": "estimate, eta",
    "telephones?": "mobile",
    "mend(s|ed|ing)?": "fix",
    "so many": "at most N, this many",
    "a (row|line|column|table|matrix|file) an?": "one row per …",
    "stands? in": "is in",
    "stands? (beside|above|alone|there)": "is next to, is above",
    "taken for": "treated as",
    "newcomers?|strangers?": "new object, unknown object",
    "whoever": "all users, code that",
    "says? so": "shows a message, reports it",
    "(is|are) said": "is reported",
    "goes? by": "depends on",
    "comes? back": "is restored",
    "in one go": "at once, in a single run",
    "called off": "cancelled",
    "at rest": "drawn, settled",
    "to the bit": "identical",
    "no trouble": "accepted",
    "drawn round": "selected",
    "taken along": "downloaded",
    "last words": "last line",
    "Share to learn from": "Training fraction",
    "× ties": "Positive weight",
    "Run A and B": "Compare two runs",
    "Right and wrong": "Calibration and errors",
    "Phantom zeros?": "Missing vs. zero",
    "Beside it": "Compare with",
    "Let go": "Clear selection",
    "Take it in": "Import",
    "Begin again": "Restart",
    "a pair not listed is": "Unlisted pairs are",
    "which the relation alone says": "relation bias",
    r"(factori|initiali|memori|minimi|normali|optimi|recogni|standardi|summari)s(e[ds]?|ing|ers?|ations?)": "-ize",
}
"""Patterns of words that are not used, and what is written instead."""

SPACE = r"[\s_]+"
PATTERN = re.compile(rf"(?<![^\W_])(?:{'|'.join(BANNED)})(?![^\W_])".replace(" ", SPACE), re.IGNORECASE)
"""Underscores separate words too, so that names are checked like prose."""

FOLDERS = ("mrwtd", "pages", "tests", "tools", "docs")
SETTINGS = (".ci", ".streamlit", "deploy")
FILES = (
    *("app.py", "conftest.py", "pyproject.toml", "Makefile", "Dockerfile", "compose.yaml", "CITATION.cff"),
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
)
CODE = ("mrwtd", "pages", "tests", "benchmarks", "tools")
VAGUE_NAMES = ("found", "own", "said", "told", "seen", "asked", "taken", "what", "whole", "one", "at")
MAX_ASSIGNMENTS = 20


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (path for path in sorted((TOP / folder).rglob("*")) if path.suffix in (".py", ".md", ".css", ".sh"))
    yield from sorted((TOP / "benchmarks").glob("*.py"))
    yield from sorted((TOP / "benchmarks" / "results").rglob("*.md"))
    yield TOP / "sample_data" / "README.md"
    yield from (path for folder in SETTINGS for path in sorted((TOP / folder).iterdir()))
    yield from (TOP / name for name in FILES)


def modules(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((TOP / folder).rglob("*.py")):
        yield path.relative_to(TOP), ast.parse(path.read_text(encoding="utf-8"))


def test_banned_words_do_not_occur() -> None:
    hits = []
    for path in sources():
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8")
        hits += [
            f"{path.relative_to(TOP)}:{text.count(chr(10), 0, hit.start()) + 1}: {hit.group()}"
            for hit in PATTERN.finditer(text)
        ]
    assert not hits, f"{len(hits)}:\n" + "\n".join(hits)


def test_the_pattern_finds_words_in_prose_and_in_names() -> None:
    for text in ("It is told.", "is_told", "A row\n  an object", "VISITOR", "takes so many", "Let go", "comes\n back"):
        assert PATTERN.search(text), text
    for text in ("untold", "recommended", "this", "the", "a row and a column", "narrow a"):
        assert not PATTERN.search(text), text


@cache
def assignments() -> Counter[tuple[str, str]]:
    """The number of assignments per variable and file."""
    trees = ((str(path), tree) for folder in CODE for path, tree in modules(folder))
    names = ((path, node) for path, tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name))
    return Counter((node.id, path) for path, node in names if isinstance(node.ctx, ast.Store))


@pytest.mark.parametrize("name", VAGUE_NAMES)
def test_variables_are_named_for_what_they_hold(name: str) -> None:
    files = {path: count for (variable, path), count in assignments().items() if variable == name}
    assert sum(files.values()) < MAX_ASSIGNMENTS, files


def test_tooltips_are_called_help() -> None:
    hits = []
    for folder in ("mrwtd", "pages"):
        for path, tree in modules(folder):
            names = [(node.lineno, node.arg) for node in ast.walk(tree) if isinstance(node, (ast.arg, ast.keyword))]
            hits += [f"{path}:{line}" for line, name in names if name == "hint"]
    assert not hits


def test_module_names_are_unique_inside_the_dashboard() -> None:
    names = Counter(path.stem for path in (TOP / "mrwtd" / "dashboard").rglob("*.py") if path.stem != "__init__")
    assert [name for name, count in names.items() if count > 1] == []
