"""Changing how data is read, after it was read: on the Data page, without a browser."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.pages.data.data_texts import APPLY, EDIT
from mrwtd.dashboard.pages.train.code_export import in_python, on_command_line
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.data.limits import Limit
from mrwtd.data.readers.formats import parquet
from mrwtd.runs import DataRef, MethodSpec, RunSpec, SplitSpec, execute
from tests.dashboard.pages.data_page import (
    SAMPLES,
    choose_sample,
    chosen_data,
    menu,
    notes,
    open_data,
    query_params,
    schema,
    stored_data,
    stored_info,
    unescaped,
    upload,
    use,
)

TIES = "source,relation,target,value\nann,1,bob,1\nbob,1,cat,1\nann,calls,cat,900\ncat,calls,bob,2\n"
SPEC = RunSpec(DataRef("ties.csv"), SplitSpec(0.5), (MethodSpec("CP", "CP", {"rank": 2, "seed": 0}),))


def click(app: AppTest, label: str) -> AppTest:
    app = next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def edit(app: AppTest, **changes: dict[str, Any]) -> AppTest:
    """Change cells of the table by relation."""
    app.session_state[f"{keys.EDITS}-{app.session_state[keys.EDITS]}"] |= changes
    return app.run()


def uploaded() -> AppTest:
    return use(upload(open_data(), ("ties.csv", TIES.encode())))


def labels(app: AppTest) -> list[str]:
    return menu(app, "data").options[len(SAMPLES) :]


def test_everything_can_be_changed_and_the_changed_data_takes_the_place_of_the_old() -> None:
    app = click(uploaded(), EDIT)
    old = chosen_data(app)
    changes = {
        "1": {"name": "advice", "directed": False, "absent": "no tie, or 0"},
        "calls": {"kind": "log(1 + y)"},
    }
    app = click(edit(app, **changes), APPLY)
    assert [(r.name, r.kind, r.directed) for r in stored_data(app).relations] == [
        ("advice", "binary", False),
        ("log(1 + calls)", "real", True),
    ]
    assert sorted(stored_data(app).original_values(0)) == [-1, 1, 1]
    assert labels(app) == ["Your file: ties.csv"]
    assert chosen_data(app) != old
    assert any(note.startswith("1: renamed to advice") for note in notes(app))
    assert "data.edit" not in query_params(app)


def test_the_table_starts_with_the_choices_made_before() -> None:
    app = click(uploaded(), EDIT)
    app = click(edit(app, **{"1": {"name": "advice", "absent": "no tie, or 0"}, "calls": {"kind": "real"}}), APPLY)
    rows = schema(click(app, EDIT))
    assert rows[["name", "kind", "absent"]].to_dict("index") == {
        "1": {"name": "advice", "kind": "binary", "absent": "no tie, or 0"},
        "calls": {"name": "calls", "kind": "real", "absent": "unknown"},
    }


def test_runs_stay_with_the_data_they_were_made_from() -> None:
    app = uploaded()
    old, space = chosen_data(app), current_user.workspace_of(app.session_state[keys.USER])
    digest = old.removeprefix(UPLOAD_PREFIX)
    spec = RunSpec(DataRef("ties.csv", digest=digest), SPEC.split, SPEC.methods)
    run = space.save_run(execute(spec, stored_data(app)), name="before")
    app = click(app.run(), EDIT)
    assert any(text.value.startswith("1 run made from this data set") for text in app.caption)
    app = click(edit(app, calls={"kind": "real"}), APPLY)
    assert labels(app) == ["Your file: ties.csv (2)", "Your file: ties.csv"]
    assert any("1 run made before stays with ties.csv" in unescaped(text.value) for text in app.warning)
    assert space.run(run.id) is not None
    assert space.data(digest) is not None


def test_a_link_to_the_data_before_the_change_opens_the_changed_data() -> None:
    app = click(uploaded(), EDIT)
    old = chosen_data(app)
    new = chosen_data(click(edit(app, calls={"kind": "real"}), APPLY))
    assert new != old
    app.query_params["data"] = old
    assert chosen_data(app.run()) == new


def test_attributes_can_be_replaced_and_removed() -> None:
    app = upload(open_data(), ("ties.csv", TIES.encode()))
    field = next(widget for widget in app.file_uploader if widget.key.startswith(keys.ATTRIBUTES))
    app = use(field.set_value(("people.csv", b"name,age\nann,30\n", "text/csv")).run())
    app = click(app, EDIT)
    field = next(widget for widget in app.file_uploader if widget.key.startswith(keys.EDITED_ATTRIBUTES))
    app = click(field.set_value(("groups.csv", b"name,group\nann,red\n", "text/csv")).run(), APPLY)
    assert stored_data(app).attributes.columns.tolist() == ["group"]
    assert stored_info(app)["how"]["attributes"] == "groups.csv"
    app = click(click(app, EDIT), "Remove")
    assert stored_data(click(app, APPLY)).attributes.columns.tolist() == []


def test_settings_that_are_still_valid_are_kept() -> None:
    app = uploaded()
    app.session_state[keys.SETTINGS] = app.session_state[keys.SETTINGS].change(
        rank=7, relation="calls", weight={"1": 2.0}, loss={"calls": "poisson"}
    )
    app = click(edit(click(app.run(), EDIT), calls={"kind": "real"}), APPLY)
    settings = app.session_state[keys.SETTINGS]
    assert (settings.rank, settings.relation, settings.weight, settings.loss) == (7, "calls", {"1": 2.0}, {})


def test_a_visit_without_a_link_continues_with_the_upload_in_use() -> None:
    app = uploaded()
    user, name = app.session_state[keys.USER], chosen_data(app)
    assert chosen_data(open_data(user=user)) == name
    assert chosen_data(open_data()) == "aucs"  # another user
    choose_sample(app)
    assert chosen_data(open_data(user=user)) == "aucs"


def test_cancel_changes_nothing() -> None:
    app = uploaded()
    old = chosen_data(app)
    app = click(edit(click(app, EDIT), calls={"kind": "real"}), "Cancel")
    assert chosen_data(app) == old
    assert "data.edit" not in query_params(app)
    assert schema(click(app, EDIT)).loc["calls", "kind"] == "count"


@pytest.mark.parametrize("changes", [{"calls": {"kind": "binary"}}, {"calls": {"name": "1"}}])
def test_a_wrong_change_is_reported_and_the_data_stays(changes: dict[str, Any]) -> None:
    app = uploaded()
    old = chosen_data(app)
    app = edit(click(app, EDIT), **changes)
    assert app.error
    assert APPLY not in [button.label for button in app.button]
    assert chosen_data(app) == old


def test_the_old_data_stays_if_the_changed_data_cannot_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    app = uploaded()
    old, space = chosen_data(app), current_user.workspace_of(app.session_state[keys.USER])
    app = edit(click(app, EDIT), calls={"name": "never opened"})
    monkeypatch.setattr(parquet, "ENTRIES", Limit("cells", 0, 0, 0, ""))
    app = click(app, APPLY)
    assert app.error
    assert list(space.datasets()) == [old.removeprefix(UPLOAD_PREFIX)]


def test_a_sample_is_changed_in_a_copy_and_the_code_makes_the_same_data(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = click(open_data(data="florentine"), EDIT)
    app = click(edit(app, business={"name": "trade"}, marriage={"directed": True}), APPLY)
    assert [(r.name, r.directed) for r in stored_data(app).relations] == [("trade", False), ("marriage", True)]
    assert labels(app)[0].endswith("changed")
    monkeypatch.chdir(tmp_path)
    code = in_python(SPEC, stored_info(app))
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["data"].digest() == stored_data(app).digest()
    write, fit = on_command_line(SPEC, stored_info(app)).splitlines()
    assert "load_dataset" in write
    assert "--rename business=trade" in fit
    assert mrwtd.read("florentine.parquet") == mrwtd.load_dataset("florentine")
