"""The run that is looked at: its data, its split, its models and their scores. Opened once, shared by all pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import streamlit as st

import mrwtd
from mrwtd.data.errors import Problem
from mrwtd.model.method import Method
from mrwtd.runs import Run, Workspace

from . import datasets, live, session, visitor
from .settings import Settings, suggested
from .words import joined

EXAMPLE = Path(__file__).parent / "example.zip"
"""A stored run, for the first visit."""


@dataclass(frozen=True)
class Result:
    """A run with all that pages show of it.

    Attributes:
        run: what was asked, and how it ended.
        data, train, test: the data set and the two parts of its split.
        models: the fitted methods by label, in the order of the run.
        scores: a row a score: method, the columns of `mrwtd.evaluate`, lam, seconds and messages.
        key: tells it from all other results, for caches.
    """

    run: Run
    data: mrwtd.RelationalData
    train: mrwtd.RelationalData
    test: mrwtd.RelationalData
    models: Mapping[str, Method]
    scores: pd.DataFrame
    key: str

    @property
    def main(self) -> str:
        """The method that is looked at: the one chosen, else the first."""
        chosen = session.settings().method
        return chosen if chosen in self.models else next(iter(self.models))


def history() -> list[Run]:
    """The visitor's runs, the newest first, and after them the stored example."""
    return [*visitor.workspace().runs(), *([found] if (found := example()) else [])]


def find(id: str) -> Run | None:  # noqa: A002 - the word that addresses use
    """A run of the visitor's, or the stored example, by its id."""
    found = example()
    return found if found is not None and found.id == id else visitor.workspace().run(id)


def is_example(run: Run) -> bool:
    """Whether it is the stored run that comes with the package."""
    found = example()
    return found is not None and found.id == run.id


def chosen() -> Run | None:
    """The run that the settings ask for: by its id, else the newest of the data set as it is now."""
    settings = session.settings()
    if settings.run and (named := find(settings.run)) is not None:
        return named
    own = (run for run in history() if run.settings.get("data") == settings.data)
    return next((run for run in own if run.digest == datasets.digest(settings.data)), None)


def current_or_none() -> Result | None:
    """The run that is looked at, or None where there is none of this data set."""
    run = chosen()
    return None if run is None else open_run(run)


def current() -> Result:
    """The run that is looked at. Without one, the page says how to get one, or how far it is, and ends there.

    While a training of the data set goes on, that is what is looked at, until the visitor chooses a run.
    """
    found = None if live.looked_at() is not None else current_or_none()
    if found is None:
        _nothing_yet()
        st.stop()
    _tell_collapse(found)
    return found


def _tell_collapse(found: Result) -> None:
    """Say which fits have come to nothing: a network or a map of them looks like one that was drawn wrongly."""
    gone = [
        label + (f" ({where.removesuffix(': ')})" if where else "")
        for label, model in found.models.items()
        for where, collapse, _ in (one.rpartition("The fit collapsed") for one in model.messages_)
        if collapse
    ]
    if gone:
        st.warning(
            f"**{joined(gone)}** collapsed to zero in this run, and cannot tell pairs apart. "
            "The Train page says what helps.",
            icon=":material/info:",
        )


def _nothing_yet() -> None:
    if live.looked_at() is not None:
        live.panel()
    else:
        name = datasets.title(session.settings().data)
        st.info(f"Nothing has been trained on this data set yet: {name}.", icon=":material/bolt:")
        if st.button("Train with the usual settings", type="primary"):
            settings = session.settings()
            if (settings.rank, settings.train) == (Settings.rank, Settings.train):  # the visitor has not chosen others
                data = datasets.load(settings.data)
                session.change(**suggested(data.n_objects, len(data)))
            live.start(session.settings())
            st.rerun()


def leave_what_is_gone() -> None:
    """Say so where the settings ask for a run that is not here: a friend's, one that was deleted, or of other data."""
    asked = session.settings().run
    if visitor.queue().brought_nothing(asked):
        return  # its end was told, and Back should not come across another address of the same page
    if any(job.id == asked for job in visitor.queue().of(visitor.identity())):
        return  # it is being made
    found = find(asked) if asked else None
    if asked and (found is None or found.settings.get("data") != session.settings().data):
        session.change(run="")
        why = (
            "is not here: it was deleted, was cut off by a restart of the server, or stays with the visitor who made "
            "it. Train makes one with the settings of the link."
            if found is None
            else "is a run of another data set."
        )
        session.note(f"The link asks for run = {asked[:60]!r}, which {why}")


def check(run: Run) -> None:
    """Refuse a run of another's making whose settings say neither data nor split, or whose data is not here."""
    try:
        _, train, seed = run.settings["data"], float(run.settings["train"]), int(run.settings["seed"])
    except (KeyError, ValueError):
        train, seed = 0.0, 0
    scored = {"method", "relation", "kind", "metric", "value", "seconds"} <= set(run.scores)
    if not (0 < train < 1 and seed >= 0 and run.methods and scored):
        raise mrwtd.DataError(Problem("a run that does not say what it was made of", "a run that was exported here"))
    name = run.settings["data"]
    if name not in datasets.names() or datasets.digest(name) != run.digest:
        expected = "a run of a sample as it is here, or one that was exported together with its data"
        raise mrwtd.DataError(Problem(f"a run of data that is not here ({run.title})", expected))


def open_run(run: Run) -> Result:
    """A run with its data and its models."""
    kept = _open(str(run.folder), run.created, run, datasets.load(run.settings["data"]))
    return replace(kept, run=run)  # it may have another name by now


@st.cache_resource(show_spinner="Opening the run …", max_entries=8)
def _open(folder: str, created: str, _run: Run, _data: mrwtd.RelationalData) -> Result:
    if _data.digest() != _run.digest:
        raise mrwtd.DataError(Problem("a run of data that has changed since", "another run, or a new training"))
    train, test = _data.split(train=float(_run.settings["train"]), seed=int(_run.settings["seed"]))
    return Result(_run, _data, train, test, _run.models(), _run.scores, f"{folder} {created}")


@st.cache_resource(show_spinner=False)
def example() -> Run | None:
    """The stored run that the first visit shows."""
    space = Workspace(visitor.home() / "example")
    if not EXAMPLE.is_file():
        return None
    for run in space.runs():
        space.delete(run.id)  # of an older version
    with EXAMPLE.open("rb") as stream:
        return space.take_in(stream)
