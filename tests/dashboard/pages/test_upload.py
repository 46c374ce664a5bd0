"""Uploads on the Data page, without a browser."""

import io

import pandas as pd
import pytest

import mrwtd
from mrwtd.dashboard.pages.data import data_texts
from mrwtd.dashboard.state import keys, user_datasets
from mrwtd.data.readers import list_formats
from mrwtd.data.readers.source import Source
from tests.dashboard.pages.data_page import (
    GOOD,
    can_use,
    captions,
    choose_sample,
    chosen_data,
    menu,
    menu_labelled,
    notes,
    open_data,
    query_params,
    relations,
    schema,
    stored_data,
    stored_info,
    unescaped,
    upload,
    use,
)
from tests.data.readers.malformed_files import damaged_files
from tests.hosting.test_isolated import wait_until_ended

DUPLICATES = "Pairs listed more than once"


def test_a_preview_is_shown_before_the_data_is_used() -> None:
    app = upload(open_data(data="florentine"), ("ties.csv", GOOD.encode()))
    assert not app.exception
    assert not app.error
    assert "3 objects, 2 relations, 3 rows" in " ".join(text.value for text in app.markdown)
    assert schema(app)["kind"].to_dict() == {"likes": "binary", "calls": "count"}
    assert schema(app)["why"].str.len().min() > 10
    assert query_params(app) == {"data": "florentine"}


def test_an_uploaded_file_replaces_the_sample() -> None:
    app = use(upload(open_data(), ("ties.csv", GOOD.encode())))
    assert not app.exception
    assert not app.error
    assert user_datasets.is_uploaded(chosen_data(app))
    assert relations(app) == ["likes", "calls"]
    assert query_params(app)["data"] == chosen_data(app)


def test_the_process_of_a_file_ends_when_it_is_removed() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    pid = app.session_state[keys.READER][1]._slot.process.pid
    app = upload(app)
    wait_until_ended(pid)
    assert not can_use(app)
    assert can_use(upload(app, ("ties.csv", GOOD.encode())))


def test_a_file_of_attributes_among_the_relations_is_recognized() -> None:
    groups = b"name,group\nann,red\nbob,blue\ncat,red\n"
    app = upload(open_data(), ("ties.csv", GOOD.encode()), ("people.csv", groups))
    assert not app.error
    assert any(text.startswith("people.csv ") and text.endswith(": group.") for text in captions(app))
    app = use(app)
    assert not app.exception
    data = stored_data(app)
    assert data.attributes["group"].to_dict() == {"ann": "red", "bob": "blue", "cat": "red"}


def test_the_attributes_field_names_the_columns() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    people = b"name,group,age\nann,red,20\nnobody,blue,30\n"
    next(field for field in app.file_uploader if field.key.startswith(keys.ATTRIBUTES)).set_value(
        ("people.csv", people, "")
    ).run()
    assert not app.error
    expected = ": group, age.", "left out: nobody"
    assert all(any(text.endswith(end) for text in captions(app)) for end in expected)
    listed = notes(use(app))
    assert all(any(text.endswith(end) for text in listed) for end in expected)


def test_the_attributes_field_empties_when_other_files_replace_the_relations() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    next(field for field in app.file_uploader if field.key.startswith(keys.ATTRIBUTES)).set_value(
        ("people.csv", b"name,group\nann,red\nbob,blue\n", "")
    ).run()
    upload(app, ("ties.csv", GOOD.replace("12", "13").encode()))  # the same file, changed
    assert any(text.endswith(": group.") for text in captions(app))
    upload(app, ("others.csv", GOOD.encode()))
    assert not app.exception
    assert not next(field for field in app.file_uploader if field.key.startswith(keys.ATTRIBUTES)).value
    assert not any(text.endswith(": group.") for text in captions(app))


