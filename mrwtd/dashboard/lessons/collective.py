"""Lesson 4: why collective. One relation alone against all together, as the training share shrinks."""

from __future__ import annotations

import numpy as np
import streamlit as st

import mrwtd
from mrwtd.plots.colours import BLUE, GREY, ORANGE
from mrwtd.plots.marked import Line, marked_curves
from mrwtd.plots.matrices import picture_table, pictures

from .. import datasets, figures, frame, inputs, session
from ..demonstrations import sentences, together
from ..demonstrations.paths import probabilities
from ..jobs import Job
from ..settings import Settings
from ..words import plain
from . import ending, pieces

DATA, BEGIN = "aucs", "work"
FRACTIONS = {f"{share:g}": share for share in sorted(together.FRACTIONS)}
BEGIN_SHARE = "0.2"
LINES = (
    Line("alone", "alone", ORANGE, "dash", "alone sd"),
    Line("together", "all relations together", BLUE, "solid", "together sd"),
    Line("chance", "chance", GREY, "dot"),
)


def draw(settings: Settings) -> None:
    """The lesson."""
    data = datasets.load(DATA)
    among, all_pairs = together.overlap(data, "work", "lunch")
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
    ending.try_it(
        "collective",
        f"**Try it on your data**: learn *{plain(datasets.title(settings.data))}* from as small a share, with MrWTD, "
        "which learns all relations together, and MMMF, which learns each alone.",
        "pages/2_Train.py",
        train=share,
        methods=("MrWTD", "MMMF"),
    )


def results(data: mrwtd.RelationalData, relation: str) -> Job:
    """What has been computed for a relation so far: one `Fraction` after the other."""
    return pieces.gather(f"collective {relation}", lambda: together.shrink(data, relation))


def _wait(data: mrwtd.RelationalData) -> None:
    names = [relation.name for relation in data.relations]
    relation = inputs.choose(
        "Relation to predict", "learn.about", names, begin=names.index(BEGIN), style="buttons",
        hint="Its held-out pairs are ranked, by a model that knows it alone and by one that knows all relations.",
    )  # fmt: skip
    pieces.watch(_body, results(data, relation), data, relation)


def _body(job: Job, data: mrwtd.RelationalData, relation: str) -> None:
    with frame.plainly("Why collective"):
        done = job.over
        fractions: list[together.Fraction] = list(job.pieces)
        curves, words = st.columns([6, 5], gap="medium")
        with words:
            st.latex(r"x_{ijk} = a_i\,R_k\,a_j^{\top} + b_k \quad\text{with one } A \text{ for all } k")
            share = inputs.choose(
                "Share of the entries to learn from", "learn.fraction", list(FRACTIONS),
                begin=list(FRACTIONS).index(BEGIN_SHARE), show=lambda text: f"{float(text):.0%}", style="slider",
                hint="The rest is held out. Both models get the same entries of this relation.",
            )  # fmt: skip
            chosen = next((one for one in fractions if one.fraction == FRACTIONS[share]), None)
            _maps(data, relation, chosen, done=done)
        with curves:
            _curves(fractions, FRACTIONS[share], done=done)
            # Sentences come last, as their length changes with what they say: nothing below them moves.
            _say(chosen, fractions, job, relation, data.n_relations - 1)
        session.write_address()


def _say(
    chosen: together.Fraction | None, fractions: list[together.Fraction], job: Job, relation: str, others: int
) -> None:
    if job.problem:
        st.error(pieces.FAILED, icon=":material/error:")
    elif chosen is None:
        st.markdown(f"Fitting: {len(fractions)} of {len(FRACTIONS)} shares are done …")
    else:
        st.markdown(sentences.of_fraction(chosen, plain(relation), others))
        if len(fractions) == len(FRACTIONS):
            st.markdown(sentences.of_shrinking(fractions))


def _curves(found: list[together.Fraction], at: float, *, done: bool) -> None:
    points = together.table(found)
    there = any(one.fraction == at for one in found)
    figures.show(
        marked_curves(
            points, "training share", LINES, at if there else None, title="share of the entries to learn from",
            side="average precision on held-out pairs", percent=True, dark=figures.dark(),
        ).update_xaxes(range=[0.0, 0.65]),
        "learn-collective", height=330, data=points if done else None,
        alt="Average precision on held-out pairs against the training share: alone, together, and chance",
        caption=f"Means and deviations over {together.SPLITS} splits, rank {together.RANK}; for each share and either "
        f"way the best λ of {', '.join(f'{lam:g}' for lam in together.LAMS)}."
        + ("" if done else " More points are coming …"),
    )  # fmt: skip


def _maps(data: mrwtd.RelationalData, relation: str, own: together.Fraction | None, *, done: bool) -> None:
    order = datasets.order(DATA, "alike")
    found = {"the truth": together.ties(data.only([relation]))}
    if own is not None:
        found |= {name: probabilities(own.pictures[name]) for name in ("alone", "together")}
    panels = {name: one[np.ix_(order, order)] for name, one in found.items()}
    empty = np.zeros_like(panels["the truth"])
    figures.show(
        pictures(
            {name: panels.get(name, empty) for name in ("the truth", "alone", "together")},
            across=3, dark=figures.dark(),
        ),
        "learn-maps", height=230,
        data=(lambda: picture_table(panels, [data.objects[at] for at in order])) if done else None,
        alt=f"Adjacency pictures of {relation}: the truth, and the probability of a tie from either model",
        caption="A row a person, those who relate alike together; the "
        f"{'brighter' if figures.dark() else 'darker'}, the likelier is a tie.",
    )  # fmt: skip
