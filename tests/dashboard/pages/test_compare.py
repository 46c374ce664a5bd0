"""The Compare page without a browser."""

from dataclasses import replace
from uuid import uuid4

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import on_demand
from mrwtd.dashboard.pages import compare as compare_page
from mrwtd.dashboard.pages.compare import compare_cache, compare_texts, pr_curves, table
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.evaluation.standings import MEAN
from mrwtd.typing import Array
from tests.dashboard.pages.compare_page import PAGE, chart_count, compare, texts, user_with_runs
from tests.dashboard.pages.open_pages import QUICK, job_of, open_page, open_trained, slider_ends


def test_without_a_run_the_page_offers_training() -> None:
    app = open_page(PAGE, "a-user-without-runs", data="bankwiring")
    assert not app.exception
    assert [title.value for title in app.title] == ["Compare"]
    assert "Nothing has been trained" in app.info[0].value
    assert "Train with these settings" in [button.label for button in app.button]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [({}, ("2", "0.8", "auto")), ({"rank": "4"}, ("4", "0.8", "auto")), ({"rank": "3", "lam": "2"}, ("3", "0.8", "2"))],
)
def test_the_button_trains_with_the_settings_shown_next_to_it(
    chosen: dict[str, str], expected: tuple[str, str, str]
) -> None:
    user = uuid4().hex
    app = open_page(PAGE, user, data="bankwiring", **chosen)
    shown = texts(app).replace("\\", "")  # which escape Markdown
    job = job_of(user, app, "Train with these settings")
    assert (job.request["rank"], job.request["train"], job.request["lam"]) == expected
    assert f"rank {expected[0]}" in shown
    assert f"{float(expected[1]):.0%}" in shown
    assert f"λ {expected[2]}" in shown
    assert ", ".join(job.request["methods"].split(",")) in shown


@pytest.mark.parametrize("data", ["florentine", "bankwiring", "synth-kinds"])
@pytest.mark.parametrize("section", compare_page.SECTIONS)
def test_every_section_shows_every_kind_of_relation(section: str, data: str) -> None:
    app = compare(section, data)
    assert len(app.warning) == (section == "ranking")  # where all pairs are known, ranks are too good
    assert "has the best" in app.markdown[0].value


def test_the_page_starts_with_the_curves_of_all_relations() -> None:
    app = open_trained(PAGE)
    assert chart_count(app) == 1
    assert "One panel per relation" in texts(app)


def test_long_names_have_fewer_panels_per_row() -> None:
    short, long = (pr_curves._columns([f"{name} {number}" for number in range(46)]) for name in ("r", "a" * 20))
    assert long < short


def test_without_binary_relations_the_page_starts_with_the_table() -> None:
    app = open_trained(PAGE, "monastery")
    assert not app.exception
    assert not app.info
    assert {relation.name for relation in mrwtd.load_dataset("monastery").relations} <= shown_names(app)
    curves = compare("curves", "monastery")
    assert curves.info[0].value == compare_texts.NO_CURVES
    assert not chart_count(curves)


def test_the_only_relation_of_a_kind_has_no_mean() -> None:
    assert not any(name.startswith("Mean") for name in shown_names(compare("table", "airports")))
    assert "Mean AUPRC" in shown_names(compare("table", "florentine"))


def shown_names(app: AppTest) -> set[str]:
    """The row names and cells of the first table."""
    frame = app.dataframe[0].value
    return set(map(str, frame.index)) | set(map(str, frame.to_numpy().ravel()))


def test_the_threshold_moves_the_operating_point() -> None:
    app = compare("curves", view="one")
    slider = app.select_slider(key=keys.PICK + "compare.threshold")
    low, _ = slider_ends(slider)
    slider.set_value(low).run()
    after = {metric.label: metric.value for metric in app.metric}
    assert after["Recall"] == "1.000"
    assert after["Precision"] == after["Base rate"]
    assert app.session_state[keys.SETTINGS].views["compare.threshold"] == str(low)
    assert not app.exception


@pytest.mark.parametrize("threshold", ["1e99", "nan", "much"])
def test_an_invalid_threshold_is_reported(threshold: str) -> None:
    app = compare("curves", view="one", threshold=threshold)
    assert f"compare.threshold = {threshold} is not possible here" in texts(app).replace("\\", "")
    assert app.select_slider(key=keys.PICK + "compare.threshold").value == 0


