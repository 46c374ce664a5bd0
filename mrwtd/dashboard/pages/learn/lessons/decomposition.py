"""Lesson 1: the decomposition, drawn. A click on an entry of X_k lights what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import mrwtd

from .....model.factor_model import FactorModel
from .....plots.bars import sum_bars
from .....plots.entry_product import factor_map
from ....state import current_run, session, user_datasets
from ....state.caches import cached_data, hashed_by_key
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from ..demos import lesson_texts, product
from . import next_step

FIGURE = "learn-entries"
SMALL = "florentine"
SHOWN_TERMS = 5
MOST_FACTORS = 10


@hashed_by_key
@dataclass(frozen=True)
class Model:
    """The model that is taken apart, what it learned from, what was held out, and whether it is the visitor's run."""

    key: str
    model: FactorModel
    train: mrwtd.RelationalData
    test: mrwtd.RelationalData
    live: bool


def draw(settings: Settings) -> None:
    """The lesson."""
    picture, words = st.columns([6, 5], gap="medium")
    with picture:
        st.markdown(
            "Every object has a row of *factors* in one table **A**, the same for all relations. Every relation has a "
            "small table **R**, which says what factors of the one go with what factors of the other, and a bias "
            r"**b**: $X_k \approx \varphi_k(A\,R_k\,A^{\top} + b_k)$."
        )
        found = model()
    with words:
        relation, chosen = _choices(settings, found)
        own = product.multiply(found.model, relation, *chosen, found.train, found.test)
        _arithmetic(own)
        st.markdown(lesson_texts.of_product(own, found.train.relations[found.train.relation_index(relation)]))
        if len(found.model.members_) > 1:
            st.caption(f"The run averages {len(found.model.members_)} refits; shown is its fit to all entries.")
    with picture:
        _picture(found, own)
    name = escape_markdown(user_datasets.title(settings.data))
    next_step.try_it(
        "decomposition",
        f"**Try it on your data**: what the factors of *{name}* mean, with one small table for each relation.",
        "embedding",
        **{"embedding.view": "Factors"},
        **({"relation": relation} if found.live else {}),
    )


def model() -> Model:
    """The model of the visitor's run, where it has factors, else of a small fit; a line says which."""
    live = current_run.current_or_none()
    if live is not None:
        label = product.drawable(dict(live.models), live.selected_method)
        if label is not None:
            own = live.models[label]
            assert isinstance(own, FactorModel)
            whose = "the run that comes with the package" if current_run.is_example(live.run) else "your run"
            st.caption(
                f"Live numbers of {whose}, **{escape_markdown(live.run.name)}**, method {escape_markdown(label)}."
            )
            return Model(f"{live.key} {label}", own, live.train, live.test, live=True)
    st.caption(
        "You have trained nothing on this data set yet: these are the numbers of a small fit to Florentine families."
    )
    return small()


@st.cache_resource(show_spinner="Fitting a small model …")
def small() -> Model:
    """A small fit, for those who have trained nothing."""
    train, test = mrwtd.load_dataset(SMALL).split(train=0.7, seed=0, by="auto")
    return Model(SMALL, mrwtd.MrWTD(rank=3, lam=1.0).fit(train), train, test, live=False)


def _choices(settings: Settings, found: Model) -> tuple[str, tuple[str, str]]:
    """The relation, and the entry that is multiplied out: the one clicked or chosen, else a known tie."""
    names = [relation.name for relation in found.train.relations]
    which, rows, columns = st.columns(3)
    with which:
        view, begin = (
            ("relation", user_datasets.choices(settings.data).default_relation) if found.live else ("learn.relation", 1)
        )
        relation = inputs.choose("Relation k", view, names, index=begin)
    get = session.settings().get
    asked = tuple(str(get(name) or "") for name in ("learn.source", "learn.target"))
    window = _around(found, relation, asked)
    lit = product.first_tie(window)
    with rows:
        source = inputs.choose("Row i", "learn.source", window.objects, index=lit[0])
    with columns:
        target = inputs.choose("Column j", "learn.target", window.objects, index=lit[1])
    return relation, (source, target)


