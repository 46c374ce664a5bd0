"""The examples of CONTRIBUTING.md work, and the files and functions it names exist."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd import experiments as experiments_package
from mrwtd import metrics as metrics_package
from mrwtd.dashboard import navigation
from mrwtd.dashboard.state import keys
from mrwtd.data import readers as readers_package
from mrwtd.data.readers import FORMATS
from mrwtd.data.readers import formats as formats_package
from mrwtd.experiments.experiment import EXPERIMENTS
from mrwtd.metrics import METRICS
from mrwtd.model import LOSSES, MrWTD

TOP = Path(__file__).parent.parent
TEXT = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
TESTED = {"Adding a loss", "Adding a metric", "Adding a reader", "Adding an experiment", "Adding a page"}


def example(heading: str) -> str:
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]


def test_every_path_in_the_text_exists():
    paths = re.findall(r"`((?:mrwtd|tests|pages|benchmarks|tools|docs)/[\w/.-]*)`", TEXT)
    assert len(paths) > 30
    assert [path for path in paths if not (TOP / path).exists()] == []


def test_the_tree_lists_every_package():
    tree = TEXT.split("```\n")[1]
    folders = [folder for folder in (TOP / "mrwtd").iterdir() if (folder / "__init__.py").exists()]
    folders += [folder for folder in (TOP / "mrwtd" / "dashboard").iterdir() if (folder / "__init__.py").exists()]
    assert [folder.name for folder in folders if f"  {folder.name}/ " not in tree] == []
    modules = {path.name for path in (TOP / "mrwtd").glob("*.py")} - {"__init__.py"}
    assert [name for name in modules if f"  {name} " not in tree] == []
    pages = [folder.name for folder in (TOP / "mrwtd" / "dashboard" / "pages").iterdir() if folder.is_dir()]
    assert [name for name in pages if name not in tree and not name.startswith("__")] == []


WALK = re.findall(r"^\| `([\w/.]+\.py)` \| (.*?) \|", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("path", "functions"), WALK)
def test_the_functions_of_the_walk_are_in_their_files(path, functions):
    code = (TOP / path).read_text(encoding="utf-8")
    for name in re.findall(r"`(\w+)`", functions):
        assert re.search(rf"^ *(def|class) {name}\b", code, re.MULTILINE), name


def test_every_example_is_tested():
    sections = {section.partition("\n")[0] for section in TEXT.split("\n## ")[1:] if "```python" in section}
    assert sections == TESTED


def test_the_example_of_a_loss(tmp_path, monkeypatch):
    (tmp_path / "log_cosh.py").write_text(example("Adding a loss"))
    monkeypatch.syspath_prepend(tmp_path)
    try:
        import log_cosh  # noqa: F401

        assert "log-cosh" in LOSSES
        data = mrwtd.load_dataset("airports")
        train, test = data.select_relations(["distance (km)"]).split(train=0.5, seed=0)
        model = MrWTD(rank=3, lam=0.3, loss="log-cosh").fit(train)
        error = np.mean((model.predict(test) - test.y) ** 2)
        assert error < 0.3 * test.y.var()
    finally:
        LOSSES.unregister("log-cosh")


def test_the_example_of_a_metric(tmp_path, monkeypatch):
    (tmp_path / "median_error.py").write_text(example("Adding a metric"), encoding="utf-8")
    monkeypatch.setattr(metrics_package, "__path__", [*metrics_package.__path__, str(tmp_path)])
    monkeypatch.setattr(METRICS, "_packages", ("mrwtd.metrics",))  # as before the first lookup
    try:
        assert METRICS["median_error"].label == "median error"
        train, test = mrwtd.load_dataset("airports").select_relations(["distance (km)"]).split(train=0.5, seed=0)
        model = MrWTD(rank=3, lam=0.3).fit(train)
        scores = mrwtd.evaluate(model, test).set_index("metric")["value"]
        assert scores["median_error"] == np.median(np.abs(model.predict(test) - test.y))
        constant = METRICS["median_error"].constant_score(test.y)
        assert 0 < scores["median_error"] < constant
    finally:
        METRICS.unregister("median_error")
        sys.modules.pop("mrwtd.metrics.median_error", None)


def test_the_example_of_a_format(tmp_path, monkeypatch):
    (tmp_path / "pairs.py").write_text(example("Adding a reader"), encoding="utf-8")
    monkeypatch.setattr(formats_package, "__path__", [*formats_package.__path__, str(tmp_path)])
    monkeypatch.setattr(FORMATS, "_packages", ("mrwtd.data.readers.formats",))  # as before the first lookup
    try:
        assert "pairs" in readers_package.list_formats()
        file = tmp_path / "ties.pairs"
        file.write_text("ann > bob\nbob > cat\n", encoding="utf-8")
        data = mrwtd.read(file)
        assert data.objects == ("ann", "bob", "cat")
        assert [relation.name for relation in data.relations] == ["tie"]
        assert data.to_frame()[["source", "target"]].to_numpy().tolist() == [["ann", "bob"], ["bob", "cat"]]
        file.write_text("ann > bob\nbob and cat\n", encoding="utf-8")
        with pytest.raises(mrwtd.DataError, match="line 2: found 'bob and cat'; expected source > target"):
            mrwtd.read(file)
    finally:
        FORMATS.unregister("pairs")
        sys.modules.pop("mrwtd.data.readers.formats.pairs", None)


def test_the_example_of_an_experiment(tmp_path, monkeypatch):
    (tmp_path / "florence.py").write_text(example("Adding an experiment"), encoding="utf-8")
    monkeypatch.setattr(experiments_package, "__path__", [*experiments_package.__path__, str(tmp_path)])
    monkeypatch.setattr(EXPERIMENTS, "_packages", ("mrwtd.experiments",))
    try:
        assert list(EXPERIMENTS)[-1] == "florence"
        added = EXPERIMENTS["florence"]
        outcome = added.run(added.presets["quick"].change(n_jobs=1), tmp_path / "out")
        assert len(added.table(outcome.scores).frame) == 1
    finally:
        EXPERIMENTS.unregister("florence")
        sys.modules.pop("mrwtd.experiments.florence", None)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A copy of the dashboard's pages, with the example added."""
    shutil.copy(TOP / "app.py", tmp_path)
    shutil.copytree(TOP / "pages", tmp_path / "pages", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pages" / "9_Degrees.py").write_text(example("Adding a page"), encoding="utf-8")
    monkeypatch.setattr(navigation, "site_folder", lambda: tmp_path)
    return tmp_path


def open_degrees(site, **query):
    app = AppTest.from_file(str(site / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app = app.run().switch_page(str(site / "pages" / "9_Degrees.py")).run()
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == ["Degrees"]
    return app


def test_the_example_of_a_page_and_its_settings_after_a_reload(site):
    app = open_degrees(site, data="florentine")
    assert "Degrees" in [link.proto.label for link in app.get("page_link")]
    menu = app.selectbox(key=f"{keys.PICK}degrees.end")
    assert menu.value == "source"
    menu.select("target").run()
    query = {name: value if isinstance(value, str) else value[-1] for name, value in app.query_params.items()}
    assert query["degrees.end"] == "target"
    again = open_degrees(site, **query)  # another session, as after a reload
    assert again.selectbox(key=f"{keys.PICK}degrees.end").value == "target"
    assert again.session_state[keys.SETTINGS].data == "florentine"
