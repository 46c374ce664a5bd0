"""The Data page without a browser."""

import io
import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.pages.data import data_texts, pictures
from mrwtd.dashboard.state import current_user, keys, session, user_datasets
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.dashboard.widgets import figures
from mrwtd.dashboard.widgets.formatting import escape_markdown
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.pages.data_page import GOOD, PAGE, SAMPLES, captions, menu, open_data, query_params
from tests.dashboard.pages.opening import open_page


def look_at(at: AppTest, picture: str) -> None:
    """Choose what is drawn, from the next run on."""
    at.session_state[keys.SETTINGS] = at.session_state[keys.SETTINGS].change(**{"data.picture": picture})


def test_the_first_visit_shows_a_data_set() -> None:
    at = open_data()
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Data"]
    assert len(at.dataframe[0].value) == mrwtd.load_dataset("aucs").n_relations
    assert len(at.get("plotly_chart")) == 1
    assert query_params(at) == {"data": "aucs"}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_shown(name: str) -> None:
    at = open_data(data=name)
    assert not at.exception
    assert not at.error
    assert not at.warning
    assert menu(at, "data").value == name
    assert dataset_info(name).question in [text.value for text in at.markdown]
    for picture in list(pictures.PICTURES)[1:]:
        look_at(at, picture)
        assert not at.run().exception
        assert not at.error
        one_relation = len(at.dataframe[0].value) == 1
        assert len(at.get("plotly_chart")) == (0 if one_relation and picture == "Relations alike" else 1)


@pytest.mark.parametrize(("name", "warned"), [("nations", "424"), ("airports", "1,292"), ("florentine", "")])
def test_a_known_defect_of_a_sample_is_shown_with_it(name: str, warned: str) -> None:
    text = " ".join(captions(open_data(data=name)))
    assert (warned in text) if warned else "warning" not in text


def test_the_table_of_relations_summarizes_the_values() -> None:
    facts = open_data(data="aucs").dataframe[0].value
    assert "balance" not in facts
    assert facts["values"].str.fullmatch(r"[\d.]+% ties").all()


def test_downloads_of_an_upload_are_named_after_its_files() -> None:
    user = "a-user-who-downloads"
    space = current_user.workspace_of(user)
    name = UPLOAD_PREFIX + space.save_dataset(mrwtd.read(io.StringIO(GOOD)), {"file": "my ties.csv"})
    at = open_page(PAGE, user, data=name)
    spec = json.loads(at.get("plotly_chart")[0].proto.config)
    assert spec["toImageButtonOptions"] == {"filename": "my-ties-likes", "scale": 2}
    assert spec["scrollZoom"] is False
    look_at(at, list(pictures.PICTURES)[1])
    at.run()
    spec = json.loads(at.get("plotly_chart")[0].proto.config)
    assert spec["toImageButtonOptions"]["filename"] == "my-ties-degrees-likes"


def test_data_sets_without_files_are_not_offered() -> None:
    offered = menu(open_data(), "data").options
    assert len(offered) == len(SAMPLES)
    assert dataset_info("reality-mining").title not in offered


def test_choices_are_in_the_url() -> None:
    at = open_data()
    menu(at, "data").select("aucs").run()
    menu(at, "relation").select("lunch").run()
    menu(at, "order").select("group").run()
    assert query_params(at) == {"data": "aucs", "relation": "lunch", "order": "group"}
    menu(at, "data").select("florentine").run()
    assert query_params(at) == {"data": "florentine"}
    assert not at.exception


def test_bad_values_in_a_link_are_named_and_replaced() -> None:
    at = open_page("app.py", data="florentine", relation="hatred", order="height")
    assert len(at.warning) == 2
    assert "hatred" in at.warning[0].value
    assert "height" in at.warning[1].value
    assert query_params(at) == {"data": "florentine"}
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
    assert query_params(at) == {"data": "aucs", "rank": "5"}


def test_many_messages_share_a_box() -> None:
    at = open_page("app.py", data="florentine", rank="a", seed="b", train="c", lam="d")
    (warning,) = at.warning
    assert [line[0] for line in warning.value.splitlines()] == ["-"] * 4


def test_an_uploaded_data_set_is_removed_with_its_runs_and_nothing_breaks() -> None:
    user = "a-user-who-removes-data"
    space, data = current_user.workspace_of(user), mrwtd.read(io.StringIO(GOOD))
    name = UPLOAD_PREFIX + space.save_dataset(data, {"file": "ties.csv", "how": {}})
    work = train(Settings(name, rank=2, lam=1.0, methods=("MrWTD",), train=0.6), data, "ties.csv", space)
    run = work(Job("training", "train", user, work))
    other = open_page("pages/2_Train.py", user, data=name)  # a second window of the same user
    at = open_page(PAGE, user)
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


def test_names_with_markdown_are_shown_as_they_are() -> None:
    user = "a-user-with-strange-names"
    frame = pd.DataFrame({"source": ["*ann*", "*ann*"], "relation": "<b>_likes_", "target": ["bob", "cat"]})
    data = mrwtd.RelationalData.from_frame(frame, directed=True, absent="negative")
    name = UPLOAD_PREFIX + current_user.workspace_of(user).save_dataset(data, {"file": "ties.csv"})
    at = open_page("app.py", user, data=name)
    look_at(at, list(pictures.PICTURES)[1])
    at.switch_page(PAGE).run()
    assert not at.exception
    most = f"{escape_markdown('*ann*')} has the most ties (2)."
    expected = f"{escape_markdown('<b>_likes_')}: {most}{data_texts.BOTH_DIRECTIONS}"
    assert expected in [text.value for text in at.caption]


@pytest.mark.parametrize(("dark", "colour"), [(False, "Dark blue"), (True, "Pale blue")])
def test_colours_are_named_as_in_the_theme(monkeypatch: pytest.MonkeyPatch, dark: bool, colour: str) -> None:
    monkeypatch.setattr(figures, "dark", lambda: dark)
    at = open_page("app.py", data="florentine")
    look_at(at, list(pictures.PICTURES)[2])
    at.switch_page(PAGE).run()
    (caption,) = [text for text in captions(at) if text.startswith(colour)]
    assert "Grey" in caption
    look_at(at, list(pictures.PICTURES)[1])
    assert not any(data_texts.BOTH_DIRECTIONS in text for text in captions(at.run()))  # they are undirected


def test_a_link_to_the_upload_of_another_user_says_what_to_do() -> None:
    at = open_page("app.py", data="own-0123456789")
    assert "Upload the file" in at.warning[0].value
    assert query_params(at) == {"data": "aucs"}


def test_an_internal_error_shows_no_traceback(
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
