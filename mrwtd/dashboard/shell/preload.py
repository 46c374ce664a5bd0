"""What takes seconds to load is loaded while the first user reads: compiled kernels and scikit-learn."""

from __future__ import annotations

import streamlit as st

import mrwtd

from ..jobs import Job
from ..state import current_user


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Once for a server, beside the pages."""
    current_user.queue().run_once("warm-up", _load)


def _load(_: Job) -> None:
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    mrwtd.evaluate(mrwtd.MrWTD(rank=2, lam=1.0, max_iter=2).fit(train), test)
