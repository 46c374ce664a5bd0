"""Matrices as pictures, side by side on one scale: what is true, what is seen, and what a fit makes of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..typing import Array
from .colours import shades


def matrix_heatmaps(
    panels: Mapping[str, Array], *, across: int = 2, low: float = 0.0, high: float = 1.0, dark: bool = False
) -> go.Figure:
    """A square picture for each matrix, pale at `low` and dark at `high`; what is NaN shows the colour of unknown.

    >>> figure = matrix_heatmaps({"truth": np.eye(3), "seen": np.full((3, 3), np.nan)})
    >>> [note.text for note in figure.layout.annotations], len(figure.data)
    (['truth', 'seen'], 2)
    """
    look, down = shades(dark), math.ceil(len(panels) / across)
    figure = make_subplots(
        down,
        across,
        subplot_titles=list(panels),
        horizontal_spacing=0.04,
        vertical_spacing=0.09,
    )
    for at, values in enumerate(panels.values()):
        figure.add_trace(
            go.Heatmap(
                z=np.clip(values, low, high).astype(np.float32),
                zmin=low,
                zmax=high,
                colorscale=[[0, look.low], [0.5, look.middle], [1, look.high]],
                showscale=False,
                hoverongaps=False,
                hovertemplate="row %{y}, column %{x}: %{z:.2f}<extra></extra>",
            ),
            row=at // across + 1,
            col=at % across + 1,
        )
        letter, (rows, columns) = "" if at == 0 else str(at + 1), values.shape
        figure.layout[f"xaxis{letter}"].update(range=[-0.5, columns - 0.5], constrain="domain")
        figure.layout[f"yaxis{letter}"].update(
            range=[rows - 0.5, -0.5], scaleanchor=f"x{letter}", constrain="domain", constraintoward="top"
        )
    figure.update_xaxes(showticklabels=False, ticks="", showgrid=False, zeroline=False)
    figure.update_yaxes(showticklabels=False, ticks="", showgrid=False, zeroline=False)
    figure.update_annotations(font_size=13, yshift=3)
    figure.update_layout(plot_bgcolor=look.unknown, margin={"l": 4, "r": 4, "t": 28, "b": 4, "pad": 0})
    return figure


def matrix_table(panels: Mapping[str, Array], names: Sequence[str] = ()) -> pd.DataFrame:
    """The data behind the pictures: a row a cell, a column a picture. Without names, rows and columns are counted.

    >>> matrix_table({"truth": np.eye(1), "seen": np.full((1, 1), np.nan)}, names=("ann",))
       row column  truth  seen
    0  ann    ann    1.0   NaN
    """
    down, across = next(iter(panels.values())).shape
    rows, columns = (list(names), list(names)) if names else (range(1, down + 1), range(1, across + 1))
    cells = pd.MultiIndex.from_product([rows, columns], names=["row", "column"])
    return pd.DataFrame({name: values.ravel() for name, values in panels.items()}, index=cells).reset_index()
