import ast
import inspect
import re
import shutil
from pathlib import Path

import pytest

import mrwtd
from mrwtd.version import PACKAGE, SOURCES, fingerprint, normalized, results_version, sources

FILES = ("metrics/ordinal.py", "model/losses.py", "data/splitting.py", "evaluation/evaluate.py")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of a few of the real files."""
    for name in (*FILES, "dashboard/navigation.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PACKAGE / name, tmp_path / name)
    return tmp_path


def rewrite(file: Path, change) -> None:
    text = file.read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text
    file.write_text(changed, encoding="utf-8")


def test_it_is_the_version_of_the_package_and_a_fingerprint():
    number, print_ = results_version().split("+")
    assert number == mrwtd.__version__
    assert re.fullmatch("[0-9a-f]{10}", print_)
    assert print_ == fingerprint(PACKAGE)


def test_every_pattern_names_files_and_all_that_fits_and_scores_is_among_them():
    assert all(list(PACKAGE.glob(pattern)) for pattern in SOURCES)
    names = {file.relative_to(PACKAGE).as_posix() for file in sources(PACKAGE)}
    assert {
        "data/splitting.py", "data/datasets/synthetic.py", "metrics/ranking.py", "model/solver.py", "model/kernels.py",
        "model/lambda_search.py", "bayesian/bptf.py", "comparison/jobs.py", "runs/execute.py", "evaluation/evaluate.py",
        "evaluation/significance.py", "experiments/real.py", "experiments/timed_fit.py",
    } <= names  # fmt: skip
    assert not [name for name in names if name.startswith(("dashboard", "cli", "plots"))]


def test_a_change_of_any_method_changes_the_version():
    files = {Path(inspect.getfile(type(mrwtd.make_method(name)))) for name in mrwtd.METHODS}
    assert files <= set(sources(PACKAGE))


def test_no_folder_of_numeric_code_has_folders_that_it_misses():
    """Readers are omitted on purpose: stored fits are identified by a digest of their data."""
    folders = ("data", "model", "baselines", "bayesian", "evaluation", "comparison", "experiments")
    inside = {file.parent for folder in folders for file in (PACKAGE / folder).rglob("*.py")}
    left_out = {file.parent for file in (PACKAGE / "data" / "readers").rglob("*.py")}
    assert inside - {file.parent for file in sources(PACKAGE)} == left_out


@pytest.mark.parametrize("name", FILES)
def test_text_and_format_do_not_change_it(package, name):
    before = fingerprint(package)
    rewrite(package / name, lambda text: ast.unparse(ast.parse(text)))  # without comments, in another format
    assert fingerprint(package) == before
    rewrite(package / name, lambda text: "# A comment.\n\n" + text)
    rewrite(package / name, lambda text: re.sub(r'""".*?"""', '"""Another text."""', text, flags=re.DOTALL))
    assert fingerprint(package) == before


def test_annotations_do_not_change_it():
    assert normalized("def f(x: int, *, y: str = 'a') -> int:\n    z: float = 1\n    return z") == normalized(
        "def f(x, *, y='a'):\n    z: int = 1\n    return z"
    )


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("x = 1", "x = 2"),
        ("x = 1", "x = 1.0"),
        ("x = 'a'", "x = b'a'"),
        ("x = 1", "y = 1"),
        ("a * (b + c)", "a * b + c"),
        ("a < b", "a <= b"),
        ("a - b", "b - a"),
        ("f(a, b)", "f((a, b))"),
        ("f(*a)", "f(a)"),
        ("[a, [b]]", "[[a], b]"),
        ("x[1:]", "x[:1]"),
        ("lambda x, y=None: x", "lambda x=None, y=None: x"),
        ("{**a, 'b': 1}", "{None: a, 'b': 1}"),
        ("if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
        ("f'{x}'", "f'{x!r}'"),
        ("f('text')", "f('other')"),
        ("return_ = None", "return_ = 0"),
        ("@cache\ndef f(): return 1", "def f(): return 1"),
    ],
)
def test_numeric_code_changes_it(code, changed):
    assert normalized(code) != normalized(changed)


def test_other_files_and_other_names_change_it_and_pages_do_not(package):
    before = fingerprint(package)
    rewrite(package / "dashboard" / "navigation.py", lambda text: text + "\nMORE = 1\n")
    assert fingerprint(package) == before
    (package / "model" / "another.py").write_text("X = 1\n", encoding="utf-8")
    added = fingerprint(package)
    assert added != before
    (package / "model" / "another.py").rename(package / "model" / "renamed.py")
    assert fingerprint(package) not in (before, added)
