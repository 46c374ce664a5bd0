"""What takes seconds to load is loaded while the first visitor reads: compiled kernels and scikit-learn."""

from __future__ import annotations

import logging
import threading

import streamlit as st

import mrwtd

log = logging.getLogger(__name__)


@st.cache_resource(show_spinner=False)
def warm_up() -> None:
    """Once for a server, beside the pages."""
    threading.Thread(target=_load, name="mrwtd-warm-up", daemon=True).start()


def _load() -> None:
    try:
        train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
        mrwtd.evaluate(mrwtd.MrWTD(rank=2, lam=1.0, max_iter=2).fit(train), test)
    except Exception:  # the same will be told in plain words to whom it concerns
        log.exception("warming up failed")
