"""Precision–recall curves: of one relation with all methods, and of many relations as small multiples.

Many panels are drawn on one pair of axes, each shifted to its place: a browser draws that at once, where as many
subplots take it seconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from .colours import SHORT_DASHES, faint, ink, shades, style_of
from .labels import safe
from .margins import NUMBERS, STILL, TICKS, TITLE, around

GAP_X, GAP_Y = 0.14, 0.34
"""Room between two panels, as a share of one: upright it holds the relation's name."""

MAX_POINTS = 4_000
"""About so many points are drawn in all; with many panels, each curve gets fewer."""

LONGEST_NAMES = {4: 22, 6: 18}
"""So many letters of a relation's name find room beside its score, with so many panels in a row; 10 with more."""


def precision_recall(
    curves: pd.DataFrame,
    base_rate: float,
    scores: Mapping[str, float],
    point: tuple[str, float, float] | None = None,
    *,
    dark: bool = False,
) -> go.Figure:
    """The curves of one relation, a line a method, with the base rate as a line.

    Args:
        curves: method, threshold, precision and recall, as `mrwtd.evaluation.precision_recall_curve` has them.
        base_rate: the share of positives, which is what guessing scores.
        scores: the AUPRC of each method, for the legend.
        point: method, recall and precision of the operating point.
        dark: for a dark background.

    >>> curves = pd.DataFrame({"method": "CP", "threshold": [2.0, 0.0], "precision": [1.0, 0.5], "recall": [0.0, 1.0]})
    >>> [trace.name for trace in precision_recall(curves, 0.2, {"CP": 0.75}).data]
    ['CP  0.750', 'guessing  0.200']
    """
    figure = go.Figure()
    for number, (method, own) in enumerate(curves.groupby("method", sort=False)):
        figure.add_trace(
            go.Scatter(
                x=own["recall"],
                y=own["precision"],
                customdata=own["threshold"],
                name=f"{safe(str(method))}  {scores.get(str(method), math.nan):.3f}",
                mode="lines",
                # The area under these steps is the average precision.
                line={**_line(str(method), number), "shape": "vh", "width": 2},
                hovertemplate=f"<b>{safe(str(method))}</b><br>recall %{{x:.3f}}, precision %{{y:.3f}}"
                "<br>at the threshold %{customdata:.3f}<extra></extra>",
            )
        )
    _add_guessing(figure, base_rate, dark)
    if point is not None:
        method, recall, precision = point
        _add_points(
            figure, [recall], [precision], method, [f"recall {recall:.3f}, precision {precision:.3f}"], 13, dark
        )
    figure.update_layout(
        xaxis=_axis("Recall: share of the ties that is found", shades(dark).line),
        yaxis=_axis("Precision: share of the finds that are ties", shades(dark).line),
        **_legend(),
        **around(left=NUMBERS + TITLE, bottom=TICKS + TITLE),
    )
    return figure


def precision_recall_bands(
    curves: pd.DataFrame, base_rate: float, scores: Mapping[str, tuple[float, float]], *, dark: bool = False
) -> go.Figure:
    """Mean curves of one relation over several splits, each with a band of one standard deviation on both sides.

    Args:
        curves: method, recall, precision, spread and n, as `mrwtd.evaluation.curves.mean_curves` has them.
        base_rate: the share of positives, which is what guessing scores.
        scores: mean and standard deviation of each method's AUPRC, for the legend.
        dark: for a dark background.

    >>> curves = pd.DataFrame({"method": "CP", "recall": [0.5, 1.0], "precision": [1.0, 0.5], "spread": 0.1, "n": 3})
    >>> [trace.name for trace in precision_recall_bands(curves, 0.2, {"CP": (0.75, 0.1)}).data]
    [None, 'CP  0.750 ± 0.100', 'guessing  0.200']
    """
    figure = go.Figure()
    for number, (method, own) in enumerate(curves.groupby("method", sort=False)):
        mean, spread = own["precision"].to_numpy(), np.nan_to_num(own["spread"].to_numpy())
        low, high = np.clip(mean - spread, 0, 1), np.clip(mean + spread, 0, 1)
        recall, said = own["recall"].to_numpy(), safe(str(method))
        line, score = _line(str(method), number), scores.get(str(method), (math.nan, math.nan))
        figure.add_trace(
            go.Scatter(
                x=np.append(recall, recall[::-1]), y=np.append(high, low[::-1]), fill="toself", mode="lines",
                fillcolor=faint(str(line["color"])), line={"width": 0}, hoverinfo="skip", showlegend=False,
                legendgroup=said,
            )
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                x=recall, y=mean, customdata=np.column_stack([spread, own["n"]]), mode="lines",
                name=f"{said}  {score[0]:.3f} ± {score[1]:.3f}", legendgroup=said, line={**line, "width": 2},
                hovertemplate=f"<b>{said}</b><br>recall %{{x:.2f}}, precision %{{y:.3f}} ± %{{customdata[0]:.3f}}"
                " over %{customdata[1]} splits<extra></extra>",
            )
        )  # fmt: skip
    _add_guessing(figure, base_rate, dark)
    figure.update_layout(
        xaxis=_axis("Recall: share of the ties that is found", shades(dark).line),
        yaxis=_axis("Precision: share of the finds that are ties", shades(dark).line),
        **around(left=NUMBERS + TITLE, bottom=TICKS + TITLE),
        **_legend(),
    )
    return figure


