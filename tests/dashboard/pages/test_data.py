"""The Data page without a browser."""

import io
import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.pages.data import data_texts, pictures
from mrwtd.dashboard.state import current_user, keys, session, user_datasets
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.dashboard.widgets import figures
from mrwtd.dashboard.widgets.formatting import escape_markdown
from mrwtd.data.datasets.samples import dataset_info
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.data_page import (
    GOOD,
    PAGE,
    SAMPLES,
    captions,
    menu,
    open_data,
    query_params,
    upload,
    use,
)
from tests.dashboard.pages.open_pages import open_page


def look_at(app: AppTest, picture: str) -> None:
    """Choose what is drawn, from the next run on."""
    app.session_state[keys.SETTINGS] = app.session_state[keys.SETTINGS].change(**{"data.picture": picture})


def test_the_first_visit_shows_a_data_set() -> None:
    app = open_data()
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == ["Data"]
    assert len(app.dataframe[0].value) == mrwtd.load_dataset("aucs").n_relations
    assert len(app.get("plotly_chart")) == 1
    assert query_params(app) == {"data": "aucs"}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_shown(name: str) -> None:
    app = open_data(data=name)
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert menu(app, "data").value == name
    assert dataset_info(name).question in [text.value for text in app.markdown]
    for picture in list(pictures.PICTURES)[1:]:
        look_at(app, picture)
        assert not app.run().exception
        assert not app.error
        one_relation = len(app.dataframe[0].value) == 1
        assert len(app.get("plotly_chart")) == (0 if one_relation and picture == "Relations alike" else 1)


@pytest.mark.parametrize(("name", "warned"), [("nations", "424"), ("airports", "1,292"), ("florentine", "")])
def test_a_known_defect_of_a_sample_is_shown_with_it(name: str, warned: str) -> None:
    text = " ".join(captions(open_data(data=name)))
    assert (warned in text) if warned else "warning" not in text


def test_the_table_of_relations_summarizes_the_values() -> None:
    facts = open_data(data="aucs").dataframe[0].value
    assert "balance" not in facts
    assert facts["values"].str.fullmatch(r"[\d.]+% ties").all()


def test_ties_alone_do_not_make_a_relation_look_mutual() -> None:
    app = use(upload(open_data(), ("ties.csv", b"source,target\na,b\nb,a\na,c\n")))
    assert app.dataframe[0].value["reciprocity"].isna().all()


def test_downloads_of_an_upload_are_named_after_its_files() -> None:
    user = "a-user-who-downloads"
    space = current_user.workspace_of(user)
    name = UPLOAD_PREFIX + space.save_dataset(mrwtd.read(io.StringIO(GOOD)), {"file": "my ties.csv"})
    app = open_page(PAGE, user, data=name)
    spec = json.loads(app.get("plotly_chart")[0].proto.config)
    assert spec["toImageButtonOptions"] == {"filename": "my-ties-likes", "scale": 2}
    assert spec["scrollZoom"] is False
    look_at(app, list(pictures.PICTURES)[1])
    app.run()
    spec = json.loads(app.get("plotly_chart")[0].proto.config)
    assert spec["toImageButtonOptions"]["filename"] == "my-ties-degrees-likes"


def test_data_sets_without_files_are_not_offered() -> None:
    offered = menu(open_data(), "data").options
    assert len(offered) == len(SAMPLES)
    assert dataset_info("reality-mining").title not in offered


def test_choices_are_in_the_url() -> None:
    app = open_data()
    menu(app, "data").select("aucs").run()
    menu(app, "relation").select("lunch").run()
    menu(app, "order").select("group").run()
    assert query_params(app) == {"data": "aucs", "relation": "lunch", "order": "group"}
    menu(app, "data").select("florentine").run()
    assert query_params(app) == {"data": "florentine"}
    assert not app.exception


def test_bad_values_in_a_link_are_named_and_replaced() -> None:
    app = open_page("app.py", data="florentine", relation="hatred", order="height")
    assert len(app.warning) == 2
    assert "hatred" in app.warning[0].value
    assert "height" in app.warning[1].value
    assert query_params(app) == {"data": "florentine"}
    app.session_state[keys.MESSAGES] = dict.fromkeys(
        app.session_state[keys.MESSAGES], -session.MESSAGE_SECONDS
    )  # long ago
    assert not app.run().warning


def test_a_link_to_a_data_set_that_is_not_here_keeps_the_rest() -> None:
    app = open_page("app.py", data="kinshp", rank="5", seed="x", relation="hatred", **{"loss.hatred": "logistic"})
    bad, gone, seed = app.warning[0].value.splitlines()
    assert "kinshp" in bad
    assert gone.endswith("left out\\: relation, loss.hatred.")
    assert "seed" in seed
    assert query_params(app) == {"data": "aucs", "rank": "5"}


def test_many_messages_share_a_box() -> None:
    app = open_page("app.py", data="florentine", rank="a", seed="b", train="c", lam="d")
    (warning,) = app.warning
    assert [line[0] for line in warning.value.splitlines()] == ["-"] * 4


def test_an_uploaded_data_set_is_removed_with_its_runs_and_nothing_breaks() -> None:
    user = "a-user-who-removes-data"
    space, data = current_user.workspace_of(user), mrwtd.read(io.StringIO(GOOD))
    name = UPLOAD_PREFIX + space.save_dataset(data, {"file": "ties.csv", "how": {}})
    work = train(Settings(name, rank=2, lam=1.0, methods=("MrWTD",), train=0.6), data, "ties.csv", space)
    run = work(Job("training", "train", user, work))
    other = open_page("pages/2_Train.py", user, data=name)  # a second window of the same user
    app = open_page(PAGE, user)
    assert "1 run" in " ".join(text.value for text in app.markdown)
    app.button(key=f"remove-{name}").click().run()
    assert not app.exception
    assert not app.error
    assert app.success[0].value.startswith("Removed")
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
    app = open_page("app.py", user, data=name)
    look_at(app, list(pictures.PICTURES)[1])
    app.switch_page(PAGE).run()
    assert not app.exception
    most = f"{escape_markdown('*ann*')} has the most ties (2)."
    expected = f"{escape_markdown('<b>_likes_')}: {most}{data_texts.BOTH_DIRECTIONS}"
    assert expected in [text.value for text in app.caption]


@pytest.mark.parametrize(("dark", "colour"), [(False, "Dark blue"), (True, "Pale blue")])
def test_colours_are_named_as_in_the_theme(monkeypatch: pytest.MonkeyPatch, dark: bool, colour: str) -> None:
    monkeypatch.setattr(figures, "dark", lambda: dark)
    app = open_page("app.py", data="florentine")
    look_at(app, list(pictures.PICTURES)[2])
    app.switch_page(PAGE).run()
    (caption,) = [text for text in captions(app) if text.startswith(colour)]
    assert "Grey" in caption
    look_at(app, list(pictures.PICTURES)[1])
    assert not any(data_texts.BOTH_DIRECTIONS in text for text in captions(app.run()))  # they are undirected


def test_a_link_to_the_upload_of_another_user_says_what_to_do() -> None:
    app = open_page("app.py", data="own-0123456789")
    assert "Upload the file" in app.warning[0].value
    assert query_params(app) == {"data": "aucs"}


def test_an_internal_error_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> mrwtd.RelationalData:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(user_datasets, "load", fail)
    app = open_page("app.py")
    assert not app.exception
    assert len(app.error) == 1
    assert "secret detail" not in app.error[0].value
    assert "secret detail" in caplog.text
