"""The column chooser of the Data page: when it is shown, its menus, and what is stored."""

from typing import Any

from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.pages.data import data_texts as texts
from tests.dashboard.pages.data_page import GOOD, can_use, open_data, relations, stored_data, stored_info, upload, use

NUMBERS = "5 2 1\n2 3 4\n3 5 2\n"


def _roles(app: AppTest) -> dict[str, str]:
    return {box.label: box.value for box in app.selectbox if box.label.startswith("Column ")}


def _column(app: AppTest, label: str) -> Any:
    return next(box for box in app.selectbox if box.label.startswith(f"Column {label}"))


def _is_on(app: AppTest) -> bool | None:
    return next((toggle.value for toggle in app.toggle if toggle.label == texts.CHOOSE_COLUMNS), None)


def _texts(app: AppTest) -> list[str]:
    return [text.value for text in app.markdown]


def test_the_chooser_opens_where_the_columns_are_not_recognized() -> None:
    app = upload(open_data(), ("ties.txt", b"x 1 ann bob 3\nx 1 bob cat 40\ny 2 ann bob 15\n"))
    assert _is_on(app)
    assert not app.error
    assert list(_roles(app).values()) == ["relation", "", "source", "target", "value"]
    assert any(text.startswith("3 objects, 2 relations, 3 ties") for text in _texts(app))
    app = use(app)
    expected = {"source": 2, "target": 3, "relation": 0, "value": 4, "header": False}
    assert stored_info(app)["how"]["columns"] == expected
    assert relations(app) == ["x", "y"]


def test_the_chooser_opens_where_the_meaning_of_numbers_is_a_guess() -> None:
    assert _is_on(upload(open_data(), ("ties.txt", NUMBERS.encode())))


def test_a_known_header_needs_no_chooser_but_has_one_on_request() -> None:
    app = upload(open_data(), ("ties.csv", GOOD.encode()))
    assert _is_on(app) is False
    app = next(toggle for toggle in app.toggle if toggle.label == texts.CHOOSE_COLUMNS).set_value(True).run()
    assert _roles(app) == {
        "Column 1: source": "source", "Column 2: relation": "relation", "Column 3: target": "target",
        "Column 4: value": "value",
    }  # fmt: skip


def test_ratings_among_one_set_of_objects_are_read_by_chosen_columns() -> None:
    app = upload(open_data(), ("u.data", b"1\t7\t3\t881250949\n7\t2\t5\t891717742\n2\t9\t1\t891717749\n"))
    assert _is_on(app) is False
    app = next(toggle for toggle in app.toggle if toggle.label == texts.CHOOSE_COLUMNS).set_value(True).run()
    for column, role in (("1", "source"), ("2", "target"), ("3", "value"), ("4", "")):
        app = _column(app, column).select(role).run()
    data = stored_data(use(app))
    assert data.objects == ("1", "7", "2", "9")
    assert data.object_types is None


def test_a_role_moves_to_the_column_that_is_chosen_last() -> None:
    app = upload(open_data(), ("ties.txt", NUMBERS.encode()))
    app = _column(app, "1").select("target").run()
    assert list(_roles(app).values()).count("target") == 1
    assert not can_use(app)  # there is no source any more
    app = _column(app, "3").select("source").run()
    data = stored_data(use(app))
    assert {(data.objects[i], data.objects[j]) for i, j in zip(data.i, data.j, strict=True)} == {
        ("1", "5"), ("4", "2"), ("2", "3")
    }  # fmt: skip


def test_header_and_separator_can_be_changed() -> None:
    app = upload(open_data(), ("ties.txt", b"a,b;c\nb,c;a\nc,a;b\n"))
    app = next(toggle for toggle in app.toggle if toggle.label == texts.CHOOSE_COLUMNS).set_value(True).run()
    app = next(box for box in app.selectbox if box.label == "Separator").select("comma").run()
    app = next(box for box in app.checkbox if box.label == texts.HEADER_LABEL).set_value(True).run()
    for place, role in (("1", "source"), ("2", "target")):
        app = _column(app, place).select(role).run()
    app = use(app)
    assert stored_info(app)["how"]["columns"] == {"source": 0, "target": 1, "header": True, "separator": "comma"}
    assert stored_data(app).objects == ("b", "c", "c;a", "a;b")


def test_of_many_columns_some_are_shown_at_a_time() -> None:
    rows = [["ann", "bob"], ["bob", "ann"]]
    text = "\n".join(" ".join([*row, *(f"{row[0]}{c}" for c in range(300))]) for row in rows)
    app = upload(open_data(), ("ties.txt", text.encode()))
    assert len(_roles(app)) == 12
    more = next(box for box in app.selectbox if box.label == texts.MORE_COLUMNS)
    app = more.select(24).run()
    assert next(iter(_roles(app))) == "Column 25"
    assert can_use(app)


def test_files_that_are_no_lists_have_no_chooser() -> None:
    graph = b"graph [\n node [ id 1 ]\n node [ id 2 ]\n edge [ source 1 target 2 ]\n]\n"
    assert _is_on(upload(open_data(), ("graph.gml", graph))) is None


def test_cells_are_shown_as_text() -> None:
    app = upload(open_data(), ("ties.txt", b"1 <b>x</b> ann bob\n2 <b>x</b> bob ann\n"))
    html = " ".join(str(block.proto.body) for block in app.get("html"))
    assert "&lt;b&gt;x" in html
    assert "<b>x" not in html
