"""The Predict page without a browser."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from mrwtd.dashboard.pages.predict import new_object
from mrwtd.dashboard.state import keys
from tests.dashboard.pages.opening import open_page, open_trained

PAGE = "pages/6_Predict.py"
VIEWS = ("Two objects", "Best unknown pairs", "A new object")


def views(at) -> dict[str, str]:
    return dict(at.session_state[keys.SETTINGS].views)


def table(at, column: str):
    (found,) = (one.value for one in at.dataframe if column in one.value.columns)
    return found


def words(at) -> str:
    return " ".join(element.value for element in (*at.markdown, *at.caption, *at.info))


def test_without_a_run_there_is_a_sentence_and_a_button() -> None:
    at = open_page(PAGE, "a-visitor-without-a-run-2", data="florentine")
    assert not at.exception
    assert [title.value for title in at.title] == ["Predict"]
    assert len(at.info) == 1


@pytest.mark.parametrize("data", ["florentine", "monastery"])
@pytest.mark.parametrize("method", ["MrWTD", "RESCAL", "Degree"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_question_has_an_answer_from_every_method(view: str, method: str, data: str) -> None:
    at = open_trained(PAGE, data, method=method, **{"predict.view": view})
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Predict"]


def test_two_objects_in_every_relation() -> None:
    at = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Ridolfi"})
    told = table(at, "known")
    assert told["relation"].tolist() == ["business", "marriage"]
    assert told["prediction"].str.contains("%").all()
    assert told["known"].str.contains("training|held out").all()
    assert "Score" in words(at)
    assert "held-out pairs of the same relation" in words(at)  # what trust means
    assert "no error bars" in words(at)


def test_the_two_can_be_swapped() -> None:
    at = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Ridolfi"})
    next(button for button in at.button if button.label == "Swap").click().run()
    assert (views(at)["predict.source"], views(at)["predict.target"]) == ("Ridolfi", "Medici")


def test_the_same_object_twice_is_told() -> None:
    at = open_trained(PAGE, **{"predict.source": "Medici", "predict.target": "Medici"})
    assert not at.exception
    assert "same object" in at.info[0].value


def test_best_pairs_are_filtered() -> None:
    at = open_trained(PAGE, **{"predict.view": "Best unknown pairs"})
    whole = table(at, "score")
    assert whole["score"].is_monotonic_decreasing
    at.text_input(key=keys.PICK + "predict.with").set_value("medi").run()
    some = table(at, "score")
    assert 0 < len(some) < len(whole)
    assert ((some["one"] == "Medici") | (some["other"] == "Medici")).all()
    at.text_input(key=keys.PICK + "predict.with").set_value("nobody at all").run()
    assert "No pair is left" in at.info[0].value


def test_trusted_pairs_alone() -> None:
    at = open_trained(PAGE, **{"predict.view": "Best unknown pairs"})
    marked = table(at, "trust")["trust"]
    assert marked.str.startswith("⚠").any()
    at.toggle(key=keys.PICK + "predict.sure").set_value(True).run()
    left = [one.value for one in at.dataframe if "trust" in one.value.columns]
    assert all((one["trust"] == "trusted").all() for one in left)


def test_pairs_that_no_part_answers_where_there_are_none() -> None:
    at = open_trained(PAGE, **{"predict.view": "Best unknown pairs", "predict.part": "data"})
    assert "answers every pair" in at.info[0].value


def test_somebody_new_begins_with_an_example_and_can_be_changed() -> None:
    at = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object"})
    assert "predicted for **Newcomer**" in words(at)
    assert "Most alike" in words(at)
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


def test_of_a_number_the_factors_make_it_larger_or_smaller() -> None:
    at = open_trained(PAGE, "monastery", relation="esteem")
    assert not at.exception
    assert "a tie." not in next(text.value for text in at.markdown if text.value.startswith("**Score"))


def test_a_method_that_takes_in_nobody_leads_to_one_that_does() -> None:
    at = open_trained(PAGE, method="Degree", **{"predict.view": "A new object"})
    assert "Degree cannot take in new objects" in words(at)
    next(button for button in at.button if button.label == "Ask MrWTD").click().run()
    assert not at.exception
    assert table(at, "trust").shape[0] > 0


def test_somebody_new_comes_back_with_the_address() -> None:
    rows = json.dumps([["marriage", "Pazzi", 1.0, 1], ["marriage", "Nobody", 1.0, 1]])
    at = open_trained(
        PAGE, relation="marriage", **{"predict.view": "A new object", "predict.new": rows, "predict.name": "Bardi"}
    )
    assert not at.exception
    assert "predicted for **Bardi**" in words(at)
    assert "left out: Nobody" in words(at)


@pytest.mark.parametrize("spoiled", ["x", "[]", "[[1]]", "[[1,2,3,4]]", '{"a": 1}', "null"])
def test_spoiled_addresses_ask_for_a_relationship(spoiled: str) -> None:
    at = open_trained(PAGE, **{"predict.view": "A new object", "predict.new": spoiled})
    assert not at.exception
    assert not at.error
    assert "Enter a relationship" in words(at)


def test_a_name_that_is_taken_is_refused_in_plain_words() -> None:
    at = open_trained(PAGE, **{"predict.view": "A new object", "predict.name": "Medici"})
    assert not at.exception
    assert "a name that no object has yet" in at.error[0].value.replace("\\", "")


def test_the_place_of_somebody_new_can_be_saved(files: dict[str, pd.DataFrame]) -> None:
    at = open_trained(PAGE, relation="marriage", **{"predict.view": "A new object"})
    places = files["newcomer"]
    assert places["object"].tolist()[-1] == "Newcomer"
    assert places["status"].tolist() == ["known"] * (len(places) - 1) + ["new"]
    assert "Percentages: how much" in words(at)
