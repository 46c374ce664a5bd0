"""Lesson 4: collective learning. One relation alone against all relations together, with ever fewer entries."""

import numpy as np
import streamlit as st

from .....plots.adjacency import grid
from .....plots.colours import BLUE, GREY, ORANGE
from .....plots.marked_curves import Line, marked_curves
from ....jobs import Job
from ....state import user_datasets
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from .. import learn_sentences, learn_texts
from ..demos import collective_demo
from ..demos.collective_demo import RELATION, Fraction
from ..demos.lambda_fits import probabilities
from . import lesson_parts
from .lesson_parts import DATA

FRACTIONS = {f"{fraction:g}": f"{fraction:.0%}" for fraction in sorted(collective_demo.FRACTIONS)}
DEFAULT = "0.2"
LINES = (
    Line("alone", "alone", ORANGE, "dash", "alone sd"),
    Line("together", "all relations together", BLUE, "solid", "together sd"),
    Line("chance", "chance", GREY, "dot"),
)


def render(settings: Settings) -> None:
    """Draw the lesson."""
    data = user_datasets.load(DATA)
    overlap, overall = collective_demo.overlap(data, "work", "lunch")
    st.markdown(learn_texts.INTRODUCTIONS["collective"].format(data=data, overlap=overlap, overall=overall))
    names = [relation.name for relation in data.relations]
    label, help_ = "Relation to predict", learn_texts.RELATION_HELP
    relation = inputs.choose(label, "learn.about", names, default=RELATION, style="buttons", help=help_)
    lesson_parts.redraw_while_running("collective", _body, fraction_job(relation), relation)
    fraction = lesson_parts.chosen_number("learn.fraction", FRACTIONS, DEFAULT)
    lesson_parts.try_it(settings, "collective", "train", {"train": fraction, "methods": ("MrWTD", "MMMF")})


def fraction_job(relation: str = RELATION) -> Job:
    """The results for a relation: one `Fraction` after the other."""
    data = user_datasets.load(DATA)
    return lesson_parts.background_job(f"collective {relation}", lambda: collective_demo.shrink(data, relation))


def _body(job: Job, relation: str) -> None:
    data = user_datasets.load(DATA)
    fractions: list[Fraction] = list(job.pieces)
    curves, words = st.columns([6, 5], gap="medium")
    with words:
        st.latex(r"x_{ijk} = a_i\,R_k\,a_j^{\top} + b_k \quad\text{with one } A \text{ for all } k")
        label, help_ = "Training fraction", learn_texts.FRACTION_HELP
        fraction = inputs.choose(label, "learn.fraction", FRACTIONS, default=DEFAULT, style="slider", help=help_)
        chosen = next((result for result in fractions if result.fraction == float(fraction)), None)
        truth = grid(data, relation).z
        predicted = {
            way: np.zeros_like(truth) if chosen is None else probabilities(chosen.scores[way])
            for way in ("alone", "together")
        }
        maps = {"the truth": truth, **predicted}
        lesson_parts.show_tie_maps(maps, "learn-maps", height=230, columns=3, save=job.done and chosen is not None)
    with curves:
        _show_curves(fractions, None if chosen is None else chosen.fraction, done=job.done)
        # The length of the sentences varies: they come last, so that nothing below them moves.
        if job.problem:
            st.error(learn_texts.FAILED, icon=":material/error:")
        elif chosen is None:
            st.markdown(learn_texts.FITTING_FRACTIONS.format(done=len(fractions), total=len(FRACTIONS)))
        else:
            st.markdown(learn_sentences.fraction_text(chosen, escape_markdown(relation), data.n_relations - 1))
            if len(fractions) == len(FRACTIONS):
                st.markdown(learn_sentences.all_fractions_text(fractions))


def _show_curves(fractions: list[Fraction], mark: float | None, *, done: bool) -> None:
    points = collective_demo.table(fractions)
    figures.show(
        marked_curves(
            points, "training fraction", LINES, mark, x_title="training fraction",
            y_title="average precision on held-out pairs", percent=True, dark=figures.dark(),
        ).update_xaxes(range=[0.0, 0.65]),
        "learn-collective", height=330, data=points if done else None, alt=learn_texts.ALT["learn-collective"],
        caption=learn_texts.CAPTIONS["learn-collective"] + ("" if done else learn_texts.MORE_POINTS),
    )  # fmt: skip
