"""Lesson 4: why collective. One relation alone against all together, as the training share shrinks."""

from __future__ import annotations

import numpy as np
import streamlit as st

import mrwtd

from .....plots.colours import BLUE, GREY, ORANGE
from .....plots.marked_curves import Line, marked_curves
from .....plots.matrices import matrix_heatmaps, matrix_table
from ....jobs import Job
from ....shell import page
from ....state import session, user_datasets
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from ..demos import collective_demo, lesson_texts
from ..demos.lambda_paths import probabilities
from . import background_work, next_step

DATA, BEGIN = "aucs", "work"
FRACTIONS = {f"{share:g}": share for share in sorted(collective_demo.FRACTIONS)}
BEGIN_SHARE = "0.2"
LINES = (
    Line("alone", "alone", ORANGE, "dash", "alone sd"),
    Line("together", "all relations together", BLUE, "solid", "together sd"),
    Line("chance", "chance", GREY, "dot"),
)


def draw(settings: Settings) -> None:
    """The lesson."""
    data = user_datasets.load(DATA)
    among, all_pairs = collective_demo.overlap(data, "work", "lunch")
    st.markdown(
        f"Here are {data.n_relations} relations among {data.n_objects} people of a university department. Of the pairs "
        f"that have lunch together {among:.0%} also work together, of all pairs {all_pairs:.0%}: what one relation "
        "shows of a person may help with the others, as all share the table **A**."
    )
    _wait(data)
    _ending(settings)


def _ending(settings: Settings) -> None:
    chosen = session.settings().get("learn.fraction")
    share = FRACTIONS[chosen if chosen in FRACTIONS else BEGIN_SHARE]
    next_step.try_it(
        "collective",
        f"**Try it on your data**: learn *{escape_markdown(user_datasets.title(settings.data))}* from as small a "
        "share, with "
        "MrWTD, which learns all relations together, and MMMF, which learns each alone.",
        "train",
        train=share,
        methods=("MrWTD", "MMMF"),
    )


def results(data: mrwtd.RelationalData, relation: str) -> Job:
    """What has been computed for a relation so far: one `Fraction` after the other."""
    return background_work.gather(f"collective {relation}", lambda: collective_demo.shrink(data, relation))


def _wait(data: mrwtd.RelationalData) -> None:
    names = [relation.name for relation in data.relations]
    relation = inputs.choose(
        "Relation to predict", "learn.about", names, index=names.index(BEGIN), style="buttons",
        help="Its held-out pairs are ranked, by a model that knows it alone and by one that knows all relations.",
    )  # fmt: skip
    background_work.watch(_body, results(data, relation), data, relation)


def _body(job: Job, data: mrwtd.RelationalData, relation: str) -> None:
    with page.error_boundary("Why collective"):
        done = job.done
        fractions: list[collective_demo.Fraction] = list(job.pieces)
        curves, words = st.columns([6, 5], gap="medium")
        with words:
            st.latex(r"x_{ijk} = a_i\,R_k\,a_j^{\top} + b_k \quad\text{with one } A \text{ for all } k")
            share = inputs.choose(
                "Share of the entries to learn from", "learn.fraction", list(FRACTIONS),
                index=list(FRACTIONS).index(BEGIN_SHARE), format_func=lambda text: f"{float(text):.0%}", style="slider",
                help="The rest is held out. Both models get the same entries of this relation.",
            )  # fmt: skip
            chosen = next((one for one in fractions if one.fraction == FRACTIONS[share]), None)
            _maps(data, relation, chosen, done=done)
        with curves:
            _curves(fractions, FRACTIONS[share], done=done)
            # Sentences come last, as their length changes with what they say: nothing below them moves.
            _say(chosen, fractions, job, relation, data.n_relations - 1)
        session.sync_to_url()


def _say(
    chosen: collective_demo.Fraction | None,
    fractions: list[collective_demo.Fraction],
    job: Job,
    relation: str,
    others: int,
) -> None:
    if job.problem:
        st.error(background_work.FAILED, icon=":material/error:")
    elif chosen is None:
        st.markdown(f"Fitting: {len(fractions)} of {len(FRACTIONS)} shares are done …")
    else:
        st.markdown(lesson_texts.of_fraction(chosen, escape_markdown(relation), others))
        if len(fractions) == len(FRACTIONS):
            st.markdown(lesson_texts.of_shrinking(fractions))


def _curves(found: list[collective_demo.Fraction], at: float, *, done: bool) -> None:
    points = collective_demo.table(found)
    there = any(one.fraction == at for one in found)
    figures.show(
        marked_curves(
            points, "training share", LINES, at if there else None, x_title="share of the entries to learn from",
            y_title="average precision on held-out pairs", percent=True, dark=figures.dark(),
        ).update_xaxes(range=[0.0, 0.65]),
        "learn-collective", height=330, data=points if done else None,
        alt="Average precision on held-out pairs against the training share: alone, together, and chance",
        caption=f"Means and deviations over {collective_demo.SPLITS} splits, rank {collective_demo.RANK}; for each "
        f"share and either way the best λ of {', '.join(f'{lam:g}' for lam in collective_demo.LAMS)}."
        + ("" if done else " More points are coming …"),
    )  # fmt: skip


def _maps(data: mrwtd.RelationalData, relation: str, own: collective_demo.Fraction | None, *, done: bool) -> None:
    order = user_datasets.object_order(DATA, "alike")
    found = {"the truth": collective_demo.ties(data.select_relations([relation]))}
    if own is not None:
        found |= {name: probabilities(own.pictures[name]) for name in ("alone", "together")}
    panels = {name: one[np.ix_(order, order)] for name, one in found.items()}
    empty = np.zeros_like(panels["the truth"])
    figures.show(
        matrix_heatmaps(
            {name: panels.get(name, empty) for name in ("the truth", "alone", "together")},
            columns=3, dark=figures.dark(),
        ),
        "learn-maps", height=230,
        data=(lambda: matrix_table(panels, [data.objects[at] for at in order])) if done else None,
        alt=f"Adjacency pictures of {relation}: the truth, and the probability of a tie from either model",
        caption="A row a person, those who relate alike together; the "
        f"{'brighter' if figures.dark() else 'darker'}, the likelier is a tie.",
    )  # fmt: skip
