"""Precision–recall curves: of one relation with all methods, and of many relations as small multiples.

Small multiples are drawn on one pair of axes, each curve shifted to its panel: a browser draws that at once, while as
many subplots take seconds.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from ..typing import Array
from . import figure_layout as layout
from .colours import method_line, shades, style_of, text_colour

GAP_X, GAP_Y = 0.14, 0.34
"""Space between panels as a fraction of a panel; the vertical one holds the relation's name."""

MAX_POINTS = 4_000
"""About this many points are drawn in total; with many panels, each curve has fewer."""

MAX_NAME = {4: 22, 6: 18}
"""Maximal length of a relation's name, by the number of panels in a row; 10 with more."""


def precision_recall(
    curves: pd.DataFrame,
    base_rate: float,
    scores: Mapping[str, float],
    points: Mapping[str, tuple[float, float]],
    *,
    dark: bool = False,
) -> go.Figure:
    """Curves of one relation, one line per method, with the base rate as a line.

    Args:
        curves: method, threshold, precision and recall, as `mrwtd.evaluation.precision_recall_curve` has them.
        base_rate: the fraction of positives, which is the precision of guessing.
        scores: the AUPRC of each method, for the legend.
        points: recall and precision at the threshold of a method, for the methods that are marked.
        dark: for a dark background.

    >>> curves = pd.DataFrame({"method": "CP", "threshold": [2.0, 0.0], "precision": [1.0, 0.5], "recall": [0.0, 1.0]})
    >>> [trace.name for trace in precision_recall(curves, 0.2, {"CP": 0.75}, {"CP": (0.4, 0.6)}).data]
    ['CP  0.750', 'guessing  0.200', 'at the threshold']
    """
    figure = go.Figure()
    for number, (method, rows) in enumerate(curves.groupby("method", sort=False)):
        name = layout.escape_label(str(method))
        label = f"{name}  {scores.get(str(method), math.nan):.3f}"
        hover = f"<b>{name}</b><br>recall %{{x:.3f}}, precision %{{y:.3f}}<br>at the threshold %{{customdata:.3f}}"
        # The area under these steps is the average precision.
        line = method_line(str(method), number) | {"shape": "vh", "width": 2}
        layout.add_curve(
            figure, rows["recall"], rows["precision"], label, hover, customdata=rows["threshold"], line=line
        )
    _add_base_rate(figure, base_rate, dark)
    for method, (recall, precision) in points.items():
        text = f"recall {recall:.3f}, precision {precision:.3f}"
        _add_points(figure, np.array([[recall, precision]]), method, [text], 13, dark)
    return figure


def operating_points(
    curves: pd.DataFrame,
    base_rate: float,
    scores: Mapping[str, float],
    points: Mapping[str, tuple[float, float]],
    *,
    dark: bool = False,
) -> go.Figure:
    """The same for a small figure: with short titles, and points that are not in the legend.

    >>> curves = pd.DataFrame({"method": "CP", "threshold": [2.0, 0.0], "precision": [1.0, 0.5], "recall": [0.0, 1.0]})
    >>> figure = operating_points(curves, 0.2, {"CP": 0.75}, {"CP": (0.4, 0.6)})
    >>> figure.data[-1].x, figure.data[-1].y
    ((0.4,), (0.6,))
    """
    figure = precision_recall(curves, base_rate, scores, points, dark=dark)
    figure.update_traces(showlegend=False, selector={"mode": "markers"})
    figure.update_xaxes(title_text="Recall", fixedrange=True)
    figure.update_yaxes(title_text="Precision", fixedrange=True)
    return figure


def precision_recall_bands(
    curves: pd.DataFrame, base_rate: float, scores: Mapping[str, tuple[float, float]], *, dark: bool = False
) -> go.Figure:
    """Mean curves of one relation over several splits, each with a band of one standard deviation on both sides.

    Args:
        curves: method, recall, precision, spread and n, as `mrwtd.evaluation.curves.mean_curves` has them.
        base_rate: the fraction of positives, which is the precision of guessing.
        scores: mean and standard deviation of each method's AUPRC, for the legend.
        dark: for a dark background.

    >>> curves = pd.DataFrame({"method": "CP", "recall": [0.5, 1.0], "precision": [1.0, 0.5], "spread": 0.1, "n": 3})
    >>> [trace.name for trace in precision_recall_bands(curves, 0.2, {"CP": (0.75, 0.1)}).data]
    [None, 'CP  0.750 ± 0.100', 'guessing  0.200']
    """
    figure = go.Figure()
    for number, (method, rows) in enumerate(curves.groupby("method", sort=False)):
        mean, sd = rows["precision"].to_numpy(), np.nan_to_num(rows["spread"].to_numpy())
        recall, name = rows["recall"].to_numpy(), layout.escape_label(str(method))
        line, score = method_line(str(method), number), scores.get(str(method), (math.nan, math.nan))
        low, high = np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1)
        figure.add_trace(layout.band(recall, low, high, str(line["color"]), legendgroup=name))
        label, precision = f"{name}  {score[0]:.3f} ± {score[1]:.3f}", "precision %{y:.3f} ± %{customdata[0]:.3f}"
        hover = f"<b>{name}</b><br>recall %{{x:.2f}}, {precision} over %{{customdata[1]}} splits"
        options = {"customdata": np.column_stack([sd, rows["n"]]), "legendgroup": name, "line": line | {"width": 2}}
        layout.add_curve(figure, recall, mean, label, hover, **options)
    _add_base_rate(figure, base_rate, dark)
    return figure