def test_several_matrices_are_one_relation_each() -> None:
    matrix = b",a,b,c\na,0,1,0\nb,1,0,0\nc,0,0,0\n"
    app = use(upload(open_data(), ("likes.csv", matrix), ("trusts.csv", matrix.replace(b"1", b"2"))))
    assert not app.error
    assert sorted(relations(app)) == ["likes", "trusts"]


def test_a_bad_file_changes_nothing_and_names_the_line() -> None:
    app = upload(open_data(data="florentine"), ("ties.csv", GOOD.replace("12", "many").encode()))
    assert not app.exception
    assert "line 4" in unescaped(app.error[0].value)
    assert query_params(app) == {"data": "florentine"}
    app = use(upload(app, ("ties.csv", GOOD.encode())))
    assert not app.error
    assert user_datasets.is_uploaded(chosen_data(app))


def test_the_server_itself_parses_no_uploaded_file(monkeypatch: pytest.MonkeyPatch) -> None:
    create, names = Source.__init__, []

    def watched(source: Source, name: str, *arguments: object, **options: object) -> None:
        names.append(name)
        create(source, name, *arguments, **options)

    monkeypatch.setattr(Source, "__init__", watched)
    app = use(upload(open_data(), ("ties.csv", GOOD.encode())))
    assert relations(app) == ["likes", "calls"]
    assert "ties.csv" not in names
    mrwtd.read(named("ties.csv", GOOD.encode()))
    assert "ties.csv" in names  # so it would have been noticed


def named(name: str, content: bytes) -> io.BytesIO:
    """An open file with a name."""
    file = io.BytesIO(content)
    file.name = name
    return file


def test_malformed_files_leave_the_data_in_use() -> None:
    app = use(upload(open_data(), ("ties.csv", GOOD.encode())))
    name, before = chosen_data(app), stored_data(app)
    refused = 0
    for file in [*damaged_files(seed=2, per_kind=1)][::25]:
        app = upload(app, (file.name, file.make()))
        assert not app.exception, file
        refused += len(app.error) > 0
        assert chosen_data(app) == name
        assert stored_data(app) == before
    assert refused > 5


def test_a_file_with_only_ties_gets_a_message_on_unlisted_pairs() -> None:
    app = upload(open_data(), ("ties.csv", b"source,relation,target\nann,likes,bob\nbob,likes,cat\n"))
    assert app.info[0].value == data_texts.ONLY_TIES.format("likes")


TWICE = "source,relation,target,value\nann,likes,bob,1\nann,calls,bob,12\nann,calls,bob,300\n"


def test_the_fields_are_empty_after_an_upload_is_used() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    app.session_state[keys.CHANGES] = {"likes": {"kind": "real"}}
    app = use(app.run())
    first = chosen_data(app)
    assert "ties.csv, 3 objects, 2 relations" in unescaped(app.success[0].value)
    assert [text.value for text in app.warning if "calls" not in text.value] == []  # only one tie of calls is known
    assert not can_use(app)
    app = upload(choose_sample(app), ("other.csv", GOOD.replace("ann", "eve").encode()))
    assert not app.error
    assert schema(app)["kind"].to_dict() == {"likes": "binary", "calls": "count"}
    app = use(app)
    assert chosen_data(app) != first
    assert stored_info(app)["file"] == "other.csv"


def test_the_section_stays_open_while_it_holds_a_file() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    assert app.session_state[keys.EXPANDER + "upload"]
    menu(app, "data").select("florentine").run()
    assert app.session_state[keys.EXPANDER + "upload"]
    app = use(app)
    assert not app.session_state[keys.EXPANDER + "upload"]


def test_of_two_files_with_one_name_the_last_is_read_with_a_message() -> None:
    app = upload(open_data(), ("ties.csv", b"source,target\nx,y\n"), ("ties.csv", GOOD.encode()))
    assert any("more than once: ties.csv" in text for text in captions(app))
    assert list(schema(app).index) == ["likes", "calls"]


