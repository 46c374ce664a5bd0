"""Lesson 5: regularisation. Drag λ and watch the fit, the held-out score, and the collapse."""

from __future__ import annotations

import streamlit as st

from .....plots.colours import BLUE, GREY, ORANGE
from .....plots.marked_curves import Line, marked_curves
from .....plots.matrices import matrix_heatmaps, matrix_table
from ....jobs import Job
from ....shell import page
from ....state import session, user_datasets
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from ..demos import collective_demo, lesson_texts, regularization_demo
from ..demos.lambda_paths import probabilities
from . import background_work, next_step

DATA, RELATION = "aucs", "lunch"
LAMS = {f"{lam:g}": row for row, lam in enumerate(regularization_demo.LAMS)}
BEGIN = "1"
LINES = (
    Line("train", "training pairs", ORANGE, "dash"),
    Line("held_out", "held-out pairs", BLUE, "solid", "held_out_sd"),
    Line("size", "size of the factors", GREY, "dot"),
)


def draw(settings: Settings) -> None:
    """The lesson."""
    st.markdown(
        "A model with many factors can learn its training entries by heart. **λ** makes factors cost something: with "
        "more of it only what pays for itself is kept, and with too much of it nothing is."
    )
    background_work.watch(_body, path())
    _ending(settings)


def path() -> Job:
    """The fits at all λ, made once, in the background: each `LamPath` is over one split more than that before."""
    data = user_datasets.load(DATA)
    return background_work.gather("regularisation", lambda: regularization_demo.along(data))


def _body(job: Job) -> None:
    with page.error_boundary("Regularisation"):
        curves, words = st.columns([6, 5], gap="medium")
        with words:
            st.latex(r"\min\;\sum_e \ell(y_e, x_e) + \tfrac{\lambda}{2}\left(\|A\|^2 + \sum_k \|R_k\|^2\right)")
            chosen = inputs.choose(
                "λ", "learn.lam", list(LAMS), index=list(LAMS).index(BEGIN), style="slider",
                help="Each step has been fitted before you drag: from the solution at the λ before it.",
            )  # fmt: skip
        if not job.pieces:
            with curves, st.container(height=540, border=False):
                st.markdown(background_work.FAILED if job.problem else f"Fitting at {len(LAMS)} values of λ …")
            return
        fits: regularization_demo.LamPath = job.pieces[-1]
        with words:
            _step(fits, LAMS[chosen])
        with curves:
            _curves(fits, float(chosen))
            # The sentence comes last, as its length changes with what it says: nothing below it moves.
            st.markdown(lesson_texts.of_lam(fits, LAMS[chosen]))
        session.sync_to_url()


def _step(found: regularization_demo.LamPath, row: int) -> None:
    """What there is to see at one λ: numbers, and the predictions as a picture."""
    numbers = found.frame.iloc[row]
    loss, train, held = st.columns(3)
    loss.metric("Fit: mean loss", f"{numbers['loss']:.3f}", help="Of a training entry; 0 is a perfect fit.")
    train.metric("Training score", f"{numbers['train']:.2f}", help="Average precision on the pairs it was fitted to.")
    held.metric("Held-out score", f"{numbers['held_out']:.2f}", help="Average precision on pairs it has not seen.")
    data = user_datasets.load(DATA)
    order = user_datasets.object_order(DATA, "alike")
    x = found.stops[row].matrix(data.relation_index(RELATION))
    maps = {
        f"{RELATION}: the truth": collective_demo.ties(data.select_relations([RELATION])),
        "what the model says": probabilities(x),
    }
    panels = {name: one[order][:, order] for name, one in maps.items()}
    figures.show(
        matrix_heatmaps(panels, dark=figures.dark()), "learn-lam-map", height=255,
        alt=f"Adjacency pictures of {RELATION}: the truth, and the probability of a tie at this λ",
        data=lambda: matrix_table(panels, [data.objects[at] for at in order]),
        caption=f"A row a person; the {'brighter' if figures.dark() else 'darker'}, the likelier is a tie.",
    )  # fmt: skip


def _curves(found: regularization_demo.LamPath, lam: float) -> None:
    edge = found.edge
    figures.show(
        marked_curves(
            found.frame, "lam", LINES, lam, x_title="λ", y_title="average precision, or size", log=True,
            shaded=None if edge is None else (edge, regularization_demo.LAMS[-1]), shaded_label="collapse",
            dark=figures.dark(),
        ),
        "learn-lam", height=370, data=found.frame,
        alt="Average precision of training and held-out pairs, and the size of the factors, against λ",
        caption=f"Ties among {user_datasets.load(DATA).n_objects} people: {regularization_demo.TRAIN:.0%} of the pairs "
        f"to learn from, rank {regularization_demo.RANK}, means over {found.splits} splits. "
        "Size: root mean square of A.",
    )  # fmt: skip


def _ending(settings: Settings) -> None:
    chosen = session.settings().get("learn.lam")
    lam = float(chosen if chosen in LAMS else BEGIN)
    next_step.try_it(
        "regularisation",
        f"**Try it on your data**: train *{escape_markdown(user_datasets.title(settings.data))}* with the λ that "
        "you have "
        "chosen, in place of the one that a search finds.",
        "train",
        lam=lam,
    )
