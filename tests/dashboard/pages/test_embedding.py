"""The Embedding page without a browser."""

import json
from dataclasses import replace

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.analysis import latent_factors
from mrwtd.baselines.rescal import RESCAL
from mrwtd.dashboard.pages.embedding import VIEWS, embedding_texts, factor_data, object_map, object_panel, replay
from mrwtd.dashboard.state import keys
from mrwtd.dashboard.widgets import pickers
from mrwtd.model.method import Method
from mrwtd.plots.embedding_map import Colouring
from tests.dashboard.pages.open_pages import TOP, open_page, open_trained

PAGE = "pages/4_Embedding.py"


def texts(app: AppTest) -> str:
    return " ".join(
        element.value.replace("\\", "") for element in (*app.markdown, *app.caption, *app.info, *app.warning)
    )


def checked(app: AppTest) -> AppTest:
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == ["Embedding"]
    return app


def test_without_a_run_the_page_offers_training() -> None:
    app = checked(open_page(PAGE, "a-user-without-runs", data="bankwiring"))
    assert "Nothing has been trained" in texts(app)
    assert not app.get("plotly_chart")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("data", ["florentine", "monastery"])
def test_every_view_is_drawn(view: str, data: str) -> None:
    app = checked(open_trained(PAGE, data, **{"embedding.view": view}))
    assert app.get("plotly_chart")


@pytest.mark.parametrize("colour", ["attribute wealth", "degree", "error", "cluster"])
def test_every_colour_is_drawn(colour: str) -> None:
    app = checked(open_trained(PAGE, **{"embedding.colour": colour, "embedding.sized": "True"}))
    assert app.selectbox(key=f"{keys.PICK}embedding.colour").value == colour
    assert ("silhouette" in texts(app)) == (colour == "cluster")


@pytest.mark.parametrize("method", ["MrWTD", "RESCAL"])
def test_an_object_is_found_by_name(method: str) -> None:
    app = checked(open_trained(PAGE, method=method))
    app.selectbox(key=f"{keys.PICK}embedding.object").select("Medici").run()
    checked(app)
    assert "ties in marriage: 6" in texts(app)
    assert len(app.dataframe) == 2
    predicted, near = (frame.value for frame in app.dataframe)
    assert set(predicted["relation"]) == {"business", "marriage"}
    assert "Medici" not in set(predicted["with"]) | set(near["object"])
    assert app.query_params["embedding.object"] in ("Medici", ["Medici"])


def test_predictions_of_directed_relations_have_a_direction() -> None:
    app = checked(open_trained(PAGE, "monastery", **{"embedding.object": mrwtd.load_dataset("monastery").objects[0]}))
    assert {text.split()[0] for text in app.dataframe[0].value["with"]} <= {"to", "from"}


def test_slow_projections_need_a_click_and_are_saved() -> None:
    app = checked(open_trained(PAGE, **{"embedding.how": "MDS"}))
    assert not app.get("plotly_chart")
    next(button for button in app.button if button.label == "Compute MDS").click().run()
    assert len(checked(app).get("plotly_chart")) == 1
    app.button_group(key=f"{keys.PICK}embedding.dimensions").set_value("3").run()
    assert not checked(app).get("plotly_chart")


def with_group(*names: str) -> AppTest:
    app = open_trained(PAGE)
    app.session_state[keys.GROUP] = names
    return checked(app.run())


def test_a_group_is_described_and_cleared() -> None:
    app = with_group("Medici", "Strozzi", "Peruzzi", "of another data set")
    assert "3 objects" in texts(app)
    assert "Medici, Peruzzi, Strozzi" in texts(app)
    assert "wealth is" in texts(app)
    next(button for button in app.button if button.label == "Clear selection").click().run()
    assert "3 objects" not in texts(checked(app))


def test_a_group_is_sent_to_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_panel, "MAX_NETWORK", 2)
    app = with_group("Medici", "Strozzi", "Peruzzi")
    assert "the first 2 of them" in texts(app)
    next(button for button in app.button if button.label == "Show in Network").click().run()
    assert app.session_state[keys.SETTINGS].get("network.group") == "Medici|Peruzzi"


def test_a_group_remains_after_a_visit_to_the_network() -> None:
    app = with_group("Medici", "Strozzi", "Peruzzi")
    next(button for button in app.button if button.label == "Show in Network").click().run()
    app.switch_page(str(TOP / "pages/5_Network.py")).run()
    app.switch_page(str(TOP / PAGE)).run()
    assert "Medici, Peruzzi, Strozzi" in texts(checked(app))


def test_the_replay_lists_methods_with_snapshots() -> None:
    app = checked(open_trained(PAGE, method="RESCAL", **{"embedding.view": "Replay"}))
    menu = app.selectbox(key=f"{keys.PICK}embedding.replayed")
    assert menu.options == ["MrWTD"]  # the others have no snapshots
    assert menu.value == "MrWTD"


