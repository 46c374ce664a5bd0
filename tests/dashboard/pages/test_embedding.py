"""The Embedding page without a browser."""

from __future__ import annotations

import json

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.analysis import latent_factors
from mrwtd.dashboard.pages.embedding import VIEWS, factor_data, object_map, object_panel, replay
from mrwtd.dashboard.state import keys
from mrwtd.plots.embedding_map import Colouring
from tests.dashboard.pages.opening import TOP, open_page, open_trained

PAGE = "pages/4_Embedding.py"


def texts(at: AppTest) -> str:
    return " ".join(element.value.replace("\\", "") for element in (*at.markdown, *at.caption, *at.info, *at.warning))


def fine(at: AppTest) -> AppTest:
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Embedding"]
    return at


def test_without_a_run_there_is_a_sentence_and_a_button() -> None:
    at = fine(open_page(PAGE, "a-visitor-with-nothing", data="bankwiring"))
    assert "Nothing has been trained" in texts(at)
    assert not at.get("plotly_chart")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("data", ["florentine", "monastery"])
def test_every_view_is_drawn(view: str, data: str) -> None:
    at = fine(open_trained(PAGE, data, **{"embedding.view": view}))
    assert at.get("plotly_chart")


@pytest.mark.parametrize("colour", ["attribute wealth", "degree", "error", "cluster"])
def test_every_colour_is_drawn(colour: str) -> None:
    at = fine(open_trained(PAGE, **{"embedding.colour": colour, "embedding.sized": "True"}))
    assert at.selectbox(key=f"{keys.PICK}embedding.colour").value == colour
    assert ("silhouette" in texts(at)) == (colour == "cluster")


@pytest.mark.parametrize("method", ["MrWTD", "RESCAL"])
def test_an_object_is_found_by_name(method: str) -> None:
    at = fine(open_trained(PAGE, method=method))
    at.selectbox(key=f"{keys.PICK}embedding.object").select("Medici").run()
    fine(at)
    assert "ties in marriage: 6" in texts(at)
    assert len(at.dataframe) == 2
    predicted, near = (frame.value for frame in at.dataframe)
    assert set(predicted["relation"]) == {"business", "marriage"}
    assert "Medici" not in set(predicted["with"]) | set(near["object"])
    assert at.query_params["embedding.object"] in ("Medici", ["Medici"])


def test_predictions_of_directed_relations_say_which_way() -> None:
    at = fine(open_trained(PAGE, "monastery", **{"embedding.object": mrwtd.load_dataset("monastery").objects[0]}))
    assert {text.split()[0] for text in at.dataframe[0].value["with"]} <= {"to", "from"}


def test_what_takes_time_waits_for_a_click_and_is_kept() -> None:
    at = fine(open_trained(PAGE, **{"embedding.how": "MDS"}))
    assert not at.get("plotly_chart")
    next(button for button in at.button if button.label == "Compute MDS").click().run()
    assert len(fine(at).get("plotly_chart")) == 1
    at.button_group(key=f"{keys.PICK}embedding.dimensions").set_value("3").run()
    assert not fine(at).get("plotly_chart")


def drawn_round(*names: str) -> AppTest:
    at = open_trained(PAGE)
    at.session_state[keys.GROUP] = names
    return fine(at.run())


def test_a_group_is_described_and_let_go() -> None:
    at = drawn_round("Medici", "Strozzi", "Peruzzi", "of another data set")
    assert "3 objects" in texts(at)
    assert "Medici, Peruzzi, Strozzi" in texts(at)
    assert "wealth is" in texts(at)
    next(button for button in at.button if button.label == "Let go").click().run()
    assert "3 objects" not in texts(fine(at))


def test_a_group_goes_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_panel, "MOST_SHOWN", 2)
    at = drawn_round("Medici", "Strozzi", "Peruzzi")
    assert "the first 2 of them" in texts(at)
    next(button for button in at.button if button.label == "Show in Network").click().run()
    assert at.session_state[keys.SETTINGS].get("network.group") == "Medici|Peruzzi"


def test_a_group_is_still_there_after_a_look_at_the_network() -> None:
    at = drawn_round("Medici", "Strozzi", "Peruzzi")
    next(button for button in at.button if button.label == "Show in Network").click().run()
    at.switch_page(str(TOP / "pages/5_Network.py")).run()
    at.switch_page(str(TOP / PAGE)).run()
    assert "Medici, Peruzzi, Strozzi" in texts(fine(at))


def test_the_replay_is_of_the_method_that_is_looked_at() -> None:
    at = fine(open_trained(PAGE, method="RESCAL", **{"embedding.view": "Replay"}))
    menu = at.selectbox(key=f"{keys.PICK}embedding.replayed")
    assert menu.options == ["MrWTD"]  # the others keep no snapshots
    assert menu.value == "MrWTD"


