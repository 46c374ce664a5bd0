"""The first page without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard import datasets, keys
from mrwtd.data.samples import about

APP = str(Path(__file__).resolve().parents[2] / "app.py")
SHOWN = [name for name in mrwtd.list_datasets() if not about(name).needs_folder]


def start(**address: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=30)
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def menu(at: AppTest, field: str):
    return at.selectbox(key=keys.PICK + field)


def address(at: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


def test_the_first_visit_shows_a_data_set() -> None:
    at = start()
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Relations of many kinds, learned together"]
    assert len(at.dataframe[0].value) == mrwtd.load_dataset("kinship").n_relations
    assert len(at.get("plotly_chart")) == 1
    assert address(at) == {"data": "kinship"}


@pytest.mark.parametrize("name", SHOWN)
def test_every_sample_is_shown(name: str) -> None:
    at = start(data=name)
    assert not at.exception
    assert not at.error
    assert not at.warning
    assert menu(at, "data").value == name
    assert about(name).question in [text.value for text in at.markdown]


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
    at = start(data="florentine", relation="hatred", order="height")
    assert len(at.warning) == 2
    assert "hatred" in at.warning[0].value
    assert "height" in at.warning[1].value
    assert address(at) == {"data": "florentine"}
    assert not at.run().warning


def upload(at: AppTest, content: str, name: str = "ties.csv") -> AppTest:
    at.file_uploader(key=keys.FILE).set_value((name, content.encode(), "text/csv")).run()
    return next(button for button in at.button if button.label == "Use this file").click().run()


def test_a_file_of_ones_own_takes_the_place_of_the_sample() -> None:
    at = upload(start(), "source,relation,target,value\nann,likes,bob,1\nbob,likes,cat,0\n")
    assert not at.exception
    assert not at.error
    assert address(at) == {"data": "upload"}
    assert len(at.dataframe[0].value) == 1


def test_a_bad_file_leaves_everything_as_it_was() -> None:
    at = upload(start(data="florentine"), "source,relation,target,value\nann,likes,bob,1\nann,likes,cat,many\n")
    assert not at.exception
    assert "line 3" in at.error[0].value.replace("\\", "")
    assert address(at) == {"data": "florentine"}


def test_a_link_to_somebody_elses_upload_says_what_to_do() -> None:
    at = start(data="upload")
    assert "Upload the file here" in at.warning[0].value
    assert address(at) == {"data": "kinship"}


def test_a_failure_of_ours_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> mrwtd.RelationalData:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(datasets, "load", fail)
    at = start()
    assert not at.exception
    assert len(at.error) == 1
    assert "secret detail" not in at.error[0].value
    assert "secret detail" in caplog.text
