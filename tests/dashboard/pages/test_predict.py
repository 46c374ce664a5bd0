"""The Predict page without a browser."""

import json

import pandas as pd
import pytest

from mrwtd.dashboard.pages.predict import VIEWS, new_object, predict_texts
from mrwtd.dashboard.state import keys
from tests.dashboard.pages.opening import open_page, open_trained

PAGE = "pages/6_Predict.py"


def views(at) -> dict[str, str]:
    return dict(at.session_state[keys.SETTINGS].views)


def table(at, column: str):
    (frame,) = (table.value for table in at.dataframe if column in table.value.columns)
    return frame


def texts(at) -> str:
    return " ".join(element.value for element in (*at.markdown, *at.caption, *at.info))


def test_without_a_run_the_page_offers_training() -> None:
    at = open_page(PAGE, "a-user-without-runs-2", data="florentine")
    assert not at.exception
    assert [title.value for title in at.title] == ["Predict"]
    assert len(at.info) == 1


@pytest.mark.parametrize("data", ["florentine", "monastery"])
@pytest.mark.parametrize("method", ["MrWTD", "RESCAL", "Degree"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_section_works_with_every_method(view: str, method: str, data: str) -> None:
    at = open_trained(PAGE, data, method=method, **{"predict.view": view})
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Predict"]


def test_two_objects_in_every_relation() -> None:
    at = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Ridolfi"})
    predictions = table(at, "known")
    assert predictions["relation"].tolist() == ["business", "marriage"]
    assert predictions["prediction"].str.contains("%").all()
    assert predictions["known"].str.contains("training|held out").all()
    assert "Score" in texts(at)
    assert predict_texts.TRUST in texts(at)
    assert "no error bars" in texts(at)


def test_the_two_objects_can_be_swapped() -> None:
    at = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Ridolfi"})
    next(button for button in at.button if button.label == "Swap").click().run()
    assert (views(at)["predict.source"], views(at)["predict.target"]) == ("Ridolfi", "Medici")


def test_the_same_object_twice_shows_a_message() -> None:
    at = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Medici"})
    assert not at.exception
    assert at.info[0].value == predict_texts.SAME_OBJECT


def test_best_pairs_are_filtered() -> None:
    at = open_trained(PAGE, **{"predict.view": "Best unknown pairs"})
    every = table(at, "score")
    assert every["score"].is_monotonic_decreasing
    at.text_input(key=keys.PICK + "predict.with").set_value("medi").run()
    some = table(at, "score")
    assert 0 < len(some) < len(every)
    assert ((some["from"] == "Medici") | (some["to"] == "Medici")).all()
    at.text_input(key=keys.PICK + "predict.with").set_value("nobody at all").run()
    assert at.info[0].value == predict_texts.NO_PAIRS


def test_only_trusted_pairs_are_listed() -> None:
    at = open_trained(PAGE, **{"predict.view": "Best unknown pairs"})
    marked = table(at, "trust")["trust"]
    assert marked.str.startswith("⚠").any()
    at.toggle(key=keys.PICK + "predict.sure").set_value(True).run()
    left = [table.value for table in at.dataframe if "trust" in table.value.columns]
    assert all((frame["trust"] == "trusted").all() for frame in left)


def test_without_unknown_pairs_there_is_a_message() -> None:
    at = open_trained(PAGE, **{"predict.view": "Best unknown pairs", "predict.part": "data"})
    assert at.info[0].value == predict_texts.ALL_KNOWN


def test_a_new_object_starts_with_an_example_that_can_be_edited() -> None:
    at = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object"})
    assert "predicted for **Newcomer**" in texts(at)
    assert "Most similar" in texts(at)
    before = table(at, "trust")
    number = at.session_state[keys.NEW_ENTRIES].number
    at.session_state[f"{new_object.EDITOR}{number}"] = {
        "edited_rows": {0: {"with": "Pazzi"}, 1: {"value": 0.0}},
        "added_rows": [{"relation": "business", "with": "Bischeri", "value": 1.0}],
        "deleted_rows": [],
    }
    at.run()
    assert not at.exception
    rows = json.loads(views(at)["predict.new"])
    assert ["marriage", "Pazzi", 1.0, 1] in rows
    assert ["business", "Bischeri", 1.0, 1] in rows
    assert not table(at, "trust").equals(before)


def test_the_score_of_a_number_is_not_about_ties() -> None:
    at = open_trained(PAGE, "monastery", relation="esteem")
    assert not at.exception
    assert "a tie." not in next(text.value for text in at.markdown if text.value.startswith("**Score"))


def test_a_method_without_new_objects_offers_one_with_them() -> None:
    at = open_trained(PAGE, method="Degree", **{"predict.view": "A new object"})
    assert "Degree cannot add new objects" in texts(at)
    next(button for button in at.button if button.label == "Use MrWTD").click().run()
    assert not at.exception
    assert table(at, "trust").shape[0] > 0


def test_a_new_object_is_restored_from_the_url() -> None:
    rows = json.dumps([["marriage", "Pazzi", 1.0, 1], ["marriage", "Nobody", 1.0, 1]])
    at = open_trained(
        PAGE, relation="marriage", **{"predict.view": "A new object", "predict.new": rows, "predict.name": "Bardi"}
    )
    assert not at.exception
    assert "predicted for **Bardi**" in texts(at)
    assert "ignored: Nobody" in texts(at)


@pytest.mark.parametrize("invalid", ["x", "[]", "[[1]]", "[[1,2,3,4]]", '{"a": 1}', "null"])
def test_invalid_urls_show_an_empty_table(invalid: str) -> None:
    at = open_trained(PAGE, **{"predict.view": "A new object", "predict.new": invalid})
    assert not at.exception
    assert not at.error
    assert predict_texts.NO_ROWS in texts(at)


def test_an_existing_name_shows_an_error() -> None:
    at = open_trained(PAGE, **{"predict.view": "A new object", "predict.name": "Medici"})
    assert not at.exception
    assert "a name that no object has yet" in at.error[0].value.replace("\\", "")


def test_the_place_of_a_new_object_can_be_downloaded(files: dict[str, pd.DataFrame]) -> None:
    at = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object"})
    points = files["newcomer"]
    assert points["object"].tolist()[-1] == "Newcomer"
    assert points["status"].tolist() == ["known"] * (len(points) - 1) + ["new"]
    assert "Percentages: how much" in texts(at)