@cached_data(max_entries=100)
def _around(fitted: Model, relation: str, include: tuple[str, ...]) -> product.Window:
    return product.around(fitted.model, relation, fitted.train, include)


def _picture(found: Model, own: product.Product) -> None:
    window = _around(found, own.relation, (own.source, own.target))
    kept = product.strongest_factors(own, MOST_FACTORS)
    binary = found.train.relations[found.train.relation_index(own.relation)].kind == "binary"
    said = inputs.choose(
        "In X", "learn.shows", list(SHOWS), format_func=SHOWS.__getitem__, style="buttons", show_label=False,
    )  # fmt: skip

    def build() -> go.Figure:
        hover = [
            [f"known: {_known(known, binary)}<br>model: x = {x:.2f}" for known, x in zip(*rows, strict=True)]
            for rows in zip(window.known, window.x, strict=True)
        ]
        return factor_map(
            window.A[:, kept], window.R[np.ix_(kept, kept)], window.known if said == "known" else window.x,
            window.objects, (window.objects.index(own.source), window.objects.index(own.target)),
            binary=binary and said == "known", hover=hover, dark=figures.dark(),
        )  # fmt: skip

    rank, objects = len(own.a_i), found.train.n_objects
    some = f" {len(kept)} of {rank} factors: those that matter most here." if len(kept) < rank else ""
    some += f" {len(window.objects)} of {objects:,} objects." if len(window.objects) < objects else ""
    figures.show(
        build, FIGURE, cache_key=(found.key, own.relation, own.source, own.target, said), height=450,
        on_select=partial(_clicked, window.objects), selection_mode="points",
        alt=f"The tables R, A transposed, A and X of {own.relation}, with the row of {own.source} and the column of "
        f"{own.target} framed",
        data=lambda: _entries(window),
        caption="Click an entry of X, or choose its row and column. In A and R "
        f"{'pale' if figures.dark() else 'dark'} blue is far above 0, orange far below.{some}",
    )  # fmt: skip


SHOWS = {"known": "X: what is known", "model": "X: what the model says"}


def _arithmetic(own: product.Product) -> None:
    st.latex(
        rf"x = \underbrace{{a_i\,R_k\,a_j^{{\top}}}}_{{{own.product:.2f}}} + \underbrace{{b_k}}_{{{own.bias:.2f}}}"
        rf" = {own.x:.2f}"
    )
    shown, rest = own.terms[:SHOWN_TERMS], own.terms[SHOWN_TERMS:]
    steps = [
        (f"{f + 1}, {g + 1}: {own.a_i[f]:.2f} × {own.R[f, g]:.2f} × {own.a_j[g]:.2f}", term) for f, g, term in shown
    ]
    if rest:
        steps.append((f"{len(rest)} others", sum(term for _, _, term in rest)))
    figures.show_bars(
        [sum_bars([*steps, ("bias b", own.bias)], "x", dark=figures.dark())],
        "learn-sum",
        pd.DataFrame([*steps, ("bias b", own.bias), ("x", own.x)], columns=["term", "value"]),
        caption=f"“1, 2” is factor 1 of {escape_markdown(own.source)}, times the number in row 1 and column 2 of "
        "R, times "
        f"factor 2 of {escape_markdown(own.target)}: one term of the product.",
    )


def _known(value: float, binary: bool) -> str:
    if np.isnan(value):
        return "nothing"
    return ("a tie" if value > 0 else "no tie") if binary else f"{value:.3g}"


def _entries(window: product.Window) -> pd.DataFrame:
    n = len(window.objects)
    rows, columns = np.divmod(np.arange(n * n), n)
    return pd.DataFrame(
        {
            "source": [window.objects[at] for at in rows],
            "target": [window.objects[at] for at in columns],
            "known": window.known.ravel(),
            "x": window.x.ravel(),
        }
    )


def _clicked(objects: tuple[str, ...]) -> None:
    """Take the entry that was clicked in a picture of these objects."""
    points = st.session_state[f"figure-{FIGURE}"].selection.points
    if points:
        row, column = (int(at) for at in points[0]["customdata"])
        session.change(**{"learn.source": objects[row], "learn.target": objects[column]})
