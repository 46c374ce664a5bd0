import re

import pandas as pd
import pytest

from mrwtd.experiments.reports import write_report
from mrwtd.version import results_version


@pytest.fixture(scope="module")
def written(small, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    outcome = small.run(small.presets["quick"].change(runs=2), folder)
    return outcome, {file.name: file for file in write_report(small, outcome, folder, "python -m mrwtd <paper>")}


def test_every_file_has_date_versions_and_command(written):
    _, files = written
    assert list(files) == ["small.csv", "small-runs.csv", "small.md", "small.html", "small-lam.csv"]
    for file in files.values():
        text = file.read_text(encoding="utf-8")
        assert re.search(r"20\d\d-\d\d-\d\d", text)
        assert f"mrwtd {results_version()}" in text
        assert "python -m mrwtd <paper>" in text or "python -m mrwtd &lt;paper&gt;" in text
    assert not list(files["small.md"].parent.glob("*.part"))


def test_the_csv_holds_the_cells_and_the_runs_behind_them(written):
    outcome, files = written
    table, runs = pd.read_csv(files["small.csv"]), pd.read_csv(files["small-runs.csv"])
    assert len(table) == 2
    assert len(runs) == 4
    mean = runs.groupby("method")["value"].mean()
    assert table.set_index("method")["mean"].to_dict() == pytest.approx(mean.to_dict(), rel=1e-4)
    assert runs["seconds"].gt(0).all()
    assert len(pd.read_csv(files["small-lam.csv"])) == len(outcome.lam_paths)


def test_the_page_has_the_table_the_times_and_the_lam(written):
    text = written[1]["small.md"].read_text(encoding="utf-8")
    assert text.startswith("# Families\n")
    assert "| Florentine (AUPRC) | 50 | ours |" in text
    assert "## Seconds per fit" in text
    assert "## λ" in text
    assert "(standard deviation) of 2 runs" in text


def test_the_figure_needs_no_network(written):
    text = written[1]["small.html"].read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", text)
    assert "Plotly.newPlot" in text
    assert len(text) > 1_000_000, "the library itself is inside"


def test_a_partial_report_has_a_note(small, tmp_path):
    outcome = small.run(small.presets["quick"], tmp_path, lambda done, *_: done == 2)
    files = write_report(small, outcome, tmp_path, "x")
    assert "4 of 6 fits" in files[2].read_text(encoding="utf-8")
