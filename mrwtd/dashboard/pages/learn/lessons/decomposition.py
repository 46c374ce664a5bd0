"""Lesson 1: the decomposition. A click on an entry of X_k shows how it is computed."""

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
from ....state import current_run, session, shared_run, user_datasets
from ....state.caches import cached_data, hashed_by_key
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown, signed
from .. import learn_sentences, learn_texts
from ..demos import product
from . import lesson_parts

FIGURE = "learn-entries"
SMALL = "florentine"
MAX_TERMS = 5
MAX_FACTORS = 10


@hashed_by_key
@dataclass(frozen=True)
class FittedModel:
    """The model of the lesson, its training and held-out entries, and whether it is from a run."""

    key: str
    model: FactorModel
    train: mrwtd.RelationalData
    test: mrwtd.RelationalData
    from_run: bool

    def relation(self, name: str) -> mrwtd.Relation:
        """A relation by its name."""
        return self.train.relations[self.train.relation_index(name)]


def render(settings: Settings) -> None:
    """Draw the lesson."""
    tables, words = st.columns([6, 5], gap="medium")
    with tables:
        st.markdown(learn_texts.INTRODUCTIONS["decomposition"])
        fitted = fitted_model()
    with words:
        relation, source, target = _choose_entry(settings, fitted)
        entry = product.multiply(fitted.model, relation, source, target, fitted.train, fitted.test)
        _show_terms(entry)
        st.markdown(learn_sentences.prediction_text(entry, fitted.relation(relation)))
        if len(fitted.model.members_) > 1:
            st.caption(learn_texts.ENSEMBLE.format(members=len(fitted.model.members_)))
    with tables:
        _show_tables(fitted, entry)
    changes = {"embedding.view": "Factors"} | ({"relation": relation} if fitted.from_run else {})
    lesson_parts.try_it(settings, "decomposition", "embedding", changes)


def fitted_model() -> FittedModel:
    """The model of the current run if it has factors, otherwise a small fit; a caption says which."""
    result = current_run.current_or_none()
    if result is not None:
        for label in (result.selected_method, *result.models):
            model = result.models[label]
            if isinstance(model, FactorModel):
                run = "the example run" if current_run.is_example(result.run) else "your run"
                run = "the shared run" if shared_run.is_shown(result.run) else run
                name = escape_markdown(result.run.name)
                st.caption(learn_texts.FROM_RUN.format(run=run, name=name, method=escape_markdown(label)))
                return FittedModel(f"{result.key} {label}", model, result.train, result.test, from_run=True)
    st.caption(learn_texts.SMALL_FIT)
    return small_fit()


@st.cache_resource(show_spinner="Fitting a small model …")
def small_fit() -> FittedModel:
    """A small fit, for users without a run."""
    train, test = mrwtd.load_dataset(SMALL).split(train=0.7, seed=0, by="auto")
    return FittedModel(SMALL, mrwtd.MrWTD(rank=3, lam=1.0).fit(train), train, test, from_run=False)


def _choose_entry(settings: Settings, fitted: FittedModel) -> tuple[str, str, str]:
    """Relation, source and target of the entry that is multiplied out: by default a known tie."""
    names = [relation.name for relation in fitted.train.relations]
    name, default = "learn.relation", names[-1]
    if fitted.from_run:
        name, default = "relation", names[user_datasets.choices(settings.data).default_relation]
    with st.container(horizontal=True):
        relation = inputs.choose("Relation k", name, names, default=default)
        chosen = tuple(str(session.settings().get(name) or "") for name in ("learn.source", "learn.target"))
        window = _window(fitted, relation, chosen)
        row, column = product.first_tie(window)
        source = inputs.choose("Row i", "learn.source", window.objects, default=window.objects[row])
        target = inputs.choose("Column j", "learn.target", window.objects, default=window.objects[column])
    return relation, source, target


@cached_data(max_entries=100)
def _window(fitted: FittedModel, relation: str, include: tuple[str, ...]) -> product.Window:
    return product.window(fitted.model, relation, fitted.train, include)


def _show_tables(fitted: FittedModel, entry: product.Product) -> None:
    window = _window(fitted, entry.relation, (entry.source, entry.target))
    factors = product.strongest_factors(entry, MAX_FACTORS)
    binary = fitted.relation(entry.relation).kind == "binary"
    content = inputs.choose("Values in X", "learn.shows", learn_texts.X_CONTENT, style="tabs")

    def build() -> go.Figure:
        hover = [
            [learn_sentences.entry_tooltip(known, x, binary) for known, x in zip(*rows, strict=True)]
            for rows in zip(window.known, window.x, strict=True)
        ]
        return factor_map(
            window.A[:, factors], window.R[np.ix_(factors, factors)], window.known if content == "known" else window.x,
            window.objects, (window.objects.index(entry.source), window.objects.index(entry.target)),
            binary=binary and content == "known", hover=hover, dark=figures.dark(),
        )  # fmt: skip

    figures.show(
        build, FIGURE, cache_key=(fitted.key, entry.relation, entry.source, entry.target, content), height=450,
        on_select=partial(_select_entry, window.objects), selection_mode="points",
        alt=learn_texts.ALT[FIGURE].format(relation=entry.relation, source=entry.source, target=entry.target),
        data=lambda: _entry_table(window),
        caption=learn_sentences.tables_caption(
            "pale" if figures.dark() else "dark", (len(factors), len(entry.a_i)),
            (len(window.objects), fitted.train.n_objects),
        ),
    )  # fmt: skip


def _show_terms(entry: product.Product) -> None:
    st.latex(
        rf"x = \underbrace{{a_i\,R_k\,a_j^{{\top}}}}_{{{entry.x - entry.bias:.2f}}} + "
        rf"\underbrace{{b_k}}_{{{entry.bias:.2f}}} = {entry.x:.2f}"
    )
    shown, rest = entry.terms[:MAX_TERMS], entry.terms[MAX_TERMS:]
    terms = [
        (f"{f + 1}, {g + 1}: {signed(entry.a_i[f])} × {signed(entry.R[f, g])} × {signed(entry.a_j[g])}", term)
        for f, g, term in shown
    ]
    if rest:
        terms.append((f"{len(rest)} others", sum(term for _, _, term in rest)))
    terms.append(("bias b", entry.bias))
    (f, g, _), source, target = shown[0], escape_markdown(entry.source), escape_markdown(entry.target)
    caption = learn_texts.CAPTIONS["learn-sum"].format(f=f + 1, g=g + 1, source=source, target=target)
    data = pd.DataFrame([*terms, ("x", entry.x)], columns=["term", "value"])
    figures.show_bars([sum_bars(terms, "x", dark=figures.dark())], "learn-sum", data, caption=caption)


def _entry_table(window: product.Window) -> pd.DataFrame:
    pairs = pd.MultiIndex.from_product([window.objects] * 2, names=["source", "target"])
    return pd.DataFrame({"known": window.known.ravel(), "x": window.x.ravel()}, index=pairs).reset_index()


def _select_entry(objects: tuple[str, ...]) -> None:
    """Choose the entry that was clicked in a figure of these objects."""
    points = st.session_state[f"figure-{FIGURE}"].selection.points
    if points:
        row, column = (int(index) for index in points[0]["customdata"])
        session.change(**{"learn.source": objects[row], "learn.target": objects[column]})