def small_multiples(
    curves: pd.DataFrame,
    relations: pd.DataFrame,
    point: tuple[str, Mapping[str, tuple[float, float]]] | None = None,
    *,
    columns: int = 6,
    dark: bool = False,
) -> go.Figure:
    """Curves of many relations, one panel per relation, with the base rate of each as a line.

    Args:
        curves: method, relation, precision and recall.
        relations: one row per panel: relation, base_rate, and label, a short text beside its name.
        point: a method, and recall and precision of its operating point in each relation.
        columns: panels in a row.
        dark: for a dark background.

    >>> curves = pd.DataFrame({"method": "CP", "relation": "likes", "precision": [1.0, 0.5], "recall": [0.0, 1.0]})
    >>> relations = pd.DataFrame({"relation": ["likes"], "base_rate": [0.5], "label": ["0.75"]})
    >>> [trace.name for trace in small_multiples(curves, relations).data if trace.name]
    ['CP', 'guessing']
    """
    names = relations["relation"].astype(str).tolist()
    columns = max(1, min(columns, len(names)))
    rows = math.ceil(len(names) / columns)
    row, column = np.divmod(np.arange(len(names)), columns)
    corners = np.column_stack([column * (1 + GAP_X), -row * (1 + GAP_Y)])
    corner_of = dict(zip(names, corners, strict=True))
    figure = go.Figure()
    _add_frames(figure, relations, corners, columns, dark)
    methods = list(dict.fromkeys(curves["method"]))
    points = max(12, MAX_POINTS // max(len(names) * len(methods), 1))
    for number, method in enumerate(methods):
        shown = curves[(curves["method"] == method) & curves["relation"].isin(names)]
        name = layout.escape_label(str(method))
        hover = f"<b>{name}</b><br>recall %{{customdata[0]:.2f}}, precision %{{customdata[1]:.2f}}"
        line = method_line(str(method), number) | {"shape": "vh", "width": 1.5}
        layout.add_curve(figure, name=name, hover=hover, line=line, **_shifted(shown, corner_of, points))
    rates = relations["base_rate"].to_numpy(dtype=float)
    x, y = _segments(corners, np.array([[0.0, 0.0], [1.0, 0.0]]))
    y += np.repeat(rates, 3)
    figure.add_scatter(x=x, y=y, name="guessing", mode="lines", line=_dotted(dark), hoverinfo="skip")
    if point is not None:
        method, places = point
        marked = [name for name in names if name in places]
        texts = [
            f"{layout.escape_label(name)}: recall {places[name][0]:.2f}, precision {places[name][1]:.2f}"
            for name in marked
        ]
        positions = np.array([corner_of[name] + places[name] for name in marked]).reshape(-1, 2)
        _add_points(figure, positions, method, texts, 7, dark)
    figure.update_layout(
        layout.COMPACT,
        legend_font_size=12,
        xaxis={"visible": False, "range": [-0.02, columns * (1 + GAP_X) - GAP_X + 0.02], "fixedrange": True},
        yaxis={"visible": False, "range": [-(rows - 1) * (1 + GAP_Y) - 0.04, 1 + GAP_Y], "fixedrange": True},
        height=50 + round(min(max(400 / rows, 112), 300)) * rows,
    )
    return figure


def _add_base_rate(figure: go.Figure, base_rate: float, dark: bool) -> None:
    """The line of guessing, and the axes of a figure of one relation."""
    hover = "base rate %{y:.3f}: the precision of guessing"
    layout.add_curve(figure, [0, 1], [base_rate, base_rate], f"guessing  {base_rate:.3f}", hover, line=_dotted(dark))
    axis = {"range": [-0.01, 1.03], "tickformat": ".1f", "dtick": 0.2, "zeroline": False, **layout.NO_AUTOMARGIN}
    axis |= {"gridcolor": shades(dark).line}
    figure.update_layout(
        layout.COMPACT | layout.margins(left=layout.NUMBERS + layout.TITLE, bottom=layout.TICKS + layout.TITLE),
        legend_font_size=12,
        xaxis=axis | {"title": layout.axis_title("Recall: fraction of the ties that are predicted")},
        yaxis=axis | {"title": layout.axis_title("Precision: fraction of the predictions that are ties")},
    )


def _thinned(curve: npt.NDArray[np.float32], points: int) -> npt.NDArray[np.float32]:
    """At most `points` points, evenly along the recall, each with the lower end of its step: a panel shows no more."""
    if len(curve) <= points:
        return curve
    recall = curve[:, 0]
    tops = np.searchsorted(recall, np.linspace(0, recall[-1], (points - 1) // 2))
    feet = np.searchsorted(recall, recall[tops], side="right") - 1
    thin: npt.NDArray[np.float32] = curve[np.unique(np.concatenate([tops, feet, [1]]))]
    return thin


def _shifted(curves: pd.DataFrame, corner_of: Mapping[str, Array], points: int) -> dict[str, object]:
    """Curves shifted to their panels, with a gap after each so that no line joins two."""
    parts: list[npt.NDArray[np.float32]] = [np.zeros((0, 4), dtype=np.float32)]
    # The points of a relation are adjacent. Splitting them with pandas takes many times as long.
    both, names = curves[["recall", "precision"]].to_numpy(np.float32), curves["relation"].to_numpy()
    edges = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist(), len(names)]
    for first, end in pairwise(edges if len(names) else []):
        thin = _thinned(both[first:end], points)
        # x, y and, for hover, recall and precision; 32 bits are sent in half the time.
        shifted = thin + corner_of[str(names[first])].astype(np.float32)
        parts += [np.column_stack([shifted, thin]), np.full((1, 4), np.nan, dtype=np.float32)]
    columns = np.concatenate(parts)
    return {"x": columns[:, 0], "y": columns[:, 1], "customdata": columns[:, 2:]}


def _segments(corners: Array, shape: Array) -> Array:
    """x and y of a line through the points of `shape`, repeated in every panel, with a gap after each."""
    closed = np.vstack([shape, [np.nan, np.nan]])
    return np.asarray((corners[:, None] + closed).reshape(-1, 2).T)


def _add_frames(figure: go.Figure, relations: pd.DataFrame, corners: Array, columns: int, dark: bool) -> None:
    """Frames and names of all panels as one line and one text: fifty shapes and annotations would take long to draw."""
    length = next((length for most, length in MAX_NAME.items() if columns <= most), 10)
    names = relations["relation"].astype(str).tolist()
    x, y = _segments(corners, np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]))
    line = {"color": shades(dark).line, "width": 1}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    labels = zip(_distinct(names, length), relations["label"], strict=True)
    texts = [f"{layout.escape_label(name)}  <b>{layout.escape_label(str(label))}</b>" for name, label in labels]
    font = {"textposition": "top right", "textfont": {"size": 11, "color": text_colour(dark)}}
    options = {"mode": "text", "text": texts, "cliponaxis": False, "showlegend": False, **font}
    full_names = [layout.escape_label(name) for name in names]
    layout.add_curve(
        figure, corners[:, 0], corners[:, 1] + 1.02, None, "%{customdata}", customdata=full_names, **options
    )


