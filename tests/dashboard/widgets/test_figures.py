"""Figures on pages: built once per key."""

import io
import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io
import streamlit as st

import mrwtd
from mrwtd.dashboard.state.caches import Keyed
from mrwtd.dashboard.widgets import figures
from mrwtd.dashboard.widgets.figures import csv_text


def points(y: list[float]) -> go.Figure:
    return go.Figure(go.Scatter(x=np.arange(len(y)), y=y), {"title": "points"})


def test_a_figure_is_built_once_per_key() -> None:
    st.cache_resource.clear()
    built: list[int] = []

    def build(number: int) -> go.Figure:
        built.append(number)
        return points([1.0]).update_traces(name=str(number))

    for number in (1, 2, 1, 2, 1):
        figure = figures.cached_figure(Keyed(("numbers", number), lambda number=number: build(number)))
        assert figure.to_dict()["data"][0]["name"] == str(number)
    assert built == [1, 2]


def test_figures_with_another_key_or_height_differ() -> None:
    st.cache_resource.clear()
    low = figures.cached_figure(Keyed("one", lambda: points([1.0])), height=100).to_dict()
    high = figures.cached_figure(Keyed("one", lambda: points([1.0])), height=200).to_dict()
    other = figures.cached_figure(Keyed("other", lambda: points([2.0])), height=100).to_dict()
    assert (low["layout"]["height"], high["layout"]["height"]) == (100, 200)
    assert low["data"] != other["data"]


def test_a_prepared_figure_is_sent_unchanged() -> None:
    figure = points([3.0, 1.0, 2.0])
    prepared = figures.PreparedFigure(figure)
    for _ in range(2):  # sending it once leaves it as it was
        assert json.loads(plotly.io.to_json(prepared.to_dict(), validate=False)) == json.loads(
            plotly.io.to_json(figure)
        )


FORMULAS = ["=HYPERLINK(1)", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"]


def test_no_text_of_a_csv_file_is_a_formula() -> None:
    names = ["ann", *FORMULAS, "-2.5", "a=b", ""]
    frame = pd.DataFrame({"object": names, "value": np.linspace(-1, 1, len(names)), "=1+1": True})
    frame["kind"] = pd.Categorical(names)
    again = pd.read_csv(io.StringIO(csv_text(frame)), keep_default_na=False, dtype={"object": str, "kind": str})
    expected = ["ann", *(f"'{text}" for text in FORMULAS), "-2.5", "a=b", ""]
    assert again["object"].tolist() == again["kind"].tolist() == expected
    np.testing.assert_allclose(again["value"], frame["value"])
    assert list(again) == ["object", "value", "'=1+1", "kind"]
    assert frame["object"].tolist() == names


def test_the_library_writes_names_unchanged() -> None:
    data = mrwtd.RelationalData(FORMULAS[:2], [mrwtd.Relation("=r", "binary", directed=True)], [0], [1], [0], [1])
    assert "=HYPERLINK(1),=r,+1+1" in data.to_frame().to_csv(index=False)