def test_a_training_without_snapshots_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "getattr", lambda *_: (), raising=False)
    at = fine(open_trained(PAGE, **{"embedding.view": "Replay"}))
    assert "No snapshots were kept" in texts(at)
    assert "Train again" in [button.label for button in at.button]


def test_words_of_strong_cells_name_objects() -> None:
    at = fine(open_trained(PAGE, **{"embedding.view": "Factors"}))
    assert "on factor 1" in texts(at)
    assert any(name in texts(at) for name in mrwtd.load_dataset("florentine").objects)


def test_a_run_without_factors_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latent_factors, "latent_factors", lambda model, relation: None)
    at = fine(open_trained(PAGE))
    assert "No method of this run has factors" in texts(at)
    assert not at.get("plotly_chart")


def test_strange_values_in_a_link_are_replaced() -> None:
    at = fine(
        open_trained(PAGE, **{"embedding.how": "UMAP", "embedding.dimensions": "9", "embedding.object": "nobody"})
    )
    assert "UMAP is not possible here" in texts(at)
    assert at.get("plotly_chart")
    strange = {"embedding.how": "t-SNE", "embedding.perplexity": "many", "embedding.computed": "t-SNE 2 30"}
    assert "many is not possible here" in texts(fine(open_trained(PAGE, **strange)))


def test_a_failure_of_ours_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(object_map, "embedding", fail)
    st.cache_resource.clear()  # figures that other tests have had built
    at = open_trained(PAGE)
    assert not at.exception
    assert len(at.error) == 1
    assert "secret detail" not in at.error[0].value
    assert "secret detail" in caplog.text


def test_parts_of_names_find_several() -> None:
    names = ("Ann", "Annabel", "Bob")
    assert object_map.matching(names, "ann") == [0, 1]
    assert object_map.matching(names, "Ann") == [0]
    assert object_map.matching(names, " ") == []
    assert len(object_map.matching(tuple(f"o{at}" for at in range(200)), "o")) == 50


def test_many_objects_are_searched_by_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_map, "MOST_LISTED", 5)
    at = fine(open_trained(PAGE))
    box = at.text_input(key=f"{keys.PICK}embedding.object")
    assert "names match" in texts(box.set_value("i").run())
    assert "ties in marriage" in texts(box.set_value("medi").run())
    assert "No object has such a name" in texts(box.set_value("zzz").run())


def test_the_figures_of_all_methods_have_their_data_and_words(files: dict[str, pd.DataFrame]) -> None:
    fine(open_trained(PAGE, **{"embedding.view": "Methods", "relation": "marriage"}))
    objects, cells = files["methods-objects"], files["methods-factors"]
    assert set(objects["method"]) == set(cells["method"]) == {"MrWTD", "RESCAL"}
    assert objects.columns.tolist()[:4] == ["method", "object", "axis 1", "axis 2"]
    assert len(objects) == 2 * mrwtd.load_dataset("florentine").n_objects
    assert len(cells) == 2 * 3 * 3


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_buttons_for_its_data(view: str) -> None:
    at = fine(open_trained(PAGE, **{"embedding.view": view}))
    labels = [button.label for button in at.get("download_button")]
    assert labels == ["Data (CSV)"] * (2 if view in ("Factors", "Methods") else 1)


def test_colours_and_axes_of_all_methods_are_told() -> None:
    at = fine(open_trained(PAGE, **{"embedding.view": "Methods"}))
    assert "Blue lifts the prediction" in texts(at)
    assert "Percentages: how much" in texts(at)
    assert "twice the rank" not in texts(at)  # an object has one row in both


def test_methods_with_two_sets_of_factors_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factor_data, "two_sided", lambda result, label: label == "RESCAL")
    at = fine(open_trained(PAGE, **{"embedding.view": "Methods"}))
    assert "RESCAL: twice the rank" in texts(at)


def test_a_legend_stands_in_the_figures_where_there_is_room() -> None:
    many = [f"a long name {at}" for at in range(10)]
    assert factor_data.few(Colouring("team", classes=["red", "blue"]))
    assert not factor_data.few(Colouring("team", classes=many))
    at = fine(open_trained(PAGE, "monastery", **{"embedding.view": "Methods", "embedding.colour": "cluster"}))
    specs = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    assert [spec["layout"].get("showlegend") for spec in specs[::2]] == [True] * (len(specs) // 2)


def test_maps_of_all_relations_and_factors_of_an_object_have_their_data(files: dict[str, pd.DataFrame]) -> None:
    fine(open_trained(PAGE, **{"embedding.view": "Factors"}))
    assert set(files["relation-maps"]["relation"]) == {"business", "marriage"}
    fine(open_trained(PAGE, **{"embedding.object": "Medici"}))
    assert files["factors-of-an-object"]["factor"].tolist() == [1, 2, 3]
    assert (files["factors-of-an-object"]["low"] <= files["factors-of-an-object"]["high"]).all()
