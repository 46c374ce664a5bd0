"""Lesson 2: loss functions. Each loss as a curve with a point to move, its formula, and its effect on a small fit."""

import pandas as pd
import streamlit as st

from .....model.losses import LOSSES, default_loss
from .....plots import loss_curves
from .....plots.loss_curves import EXAMPLES, HIGH, LOW, LossCurve, curve
from ....state import session, user_datasets
from ....state.caches import Keyed, cached_data
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from .. import learn_sentences, learn_texts
from ..demos import line_fit
from . import lesson_parts

VALUES = {
    "binary": (-1.0, 1.0),
    "real": (-2.0, 0.0, 2.0),
    "count": (0.0, 1.0, 3.0, 10.0),
    "ordinal": tuple(float(level) for level in range(loss_curves.LEVELS)),
}
"""The values y that curves can be drawn for."""


def render(settings: Settings) -> None:
    """Draw the lesson."""
    st.markdown(learn_texts.INTRODUCTIONS["losses"])
    loss, kind, y = _choose_loss()
    curves = {name: curve(name, kind, y) for name in LOSSES if kind in LOSSES[name].kinds}
    left, right = st.columns(2, gap="medium")
    with left:
        _show_curves(loss, curves)
    with right:
        _show_fit(loss, kind)
    _try_it(settings, loss, kind)


def _choose_loss() -> tuple[str, str, float]:
    with st.container(horizontal=True):
        loss = inputs.choose("Loss", "learn.loss", list(LOSSES), default="logistic", help=learn_texts.LOSS_HELP)
        kinds = {kind: learn_texts.KINDS[kind] for kind in LOSSES[loss].kinds}
        current = session.settings().get("learn.kind")
        if current and current not in kinds:
            session.change(**{"learn.kind": ""})  # a kind of the previous loss
        kind = inputs.choose("Kind of relation", "learn.kind", kinds, help=learn_texts.KIND_HELP)
        sign = "+" if kind == "binary" else ""
        values = {f"{value:g}": f"{value:{sign}g}".replace("-", "−") for value in VALUES[kind]}
        name, default = f"learn.y-{kind}", f"{EXAMPLES[kind]:g}"
        y = inputs.choose("True value y", name, values, default=default, help=learn_texts.Y_HELP)
    return loss, kind, float(y)


def _show_curves(loss: str, curves: dict[str, LossCurve]) -> None:
    chosen = curves[loss]
    formula, point = st.columns([3, 2], gap="medium", vertical_alignment="center")
    with point:
        x = inputs.slider("Move the point: score x", "learn.x", LOW, HIGH, 0.1, -1.0, help=learn_texts.X_HELP)
    if LOSSES[loss].formula:
        formula.markdown(loss_curves.formula_markdown(LOSSES[loss].formula))
    columns = {"loss": loss, "y": chosen.y, "x": chosen.x, "value": chosen.value, "derivative": chosen.slope}
    figures.show(
        loss_curves.loss_figure(curves, loss, x, dark=figures.dark()), "learn-losses", height=305,
        alt=learn_texts.ALT["learn-losses"].format(loss=loss, x=x), data=lambda: pd.DataFrame(columns),
        caption=learn_sentences.loss_text(loss, chosen, x),
    )  # fmt: skip


def _show_fit(loss: str, kind: str) -> None:
    formula, slider = st.columns(2, gap="medium", vertical_alignment="center")
    formula.markdown(
        rf"$\min_{{s,\,c}} \sum_p \ell(y_p,\, s u_p + c) + {line_fit.RIDGE / 2:g}\,s^2$", help=learn_texts.LINE_FORMULA
    )
    with slider:
        label, span = learn_texts.OUTLIERS[kind], line_fit.OUTLIERS[kind]
        value = inputs.slider(label, f"learn.odd-{kind}", *span, help=learn_texts.OUTLIER_HELP)
    # The key has all losses, as another one may be registered while the server runs.
    fits, (u, y) = _fit_lines(Keyed((kind, tuple(LOSSES)), kind), value), line_fit.points(kind, value)
    lines = {name: fit.with_outlier for name, fit in fits.items()}
    figures.show(
        loss_curves.line_figure(
            u, y, line_fit.POSITIONS, lines, loss, fits[loss].without_outlier, y_title=learn_texts.LINE_AXES[kind],
            dark=figures.dark(),
        ),
        "learn-line", height=305, alt=learn_texts.ALT["learn-line"].format(points=len(u), loss=loss),
        data=lambda: pd.DataFrame({"u": line_fit.POSITIONS, **lines}),
        caption=learn_sentences.outlier_text(kind, fits, loss),
    )  # fmt: skip


@cached_data(max_entries=500)
def _fit_lines(kind: Keyed[str], outlier: float) -> dict[str, line_fit.LineFit]:
    return line_fit.fit_lines(kind.value, outlier)


def _try_it(settings: Settings, loss: str, kind: str) -> None:
    names = [relation.name for relation in user_datasets.load(settings.data).relations if relation.kind == kind]
    if not names:
        lesson_parts.try_it(settings, "losses", "train", {}, text=learn_texts.NO_SUCH_RELATION)
        return
    losses = {relation: other for relation, other in settings.loss.items() if relation not in names}
    if loss != default_loss(kind):
        losses |= dict.fromkeys(names, loss)
    relations = (
        f"the relation *{escape_markdown(names[0])}*" if len(names) == 1 else f"its {len(names)} relations of this kind"
    )
    lesson_parts.try_it(settings, "losses", "train", {"loss": losses}, loss=loss, relations=relations)
