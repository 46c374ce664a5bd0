"""Lesson 2: losses. Every loss as a curve with a point to move, its formula, and what it does to a small fit."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from .....model.losses import LOSSES, default_loss
from .....plots.loss_curves import (
    EXAMPLES,
    HIGH,
    LEVELS,
    LOW,
    LossCurve,
    curve,
    formula_markdown,
    line_figure,
    loss_figure,
)
from ....state import session, user_datasets
from ....state.caches import Keyed, cached_data
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from ..demos import lesson_texts, line_fit
from . import next_step

KINDS = {"binary": "ties, ±1", "real": "real numbers", "count": "counts", "ordinal": "levels"}
VALUES = {
    "binary": (-1.0, 1.0),
    "real": (-2.0, 0.0, 2.0),
    "count": (0.0, 1.0, 3.0, 10.0),
    "ordinal": tuple(float(level) for level in range(LEVELS)),
}
"""The values y that curves can be drawn for."""

FORMULA = (
    "s is the slope of the line and c its intercept; with the ordinal loss, c are the cut points between levels. The "
    "last term keeps s finite where a line separates the ties without error. Values of the losses that are centred and "
    "scaled in training are so here too, before the fit."
)
"""What the formula of the fit leaves unsaid."""


def draw(settings: Settings) -> None:
    """The lesson."""
    st.markdown(
        "A *loss* says how bad a reconstruction **x** is when the truth is **y**. Its derivative is the force with "
        "which the entry pulls at x. Each kind of relation has its own."
    )
    name, kind, y = _choices()
    curves = {other: curve(other, kind, y) for other, loss in LOSSES.items() if kind in loss.kinds}
    left, right = st.columns(2, gap="medium")
    with left:
        _curves(name, curves)
    with right:
        _fit(name, kind)
    _ending(settings, name, kind)


def _choices() -> tuple[str, str, float]:
    which, what, value = st.columns([5, 4, 3], gap="medium")
    begin = list(LOSSES).index("logistic")
    with which:
        name = inputs.choose("Loss", "learn.loss", list(LOSSES), index=begin, help="All losses that the model knows.")
    kinds = LOSSES[name].kinds
    now = session.settings().get("learn.kind")
    if now and now not in kinds:
        session.change(**{"learn.kind": ""})  # it was of another loss
    with what:
        kind = inputs.choose(
            "Kind of relation", "learn.kind", kinds, format_func=KINDS.__getitem__, help="What y can be."
        )
    values = [f"{value:g}" for value in VALUES[kind]]
    with value:
        begin = values.index(f"{EXAMPLES[kind]:g}")
        y = inputs.choose(
            "Observed y", f"learn.y-{kind}", values, index=begin, help="The truth that x should come near to.",
            format_func=lambda text: f"+{text}" if kind == "binary" and text == "1" else text.replace("-", "−"),
        )  # fmt: skip
    return name, kind, float(y)


def _curves(name: str, curves: dict[str, LossCurve]) -> None:
    own = curves[name]
    formula, point = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with point:
        at = inputs.slider(
            "Move the point: x", "learn.x", LOW, HIGH, 0.1, -1.0, help="The reconstruction of this entry."
        )
    with formula:
        if LOSSES[name].formula:
            st.markdown(formula_markdown(LOSSES[name].formula))
    figures.show(
        loss_figure(curves, name, at, dark=figures.dark()), "learn-losses", height=305,
        alt=f"Value and derivative of the loss {name} against x, with a point at x = {at:g}",
        data=lambda: pd.DataFrame({"loss": name, "y": own.y, "x": own.x, "value": own.value, "derivative": own.slope}),
        caption=lesson_texts.of_loss(name, own, at),
    )  # fmt: skip


def _fit(name: str, kind: str) -> None:
    odd = line_fit.ODD[kind]
    says, moves = st.columns(2, gap="medium", vertical_alignment="center")
    says.markdown(rf"$\min_{{s,\,c}} \sum_p \ell(y_p,\, s u_p + c) + {line_fit.RIDGE / 2:g}\,s^2$", help=FORMULA)
    with moves:
        at = inputs.slider(
            odd.words, f"learn.odd-{kind}", odd.low, odd.high, odd.step, odd.begin, help="Move the odd point."
        )
    # Another loss may be registered while the server runs.
    fits, (u, y) = _lines(Keyed((kind, tuple(LOSSES)), kind), at), line_fit.points(kind, at)
    figures.show(
        line_figure(
            u, y, line_fit.PLACES, {other: fit.with_odd for other, fit in fits.items()}, name, fits[name].without,
            y_title=line_fit.SIDES[kind], dark=figures.dark(),
        ),
        "learn-line", height=305,
        alt=f"A line fitted to {len(u)} points with each loss for this kind; the one of {name} is strong",
        data=lambda: pd.DataFrame({"u": line_fit.PLACES, **{other: fit.with_odd for other, fit in fits.items()}}),
        caption=lesson_texts.of_lines(kind, fits, name),
    )  # fmt: skip


@cached_data(max_entries=500)
def _lines(kind: Keyed[str], odd: float) -> dict[str, line_fit.LineFit]:
    return line_fit.fit_lines(kind.value, odd)


def _ending(settings: Settings, name: str, kind: str) -> None:
    data = user_datasets.load(settings.data)
    title = escape_markdown(user_datasets.title(settings.data))
    own = [relation.name for relation in data.relations if relation.kind == kind]
    if not own:
        next_step.try_it(
            "losses",
            f"**Try it on your data**: *{title}* has no relation of this kind; Train shows the losses it can take.",
            "train",
        )
        return
    loss = {relation: other for relation, other in settings.loss.items() if relation not in own}
    if name != default_loss(kind):
        loss |= dict.fromkeys(own, name)
    which = f"the relation *{escape_markdown(own[0])}*" if len(own) == 1 else f"the {len(own)} relations of this kind"
    next_step.try_it(
        "losses",
        f"**Try it on your data**: train *{title}* with the loss **{name}** for {which}.",
        "train",
        loss=loss,
    )
