"""A metric that is registered is reported, drawn and printed, without any other change."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.cli.compare import as_text
from mrwtd.dashboard.pages.compare import compare_texts, table
from mrwtd.evaluation.standings import standings_on_split, standings_over_splits
from mrwtd.metrics import METRICS, Metric, Predictions
from mrwtd.plots.bars import score_bars
from mrwtd.plots.score_curves import dumbbells, score_bands, score_curves


class LargestError(Metric):
    name = "largest_error"
    label = "largest error"
    help = "The largest absolute error: 0 is perfect"
    kinds = shown_for = ("real",)
    direction = "lower"
    perfect = 0.0
    bounds = (0.0, np.inf)

    def compute(self, predictions: Predictions) -> float:
        return float(np.abs(predictions.y - predictions.predicted).max())


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    METRICS.register(LargestError)
    yield
    METRICS.unregister("largest_error")


@pytest.fixture
def parts() -> tuple[mrwtd.RelationalData, mrwtd.RelationalData]:
    train, test = mrwtd.load_dataset("airports").select_relations(["distance (km)"]).split(train=0.5, seed=0)
    return train, test


def test_it_is_in_the_scores_the_bars_and_the_table_of_a_run(parts):
    train, test = parts
    models = {name: mrwtd.make_method(name, rank=2, lam=1.0).fit(train) for name in ("MrWTD", "RESCAL")}
    scores = pd.concat([mrwtd.evaluate(model, test).assign(method=name) for name, model in models.items()])
    errors = scores[scores["metric"] == "largest_error"].set_index("method")["value"]
    assert errors["MrWTD"] == np.abs(models["MrWTD"].predict(test) - test.y).max()
    _, added = score_bars(scores)
    assert added.caption.startswith("Largest error (lower is better)")
    assert added.help == LargestError.help
    assert [bar.name for bar in added.rows] == errors.sort_values().index.tolist()
    standings = standings_on_split(models, test)
    cells = table.wide(standings)[0]
    assert "●" in cells.loc["distance (km): largest error", errors.idxmin()]
    assert "largest error of the real relation" in compare_texts.verdict(standings, "Here")
    assert "**Largest error**" in compare_texts.scores_help()


def test_it_is_in_figures_and_in_the_statistics_of_several_splits():
    data = mrwtd.load_dataset("airports").select_relations(["distance (km)"])
    scores = mrwtd.compare(data, ["MrWTD", "RESCAL"], [0.5], rank=2, runs=2, lam=1.0, n_jobs=1)
    summary = mrwtd.summarize(scores)
    assert summary.loc[summary["metric"] == "largest_error", "best"].sum() == 1
    standings = standings_over_splits(scores)
    singles = standings[standings["relation"] == "distance (km)"]
    assert score_bands(singles, "largest_error").layout.yaxis.title.text == "largest error"
    rows = pd.DataFrame({"relation": ["distance (km)"], "metric": "largest_error", "A": [2.0], "B": [1.0]})
    assert dumbbells(rows, "largest_error").layout.xaxis.title.text == "largest error"
    drawn = score_curves(summary[summary["metric"] == "largest_error"].assign(data="Airports"), paper=False)
    assert [note.text for note in drawn.layout.annotations] == ["Airports<br>largest error"]
    assert "largest_error of real relations" in as_text(summary)


def test_it_is_in_the_output_of_the_command_line():
    options = ["airports", "--rank", "2", "--lam", "1", "--train", "0.5"]
    result = CliRunner().invoke(main, ["fit", *options])
    assert result.exit_code == 0, result.output
    assert "largest_error" in result.output
