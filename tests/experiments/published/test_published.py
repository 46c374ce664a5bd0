import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.experiments.published import ranking, rescal2011
from mrwtd.experiments.published.published_results import AUC_PR, RANKING
from mrwtd.experiments.published.settings import DATA, LABELS, Setting, settings

SMALL = [("nations", Setting("MrWTD-L", {"rank": rank, "lam": 3.0, "seed": 0})) for rank in (2, 3)]


def test_held_out_ties_are_negative_in_training_like_all_other_pairs():
    data = mrwtd.load_dataset("nations", form="standard")
    train, test, valid = data.published_split(held_out="unobserved")
    everything = data.published_split()[0]
    assert len(everything) == 14 * 14 * 55
    ties = everything.subset(everything.y > 0).to_frame()
    assert len(ties) == (train.y > 0).sum() == 1592
    listed = set(ties[["source", "relation", "target"]].itertuples(index=False, name=None))
    for part in (test, valid):
        assert not listed & set(part.to_frame()[["source", "relation", "target"]].itertuples(index=False, name=None))
    assert (everything.i == everything.j).sum() == 14 * 55


def test_the_setting_with_the_best_valid_mrr_is_chosen_whatever_the_test_says():
    rows = [
        {"data": "nations", "label": "CP", "setting": setting, "seconds": 1.0, "part": part, "metric": metric,
         "value": value + 0.01 * position}
        for setting, part, value in [("a", "valid", 0.5), ("a", "test", 0.1), ("b", "valid", 0.4), ("b", "test", 0.9)]
        for position, metric in enumerate(["mrr", "hits@1", "hits@3", "hits@10"])
    ]  # fmt: skip
    (row,) = ranking.chosen(pd.DataFrame(rows)).to_dict("records")
    assert (row["setting"], row["valid mrr"], row["mrr"], row["tried"]) == ("a", 0.5, 0.1, 2)
    assert row["hits@10"] == pytest.approx(0.13)


def test_stored_fits_are_not_run_again(tmp_path, monkeypatch):
    first = ranking.run_ranking(SMALL[:1], tmp_path)
    started = []
    again = ranking.run_ranking(SMALL, tmp_path, lambda done, total, name: started.append((done, total, name)))
    assert started == [(1, 2, "nations, MrWTD-L, rank 3, λ 3")]
    pd.testing.assert_frame_equal(
        again.iloc[: len(first)][["part", "metric", "value"]], first[["part", "metric", "value"]]
    )
    ranking.run_ranking(SMALL[:1], tmp_path, lambda *step: started.append(step), restart=True)
    assert len(started) == 2


def test_every_label_has_settings_and_the_quick_ones_are_among_them():
    for data in DATA:
        for label in LABELS:
            tried = settings([label], data)
            assert all(setting.label == label for setting in tried)
            assert len({setting.name for setting in tried}) == len(tried)
            assert set(settings([label], data, quick=True)) <= set(tried)
            assert tried or label.startswith(("MrWTD-B", "BTF"))


def test_cells_are_divided_into_ten_folds_of_equal_size():
    data = mrwtd.load_dataset("kinship", form="standard")
    fold = rescal2011.fold_of_cells(data, 0)
    sizes = np.bincount(fold)
    assert len(sizes) == 10
    assert set(sizes) == {27_040}
    assert (fold != rescal2011.fold_of_cells(data, 1)).mean() > 0.5


def test_the_area_is_of_one_curve_of_all_relations():
    # ranks 1 and 3 of 4 are ties: precision 1 at recall 1/2, then 1/2 at 1/2, then 2/3 at 1
    area = rescal2011.pooled_auc(np.array([1.0, -1, 1, -1]), np.array([4.0, 3, 2, 1]))
    assert area == pytest.approx(0.5 + 0.5 * (1 / 2 + 2 / 3) / 2)


def test_held_out_cells_are_unknown_to_the_fit():
    data = mrwtd.load_dataset("nations", form="standard")
    fitted = []

    class Spy(Setting):
        def fit(self, train):
            fitted.append(train)
            return super().fit(train)

    setting = Spy("RESCAL", {"rank": 2, "lam": 10.0, "coding": "binary", "seed": 0})
    rows = rescal2011.run_fold_job(rescal2011.FoldJob("nations", setting, run=4), data)
    assert len(fitted[0]) == len(data) * 9 // 10
    assert rows["entries"].unique().tolist() == [len(data) // 10]
    assert rows["value"].between(0, 1).all()


def test_published_numbers_are_of_known_data_and_metrics():
    for row in RANKING:
        assert row.data in DATA
        assert 0 < row.scores["mrr"] <= 1
        assert row.source
    assert {row.method for row in AUC_PR if row.data == "kinship"} >= {"RESCAL", "LFM"}
    assert {row.data: row.scores["mrr"] for row in RANKING if row.method == "ConvE"} == {
        "kinship": 0.83, "umls": 0.94, "nations": 0.82,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (["ranking", "--data", "nations", "--method", "RESCAL", "--quick"], "mrr"),
        (["rescal2011", "--data", "nations", "--method", "RESCAL", "--folds", "1", "--rank", "3"], "auc_pr"),
    ],
)
def test_the_command_prints_ours_beside_the_published_ones_and_writes_both_files(tmp_path, words, column):
    result = CliRunner().invoke(main, ["benchmark", *words, "--out", str(tmp_path), "--json"])
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    ours = [row for row in printed["table"] if row["source"] == "mrwtd"]
    assert len(ours) == 1
    assert 0 < ours[0][column] < 1
    assert len(printed["table"]) > 1
    assert all(row["data"] == "nations" for row in printed["table"])
    page = (tmp_path / f"{words[0]}.md").read_text(encoding="utf-8")
    assert printed["version"] in page
    assert printed["command"] in page
    table = pd.read_csv(tmp_path / f"{words[0]}.csv")
    assert table[column].notna().all()


def test_unknown_methods_and_settings_that_are_not_tried_are_refused(tmp_path):
    run = CliRunner().invoke
    assert run(main, ["benchmark", "ranking", "--method", "ConvE", "--out", str(tmp_path)]).exit_code == 1
    words = ["benchmark", "ranking", "--data", "umls", "--method", "MrWTD-B, turned", "--out", str(tmp_path)]
    assert run(main, words).exit_code == 2
