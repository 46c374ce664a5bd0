"""Lesson 3: why weights. A picture of which only some pixels are known, completed in two ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from .....plots.colours import BLUE, GREY, ORANGE
from .....plots.marked_curves import Line, marked_curves
from .....plots.matrices import matrix_heatmaps, matrix_table
from ....jobs import Job
from ....shell import page
from ....state import session, user_datasets
from ....state.caches import cached_data
from ....state.settings import Settings
from ....widgets import figures, inputs
from ....widgets.formatting import escape_markdown
from ..demos import image_completion, lesson_texts
from . import background_work, next_step

BEGIN = "0.4"
LINES = (
    Line("zero", "missing as zero", ORANGE, "dash"),
    Line("missing", "missing as missing", BLUE),
    Line("mean", "the mean everywhere", GREY, "dot"),
)
SHARES = {f"{share:g}": share for share in image_completion.SHARES}


def draw(settings: Settings) -> None:
    """The lesson."""
    st.markdown(
        "*Not known* is not the same as *zero*. With a weight **w** of 1 for what is known and 0 for what is not, the "
        "fit does not care about unknown entries; filled with zeros, it is told that nothing is there, and believes it."
    )
    background_work.watch(_body, errors())
    next_step.try_it(
        "weights",
        f"**Try it on your data**: train *{escape_markdown(user_datasets.title(settings.data))}* with MrWTD-Q, "
        "which leaves "
        "unknown pairs out, and with RESCAL, which takes them for zero, and compare.",
        "train",
        methods=("MrWTD-Q", "RESCAL"),
    )


def errors() -> Job:
    """The errors at every share, which are computed while the user looks at one."""
    return background_work.gather("weights", _errors)


def _errors() -> Iterator[dict[str, float]]:
    for share in image_completion.SHARES:
        found = image_completion.complete(share)
        yield {
            "share": share,
            **found.errors,
            **{f"ink {name}": value for name, value in found.ink.items()},
        }


def _body(job: Job) -> None:
    with page.error_boundary("Why weights"):
        done = job.done
        maps, words = st.columns([6, 5], gap="medium")
        with words:
            st.latex(r"\min_{A,R,b}\;\sum_{i,j} w_{ij}\,\ell(y_{ij},\,x_{ij}) + \tfrac{\lambda}{2}(\|A\|^2+\|R\|^2)")
            share = SHARES[
                inputs.choose(
                    "Share of pixels that are known", "learn.share", list(SHARES), index=list(SHARES).index(BEGIN),
                    format_func=lambda text: f"{float(text):.0%}", style="slider", help="Which ones is chance.",
                )
            ]  # fmt: skip
            found = _complete(share)
            curve = pd.DataFrame(list(job.pieces) or [{"share": share, **found.errors}])
            figures.show(
                marked_curves(
                    curve, "share", LINES, share if share <= curve["share"].max() else None,
                    x_title="known pixels", y_title="error on hidden pixels", percent=True, dark=figures.dark(),
                ),
                "learn-errors", height=235, data=curve if done else None,
                alt="Root mean square error on hidden pixels against the share that is known, for both ways",
                caption="Root mean square error: 0 is perfect." if done else "The curve is being computed …",
            )  # fmt: skip
            # The sentence comes last, as its length changes with what it says: nothing below it moves.
            st.markdown(lesson_texts.of_picture(found))
        with maps:
            _pictures(found, done=done)
        session.sync_to_url()


def _pictures(found: image_completion.Completion, *, done: bool) -> None:
    """Four pictures; their data can be had once nothing is drawn anew by itself, which would take the file away."""
    panels = {
        "the truth": found.truth,
        "what is known": np.where(found.known, found.truth, np.nan),
        "missing as zero": found.as_zero,
        "missing as missing": found.as_missing,
    }
    says = {
        "what is known": f": {found.known.mean():.0%}",
        "missing as zero": f": off by {found.errors['zero']:.2f}",
        "missing as missing": f": off by {found.errors['missing']:.2f}",
    }
    figures.show(
        matrix_heatmaps({name + says.get(name, ""): one for name, one in panels.items()}, dark=figures.dark()),
        "learn-picture", height=470, data=(lambda: matrix_table(panels)) if done else None,
        alt="Four pictures: the truth, the known pixels, and what either fit makes of them",
        caption=f"{found.truth.shape[0]} × {found.truth.shape[1]} pixels, 1 is ink and 0 paper; grey is not known. "
        f"Both fits have rank {image_completion.RANK}, λ = {image_completion.LAM:g} and the quadratic loss.",
    )  # fmt: skip


_complete = cached_data(max_entries=40)(image_completion.complete)