@pytest.mark.parametrize("shift", [-30.0, 30.0])
def test_the_threshold_starts_at_0_even_if_all_scores_are_on_one_side(
    monkeypatch: pytest.MonkeyPatch, shift: float
) -> None:
    real = compare_cache.truth_and_scores

    def shifted(*arguments: object) -> tuple[Array, Array]:
        y, x = real(*arguments)
        return y, x + shift

    monkeypatch.setattr(compare_cache, "truth_and_scores", shifted)
    app = compare("trust")
    slider = app.select_slider(key=keys.PICK + "compare.threshold")
    assert slider.value == 0
    low, high = slider_ends(slider)
    assert low <= 0 <= high
    assert {metric.label: metric.value for metric in app.metric}["Recall"] == ("0.000" if shift < 0 else "1.000")


def test_an_unknown_section_is_reported() -> None:
    app = open_trained(PAGE, **{"compare.section": "nope"})
    assert not app.exception
    assert "nope" in texts(app)
    assert chart_count(app) == 1


def test_the_table_marks_the_best_of_each_relation() -> None:
    app = compare("table")
    table = app.dataframe[0].value
    assert list(table.index) == ["Mean AUPRC", "Time to fit", "λ", "business", "marriage"]
    assert list(table.columns) == list(QUICK["methods"])
    for name in ("Mean AUPRC", "business", "marriage"):
        cells = table.loc[name].tolist()
        best = [float(cell.split()[0]) for cell in cells if "●" in cell]
        assert len(best) >= 1
        assert max(float(cell.split()[0]) for cell in cells) == best[0]


def test_a_link_to_the_run_of_another_user_is_reported() -> None:
    app = open_trained("app.py", run="186f-ab12")
    assert "run = '186f-ab12'" in app.warning[0].value.replace("\\", "")
    assert app.session_state[keys.SETTINGS].run == ""


def test_long_work_needs_a_click_and_runs_in_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", -1.0)
    user = user_with_runs(2)
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "losses"})
    assert chart_count(app) == 0
    assert "on an idle machine" in app.info[0].value
    next(button for button in app.button if button.label == "Fit with 3 losses").click().run()
    for job in current_user.queue().jobs_of(user):
        current_user.queue().wait(job)
    app.run()
    assert not app.exception
    assert chart_count(app) == 3


@pytest.mark.parametrize("section", ["losses", "phantom"])
def test_a_run_without_mrwtd_gets_one_with_its_lambda_search(section: str) -> None:
    user = user_with_runs(2, methods=("Degree",), lam="auto")
    app = open_page(PAGE, user, data="florentine", **{"compare.section": section})
    assert not app.exception
    assert not app.error
    assert chart_count(app) == 3
    (run,) = current_user.workspace_of(user).runs()
    fitted = current_user.queue().find((current_run.cache_key(run), "main")).result
    assert (fitted.rank, fitted.lam) == (2, "auto")
    assert len(fitted.lam_path_) > 1


@pytest.mark.parametrize("section", ["losses", "phantom"])
def test_the_page_says_that_it_fitted_a_missing_mrwtd(section: str) -> None:
    app = open_page(PAGE, user_with_runs(2, methods=("Degree",)), data="florentine", **{"compare.section": section})
    assert compare_texts.MAIN_FITTED in texts(app)
    assert compare_texts.MAIN_FITTED not in texts(compare(section))


def test_a_large_lambda_is_written_without_a_power_of_ten() -> None:
    user = user_with_runs(2, methods=("MrWTD",), lam=1000.0)
    table = open_page(PAGE, user, data="florentine", **{"compare.section": "table"}).dataframe[0].value
    assert table.loc["λ"].tolist() == ["1000"]
    assert "λ 1000" in texts(open_page(PAGE, user, data="florentine", **{"compare.section": "losses"}))


def test_a_slow_fit_of_a_missing_mrwtd_needs_a_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", -1.0)
    user = user_with_runs(2, methods=("Degree",))
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "losses"})
    job_of(user, app, "Fit MrWTD")
    assert "Fit with 3 losses" in [button.label for button in app.run().button]


def test_downloads_have_descriptive_columns(files: dict[str, pd.DataFrame]) -> None:
    compare("table")
    table = files["relation-by-method"].set_index("method")
    assert set(table.loc["MrWTD", "lam"]) == {1.0}
    assert (table["seconds"] >= 0).all()
    compare("phantom")
    scores = files["phantom-auprc"]
    different = scores[scores["better"] != ""]
    assert len(different)
    assert (different["better"] == different[["missing as missing", "missing as zero"]].idxmax(axis=1)).all()


