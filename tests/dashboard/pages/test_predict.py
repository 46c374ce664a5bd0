"""The Predict page without a browser."""

import json

import pandas as pd
import pytest

from mrwtd.dashboard.pages.predict import VIEWS, new_object, predict_texts
from mrwtd.dashboard.state import keys
from tests.dashboard.pages.open_pages import open_page, open_trained

PAGE = "pages/6_Predict.py"


def views(app) -> dict[str, str]:
    return dict(app.session_state[keys.SETTINGS].views)


def table(app, column: str):
    (frame,) = (table.value for table in app.dataframe if column in table.value.columns)
    return frame


def texts(app) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info))


def test_without_a_run_the_page_offers_training() -> None:
    app = open_page(PAGE, "a-user-without-runs-2", data="florentine")
    assert not app.exception
    assert [title.value for title in app.title] == ["Predict"]
    assert len(app.info) == 1


@pytest.mark.parametrize("data", ["florentine", "monastery"])
@pytest.mark.parametrize("method", ["MrWTD", "RESCAL", "Degree"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_section_works_with_every_method(view: str, method: str, data: str) -> None:
    app = open_trained(PAGE, data, method=method, **{"predict.view": view})
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == ["Predict"]


def test_two_objects_in_every_relation() -> None:
    app = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Ridolfi"})
    predictions = table(app, "known")
    assert predictions["relation"].tolist() == ["business", "marriage"]
    assert predictions["prediction"].str.contains("%").all()
    assert predictions["known"].str.contains("training|held out").all()
    assert "Score" in texts(app)
    assert predict_texts.TRUST in texts(app)
    assert "no error bars" in texts(app)


def test_the_two_objects_can_be_swapped() -> None:
    app = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Ridolfi"})
    next(button for button in app.button if button.label == "Swap").click().run()
    assert (views(app)["predict.source"], views(app)["predict.target"]) == ("Ridolfi", "Medici")


def test_the_same_object_twice_shows_a_message() -> None:
    app = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Medici"})
    assert not app.exception
    assert app.info[0].value == predict_texts.SAME_OBJECT


def test_best_pairs_are_filtered() -> None:
    app = open_trained(PAGE, **{"predict.view": "Best unknown pairs"})
    every = table(app, "score")
    assert every["score"].is_monotonic_decreasing
    app.text_input(key=keys.PICK + "predict.with").set_value("medi").run()
    some = table(app, "score")
    assert 0 < len(some) < len(every)
    assert ((some["from"] == "Medici") | (some["to"] == "Medici")).all()
    app.text_input(key=keys.PICK + "predict.with").set_value("nobody at all").run()
    assert app.info[0].value == predict_texts.NO_PAIRS


def test_only_trusted_pairs_are_listed() -> None:
    app = open_trained(PAGE, **{"predict.view": "Best unknown pairs"})
    marked = table(app, "trust")["trust"]
    assert marked.str.startswith("⚠").any()
    app.toggle(key=keys.PICK + "predict.sure").set_value(True).run()
    left = [table.value for table in app.dataframe if "trust" in table.value.columns]
    assert all((frame["trust"] == "trusted").all() for frame in left)


def test_without_unknown_pairs_there_is_a_message() -> None:
    app = open_trained(PAGE, **{"predict.view": "Best unknown pairs", "predict.part": "data"})
    assert app.info[0].value == predict_texts.ALL_KNOWN


def test_a_new_object_starts_with_an_example_that_can_be_edited() -> None:
    app = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object"})
    assert "predicted for **New object**" in texts(app)
    assert "Most similar" in texts(app)
    before = table(app, "trust")
    number = app.session_state[keys.NEW_ENTRIES].number
    app.session_state[f"{new_object.EDITOR}{number}"] = {
        "edited_rows": {0: {"with": "Pazzi"}, 1: {"value": 0.0}},
        "added_rows": [{"relation": "business", "with": "Bischeri", "value": 1.0}],
        "deleted_rows": [],
    }
    app.run()
    assert not app.exception
    rows = json.loads(views(app)["predict.new"])
    assert ["marriage", "Pazzi", 1.0, 1] in rows
    assert ["business", "Bischeri", 1.0, 1] in rows
    assert not table(app, "trust").equals(before)


def test_the_score_of_a_number_is_not_about_ties() -> None:
    app = open_trained(PAGE, "monastery", relation="esteem")
    assert not app.exception
    assert "a tie." not in next(text.value for text in app.markdown if text.value.startswith("**Score"))


def test_a_method_without_new_objects_offers_one_with_them() -> None:
    app = open_trained(PAGE, method="Degree", **{"predict.view": "A new object"})
    assert "Degree cannot add new objects" in texts(app)
    next(button for button in app.button if button.label == "Use MrWTD").click().run()
    assert not app.exception
    assert table(app, "trust").shape[0] > 0


def test_a_new_object_is_restored_from_the_url() -> None:
    rows = json.dumps([["marriage", "Pazzi", 1.0, 1], ["marriage", "Nobody", 1.0, 1]])
    app = open_trained(
        PAGE, relation="marriage", **{"predict.view": "A new object", "predict.new": rows, "predict.name": "Bardi"}
    )
    assert not app.exception
    assert "predicted for **Bardi**" in texts(app)
    assert "ignored: Nobody" in texts(app)


@pytest.mark.parametrize(
    "invalid",
    ["x", "[]", "[[1]]", "[[1,2,3,4]]", '{"a": 1}', "null", "[" * 100_000, f'[["marriage","Pazzi",1{"0" * 400},1]]'],
    ids=lambda text: text[:20],
)
def test_invalid_urls_show_an_empty_table(invalid: str) -> None:
    app = open_trained(PAGE, **{"predict.view": "A new object", "predict.new": invalid})
    assert not app.exception
    assert not app.error
    assert predict_texts.NO_ROWS in texts(app)


@pytest.mark.parametrize("value", ["1e999", "NaN", "1e308", "-1e308", "1e-320", "0.5"])
def test_any_number_in_a_url_is_a_prediction_or_a_message(value: str) -> None:
    rows = f'[["marriage","Pazzi",{value},1]]'
    app = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object", "predict.new": rows})
    assert not app.exception
    assert not any("went wrong" in error.value for error in app.error)


def test_an_existing_name_shows_an_error() -> None:
    app = open_trained(PAGE, **{"predict.view": "A new object", "predict.name": "Medici"})
    assert not app.exception
    assert "a name that no object has yet" in app.error[0].value.replace("\\", "")


def test_the_place_of_a_new_object_can_be_downloaded(files: dict[str, pd.DataFrame]) -> None:
    app = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object"})
    points = files["new-object"]
    assert points["object"].tolist()[-1] == "New object"
    assert points["status"].tolist() == ["known"] * (len(points) - 1) + ["new"]
    assert "Percentages: how much" in texts(app)