def test_edits_of_the_schema_survive_a_bad_file_and_another_order() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    app.session_state[keys.CHANGES] = {"likes": {"directed": False, "absent": "no tie, or 0"}, "gone": {"kind": "real"}}
    app = upload(app.run(), ("ties.csv", b"source,target\nann\n"))
    assert app.error
    rows = GOOD.splitlines()
    app = upload(app, ("ties.csv", "\n".join([rows[0], "cat,trusts,ann,1", rows[3], *rows[1:3]]).encode()))
    assert not app.error
    assert schema(app)["directed"].to_dict() == {"trusts": True, "calls": True, "likes": False}
    assert schema(app)["absent"].to_dict() == dict.fromkeys(("trusts", "calls"), "unknown") | {"likes": "no tie, or 0"}
    assert stored_info(use(app))["how"] == {"directed": {"likes": False}, "absent": {"likes": "negative"}}


def test_the_detected_format_can_be_changed() -> None:
    app = upload(open_data(), ("ties.csv", b"source,target,likes\nann,bob,1\nbob,cat,0\n"))
    assert list(schema(app).index) == ["likes"]
    assert menu_labelled(app, "Format").options[0].endswith(list_formats()["wide"])
    menu_labelled(app, "Format").select("parquet").run()
    assert not can_use(app)
    assert any(data_texts.FIX_FILE_OR_FORMAT in text for text in captions(app))
    menu_labelled(app, "Format").select("long").run()
    assert list(schema(app).index) == ["ties"]
    app = use(app)
    assert not app.error
    assert stored_info(app)["how"] == {"format": "long"}


def test_a_message_without_a_format_menu_does_not_mention_formats() -> None:
    app = upload(open_data(), ("empty.csv", b""))
    assert "found an empty file" in app.error[0].value
    assert "format" not in " ".join(captions(app)[1:])


def test_files_with_any_suffix_can_be_uploaded_and_get_a_message() -> None:
    app = upload(open_data(), ("letter.docx", b"PK\x03\x04\0\0"))
    assert "found a text document; expected the table in it" in app.error[0].value
    (field,) = [widget for widget in app.file_uploader if widget.key.startswith(f"{keys.FILE}-")]
    assert not field.proto.type


def test_a_list_in_a_workbook_is_recognized() -> None:
    buffer = io.BytesIO()
    pd.DataFrame({"source": ["ann"], "relation": ["likes"], "target": ["bob"]}).to_excel(buffer, index=False)
    app = upload(open_data(), ("ties.xlsx", buffer.getvalue()))
    assert menu_labelled(app, "Format").options[0].endswith(list_formats()["long"])


def test_the_message_names_the_bad_file_of_two() -> None:
    app = upload(
        open_data(), ("plain.csv", b"source,target\nann,bob\n"), ("rubbish.csv", b"no columns\nat all, no sense\n")
    )
    assert "plain.csv (a list), rubbish.csv (unknown format)" in unescaped(app.error[0].value)


def test_a_file_of_unknown_format_has_the_menu_of_formats() -> None:
    app = upload(open_data(), ("ties.csv", b"\x89PNG\r\n\x1a\n\0\0\0"))
    assert app.error
    assert menu_labelled(app, "Format").options[0] == "No known format"


def test_contradicting_pairs_are_reported_before_the_data_is_used() -> None:
    app = upload(open_data(data="florentine"), ("ties.csv", TWICE.encode()))
    assert "lines 3 and 4" in unescaped(app.error[0].value)
    assert "duplicates=" not in app.error[0].value
    choices = [option.removeprefix("use ") for option in menu_labelled(app, DUPLICATES).options[1:]]
    assert all(choice in unescaped(app.error[0].value) for choice in choices)
    assert any(data_texts.FIX_FILE_OR_OPTIONS in text for text in captions(app))
    assert not can_use(app)
    menu_labelled(app, DUPLICATES).select("max").run()
    assert not app.error
    app = use(app)
    assert stored_info(app)["how"] == {"duplicates": "max"}
    assert any(data_texts.DUPLICATES["max"] in note for note in notes(app))
    data = stored_data(app)
    assert 300 in data.y


