"""The Compare page without a browser: one threshold for all sections, and the same scores on all pages."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import SelectSlider

import mrwtd
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.widgets import figures
from mrwtd.evaluation.standings import MEAN
from tests.dashboard.pages.compare_page import PAGE, texts, user_with_cancelled_run
from tests.dashboard.pages.open_pages import QUICK, open_page, open_trained, slider_ends


@pytest.mark.parametrize("view", ["all", "one"])
@pytest.mark.parametrize("relation", ["marriage", "business"])
def test_one_threshold_is_shared_by_all_sections(view: str, relation: str) -> None:
    app = open_trained(PAGE, relation=relation, **{"compare.section": "curves", "compare.view": view})
    first = threshold(app)
    app = first.set_value(first.min + 3 * first.step).run()
    chosen, confusions = threshold(app).value, []
    assert chosen > first.min
    for section in ("trust", "curves", "table", "trust"):
        app = app.button_group(key=f"{keys.PICK}compare.section").set_value(section).run()
        if section == "table":
            continue
        slider = threshold(app)
        assert (slider.min, slider.max, slider.step) == (first.min, first.max, first.step)
        assert slider.value == chosen
        assert float(app.session_state[keys.SETTINGS].views["compare.threshold"]) == chosen
        confusions.append({metric.label: metric.value for metric in app.metric})
    assert confusions[0] == confusions[-1]
    assert not app.exception


@pytest.mark.usefixtures("_same_process")
@pytest.mark.parametrize("data", ["nations", "synth-kinds"])
def test_train_and_compare_show_the_same_sampled_scores_of_a_cancelled_run(
    data: str, monkeypatch: pytest.MonkeyPatch, files: dict[str, pd.DataFrame]
) -> None:
    user = user_with_cancelled_run(monkeypatch, data, n_scored=700)
    monkeypatch.setattr(figures, "show_bars", lambda _, name, scores: files.update({name: scores}))
    _, test = mrwtd.load_dataset(data).split(train=QUICK["train"], seed=0, by="auto")
    sample = f"700 of its {len(test):,} test entries"
    on_train = open_page("pages/2_Train.py", user, data=data)
    assert sample in texts(on_train)
    stored = files["scores"].set_index(["method", "relation", "metric"])["value"]
    on_compare = open_page(PAGE, user, data=data, **{"compare.section": "table"})
    assert sample in texts(on_compare)
    shown = files["relation-by-method"]
    shown = shown[shown["relation"] != MEAN].set_index(["method", "relation", "metric"])["value"]
    assert set(shown.index.get_level_values("method")) == {"MrWTD", "RESCAL"}
    assert shown.notna().sum() > 4
    pd.testing.assert_series_equal(shown, stored.reindex(shown.index))
    assert sample in texts(open_page("app.py", user, data=data))
    assert sample not in texts(open_trained(PAGE))


@pytest.mark.usefixtures("_same_process")
def test_curves_and_errors_of_a_cancelled_run_use_the_scored_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user = user_with_cancelled_run(monkeypatch, "nations", n_scored=700)
    run = current_user.workspace_of(user).runs()[0]
    rows = run.scores[run.scores["metric"] == "auprc"].drop_duplicates("relation").set_index("relation")
    relation = rows["positives"].astype(float).idxmax()
    app = open_page(PAGE, user, data="nations", relation=relation, **{"compare.section": "trust"})
    assert not app.exception
    count, ties = int(rows["entries"][relation]), int(rows["positives"][relation])
    assert f"of {count:,} test pairs" in texts(app)
    assert f"True ties: {ties:,}." in texts(app)


def test_a_slider_keeps_its_value_when_its_range_changes() -> None:
    app = open_trained(PAGE, **{"compare.section": "trust", "compare.threshold": "0.1"})
    before = threshold(app)
    app = app.selectbox(key=f"{keys.PICK}method").select("RESCAL").run()
    after = threshold(app)
    assert slider_ends(before) != slider_ends(after)
    assert (before.value, after.value) == (0.1, 0.1)


def threshold(app: AppTest) -> SelectSlider:
    return app.select_slider(key=keys.PICK + "compare.threshold")
