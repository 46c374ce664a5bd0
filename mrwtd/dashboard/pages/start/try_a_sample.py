"""Try a sample: one card per sample data set. One click trains and opens the comparison."""

import html
from collections import Counter

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info
from ...jobs import estimates, job_status
from ...state import session, user_datasets
from ...widgets.formatting import format_duration, tooltip
from .start_texts import SAMPLES_HELP, SAMPLES_TITLE, SIZE_HELP

CARDS_PER_ROW = 3

SHORT = 3.0
"""Cards state the estimated time of a training if it is longer than this."""


def render() -> None:
    """Draw the cards."""
    st.subheader(SAMPLES_TITLE, anchor=False, help=SAMPLES_HELP)
    names = user_datasets.samples()
    for first in range(0, len(names), CARDS_PER_ROW):
        row = names[first : first + CARDS_PER_ROW]
        for column, name in zip(st.columns(CARDS_PER_ROW, gap="small"), row, strict=False):
            # The text is at the top and the button at the bottom, which aligns the buttons of a row.
            with column.container(border=True, height="stretch", gap="xsmall", vertical_alignment="distribute"):
                _card(name)


def _card(name: str) -> None:
    sample = dataset_info(name)
    size = f"{sample.n_objects:,} objects · {relation_kinds(user_datasets.load(name))} · {sample.n_entries:,} entries"
    seconds = estimates.estimate(session.settings().change(data=name, rank=None), user_datasets.load(name)).seconds
    duration = f"about {format_duration(seconds)}".replace(" ", "\N{NO-BREAK SPACE}")
    time = "" if seconds <= SHORT else f" · {duration}"
    # One HTML block with our tooltip: Streamlit's tooltips are slow in the browser, and there are many cards.
    st.html(
        f'<div class="card"><b>{html.escape(sample.title)}</b>'
        f'<div class="tooltips small">{tooltip(size + time, SIZE_HELP)}</div><p>'
        f"{html.escape(sample.question)}</p></div>"
    )
    if st.button("Train", key=f"card-{name}", icon=":material/bolt:"):
        try:
            _train(name)
        except mrwtd.DataError as error:
            session.add_message(str(error))
            st.rerun()


def _train(name: str) -> None:
    """Train on a sample with a rank that suits its size, and open the comparison."""
    changes = {"data": name, "rank": None}
    settings = session.settings().change(**changes).resolved(user_datasets.load(name))
    same = (job.id for job in job_status.active_jobs() if job.request == settings.request())  # clicked twice
    run = next(same, "") or job_status.submit_training(settings)  # if this raises, no setting has changed
    session.go("compare", **changes, run=run)


def relation_kinds(data: mrwtd.RelationalData) -> str:
    """The number of relations of each kind.

    >>> relation_kinds(mrwtd.load_dataset("bankwiring"))
    '5 binary, 1 count relations'
    """
    counts = Counter(relation.kind for relation in data.relations)
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{kinds} relation{'s' if data.n_relations > 1 else ''}"