def test_a_training_without_snapshots_offers_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "getattr", lambda *_: (), raising=False)
    app = checked(open_trained(PAGE, **{"embedding.view": "Replay"}))
    assert embedding_texts.NO_SNAPSHOTS in texts(app)
    assert "Train again" in [button.label for button in app.button]


def test_meanings_of_strong_cells_name_objects() -> None:
    app = checked(open_trained(PAGE, **{"embedding.view": "Factors"}))
    assert "on factor 1" in texts(app)
    assert any(name in texts(app) for name in mrwtd.load_dataset("florentine").objects)


def test_a_run_without_factors_shows_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latent_factors, "latent_factors", lambda model, relation: None)
    app = checked(open_trained(PAGE))
    assert embedding_texts.NO_FACTORS in texts(app)
    assert not app.get("plotly_chart")


def test_invalid_values_in_a_link_are_replaced() -> None:
    app = checked(
        open_trained(PAGE, **{"embedding.how": "UMAP", "embedding.dimensions": "9", "embedding.object": "nobody"})
    )
    assert "UMAP is not possible here" in texts(app)
    assert app.get("plotly_chart")
    invalid = {"embedding.how": "t-SNE", "embedding.perplexity": "many", "embedding.computed": "t-SNE 2 30"}
    assert "many is not possible here" in texts(checked(open_trained(PAGE, **invalid)))


def test_an_internal_error_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(object_map, "embedding", fail)
    st.cache_resource.clear()  # figures of other tests
    app = open_trained(PAGE)
    assert not app.exception
    assert len(app.error) == 1
    assert "secret detail" not in app.error[0].value
    assert "secret detail" in caplog.text


def test_parts_of_names_find_several() -> None:
    names = ("Ann", "Annabel", "Bob")
    assert pickers.find_objects(names, "ann") == [0, 1]
    assert pickers.find_objects(names, "Ann") == [0]
    assert pickers.find_objects(names, " ") == []


def test_many_objects_are_searched_by_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickers, "MOST_LISTED", 5)
    app = checked(open_trained(PAGE))
    box = app.text_input(key=f"{keys.PICK}embedding.object")
    assert "names match" in texts(box.set_value("i").run())
    assert "ties in marriage" in texts(box.set_value("medi").run())
    assert "No object has this name" in texts(box.set_value("zzz").run())


def test_the_figures_of_all_methods_have_their_data(files: dict[str, pd.DataFrame]) -> None:
    checked(open_trained(PAGE, **{"embedding.view": "Methods", "relation": "marriage"}))
    objects, cells = files["methods-objects"], files["methods-factors"]
    assert set(objects["method"]) == set(cells["method"]) == {"MrWTD", "RESCAL"}
    assert objects.columns.tolist()[:4] == ["method", "object", "axis 1", "axis 2"]
    assert len(objects) == 2 * mrwtd.load_dataset("florentine").n_objects
    assert len(cells) == 2 * 3 * 3


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_buttons_for_its_data(view: str) -> None:
    app = checked(open_trained(PAGE, **{"embedding.view": view}))
    labels = [button.label for button in app.get("download_button")]
    assert labels == ["Data (CSV)"] * (2 if view in ("Factors", "Methods") else 1)


def test_colours_and_axes_of_all_methods_are_explained() -> None:
    app = checked(open_trained(PAGE, **{"embedding.view": "Methods"}))
    assert "Blue raises the prediction" in texts(app)
    assert "Percentages: how much" in texts(app)
    assert "twice the rank" not in texts(app)  # objects have one row in both methods


def test_methods_with_two_sets_of_factors_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    factors_of = latent_factors.latent_factors

    def two_sided(model: Method, relation: str) -> latent_factors.LatentFactors | None:
        factors = factors_of(model, relation)
        return factors and replace(factors, two_sided=isinstance(model, RESCAL))

    monkeypatch.setattr(latent_factors, "latent_factors", two_sided)
    app = checked(open_trained(PAGE, **{"embedding.view": "Methods"}))
    assert "RESCAL: twice the rank" in texts(app)


def test_short_legends_are_inside_the_figures() -> None:
    many = [f"a long name {number}" for number in range(10)]
    assert factor_data.legend_fits(Colouring("team", classes=["red", "blue"]))
    assert not factor_data.legend_fits(Colouring("team", classes=many))
    app = checked(open_trained(PAGE, "monastery", **{"embedding.view": "Methods", "embedding.colour": "cluster"}))
    specs = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert [spec["layout"].get("showlegend") for spec in specs[::2]] == [True] * (len(specs) // 2)


def test_maps_of_relations_and_factors_of_an_object_have_their_data(files: dict[str, pd.DataFrame]) -> None:
    checked(open_trained(PAGE, **{"embedding.view": "Factors"}))
    assert set(files["relation-maps"]["relation"]) == {"business", "marriage"}
    checked(open_trained(PAGE, **{"embedding.object": "Medici"}))
    assert files["factors-of-an-object"]["factor"].tolist() == [1, 2, 3]
    assert (files["factors-of-an-object"]["low"] <= files["factors-of-an-object"]["high"]).all()