def test_missing_vs_zero_says_how_many_zeros_are_wrong() -> None:
    app = compare("phantom")
    assert "became zeros" in texts(app)
    assert "of these are wrong" in texts(app)


def test_ordinal_relations_have_their_own_figures() -> None:
    app = compare("trust", "monastery")
    assert [metric.label for metric in app.metric] == ["MAE in levels", "Accuracy"]
    assert compare_texts.LEVELS_CAPTION in texts(app)


def test_methods_without_probabilities_are_named() -> None:
    assert "RESCAL and Degree give no probability" in texts(compare("trust"))
    user = user_with_runs(2, methods=("BPTF", "BTF"))
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "trust"})
    assert "BPTF and BTF give no probability" in app.info[0].value
    assert "Bayes" not in texts(app)


def test_a_fit_that_explains_nothing_is_worse_than_the_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    real = current_run.current

    def with_bad_r2(**options: bool) -> current_run.Result:
        result = real(**options)
        scores = result.scores
        return replace(result, scores=scores.assign(value=scores["value"].mask(scores["metric"] == "r2", -5e7)))

    monkeypatch.setattr(current_run, "current", with_bad_r2)
    app = open_trained(PAGE, "synth-kinds", relation="real 1", **{"compare.section": "trust"})
    assert not app.exception
    (metric,) = (metric for metric in app.metric if metric.label == "Variance explained")
    assert (metric.value, metric.delta) == ("none", compare_texts.WORSE)


def test_counts_have_both_scores_in_the_table_and_in_the_verdict() -> None:
    app = compare("table", "airports")
    shown = app.dataframe[0].value
    assert {"flights: MSE ÷ variance", "flights: deviance explained"} <= set(shown.index)
    assert all(shown.loc[name].str.contains("●").any() for name in shown.index if name.startswith("flights"))
    (sentence,) = (text.value for text in app.markdown if "has the best" in text.value)
    assert "MSE ÷ variance of the count relation" in sentence
    assert "deviance explained of the count relation" in sentence


def test_the_verdict_names_methods_worse_than_the_mean_and_has_no_long_numbers() -> None:
    rows = [("A", 0.4, 0.9), ("B", 1.2, 0.1), ("C", 90_261_385_262.172, -3e8)]
    standings = pd.DataFrame(
        [
            {"relation": relation, "kind": "count", "metric": metric, "method": method, "value": value, "spread": 0.1,
             "best": method == "A", "tied_with_best": method == "A"}
            for method, *values in rows
            for metric, value in zip(("nmse", "deviance_explained"), values, strict=True)
            for relation in ("calls", MEAN)
        ]
    )  # fmt: skip
    squares, deviance = compare_texts.verdict(standings, "Here").split("**A** has")[1:]
    assert "B and C are above 1: worse" in squares
    assert "C is below 0: worse" in deviance
    _, means = table.wide(standings.replace({"relation": {"calls": "Mean spirited"}}))
    assert not means, "the mean of one relation would repeat it, and a relation may be called Mean"
    cells = table.wide(standings)[0]
    assert cells.loc["calls: MSE ÷ variance"].tolist() == ["0.400 ●", "1.200", "9.0 × 10¹⁰"]
    assert cells.loc["calls: deviance explained"].tolist() == ["0.900 ●", "0.100", "−3.0 × 10⁸"]


def test_an_internal_error_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> pd.DataFrame:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(compare_cache, "standings", fail)
    app = open_trained(PAGE)
    assert not app.exception
    assert len(app.error) == 1
    assert "secret detail" not in app.error[0].value


def test_without_predicted_ties_there_is_no_precision_and_equal_losses_are_tied() -> None:
    user = user_with_runs(2, lam=1000.0, methods=("MrWTD", "RESCAL"))
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "trust", "compare.threshold": "1"})
    assert {metric.label: metric.value for metric in app.metric}["Precision"] == "–"
    losses = ["quadratic", "smooth-hinge", "logistic"]
    standings = pd.DataFrame({"method": losses, "value": 0.107, "best": True, "tied_with_best": False})
    assert compare_texts.ranking(standings, "AUPRC").endswith("tied with smooth\\-hinge and logistic.")
