"""Type or paste a small network: rows of a table become a data set."""

from typing import Any

from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.pages.data import data_texts as texts
from mrwtd.dashboard.pages.data.typed_network import TypedFile
from mrwtd.dashboard.state import keys
from tests.dashboard.pages.data_page import can_use, open_data, relations, stored_data, stored_info, unescaped, use

TABLE = f"{keys.TYPED}-table-0"


def _typed(*rows: dict[str, str]) -> AppTest:
    app = open_data(data="florentine")
    app.session_state["way-0"] = texts.TYPE_TITLE
    app.run()
    assert not can_use(app)
    edits: dict[str, Any] = {"edited_rows": dict(enumerate(rows)), "added_rows": [], "deleted_rows": []}
    app.session_state[TABLE] = edits
    return app.run()


def _entries(data: mrwtd.RelationalData) -> list[tuple[Any, ...]]:
    return list(data.to_frame()[["source", "relation", "target", "value"]].itertuples(index=False, name=None))


def test_rows_with_values_become_relations() -> None:
    app = _typed(
        {"source": "ann", "relation": "likes", "target": "bob", "value": "1"},
        {},
        {"source": "#1", "relation": "calls", "target": "ann", "value": "12"},
    )
    assert not app.error
    assert any(text.value.startswith("3 objects, 2 relations, 2 ties") for text in app.markdown)
    app = use(app)
    assert not app.exception
    assert relations(app) == ["likes", "calls"]
    assert _entries(stored_data(app)) == [("ann", "likes", "bob", 1.0), ("#1", "calls", "ann", 12.0)]
    assert stored_info(app)["file"] == "network.csv"


def test_pairs_alone_are_ties_of_one_relation() -> None:
    app = use(_typed({"source": "ann", "target": "bob"}, {"source": "bob", "target": "cat"}))
    assert _entries(stored_data(app)) == [("ann", "network", "bob", 1.0), ("bob", "network", "cat", 1.0)]


def test_wrong_rows_are_named_by_their_numbers() -> None:
    app = _typed(
        {"source": "ann", "target": "bob", "value": "1"},
        {"source": "bob", "target": "cat", "value": "many"},
    )
    assert "row 2, column value" in unescaped(app.error[0].value)
    assert not can_use(app)
    app = _typed({}, {"source": "ann", "target": "bob"}, {"target": "bob"})
    assert "row 3: found no name" in unescaped(app.error[0].value)


def test_contradicting_rows_have_the_numbers_of_their_rows() -> None:
    row = {"source": "ann", "target": "bob"}
    app = _typed({}, row | {"value": "10"}, row | {"value": "20"})
    assert "2 and 3" in unescaped(app.error[0].value)


def test_the_file_is_read_again_identically(tmp_path) -> None:
    file = TypedFile((("ann", "likes", 'b "o" b', "1"), ("", "", "", ""), ("bob", "likes", "cat, jr", "0")))
    path = tmp_path / file.name
    path.write_bytes(file.getvalue())
    data = mrwtd.read(path, columns=file.columns)
    assert _entries(data) == [("ann", "likes", 'b "o" b', 1.0), ("bob", "likes", "cat, jr", -1.0)]
