"""What keeps a model from learning relations of the data in use, with a button for each suggested fix."""

from typing import Any

import streamlit as st

from ...data.learnability import Obstacle, by_code
from ...errors import DataError
from ..state import data_changes, user_datasets
from ..state.settings import Settings
from .formatting import escape_markdown, summarize_names
from .waiting import Waiting

LABELS = {
    ("absent", "negative"): "Set unlisted pairs to no tie",
    ("absent", 5): "Sample 5 unlisted pairs per tie as no tie",
    ("kinds", "ordinal"): "Read as ordinal",
    ("transform", "log1p"): "Use log(1 + y) as real",
}
"""The label of the button for each change."""

READING = "Reading the data again … {:.0f} s. Any other choice on the page stops it."


def render(settings: Settings) -> None:
    """Draw one message per obstacle, and a button that changes how the data is read and keeps everything else."""
    for number, group in enumerate(by_code(user_datasets.obstacles(settings.data))):
        names = summarize_names([obstacle.relation for obstacle in group])
        worst = max(group, key=lambda obstacle: float(obstacle.values.get("ratio", 0)))
        st.warning(f"**{escape_markdown(names)}**: {escape_markdown(worst.message())}", icon=":material/info:")
        changes = _changes(group)
        if not changes or settings.shared or not user_datasets.is_own(settings.data):
            continue
        ((option, value),) = group[0].change.items()
        if st.button(LABELS[option, value], key=f"obstacle-{number}", icon=":material/build:"):
            waiting = Waiting(READING)
            try:
                data_changes.apply(settings.data, changes, waiting)
            except DataError as error:
                waiting.clear()
                st.error(escape_markdown(str(error)), icon=":material/error:")
            else:
                st.rerun()


def _changes(group: tuple[Obstacle, ...]) -> dict[str, dict[str, Any]]:
    """Options of `mrwtd.read` for all relations of a group.

    >>> _changes((Obstacle("heavy_tail", "trade", change={"transform": "log1p"}), Obstacle("one_value", "war")))
    {'transform': {'trade': 'log1p'}}
    """
    changes: dict[str, dict[str, Any]] = {}
    for obstacle in group:
        for option, value in obstacle.change.items():
            changes.setdefault(option, {})[obstacle.relation] = value
    return changes
