"""Figures on pages: built once for what they are made of."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import plotly.io
import streamlit as st

from mrwtd.dashboard import figures


def points(y: list[float]) -> go.Figure:
    return go.Figure(go.Scatter(x=np.arange(len(y)), y=y), {"title": "points"})


def test_a_figure_is_built_once_for_what_it_is_made_of() -> None:
    st.cache_resource.clear()
    built: list[int] = []

    def build(number: int) -> go.Figure:
        built.append(number)
        return points([1.0]).update_traces(name=str(number))

    for number in (1, 2, 1, 2, 1):
        found = figures.drawn("numbers", ("run", number), lambda number=number: build(number))
        assert found.to_dict()["data"][0]["name"] == str(number)
    assert built == [1, 2]


def test_figures_of_another_name_or_height_are_others() -> None:
    st.cache_resource.clear()
    low = figures.drawn("one", ("run",), lambda: points([1.0]), height=100).to_dict()
    high = figures.drawn("one", ("run",), lambda: points([1.0]), height=200).to_dict()
    other = figures.drawn("other", ("run",), lambda: points([2.0]), height=100).to_dict()
    assert (low["layout"]["height"], high["layout"]["height"]) == (100, 200)
    assert low["data"] != other["data"]


def test_a_kept_figure_is_sent_as_the_figure_itself() -> None:
    figure = points([3.0, 1.0, 2.0])
    kept = figures.Drawn(figure)
    for _ in range(2):  # sending it once leaves it as it was
        assert json.loads(plotly.io.to_json(kept.to_dict(), validate=False)) == json.loads(plotly.io.to_json(figure))
