"""The version of the code that made a result: the package version and a fingerprint of the sources.

The package version does not change between two releases, so a hash of the sources is added to it. Comments,
docstrings, annotations and formatting do not change it. Empty fields of syntax trees are left out, because each version
of Python adds some.

The readers of files are not part of it: stored fits have a digest of the data itself.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

__version__ = "0.1.0"

PACKAGE = Path(__file__).resolve().parent

SOURCES = (
    "data/*.py", "data/datasets/*.py", "metrics/*.py", "model/**/*.py", "baselines/*.py", "bayesian/**/*.py",
    "stacking/*.py", "evaluation/*.py", "runs/execute.py", "runs/spec.py", "comparison/*.py", "experiments/**/*.py",
)  # fmt: skip
"""What makes data, fits, scores and summaries. A new file of these folders counts from its first day."""

UNSTATED = "no stated version"
"""The version of results that do not say by which code they were made."""

IGNORED = frozenset({"annotation", "returns", "type_comment", "ctx", "kind"})
"""Fields of a syntax tree that say nothing of what the code computes."""

DIGITS = 10


@cache
def results_version() -> str:
    """The version of the code that decides numbers, such as `0.1.0+1f0c9a77e2`.

    >>> number, fingerprint = results_version().split("+")
    >>> len(fingerprint)
    10
    """
    return f"{__version__}+{fingerprint(PACKAGE)}"


def fingerprint(package: Path) -> str:
    """A hash of the sources in the folder of a package, by their paths and what they compute.

    >>> fingerprint(PACKAGE) == fingerprint(PACKAGE)
    True
    """
    total = sha256()
    for file in sorted(sources(package), key=lambda file: file.relative_to(package).as_posix()):
        total.update(f"{file.relative_to(package).as_posix()}\n{normalized(file.read_bytes())}\n".encode())
    return total.hexdigest()[:DIGITS]


def sources(package: Path) -> Iterator[Path]:
    """The files that the fingerprint is of.

    >>> (PACKAGE / "metrics" / "ranking.py") in sources(PACKAGE)
    True
    """
    for pattern in SOURCES:
        yield from package.glob(pattern)


def normalized(source: bytes | str) -> str:
    """The syntax tree of a module as text, without what does not change what it computes.

    >>> normalized("def f(x: int) -> int: return (2 * x)  # twice") == normalized("def f(x): return 2*x")
    True
    >>> normalized("2 * (x + 1)") == normalized("2 * x + 1")
    False
    """
    parts: list[str] = []
    _write(ast.parse(source), parts.append)
    return "\n".join(parts)


def _write(node: ast.AST, write: Callable[[str], object]) -> None:
    write(type(node).__name__)
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or name in IGNORED:
            continue
        if isinstance(value, ast.AST):
            write(name)
            _write(value, write)
        elif not isinstance(value, list):
            write(f"{name} {value!r}")
        elif value:
            write(f"{name} [")
            for item in value:
                if not isinstance(item, ast.AST):
                    write(repr(item))
                elif not _is_text(item):
                    _write(item, write)
            write("]")


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a docstring, of a module, a class, a function or a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