def _add_points(figure: go.Figure, points: Array, method: str, texts: Sequence[str], size: int, dark: bool) -> None:
    marker = {"size": size, "color": style_of(method).colour, "line": {"width": 2, "color": text_colour(dark)}}
    options = {"mode": "markers", "marker": marker, "text": texts, "cliponaxis": False}
    x, y = points.T.tolist()
    layout.add_curve(figure, x, y, "at the threshold", "%{text}", **options)


def _dotted(dark: bool) -> dict[str, object]:
    """The line of the base rate: fine dots, and no method's colour."""
    return {"color": text_colour(dark), "dash": "1px,3px", "width": 1.5}


def _distinct(names: list[str], length: int) -> list[str]:
    """Truncate names; those that would look the same keep as much of their ends as makes them distinct."""
    counts = Counter(_truncate(name, length) for name in names)
    alike = [name for name in names if counts[_truncate(name, length)] > 1]
    ends = (length // 2, *range(1, length - 1))
    end = next((end for end in ends if len({_truncate(name, length, end) for name in alike}) == len(alike)), 0)
    return [_truncate(name, length, end if name in alike else 0) for name in names]


def _truncate(name: str, length: int, end: int = 0) -> str:
    return name if len(name) <= length else f"{name[: length - 1 - end]}…{name[len(name) - end :]}"
