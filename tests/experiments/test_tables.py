import re

import pandas as pd
import pytest

from mrwtd.experiments.experiment import EXPERIMENTS


def rows(method, values, *, data="Kinship", train=0.10, kind="binary", metric="auprc", rank=20):
    made = {"data": data, "method": method, "train": train, "run": range(len(values)), "rank": rank, "relation": "r"}
    return pd.DataFrame(
        made | {"kind": kind, "metric": metric, "value": values, "reason": "", "lam": 1.0, "seconds": 2.0}
    )


def failure(method):
    return rows(method, [float("nan")], kind="", metric="").assign(relation="", reason="found a cat; expected a dog")


@pytest.fixture
def real():
    return EXPERIMENTS["real"]


def cells(table, line):
    return [cell.strip() for cell in table.markdown.splitlines()[2 + line].strip("|").split("|")]


def test_our_rows_are_above_those_of_the_paper(real):
    scores = pd.concat([rows("MrWTD-L", [0.50, 0.52, 0.54]), rows("RESCAL-signs", [0.20, 0.21, 0.22])])
    table = real.table(scores)
    assert list(table.frame.columns) == ["Data", "train %", "", "RESCAL-signs", "MrWTD-L"], "the order of the paper"
    assert cells(table, 0) == ["Kinship (AUPRC)", "10", "ours", "0.210 (.010)", "**0.520 (.020)**"]
    assert cells(table, 1) == ["", "10", "paper", "0.13 (.01)", "**0.48 (.02)**"]
    assert table.frame.iloc[0]["MrWTD-L"] == "0.520 (.020)"
    assert re.findall(r"of (\d+)", table.notes[0]) == ["3", "20"], "runs of ours and of the paper"
    (row_group,) = table.summary.query("method == 'RESCAL-signs'").to_dict("records")
    assert (row_group["mean"], row_group["paper_mean"], row_group["n"]) == (pytest.approx(0.21), 0.13, 3)


def test_methods_tied_with_the_best_are_bold(real):
    scores = pd.concat([rows("BPTF", [0.40, 0.50, 0.60]), rows("MrWTD-L", [0.45, 0.52, 0.61])])
    assert [cell.startswith("**") for cell in cells(real.table(scores), 0)[3:]] == [True, True]


def test_without_the_paper_its_rows_are_omitted(real):
    table = real.table(rows("MrWTD-L", [0.5, 0.6]), paper=False)
    assert len(table.frame) == 1
    assert "paper" not in " ".join(table.notes)


@pytest.mark.parametrize("change", [{"rank": 10}, {"train": 0.12}, {"data": "AUCS"}])
def test_settings_that_the_paper_did_not_run_have_no_value_of_the_paper(real, change):
    table = real.table(rows("MrWTD-L", [0.5, 0.6], **change))
    assert table.frame[""].tolist() == ["ours"]
    assert table.summary["paper_mean"].isna().all()


def test_training_sizes_ascend_and_new_methods_are_last(real):
    scores = pd.concat(rows(name, [0.5, 0.6], train=train) for name in ("CP", "RESCAL-signs") for train in (0.25, 0.05))
    table = real.table(scores)
    assert list(table.frame.columns)[3:] == ["RESCAL-signs", "CP"]
    assert table.frame["train %"].tolist() == ["5", "5", "25", "25"]
    assert table.frame.iloc[1]["CP"] == "", "the paper has no CP"


def test_both_relations_of_the_mixed_data_have_rows():
    synth = EXPERIMENTS["synth"]
    mixed = {"data": "Synth-M", "rank": 10}
    scores = pd.concat(
        [
            rows("BPTF", [0.5, 0.6], **mixed),
            rows("BPTF", [0.05, 0.07], kind="real", metric="mse", **mixed),
            rows("MMMF", [0.4, 0.4], **mixed),
            rows("MMMF", [0.9, 0.8], kind="real", metric="mse", **mixed),
        ]
    )
    table = synth.table(scores)
    titles = [title for title in table.frame["Data"] if title]
    assert titles == ["Synth-M, binary (AUPRC)", "Synth-M, real (MSE)"]
    assert cells(table, 2)[-1].startswith("**"), "a low MSE is a good one"
    assert not cells(table, 2)[-2].startswith("**")


def test_failures_single_runs_and_partial_averages_are_reported(real):
    both = pd.concat(
        [rows("RESCAL-signs", [0.5]), rows("RESCAL-signs", [float("nan")]).assign(relation="s"), failure("BPTF")]
    )
    table = real.table(both)
    assert cells(table, 0)[3:] == ["**0.500 (–)**", "failed"]
    table_notes = " ".join(table.notes)
    assert "1 run." in table_notes
    assert "single run" in table_notes
    assert "BPTF failed in 1 fit: found a cat; expected a dog." in table_notes
    assert "at least 1 of 2 relations" in table_notes


@pytest.mark.parametrize("name", ["synth", "real", "rank", "timing"])
def test_nothing_finished_is_an_empty_table_and_an_empty_figure(name, tmp_path):
    experiment = EXPERIMENTS[name]
    outcome = experiment.gather(experiment.presets["quick"], tmp_path)
    assert outcome.done == 0
    assert outcome.total == len(experiment.jobs(experiment.presets["quick"]))
    assert len(experiment.table(outcome.scores).frame) == 0
    assert len(experiment.figure(outcome.scores).data) == 0
