"""Matrices as heat maps side by side on one scale: the truth, what is known, and what a fit predicts."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..typing import Array
from .colours import shades
from .figure_layout import hide_ticks, margins


def matrix_heatmaps(panels: Mapping[str, Array], *, columns: int = 2, dark: bool = False) -> go.Figure:
    """One square heat map per matrix, pale at 0 and dark at 1; NaN has the colour of unknown.

    >>> figure = matrix_heatmaps({"truth": np.eye(3), "known": np.full((3, 3), np.nan)})
    >>> [title.text for title in figure.layout.annotations], len(figure.data)
    (['truth', 'known'], 2)
    """
    palette = shades(dark)
    figure = make_subplots(
        math.ceil(len(panels) / columns),
        columns,
        subplot_titles=list(panels),
        horizontal_spacing=0.04,
        vertical_spacing=0.09,
    )
    for number, values in enumerate(panels.values()):
        heatmap = go.Heatmap(
            z=np.clip(values, 0, 1).astype(np.float32),
            zmin=0,
            zmax=1,
            colorscale=palette.sequential,
            showscale=False,
            hoverongaps=False,
            hovertemplate="row %{y}, column %{x}: %{z:.2f}<extra></extra>",
        )
        row, column = number // columns + 1, number % columns + 1
        figure.add_trace(heatmap, row, column)
        height, width = values.shape
        figure.update_xaxes(range=[-0.5, width - 0.5], row=row, col=column)
        figure.update_yaxes(
            range=[height - 0.5, -0.5],
            scaleanchor=f"x{number + 1 if number else ''}",
            constraintoward="top",
            row=row,
            col=column,
        )
    hide_ticks(figure)
    figure.update_annotations(font_size=13, yshift=3)
    figure.update_layout(plot_bgcolor=palette.unknown, **margins(left=4, right=4, top=28, bottom=4, pad=0))
    return figure


def matrix_table(panels: Mapping[str, Array], names: Sequence[str] = ()) -> pd.DataFrame:
    """The data behind the heat maps: one row per cell, one column per matrix. Without names, lines are numbered.

    >>> matrix_table({"truth": np.eye(1), "known": np.full((1, 1), np.nan)}, names=("ann",))
       row column  truth  known
    0  ann    ann    1.0    NaN
    """
    sides = [names or range(1, size + 1) for size in next(iter(panels.values())).shape]
    cells = pd.MultiIndex.from_product(sides, names=["row", "column"])
    return pd.DataFrame({name: values.ravel() for name, values in panels.items()}, index=cells).reset_index()
