"""The Start page: what this is, a finished result, and a card for each sample."""

from __future__ import annotations

import base64
import html
from collections import Counter
from functools import cache

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info
from ....plots.bars import score_bars
from ....plots.decomposition import decomposition_picture, planted_cells
from ...jobs import job_status
from ...jobs.training import dataset_name, sample_note
from ...state import current_run, session, user_datasets
from ...widgets import figures, lazy_expander
from ...widgets.formatting import escape_markdown, tooltip

A_ROW = 3
"""Cards side by side."""

SMALL = 12_000
"""Up to so many entries, a training takes seconds: of others the card says how long."""

SIZE = "Objects are people, places or things; a relation is one kind of tie; an entry is a pair whose value is known"
"""What the numbers of a card are."""


def introduction() -> None:
    """Two sentences and one picture."""
    says, shows = st.columns([5, 6], gap="large", vertical_alignment="center")
    with says:
        st.markdown(
            "People, places or concepts are often related in several ways at once, and much of it is not known. "
            "**mrwtd** learns a few hidden factors for each object from all relations together, each with a loss of "
            "its own, keeps *not known* apart from *not so*, and predicts the rest."
        )
        upload, learn = st.columns(2)
        if upload.button("Upload your own", icon=":material/upload_file:", type="primary", width="stretch"):
            session.change(**{"data.upload": "True"})
            lazy_expander.reset("upload")
            session.go("data")
        if learn.button("How it works", icon=":material/school:", width="stretch"):
            session.go("learn")
    with shows:
        st.html(_picture(figures.dark()) + figures.preload_script(), unsafe_allow_javascript=True)
        figures.download_buttons("decomposition", planted_cells, picture=decomposition_picture(figures.dark()))


@cache
def _picture(dark: bool) -> str:
    """The decomposition as an image with words for those who cannot see it."""
    packed = base64.b64encode(decomposition_picture(dark).encode()).decode()
    words = "Each relation X is about φ of A times R times A transposed, plus b: one A for all, one R for each relation"
    return f'<img alt="{words}" src="data:image/svg+xml;base64,{packed}" style="width: 100%">'


def finished_result() -> None:
    """The mean scores of the run that is looked at: on the first visit, of the stored one."""
    run = current_run.selected()
    if run is None or not run.summary:
        return
    try:
        scores = run.scores
    except mrwtd.DataError as error:
        current_run.skip_damaged(run, str(error))
    with st.container(border=True, key="finished-result"):
        if current_run.is_example(run):
            st.markdown(f"**A finished result: {escape_markdown(run.title)}**")
            st.caption(
                f"{dataset_info(dataset_name(run.spec)).question} A stored run, made by `python -m "
                "tools.build_example`."
            )
        else:
            st.markdown(f"**Your result: {escape_markdown(run.title)}**")
            st.caption(escape_markdown(" · ".join(filter(None, [run.display_name, sample_note(scores)]))))
        figures.show_bars(score_bars(scores), "scores", scores)
        st.caption(current_run.split_description(run))
        if st.button("See the comparison", icon=":material/arrow_forward:", width="stretch"):
            session.go("compare")


def cards() -> None:
    """A card a sample: one click trains, and shows the comparison."""
    st.subheader(
        "Try a sample: one click trains and compares",
        anchor=False,
        help="Objects are people, places or things, a relation is one kind of tie among them, and an entry is a pair "
        "whose value is known. Some entries are learned from, the others test the predictions.",
    )
    names = user_datasets.samples()
    for first in range(0, len(names), A_ROW):
        for column, name in zip(st.columns(A_ROW, gap="small"), names[first : first + A_ROW], strict=False):
            # The text is held to the top and the button to the bottom, so that the buttons of a row stand on one line.
            with column.container(border=True, height="stretch", gap="xsmall", vertical_alignment="distribute"):
                _card(name)


def _card(name: str) -> None:
    told = dataset_info(name)
    size = f"{told.n_objects:,} objects · {kinds(user_datasets.load(name))} · {told.n_entries:,} entries"
    takes = "" if told.n_entries <= SMALL else " · some seconds"
    # One text, with a hint of our own: a browser takes its time for each of Streamlit's, and there are nine cards.
    st.html(
        f'<div class="card"><b>{html.escape(told.title)}</b>'
        f'<div class="hinted small">{tooltip(size + takes, SIZE)}</div><p>'
        f"{html.escape(told.question)}</p></div>"
    )
    if st.button("Train", key=f"card-{name}", icon=":material/bolt:"):
        try:
            begin(name)
        except mrwtd.DataError as refused:
            session.add_message(str(refused))
            st.rerun()


def begin(name: str) -> None:
    """Train on a sample with a rank that suits its size, and go to the comparison."""
    wanted = {"data": name, "rank": None}
    settings = session.settings().change(**wanted).resolved(dataset_info(name).n_objects)
    same = (job for job in job_status.active_jobs() if job.request == settings.request())  # the card was clicked twice
    job = next(same, None) or job_status.submit_training(settings)  # where it is refused, nothing has changed
    session.change(**wanted, run=job.id)
    session.go("compare")


def kinds(data: mrwtd.RelationalData) -> str:
    """How many relations of each kind, in words.

    >>> kinds(mrwtd.load_dataset("bankwiring"))
    '5 binary, 1 count relations'
    """
    counted = Counter(relation.kind for relation in data.relations)
    words = ", ".join(f"{number} {kind}" for kind, number in counted.items())
    return f"{words} relation{'s' if data.n_relations > 1 else ''}"
