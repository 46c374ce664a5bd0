"""The Data page without a browser."""

from __future__ import annotations

import io
import zipfile

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard import datasets, figures, keys, overview, session, visitor
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.settings import OWN, Settings
from mrwtd.dashboard.training import train
from mrwtd.dashboard.words import plain
from mrwtd.data.samples import about
from tests.pages.opening import open_page

PAGE = "pages/1_Data.py"
SHOWN = [name for name in mrwtd.list_datasets() if not about(name).needs_folder]


def start(**address: str) -> AppTest:
    return open_page(PAGE, **address)


def menu(at: AppTest, field: str):
    return at.selectbox(key=keys.PICK + field)


def address(at: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


def test_the_first_visit_shows_a_data_set() -> None:
    at = start()
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Data"]
    assert len(at.dataframe[0].value) == mrwtd.load_dataset("aucs").n_relations
    assert len(at.get("plotly_chart")) == 1
    assert address(at) == {"data": "aucs"}


@pytest.mark.parametrize("name", SHOWN)
def test_every_sample_is_shown(name: str) -> None:
    at = start(data=name)
    assert not at.exception
    assert not at.error
    assert not at.warning
    assert menu(at, "data").value == name
    assert about(name).question in [text.value for text in at.markdown]
    for picture in list(overview.PICTURES)[1:]:
        at.session_state[keys.PICTURES] = picture
        assert not at.run().exception
        assert not at.error
        one_relation = len(at.dataframe[0].value) == 1
        assert len(at.get("plotly_chart")) == (0 if one_relation and picture == "Relations alike" else 1)


def test_sets_whose_files_the_visitor_must_bring_are_not_offered() -> None:
    offered = menu(start(), "data").options
    assert len(offered) == len(SHOWN)
    assert about("reality-mining").title not in offered


def test_a_choice_stands_in_the_address() -> None:
    at = start()
    menu(at, "data").select("aucs").run()
    menu(at, "relation").select("lunch").run()
    menu(at, "order").select("group").run()
    assert address(at) == {"data": "aucs", "relation": "lunch", "order": "group"}
    menu(at, "data").select("florentine").run()
    assert address(at) == {"data": "florentine"}
    assert not at.exception


def test_bad_values_in_a_link_are_named_and_replaced() -> None:
    at = open_page("app.py", data="florentine", relation="hatred", order="height")
    assert len(at.warning) == 2
    assert "hatred" in at.warning[0].value
    assert "height" in at.warning[1].value
    assert address(at) == {"data": "florentine"}
    at.session_state[keys.NOTES] = dict.fromkeys(at.session_state[keys.NOTES], -session.STAYS)  # long ago
    assert not at.run().warning


def test_a_link_to_a_data_set_that_is_not_here_keeps_the_rest() -> None:
    at = open_page("app.py", data="kinshp", rank="5", seed="x", relation="hatred", **{"loss.hatred": "logistic"})
    assert len(at.warning) == 2
    assert "kinshp" in at.warning[0].value
    assert "seed" in at.warning[1].value
    assert address(at) == {"data": "aucs", "rank": "5"}


def test_many_notes_share_a_frame() -> None:
    at = open_page("app.py", data="florentine", rank="a", seed="b", train="c", lam="d")
    (told,) = at.warning
    assert [line[0] for line in told.value.splitlines()] == ["-"] * 4


GOOD = "source,relation,target,value\nann,likes,bob,1\nbob,likes,cat,0\nann,calls,cat,12\n"


def drop(at: AppTest, *files: tuple[str, bytes], field: str = keys.FILE) -> AppTest:
    uploader = next(one for one in at.file_uploader if one.key.startswith(f"{field}-"))
    return uploader.set_value([(name, content, "text/csv") for name, content in files]).run()


def use(at: AppTest) -> AppTest:
    return next(button for button in at.button if button.label == "Use this data").click().run()


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
    assert datasets.is_own(chosen)
    facts = next(frame.value for frame in at.dataframe if "missing" in frame.value)
    assert list(facts.index) == ["likes", "calls"]
    assert address(at)["data"] == chosen


def test_attributes_dropped_with_the_ties_are_taken_as_such() -> None:
    groups = b"name,group\nann,red\nbob,blue\ncat,red\n"
    at = drop(start(), ("ties.csv", GOOD.encode()), ("people.csv", groups))
    assert not at.error
    assert "people.csv is read as attributes of the objects." in [text.value for text in at.caption]
    at = use(at)
    assert not at.exception
    data = datasets.load(at.session_state[keys.SETTINGS].data)
    assert data.attributes["group"].to_dict() == {"ann": "red", "bob": "blue", "cat": "red"}


def test_a_data_set_of_ones_own_is_removed_with_its_runs_and_nothing_breaks() -> None:
    own = "a-visitor-who-removes-data"
    space, data = visitor.workspace_of(own), mrwtd.read(io.StringIO(GOOD))
    name = OWN + space.keep_data(data, {"file": "ties.csv", "how": {}})
    work = train(Settings(name, rank=2, lam=1.0, methods=("MrWTD",), train=0.6), data, "ties.csv", space)
    run = work(Job("training", "train", own, work))
    other = open_page("pages/2_Train.py", own, data=name)  # a second window of the same visitor
    at = open_page(PAGE, own)
    assert "1 run" in " ".join(text.value for text in at.markdown)
    at.button(key=f"remove-{name}").click().run()
    assert not at.exception
    assert not at.error
    assert "was removed" in at.success[0].value
    assert (space.datasets(), space.run(run.id)) == ({}, None)
    other.run()
    assert not other.exception
    assert not other.error
    assert "has been removed" in other.warning[0].value
    assert other.session_state[keys.SETTINGS].data == "aucs"


def test_names_with_marks_in_them_are_shown_as_they_are() -> None:
    own = "a-visitor-with-strange-names"
    frame = pd.DataFrame({"source": ["*ann*", "*ann*"], "relation": "<b>_likes_", "target": ["bob", "cat"]})
    data = mrwtd.RelationalData.from_frame(frame, directed=True, absent="negative")
    name = OWN + visitor.workspace_of(own).keep_data(data, {"file": "ties.csv"})
    at = open_page("app.py", own, data=name)
    at.session_state[keys.PICTURES] = list(overview.PICTURES)[1]
    at.switch_page(PAGE).run()
    assert not at.exception
    (told_,) = [text.value for text in at.caption if "has the most ties" in text.value]
    assert told_.startswith(f"{plain('<b>_likes_')}: {plain('*ann*')} has the most ties, 2. Ties from an object and")


@pytest.mark.parametrize(("dark", "colour"), [(False, "Dark blue"), (True, "Pale blue")])
def test_colours_are_called_what_they_are_in_the_theme(
    monkeypatch: pytest.MonkeyPatch, dark: bool, colour: str
) -> None:
    monkeypatch.setattr(figures, "dark", lambda: dark)
    at = open_page("app.py", data="florentine")
    at.session_state[keys.PICTURES] = list(overview.PICTURES)[2]
    at.switch_page(PAGE).run()
    (said,) = [text.value for text in at.caption if "tend to have the other" in text.value]
    assert said.startswith(colour)
    assert "Grey" in said
    at.session_state[keys.PICTURES] = list(overview.PICTURES)[1]
    assert "counted together" not in " ".join(text.value for text in at.run().caption)  # they are undirected


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
    assert datasets.is_own(at.session_state[keys.SETTINGS].data)


def test_files_of_ties_only_ask_what_the_others_mean() -> None:
    at = drop(start(), ("ties.csv", b"source,relation,target\nann,likes,bob\nbob,likes,cat\n"))
    assert "Nothing but ties is listed in likes" in at.info[0].value


def test_the_files_of_mit_that_are_none_are_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("readme.txt", "nothing here")
    at = start(data="florentine")
    at.session_state[keys.FOLDS] = {"mit": True}
    at.run()
    drop(at, ("se.zip", packed.getvalue()), field=keys.MIT + "social-evolution")
    at.button(key="use-social-evolution").click().run()
    assert not at.exception
    assert at.error
    assert address(at) == {"data": "florentine"}


def test_a_link_to_somebody_elses_upload_says_what_to_do() -> None:
    at = open_page("app.py", data="own-0123456789")
    assert "Upload the file here" in at.warning[0].value
    assert address(at) == {"data": "aucs"}


def test_a_failure_of_ours_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> mrwtd.RelationalData:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(datasets, "load", fail)
    at = open_page("app.py")
    assert not at.exception
    assert len(at.error) == 1
    assert "secret detail" not in at.error[0].value
    assert "secret detail" in caplog.text


TWICE = "source,relation,target,value\nann,likes,bob,1\nann,calls,bob,12\nann,calls,bob,300\n"


def told(at: AppTest) -> dict[str, object]:
    return visitor.workspace_of(at.session_state[keys.VISITOR]).datasets()[own_of(at).removeprefix(OWN)]


def own_of(at: AppTest) -> str:
    return at.session_state[keys.SETTINGS].data


def pick(at: AppTest, label: str):
    return next(one for one in at.selectbox if one.label.startswith(label))


def back(at: AppTest) -> AppTest:
    return menu(at, "data").select("florentine").run()


def can_use(at: AppTest) -> bool:
    return "Use this data" in [button.label for button in at.button]


def guessed(at: AppTest) -> pd.DataFrame:
    return next(frame.value for frame in at.dataframe if "why" in frame.value)


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
    assert at.session_state[keys.FOLD + "upload"]
    menu(at, "data").select("florentine").run()
    assert at.session_state[keys.FOLD + "upload"]
    at = use(at)
    assert not at.session_state[keys.FOLD + "upload"]


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


def test_a_file_of_no_known_format_still_has_the_menu_of_formats() -> None:
    at = drop(start(), ("ties.csv", b"\x89PNG\r\n\x1a\n\0\0\0"))
    assert at.error
    assert pick(at, "Format").options[0] == "No known format"


def test_pairs_listed_twice_are_found_before_anything_is_used() -> None:
    at = drop(start(data="florentine"), ("ties.csv", TWICE.encode()))
    assert "lines 3 and 4" in plain_text(at.error[0].value)
    assert "duplicates=" not in at.error[0].value
    assert "Choose otherwise above" in " ".join(text.value for text in at.caption)
    assert not can_use(at)
    pick(at, "A pair that is listed more than once").select("max").run()
    assert not at.error
    at = use(at)
    assert told(at)["how"] == {"duplicates": "max"}
    data = datasets.load(own_of(at))
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


def test_the_same_content_under_another_name_has_that_name() -> None:
    at = use(drop(start(), ("old.csv", GOOD.encode())))
    name = own_of(at)
    at = use(drop(back(at), ("new.csv", GOOD.encode())))
    assert own_of(at) == name
    assert menu(at, "data").options[len(SHOWN) :] == ["Your file: new.csv"]


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


SURVEYS = "id.A,id.B,relationship,survey.date\n1,2,CloseFriend,2008-09-09\n3,1,PoliticalDiscussant,2008-09-09\n"


def test_a_set_of_mit_is_called_by_its_title_and_confirmed() -> None:
    at = start()
    at.session_state[keys.FOLDS] = {"mit": True}
    at = drop(at.run(), ("RelationshipsFromSurveys.csv", SURVEYS.encode()), field=keys.MIT + "social-evolution")
    at.button(key="use-social-evolution").click().run()
    assert not at.error
    title = about("social-evolution").title
    assert plain_text(at.success[0].value).startswith(f"In use now: {title}, 84 objects")
    assert menu(at, "data").options[len(SHOWN) :] == [title]
    assert (told(at)["dataset"], told(at)["file"]) == ("social-evolution", "RelationshipsFromSurveys.csv")


def test_data_sets_of_ones_own_are_listed_with_their_size_and_the_one_in_use() -> None:
    at = use(drop(start(), ("old.csv", GOOD.encode())))
    at = use(drop(back(at), ("new.csv", GOOD.replace("ann", "eve").replace("cat", "dan").encode())))
    rows = [plain_text(text.value) for text in at.markdown if "uploaded" in text.value]
    assert [("in use" in row, "3 objects, 2 relations" in row) for row in rows] == [(True, True), (False, True)]


def plain_text(text: str) -> str:
    return text.replace("\\", "")