def small_multiples(
    curves: pd.DataFrame,
    relations: pd.DataFrame,
    point: tuple[str, Mapping[str, tuple[float, float]]] | None = None,
    *,
    columns: int = 6,
    dark: bool = False,
) -> go.Figure:
    """The curves of many relations, a panel each, with the base rate of each as a line.

    Args:
        curves: method, relation, precision and recall.
        relations: a row a panel, in order: relation, base_rate, and label, a few words that stand beside its name.
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
    place = {name: (at % columns * (1 + GAP_X), -(at // columns) * (1 + GAP_Y)) for at, name in enumerate(names)}
    figure = go.Figure()
    _add_frames(figure, relations, place, columns, dark)
    methods = list(dict.fromkeys(curves["method"]))
    points = max(12, MAX_POINTS // max(len(names) * len(methods), 1))
    for number, method in enumerate(methods):
        own = curves[(curves["method"] == method) & curves["relation"].isin(names)]
        figure.add_trace(
            go.Scatter(
                **_shifted(own, place, points),
                name=safe(str(method)),
                mode="lines",
                line={**_line(str(method), number, small=True), "shape": "vh", "width": 1.5},
                hovertemplate=f"<b>{safe(str(method))}</b><br>recall %{{customdata[0]:.2f}}, "
                "precision %{customdata[1]:.2f}<extra></extra>",
            )
        )
    _add_base_rates(figure, relations, place, dark)
    if point is not None:
        method, places = point
        here = [name for name in names if name in places]
        x = [place[name][0] + places[name][0] for name in here]
        y = [place[name][1] + places[name][1] for name in here]
        words = [f"{safe(name)}: recall {places[name][0]:.2f}, precision {places[name][1]:.2f}" for name in here]
        _add_points(figure, x, y, method, words, 7, dark)
    figure.update_layout(
        xaxis={"visible": False, "range": [-0.02, columns * (1 + GAP_X) - GAP_X + 0.02], "fixedrange": True},
        yaxis={"visible": False, "range": [-(rows - 1) * (1 + GAP_Y) - 0.04, 1 + GAP_Y], "fixedrange": True},
        height=50 + round(min(max(400 / rows, 112), 300)) * rows,
        **_legend(),
        **around(),
    )
    return figure


def _add_guessing(figure: go.Figure, base_rate: float, dark: bool) -> None:
    figure.add_trace(
        go.Scatter(
            x=[0, 1],
            y=[base_rate, base_rate],
            name=f"guessing  {base_rate:.3f}",
            mode="lines",
            line=_guessing(dark),
            hovertemplate="base rate %{y:.3f}: what guessing scores<extra></extra>",
        )
    )


def _thinned(curve: npt.NDArray[np.float32], points: int) -> npt.NDArray[np.float32]:
    """At most so many points, evenly along the recall, each with the foot of its fall: a panel shows no more."""
    if len(curve) <= points:
        return curve
    recall = curve[:, 0]
    kept = np.searchsorted(recall, np.linspace(0, recall[-1], (points - 1) // 2))
    feet = np.searchsorted(recall, recall[kept], side="right") - 1
    thin: npt.NDArray[np.float32] = curve[np.unique(np.concatenate([kept, feet, [1]]))]
    return thin


def _shifted(curves: pd.DataFrame, place: Mapping[str, tuple[float, float]], points: int) -> dict[str, object]:
    """Curves moved to their panels, with a gap after each so that no line joins two."""
    parts: list[npt.NDArray[np.float32]] = []
    # A relation's points stand together. Pandas takes many times as long to take them apart.
    both, names = curves[["recall", "precision"]].to_numpy(np.float32), curves["relation"].to_numpy()
    edges = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist(), len(names)]
    for first, end in pairwise(edges if len(names) else []):
        right, up = place[str(names[first])]
        seen = _thinned(both[first:end], points)
        # x, y and, for the pointer, recall and precision; 32 bits travel in half the time.
        parts += [
            np.column_stack([seen + np.array([right, up], dtype=np.float32), seen]),
            np.full((1, 4), np.nan, dtype=np.float32),
        ]
    all_ = np.concatenate(parts) if parts else np.zeros((0, 4), dtype=np.float32)
    return {"x": all_[:, 0], "y": all_[:, 1], "customdata": all_[:, 2:]}


def _add_base_rates(
    figure: go.Figure, relations: pd.DataFrame, place: Mapping[str, tuple[float, float]], dark: bool
) -> None:
    x: list[float] = []
    y: list[float] = []
    for name, rate in zip(relations["relation"].astype(str), relations["base_rate"], strict=True):
        right, up = place[name]
        x += [right, right + 1, math.nan]
        y += [up + rate, up + rate, math.nan]
    figure.add_trace(go.Scatter(x=x, y=y, name="guessing", mode="lines", line=_guessing(dark), hoverinfo="skip"))


def _add_frames(
    figure: go.Figure, relations: pd.DataFrame, place: Mapping[str, tuple[float, float]], columns: int, dark: bool
) -> None:
    """Frame and name of each panel, all in one line and one text: fifty shapes and notes would take long to draw."""
    longest = next((letters for most, letters in LONGEST_NAMES.items() if columns <= most), 10)
    names = relations["relation"].astype(str).tolist()
    right, up = np.array([place[name] for name in names]).T
    gap = np.full(len(names), np.nan)
    figure.add_trace(
        go.Scatter(
            x=np.column_stack([right, right + 1, right + 1, right, right, gap]).ravel(),
            y=np.column_stack([up, up, up + 1, up + 1, up, gap]).ravel(),
            mode="lines",
            line={"color": shades(dark).line, "width": 1},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    labels = zip(_distinct(names, longest), relations["label"], strict=True)
    figure.add_trace(
        go.Scatter(
            x=right,
            y=up + 1.02,
            text=[f"{safe(name)}  <b>{safe(str(label))}</b>" for name, label in labels],
            customdata=[safe(name) for name in names],
            mode="text",
            textposition="top right",
            textfont={"size": 11, "color": ink(dark)},
            hovertemplate="%{customdata}<extra></extra>",
            cliponaxis=False,
            showlegend=False,
        )
    )


def _add_points(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], method: str, words: Sequence[str], size: int, dark: bool
) -> None:
    figure.add_trace(
        go.Scatter(
            x=x,
            y=y,
            text=words,
            name="at the threshold",
            mode="markers",
            cliponaxis=False,
            marker={
                "size": size,
                "color": style_of(method).colour,
                "line": {"width": 2, "color": ink(dark)},
            },
            hovertemplate="%{text}<extra></extra>",
        )
    )


def _line(method: str, number: int, *, small: bool = False) -> dict[str, object]:
    own = style_of(method, number)
    return {"color": own.colour, "dash": SHORT_DASHES.get(own.dash, own.dash) if small else own.dash}


def _guessing(dark: bool) -> dict[str, object]:
    """The line of the base rate: fine dots, and no method's colour."""
    return {"color": ink(dark), "dash": "1px,3px", "width": 1.5}


def _axis(title: str, line: str) -> dict[str, object]:
    return {
        "title": {"text": title, "font": {"size": 12}}, "range": [-0.01, 1.03], "tickformat": ".1f", "dtick": 0.2,
        "gridcolor": line, "zeroline": False, **STILL,
    }  # fmt: skip


def _legend() -> dict[str, object]:
    return {
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "xanchor": "left", "x": 0, "font": {"size": 12}},
        "hoverlabel": {"align": "left"},
    }


def _distinct(names: list[str], longest: int) -> list[str]:
    """Names cut to so many letters; those that would look alike keep as much of their ends as tells them apart."""
    seen = Counter(_cut(name, longest) for name in names)
    alike = [name for name in names if seen[_cut(name, longest)] > 1]
    ends = (longest // 2, *range(1, longest - 1))
    end = next((end for end in ends if len({_cut(name, longest, end) for name in alike}) == len(alike)), 0)
    return [_cut(name, longest, end if name in alike else 0) for name in names]


def _cut(name: str, longest: int, end: int = 0) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1 - end]}…{name[len(name) - end :]}"
