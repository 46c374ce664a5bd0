"""The Compare page without a browser."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import on_demand
from mrwtd.dashboard.pages import compare as compare_page
from mrwtd.dashboard.pages.compare import compare_cache, pr_curves, splits, table
from mrwtd.dashboard.pages.compare.loss_lab import _verdict
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.evaluation.standings import MEAN
from tests.dashboard.pages.compare_page import PAGE, charts, said, somebody
from tests.dashboard.pages.opening import QUICK, job_of, open_page, open_trained


def compare(section: str, data: str = "florentine", **views: str) -> AppTest:
    at = open_trained(PAGE, data, **{"compare.section": section} | {f"compare.{name}": v for name, v in views.items()})
    assert not at.exception
    assert not at.error
    return at


def test_without_a_run_there_is_a_sentence_and_a_button() -> None:
    at = open_page(PAGE, "a-visitor-without-any-run-at-all", data="bankwiring")
    assert not at.exception
    assert [title.value for title in at.title] == ["Compare"]
    assert "Nothing has been trained" in at.info[0].value
    assert "Train with these settings" in [button.label for button in at.button]


@pytest.mark.parametrize(
    ("chosen", "made"),
    [({}, ("2", "0.8", "auto")), ({"rank": "4"}, ("4", "0.8", "auto")), ({"rank": "3", "lam": "2"}, ("3", "0.8", "2"))],
)
def test_the_button_trains_with_the_settings_that_stand_beside_it(
    chosen: dict[str, str], made: tuple[str, str, str]
) -> None:
    own = uuid4().hex
    at = open_page(PAGE, own, data="bankwiring", **chosen)
    shown = said(at)
    job = job_of(own, at, "Train with these settings")
    assert (job.request["rank"], job.request["train"], job.request["lam"]) == made
    assert f"rank {made[0]}" in shown
    assert f"{float(made[1]):.0%}" in shown
    assert f"λ {made[2]}" in shown
    assert ", ".join(job.request["methods"].split(",")) in shown


@pytest.mark.parametrize("data", ["florentine", "bankwiring", "synth-kinds"])
@pytest.mark.parametrize("section", compare_page.SECTIONS)
def test_every_section_shows_every_kind_of_relation(section: str, data: str) -> None:
    at = compare(section, data)
    assert not at.warning
    assert "has the best" in at.markdown[0].value


def test_it_begins_with_the_curves_of_all_relations() -> None:
    at = open_trained(PAGE)
    assert charts(at) == 1
    assert "Each panel is a relation" in said(at)


def test_panels_with_long_names_are_fewer_in_a_row() -> None:
    short, long = (pr_curves._columns([f"{name} {at}" for at in range(46)]) for name in ("r", "a" * 20))
    assert long < short


def test_without_binary_relations_it_begins_with_the_table_of_scores() -> None:
    at = open_trained(PAGE, "monastery")
    assert not at.exception
    assert not at.info
    assert {relation.name for relation in mrwtd.load_dataset("monastery").relations} <= shown_names(at)
    asked = compare("curves", "monastery")
    assert "curves are for binary relations" in asked.info[0].value
    assert not charts(asked)


def test_a_relation_that_is_the_only_one_of_its_kind_has_no_mean() -> None:
    assert not any(name.startswith("Mean") for name in shown_names(compare("table", "airports")))
    assert "Mean AUPRC" in shown_names(compare("table", "florentine"))


def shown_names(at: AppTest) -> set[str]:
    """All that the first table says, and what its rows are called."""
    frame = at.dataframe[0].value
    return set(map(str, frame.index)) | set(map(str, frame.to_numpy().ravel()))


def test_the_threshold_moves_the_operating_point() -> None:
    at = compare("curves", view="one")
    slider = at.slider(key=keys.PICK + "compare.threshold")
    slider.set_value(slider.min).run()
    after = {metric.label: metric.value for metric in at.metric}
    assert after["Recall"] == "1.000"
    assert f"{float(after['Precision']):.0%}" == f"{float(after['Base rate'].rstrip('%')) / 100:.0%}"
    assert at.session_state[keys.SETTINGS].views["compare.threshold"] == str(slider.min)
    assert not at.exception


@pytest.mark.parametrize("asked", ["1e99", "nan", "much"])
def test_a_threshold_that_is_not_possible_is_named(asked: str) -> None:
    at = compare("curves", view="one", threshold=asked)
    assert f"compare.threshold = {asked} is not possible here" in said(at).replace("\\", "")
    assert at.slider(key=keys.PICK + "compare.threshold").value == 0


@pytest.mark.parametrize("shift", [-30.0, 30.0])
def test_the_threshold_begins_at_0_where_all_scores_lie_on_one_side_of_it(
    monkeypatch: pytest.MonkeyPatch, shift: float
) -> None:
    answers = compare_cache.answers

    def moved(*asked: object) -> tuple[compare_cache.Vector, compare_cache.Vector]:
        y, x = answers(*asked)
        return y, x + shift

    monkeypatch.setattr(compare_cache, "answers", moved)
    at = compare("trust")
    slider = at.slider(key=keys.PICK + "compare.threshold")
    assert slider.value == 0
    assert slider.min <= 0 <= slider.max
    assert {metric.label: metric.value for metric in at.metric}["Recall"] == ("0.000" if shift < 0 else "1.000")


def test_a_section_that_is_not_there_is_named() -> None:
    at = open_trained(PAGE, **{"compare.section": "nope"})
    assert not at.exception
    assert "nope" in said(at)
    assert charts(at) == 1


def test_the_table_marks_the_best_of_each_relation() -> None:
    at = compare("table")
    table = at.dataframe[0].value
    assert list(table.index) == ["Mean AUPRC", "Seconds to fit", "λ", "business", "marriage"]
    assert list(table.columns) == list(QUICK["methods"])
    for name in ("Mean AUPRC", "business", "marriage"):
        cells = table.loc[name].tolist()
        best = [float(cell.split()[0]) for cell in cells if "●" in cell]
        assert len(best) >= 1
        assert max(float(cell.split()[0]) for cell in cells) == best[0]


def test_several_splits_have_deviations_and_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    at = compare("table", splits="5")
    assert "±" in at.dataframe[0].value.loc["marriage", "MrWTD"]
    assert charts(at) == 1
    assert "5 splits" in said(at)


def test_the_sentence_on_top_is_of_this_split_and_that_of_several_agrees_with_their_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    at = compare("table", splits="5")
    top, below = (text.value for text in at.markdown if "has the best" in text.value)
    assert top.startswith("On this split ")
    assert "mean AUPRC of 2 binary relations" in below
    means = at.dataframe[0].value.loc["Mean AUPRC"]
    (best,) = means.index[means.str.contains("●")]
    assert below.startswith(f"Over these 5 splits **{best}** ")
    assert f"**{means[best].split()[0]}**" in below


def test_a_link_to_somebody_elses_run_is_named() -> None:
    at = open_trained("app.py", run="186f-ab12")
    assert "run = '186f-ab12'" in at.warning[0].value.replace("\\", "")
    assert at.session_state[keys.SETTINGS].run == ""


def test_curves_of_several_splits_have_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    at = compare("curves", view="one", splits="5")
    assert not at.exception
    assert not at.error
    assert charts(at) == 1
    assert "mean precision over 5 splits" in said(at)


def test_what_takes_long_is_asked_for_first_and_done_by_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", -1.0)
    own = somebody(2)
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "losses"})
    assert charts(at) == 0
    assert "on an idle machine" in at.info[0].value
    next(button for button in at.button if button.label == "Fit with 3 losses").click().run()
    for job in current_user.queue().of(own):
        current_user.queue().wait(job)
    at.run()
    assert not at.exception
    assert charts(at) == 3


@pytest.mark.parametrize("section", ["losses", "phantom"])
def test_a_run_without_ours_gets_one_with_its_search_for_lam(section: str) -> None:
    own = somebody(2, methods=("Degree",), lam="auto")
    at = open_page(PAGE, own, data="florentine", **{"compare.section": section})
    assert not at.exception
    assert not at.error
    assert charts(at) == 3
    (run,) = current_user.workspace_of(own).runs()
    ours = current_user.queue().find((f"{run.folder} {run.created}", "main")).result
    assert (ours.rank, ours.lam) == (2, "auto")
    assert len(ours.lam_path_) > 1


@pytest.mark.parametrize("section", ["losses", "phantom"])
def test_it_is_said_that_a_model_was_fitted_which_the_run_lacks(section: str) -> None:
    at = open_page(PAGE, somebody(2, methods=("Degree",)), data="florentine", **{"compare.section": section})
    assert "This run has no MrWTD" in said(at)
    assert "This run has no MrWTD" not in said(compare(section))


def test_a_great_lam_is_written_without_a_power_of_ten() -> None:
    own = somebody(2, methods=("MrWTD",), lam=1000.0)
    table = open_page(PAGE, own, data="florentine", **{"compare.section": "table"}).dataframe[0].value
    assert table.loc["λ"].tolist() == ["1000"]
    assert "λ 1000" in said(open_page(PAGE, own, data="florentine", **{"compare.section": "losses"}))


def test_what_a_run_lacks_is_asked_for_first_where_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", -1.0)
    own = somebody(2, methods=("Degree",))
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "losses"})
    job_of(own, at, "Fit MrWTD")
    assert "Fit with 3 losses" in [button.label for button in at.run().button]


def test_files_to_download_say_what_is_in_them(files: dict[str, pd.DataFrame]) -> None:
    compare("table")
    table = files["relation-by-method"].set_index("method")
    assert set(table.loc["MrWTD", "lam"]) == {1.0}
    assert (table["seconds"] >= 0).all()
    compare("phantom")
    apart = files["phantom-auprc"]
    told = apart[apart["better"] != ""]
    assert len(told)
    assert (told["better"] == told[["missing as missing", "missing as zero"]].idxmax(axis=1)).all()


def test_phantom_zeros_tell_how_many_are_wrong() -> None:
    at = compare("phantom")
    assert "became zeros" in said(at)
    assert "the test entries say otherwise" in said(at)


def test_relations_without_ties_have_their_own_pictures() -> None:
    at = compare("trust", "monastery")
    assert [metric.label for metric in at.metric] == ["MAE in levels", "Accuracy"]
    assert "Colours: their share of the row" in said(at)
    assert "binary" in compare("curves", "monastery").info[0].value


def test_methods_without_probabilities_are_named() -> None:
    assert "RESCAL and Degree give no probability." in said(compare("trust"))
    own = somebody(2, methods=("BPTF", "BTF"))
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "trust"})
    assert "BPTF and BTF give no probability of a tie for this relation" in at.info[0].value
    assert "Bayes" not in said(at)


def test_a_fit_that_explains_nothing_is_called_worse_than_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    real = current_run.current

    def wild() -> current_run.Result:
        found = real()
        return replace(found, scores=found.scores.assign(value=found.scores["value"].mask(is_r2(found), -5e7)))

    def is_r2(found: current_run.Result) -> pd.Series:
        return found.scores["metric"] == "r2"

    monkeypatch.setattr(current_run, "current", wild)
    at = open_trained(PAGE, "synth-kinds", relation="real 1", **{"compare.section": "trust"})
    assert not at.exception
    (metric,) = (one for one in at.metric if one.label == "Variance explained")
    assert (metric.value, metric.delta) == ("none", "worse than the mean")


def test_counts_have_both_of_their_scores_in_the_table_and_in_the_sentence() -> None:
    at = compare("table", "airports")
    shown = at.dataframe[0].value
    assert {"flights (MSE ÷ variance)", "flights (deviance explained)"} <= set(shown.index)
    assert all(shown.loc[name].str.contains("●").any() for name in shown.index if name.startswith("flights"))
    (sentence,) = (text.value for text in at.markdown if "has the best" in text.value)
    assert "MSE ÷ variance of the count relation" in sentence
    assert "deviance explained of the count relation" in sentence


def test_the_sentence_says_who_is_worse_than_the_mean_and_no_long_numbers() -> None:
    rows = [("A", 0.4, 0.9), ("B", 1.2, 0.1), ("C", 90_261_385_262.172, -3e8)]
    found = pd.DataFrame(
        [
            {"relation": relation, "kind": "count", "metric": metric, "method": method, "value": value, "spread": 0.1,
             "best": method == "A", "tied_with_best": method == "A"}
            for method, *values in rows
            for metric, value in zip(("nmse", "deviance_explained"), values, strict=True)
            for relation in ("calls", MEAN)
        ]
    )  # fmt: skip
    squares, deviance = compare_cache.verdict(found, "Here").split("**A** has")[1:]
    assert "B and C are above 1: worse than predicting the mean for every pair" in squares
    assert "C is below 0: worse than predicting the mean for every pair" in deviance
    cells = table.wide(found)[0]
    assert cells.loc["calls (MSE ÷ variance)"].tolist() == ["0.400 ●", "1.200", "9.0 × 10¹⁰"]
    assert cells.loc["calls (deviance explained)"].tolist() == ["0.900 ●", "0.100", "−3.0 × 10⁸"]


def test_a_failure_of_ours_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> pd.DataFrame:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(compare_cache, "standings", fail)
    at = open_trained(PAGE)
    assert not at.exception
    assert len(at.error) == 1
    assert "secret detail" not in at.error[0].value


def test_nothing_called_a_tie_has_no_precision_and_equal_losses_are_tied() -> None:
    own = somebody(2, lam=1000.0, methods=("MrWTD", "RESCAL"))
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "trust", "compare.threshold": "1"})
    assert {one.label: one.value for one in at.metric}["Precision"] == "–"
    found = pd.DataFrame(
        {"value": 0.107, "best": True, "tied_with_best": False}, index=["quadratic", "smooth-hinge", "logistic"]
    )
    assert _verdict(found) == "On this relation all losses rank alike: AUPRC 0.107."
    found.loc["logistic", "value"] = 0.1071
    assert _verdict(found).endswith("AUPRC 0.107, tied with smooth-hinge and logistic.")


def test_splits_that_were_stopped_are_told_and_can_be_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    own = somebody(2)
    whole = splits.repeat_seeds
    monkeypatch.setattr(
        splits, "repeat_seeds", lambda data, asked, count, *more, **named: whole(data, asked, 2, *more, **named)
    )
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "table", "compare.splits": "5"})
    assert "This was stopped: 2 of 5 splits are shown." in said(at)
    monkeypatch.undo()
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    next(button for button in at.button if button.label == "Begin again").click().run()
    assert "This was stopped" not in said(at)
    assert "Over these 5 splits" in said(at)