def test_without_contradicting_pairs_there_is_no_menu_for_them() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    assert not [box for box in app.selectbox if box.label.startswith(DUPLICATES)]


def test_an_impossible_kind_is_reported_before_the_data_is_used() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    app.session_state[keys.CHANGES] = {"calls": {"kind": "binary"}}
    app.run()
    assert "line 4" in app.error[0].value
    assert not can_use(app)
    assert any(data_texts.FIX_FILE_OR_OPTIONS in text for text in captions(app))


def test_a_file_without_a_known_value_is_refused() -> None:
    app = upload(open_data(), ("ties.csv", b"source,relation,target,value\nann,likes,bob,\nbob,likes,cat,NA\n"))
    assert "no known value" in app.error[0].value
    assert not can_use(app)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        ("ann,near,bob,3.5\nann,near,cat,2.5", None),
        ("ann,calls,bob,120\nbob,calls,ann,13\nann,likes,bob,1\nbob,likes,cat,0", "calls"),
        ("a,full,b,1\nb,full,a,1", None),
        ("ann,likes,bob,1\nbob,likes,cat,1\nann,calls,bob,0\nann,calls,cat,50", "likes"),
    ],
)
def test_relations_with_only_ties_are_named(rows: str, named: str | None) -> None:
    app = upload(open_data(), ("ties.csv", f"source,relation,target,value\n{rows}\n".encode()))
    assert not app.error
    assert [text.value for text in app.info] == ([] if named is None else [data_texts.ONLY_TIES.format(named)])


def test_notes_on_the_reading_are_shown_once_the_file_is_in_use() -> None:
    app = use(upload(open_data(), ("ties.csv", GOOD.encode())))
    assert any("likes: read as binary" in note for note in notes(app))
    (expander,) = [expander for expander in app.expander if expander.label.startswith("How it was read")]
    assert expander.code[0].proto.wrap_lines


def test_the_choices_are_listed_once_the_file_is_in_use() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    app.session_state[keys.CHANGES] = {"likes": {"absent": "no tie, or 0", "directed": False}}
    expected = data_texts.choice_notes({"directed": {"likes": False}, "absent": {"likes": "negative"}})
    assert notes(use(app.run()))[-2:] == expected


def test_errors_name_the_uploaded_files() -> None:
    matrix = b",a,b\na,0,1\nb,1,0\n"
    app = upload(open_data(), ("likes.csv", matrix), ("trusts.csv", b""))
    assert unescaped(app.error[0].value).startswith("likes.csv, trusts.csv: file 'trusts.csv': found an empty file")


def test_a_lone_file_of_attributes_is_referred_to_its_field() -> None:
    app = upload(open_data(), ("people.csv", b"name,group,age\nann,red,3\nbob,blue,4\ncat,red,5\n"))
    assert app.info[0].value == data_texts.LOOKS_LIKE_ATTRIBUTES.format("people.csv")


def test_a_single_row_is_not_a_plural() -> None:
    app = upload(open_data(), ("ties.csv", b"source,target,value\nann,bob,1\n"))
    assert any("1 relation, 1 row." in text.value for text in app.markdown)
    assert "Preview of 1 row" in [block.proto.popover.label for block in app.get("popover")]


def test_the_time_of_contacts_is_cut_into_periods() -> None:
    app = upload(open_data(), ("school.txt", b"20 7 8\n20 8 9\n40 7 8\n60 7 9\n"))
    assert schema(app)["kind"].to_dict() == {"school": "count"}
    (periods,) = (field for field in app.number_input if field.label == "Periods")
    periods.set_value(2).run()
    assert list(schema(app).index) == ["school, period 1", "school, period 2"]
    app = use(app)
    assert stored_info(app)["how"] == {"periods": 2}
    assert relations(app) == ["school, period 1", "school, period 2"]
    assert stored_data(app).y.tolist() == [1, 1, 1, 1]
