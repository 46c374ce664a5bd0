"""The Data page without a browser."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.pages.data import overview
from mrwtd.dashboard.state import current_user, keys, session, user_datasets
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.dashboard.widgets import figures
from mrwtd.dashboard.widgets.formatting import escape_markdown
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.data_page import GOOD, PAGE, SHOWN, address, menu, start
from tests.dashboard.pages.opening import open_page


def look_at(at: AppTest, picture: str) -> None:
    """Choose what is drawn, from the next run on."""
    at.session_state[keys.SETTINGS] = at.session_state[keys.SETTINGS].change(**{"data.picture": picture})


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
    assert dataset_info(name).question in [text.value for text in at.markdown]
    for picture in list(overview.PICTURES)[1:]:
        look_at(at, picture)
        assert not at.run().exception
        assert not at.error
        one_relation = len(at.dataframe[0].value) == 1
        assert len(at.get("plotly_chart")) == (0 if one_relation and picture == "Relations alike" else 1)


@pytest.mark.parametrize(("name", "warned"), [("nations", "424"), ("airports", "1,292"), ("florentine", "")])
def test_a_known_defect_of_a_sample_is_shown_with_it(name: str, warned: str) -> None:
    captions = " ".join(caption.value for caption in start(data=name).caption)
    assert (warned in captions) if warned else "warning" not in captions


def test_the_table_of_relations_says_what_values_there_are() -> None:
    facts = start(data="aucs").dataframe[0].value
    assert "balance" not in facts
    assert facts["values"].str.fullmatch(r"[\d.]+% ties").all()


def test_downloads_of_an_upload_are_called_by_its_files() -> None:
    own = "a-visitor-who-downloads"
    space = current_user.workspace_of(own)
    name = UPLOAD_PREFIX + space.save_dataset(mrwtd.read(io.StringIO(GOOD)), {"file": "my ties.csv"})
    at = open_page(PAGE, own, data=name)
    spec = json.loads(at.get("plotly_chart")[0].proto.config)
    assert spec["toImageButtonOptions"] == {"filename": "my-ties-likes", "scale": 2}
    assert spec["scrollZoom"] is False
    look_at(at, list(overview.PICTURES)[1])
    at.run()
    spec = json.loads(at.get("plotly_chart")[0].proto.config)
    assert spec["toImageButtonOptions"]["filename"] == "my-ties-degrees-likes"


def test_sets_whose_files_the_visitor_must_bring_are_not_offered() -> None:
    offered = menu(start(), "data").options
    assert len(offered) == len(SHOWN)
    assert dataset_info("reality-mining").title not in offered


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
    at.session_state[keys.MESSAGES] = dict.fromkeys(
        at.session_state[keys.MESSAGES], -session.MESSAGE_SECONDS
    )  # long ago
    assert not at.run().warning


def test_a_link_to_a_data_set_that_is_not_here_keeps_the_rest() -> None:
    at = open_page("app.py", data="kinshp", rank="5", seed="x", relation="hatred", **{"loss.hatred": "logistic"})
    bad, gone, seed = at.warning[0].value.splitlines()
    assert "kinshp" in bad
    assert gone.endswith("left out\\: relation, loss.hatred.")
    assert "seed" in seed
    assert address(at) == {"data": "aucs", "rank": "5"}


def test_many_notes_share_a_frame() -> None:
    at = open_page("app.py", data="florentine", rank="a", seed="b", train="c", lam="d")
    (told,) = at.warning
    assert [line[0] for line in told.value.splitlines()] == ["-"] * 4


def test_a_data_set_of_ones_own_is_removed_with_its_runs_and_nothing_breaks() -> None:
    own = "a-visitor-who-removes-data"
    space, data = current_user.workspace_of(own), mrwtd.read(io.StringIO(GOOD))
    name = UPLOAD_PREFIX + space.save_dataset(data, {"file": "ties.csv", "how": {}})
    work = train(Settings(name, rank=2, lam=1.0, methods=("MrWTD",), train=0.6), data, "ties.csv", space)
    run = work(Job("training", "train", own, work))
    other = open_page("pages/2_Train.py", own, data=name)  # a second window of the same visitor
    at = open_page(PAGE, own)
    assert "1 run" in " ".join(text.value for text in at.markdown)
    at.button(key=f"remove-{name}").click().run()
    assert not at.exception
    assert not at.error
    assert at.success[0].value.startswith("Removed")
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
    name = UPLOAD_PREFIX + current_user.workspace_of(own).save_dataset(data, {"file": "ties.csv"})
    at = open_page("app.py", own, data=name)
    look_at(at, list(overview.PICTURES)[1])
    at.switch_page(PAGE).run()
    assert not at.exception
    (told_,) = [text.value for text in at.caption if "has the most ties" in text.value]
    assert told_.startswith(
        f"{escape_markdown('<b>_likes_')}: {escape_markdown('*ann*')} has the most ties, 2. Ties from an object and"
    )


@pytest.mark.parametrize(("dark", "colour"), [(False, "Dark blue"), (True, "Pale blue")])
def test_colours_are_called_what_they_are_in_the_theme(
    monkeypatch: pytest.MonkeyPatch, dark: bool, colour: str
) -> None:
    monkeypatch.setattr(figures, "dark", lambda: dark)
    at = open_page("app.py", data="florentine")
    look_at(at, list(overview.PICTURES)[2])
    at.switch_page(PAGE).run()
    (said,) = [text.value for text in at.caption if "tend to have the other" in text.value]
    assert said.startswith(colour)
    assert "Grey" in said
    look_at(at, list(overview.PICTURES)[1])
    assert "counted together" not in " ".join(text.value for text in at.run().caption)  # they are undirected


def test_a_link_to_somebody_elses_upload_says_what_to_do() -> None:
    at = open_page("app.py", data="own-0123456789")
    assert "upload the file here" in at.warning[0].value
    assert address(at) == {"data": "aucs"}


def test_a_failure_of_ours_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> mrwtd.RelationalData:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(user_datasets, "load", fail)
    at = open_page("app.py")
    assert not at.exception
    assert len(at.error) == 1
    assert "secret detail" not in at.error[0].value
    assert "secret detail" in caplog.text
