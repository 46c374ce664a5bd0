"""Uploads on the Data page, without a browser."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from mrwtd.dashboard.state import keys, user_datasets
from tests.dashboard.pages.data_page import (
    GOOD,
    address,
    back,
    can_use,
    captions,
    drop,
    guessed,
    menu,
    notes,
    own_of,
    pick,
    plain_text,
    start,
    told,
    use,
)


def test_a_preview_comes_before_anything_is_taken() -> None:
    at = drop(start(data="florentine"), ("ties.csv", GOOD.encode()))
    assert not at.exception
    assert not at.error
    assert "3 objects, 2 relations, 3 rows" in " ".join(text.value for text in at.markdown)
    guessed = next(frame.value for frame in at.dataframe if "why" in frame.value)
    assert guessed["kind"].to_dict() == {"likes": "binary", "calls": "count"}
    assert guessed["why"].str.len().min() > 10
    assert address(at) == {"data": "florentine"}


def test_a_file_of_ones_own_takes_the_place_of_the_sample() -> None:
    at = use(drop(start(), ("ties.csv", GOOD.encode())))
    assert not at.exception
    assert not at.error
    chosen = at.session_state[keys.SETTINGS].data
    assert user_datasets.is_uploaded(chosen)
    facts = next(frame.value for frame in at.dataframe if "missing" in frame.value)
    assert list(facts.index) == ["likes", "calls"]
    assert address(at)["data"] == chosen


def test_attributes_dropped_with_the_ties_are_taken_as_such() -> None:
    groups = b"name,group\nann,red\nbob,blue\ncat,red\n"
    at = drop(start(), ("ties.csv", GOOD.encode()), ("people.csv", groups))
    assert not at.error
    assert "people.csv is read as attributes of the objects: group." in captions(at)
    at = use(at)
    assert not at.exception
    data = user_datasets.load(at.session_state[keys.SETTINGS].data)
    assert data.attributes["group"].to_dict() == {"ann": "red", "bob": "blue", "cat": "red"}


def test_attributes_in_their_own_field_are_named_with_their_columns() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    people = b"name,group,age\nann,red,20\nnobody,blue,30\n"
    next(one for one in at.file_uploader if one.key.startswith(keys.ATTRIBUTES)).set_value(
        ("people.csv", people, "")
    ).run()
    assert not at.error
    said = [
        "people.csv is read as attributes of the objects: group, age.",
        "1 object of people.csv has no entry and is left out: nobody",
    ]
    assert set(said) <= set(captions(at))
    assert set(said) <= set(notes(use(at)))


def test_several_matrices_are_a_relation_each() -> None:
    matrix = b",a,b,c\na,0,1,0\nb,1,0,0\nc,0,0,0\n"
    at = use(drop(start(), ("likes.csv", matrix), ("trusts.csv", matrix.replace(b"1", b"2"))))
    assert not at.error
    facts = next(frame.value for frame in at.dataframe if "missing" in frame.value)
    assert sorted(facts.index) == ["likes", "trusts"]


def test_a_bad_file_leaves_everything_as_it_was_and_names_the_line() -> None:
    at = drop(start(data="florentine"), ("ties.csv", GOOD.replace("12", "many").encode()))
    assert not at.exception
    assert "line 4" in at.error[0].value.replace("\\", "")
    assert address(at) == {"data": "florentine"}
    at = use(drop(at, ("ties.csv", GOOD.encode())))
    assert not at.error
    assert user_datasets.is_uploaded(at.session_state[keys.SETTINGS].data)


def test_files_of_ties_only_ask_what_the_others_mean() -> None:
    at = drop(start(), ("ties.csv", b"source,relation,target\nann,likes,bob\nbob,likes,cat\n"))
    assert "Nothing but ties is listed in likes" in at.info[0].value


TWICE = "source,relation,target,value\nann,likes,bob,1\nann,calls,bob,12\nann,calls,bob,300\n"


def test_after_an_upload_was_used_the_next_one_begins_with_empty_fields() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    at.session_state[keys.CHANGES] = {"likes": {"kind": "real"}}
    at = use(at.run())
    first = own_of(at)
    assert plain_text(at.success[0].value) == "In use now: ties.csv, 3 objects, 2 relations."
    assert not at.warning
    assert not can_use(at)
    at = drop(back(at), ("other.csv", GOOD.replace("ann", "eve").encode()))
    assert not at.error
    assert guessed(at)["kind"].to_dict() == {"likes": "binary", "calls": "count"}
    at = use(at)
    assert own_of(at) != first
    assert told(at)["file"] == "other.csv"


def test_the_fold_stays_open_while_a_file_is_in_it() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    assert at.session_state[keys.EXPANDER + "upload"]
    menu(at, "data").select("florentine").run()
    assert at.session_state[keys.EXPANDER + "upload"]
    at = use(at)
    assert not at.session_state[keys.EXPANDER + "upload"]


def test_of_two_files_of_one_name_the_last_is_read_and_the_page_says_so() -> None:
    at = drop(start(), ("ties.csv", b"source,target\nx,y\n"), ("ties.csv", GOOD.encode()))
    assert "Dropped more than once: ties.csv. The last one is read." in [text.value for text in at.caption]
    assert list(guessed(at).index) == ["likes", "calls"]


def test_what_was_changed_in_the_table_outlives_a_bad_file_and_another_order() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    at.session_state[keys.CHANGES] = {"likes": {"directed": False, "absent": "no tie, or 0"}, "gone": {"kind": "real"}}
    at = drop(at.run(), ("ties.csv", b"source,target\nann\n"))
    assert at.error
    rows = GOOD.splitlines()
    at = drop(at, ("ties.csv", "\n".join([rows[0], "cat,trusts,ann,1", rows[3], *rows[1:3]]).encode()))
    assert not at.error
    assert guessed(at)["directed"].to_dict() == {"trusts": True, "calls": True, "likes": False}
    assert guessed(at)["absent"].to_dict() == dict.fromkeys(("trusts", "calls"), "not known") | {
        "likes": "no tie, or 0"
    }
    assert told(use(at))["how"] == {"directed": {"likes": False}, "absent": {"likes": "negative"}}


def test_the_format_that_was_found_can_be_changed() -> None:
    at = drop(start(), ("ties.csv", b"source,target,likes\nann,bob,1\nbob,cat,0\n"))
    assert list(guessed(at).index) == ["likes"]
    assert pick(at, "Format").options[0].startswith("Found: a row a pair")
    pick(at, "Format").select("parquet").run()
    assert not can_use(at)
    assert "choose another format" in " ".join(text.value for text in at.caption)
    pick(at, "Format").select("long").run()
    assert list(guessed(at).index) == ["ties"]
    at = use(at)
    assert not at.error
    assert told(at)["how"] == {"format": "long"}


def test_where_there_is_no_menu_of_formats_it_is_not_spoken_of() -> None:
    at = drop(start(), ("empty.csv", b""))
    assert "found an empty file" in at.error[0].value
    assert "format" not in " ".join(captions(at)[1:])


def test_a_file_of_any_ending_is_taken_and_answered() -> None:
    at = drop(start(), ("letter.docx", b"PK\x03\x04\0\0"))
    assert "found a document of text; expected its table alone, saved as a CSV" in at.error[0].value
    (field,) = [one for one in at.file_uploader if one.key.startswith(f"{keys.FILE}-")]
    assert not field.proto.type


def test_a_list_in_a_workbook_is_announced_as_one() -> None:
    buffer = io.BytesIO()
    pd.DataFrame({"source": ["ann"], "relation": ["likes"], "target": ["bob"]}).to_excel(buffer, index=False)
    at = drop(start(), ("ties.xlsx", buffer.getvalue()))
    assert pick(at, "Format").options[0].startswith("Found: a row an entry")


def test_a_good_list_is_not_blamed_for_a_bad_one() -> None:
    at = drop(start(), ("plain.csv", b"source,target\nann,bob\n"), ("rubbish.csv", b"no columns\nat all, no sense\n"))
    assert "plain.csv (a list), rubbish.csv (no known format)" in plain_text(at.error[0].value)


def test_a_file_of_no_known_format_still_has_the_menu_of_formats() -> None:
    at = drop(start(), ("ties.csv", b"\x89PNG\r\n\x1a\n\0\0\0"))
    assert at.error
    assert pick(at, "Format").options[0] == "No known format"


def test_pairs_listed_twice_are_found_before_anything_is_used() -> None:
    at = drop(start(data="florentine"), ("ties.csv", TWICE.encode()))
    assert "lines 3 and 4" in plain_text(at.error[0].value)
    assert "duplicates=" not in at.error[0].value
    words = [word.removeprefix("gets ") for word in pick(at, "A pair that is listed more than once").options[1:]]
    assert all(word in plain_text(at.error[0].value) for word in words)
    assert "Choose otherwise above" in " ".join(text.value for text in at.caption)
    assert not can_use(at)
    pick(at, "A pair that is listed more than once").select("max").run()
    assert not at.error
    at = use(at)
    assert told(at)["how"] == {"duplicates": "max"}
    assert "A pair that is listed more than once gets the largest (max), as you chose." in notes(at)
    data = user_datasets.load(own_of(at))
    assert 300 in data.y


def test_without_such_pairs_there_is_no_question_about_them() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    assert not [one for one in at.selectbox if one.label.startswith("A pair that is listed more than once")]


def test_a_kind_that_cannot_be_is_told_before_anything_is_used() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    at.session_state[keys.CHANGES] = {"calls": {"kind": "binary"}}
    at.run()
    assert "line 4" in at.error[0].value
    assert not can_use(at)
    assert "Choose otherwise above" in " ".join(text.value for text in at.caption)


def test_a_file_without_a_known_value_is_refused() -> None:
    at = drop(start(), ("ties.csv", b"source,relation,target,value\nann,likes,bob,\nbob,likes,cat,NA\n"))
    assert "no value at all" in at.error[0].value
    assert not can_use(at)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("ann,near,bob,3.5\nann,near,cat,2.5", None),
        ("ann,calls,bob,120\nbob,calls,ann,13\nann,likes,bob,1\nbob,likes,cat,0", "calls"),
        ("a,full,b,1\nb,full,a,1", None),
        ("ann,likes,bob,1\nbob,likes,cat,1\nann,calls,bob,0\nann,calls,cat,50", "likes"),
    ],
)
def test_relations_of_which_only_ties_are_listed_are_named(rows: str, named: str | None) -> None:
    at = drop(start(), ("ties.csv", f"source,relation,target,value\n{rows}\n".encode()))
    assert not at.error
    told_ = [text.value for text in at.info]
    assert told_ == [] if named is None else f"is listed in {named}." in told_[0]


def test_how_a_file_was_read_is_shown_once_it_is_in_use() -> None:
    at = use(drop(start(), ("ties.csv", GOOD.encode())))
    (shown,) = [fold for fold in at.expander if fold.label.startswith("How it was read")]
    assert "likes: read as binary (all values are 0 or 1)" in shown.code[0].value
    assert shown.code[0].proto.wrap_lines


def test_what_was_chosen_is_told_once_the_file_is_in_use() -> None:
    at = drop(start(), ("ties.csv", GOOD.encode()))
    at.session_state[keys.CHANGES] = {"likes": {"absent": "no tie, or 0", "directed": False}}
    said = notes(use(at.run()))
    assert "In likes, a pair that is not listed has no tie, as you chose." in said
    assert "likes: read as undirected, as you chose" in said


def test_errors_name_the_files_that_were_dropped() -> None:
    matrix = b",a,b\na,0,1\nb,1,0\n"
    at = drop(start(), ("likes.csv", matrix), ("trusts.csv", b""))
    said = plain_text(at.error[0].value)
    assert said.startswith("likes.csv, trusts.csv: file 'trusts.csv': found an empty file")


def test_attributes_alone_are_pointed_to_their_field() -> None:
    at = drop(start(), ("people.csv", b"name,group,age\nann,red,3\nbob,blue,4\ncat,red,5\n"))
    assert "into the field for attributes" in at.info[0].value


def test_one_row_is_one_row() -> None:
    at = drop(start(), ("ties.csv", b"source,target,value\nann,bob,1\n"))
    assert "2 objects, 1 relation, 1 row." in [text.value for text in at.markdown]
    assert "The first row, as it was understood" in [fold.label for fold in at.expander]
