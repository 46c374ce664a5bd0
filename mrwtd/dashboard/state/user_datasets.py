"""The data sets a visitor can look at: the samples, and what he has uploaded. Read once, shared by all pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import mrwtd

from ...data.datasets.samples import dataset_info
from ...data.description import summarize_values
from ...errors import Problem
from ...plots import ordering
from ...runs import Damaged, Run
from ...typing import IndexArray
from ..jobs.training import dataset_name
from ..widgets.formatting import dataset_size, summarize_names, unique_labels
from . import current_user, keys
from .settings import UPLOAD_PREFIX, Choices

ZIP = "files.zip"
"""What several files are put into, to be read as one."""

LOADING = "Loading the data …"


def names() -> tuple[str, ...]:
    """What can be chosen now: the samples that come with the package, and the visitor's own data, newest first."""
    return (*samples(), *(name for name in reversed(list(_labels())) if name not in _unreadable()))


def samples() -> tuple[str, ...]:
    """The samples that need nothing from the visitor."""
    return tuple(name for name in mrwtd.list_datasets() if not dataset_info(name).needs_folder)


def is_uploaded(name: str) -> bool:
    """Whether the visitor has uploaded it."""
    return name.startswith(UPLOAD_PREFIX)


def upload_info(name: str) -> Mapping[str, Any]:
    """What was told of an uploaded data set when it was kept: file, and how it was read."""
    return current_user.workspace().datasets()[name.removeprefix(UPLOAD_PREFIX)]


def title(name: str) -> str:
    """What people call a data set."""
    if not is_uploaded(name):
        return dataset_info(name).title
    told = upload_info(name)
    return (
        display_name(name)
        if told.get("dataset")
        else f"Your file{'s' if told.get('files') else ''}: {display_name(name)}"
    )


def display_name(name: str) -> str:
    """What an uploaded data set is: one of those whose files the visitor has to bring, or the names of its files.

    The first of a name has it bare, and later ones have it with a number, which they keep when another is removed.
    """
    return _labels()[name]


def _labels() -> dict[str, str]:
    """What each uploaded data set is called, in the order in which they were first kept."""
    # The workspace has those first that were kept last, which settles what the clock does not.
    kept = list(current_user.workspace().datasets().items())[::-1]
    kept.sort(key=lambda one: str(one[1].get("kept", "")))
    labels = unique_labels(told.get("called") or _bare(told) for _, told in kept)
    return dict(zip((UPLOAD_PREFIX + digest for digest, _ in kept), labels, strict=True))


def _bare(told: Mapping[str, Any]) -> str:
    if told.get("dataset") in mrwtd.list_datasets():
        return dataset_info(told["dataset"]).title
    return summarize_names(told.get("files") or [told["file"]])


def notes(name: str) -> list[str]:
    """How a data set was read, in sentences."""
    return list(map(str, upload_info(name).get("notes", ()))) if is_uploaded(name) else []


def load(name: str) -> mrwtd.RelationalData:
    """A data set by name. It is shared by all visitors who look at it, which is safe: data never changes."""
    return _uploaded(name) if is_uploaded(name) else _sample(name)


def can_open(name: str) -> bool:
    """Whether a data set can be opened. One that cannot is left out from now on, and listed as damaged."""
    if not is_uploaded(name) or name not in _labels():
        return not is_uploaded(name)
    try:
        load(name)
    except mrwtd.DataError as error:
        mark_damaged(name, str(error))
        return False
    return True


def mark_damaged(name: str, reason: str) -> None:
    """Go on without an uploaded data set, in this session: it is listed as damaged, to be deleted."""
    _unreadable()[name] = reason


def damaged() -> list[Damaged]:
    """The uploaded data sets that cannot be opened."""
    labels = _labels()
    opened = [
        Damaged(name.removeprefix(UPLOAD_PREFIX), labels[name], why)
        for name, why in _unreadable().items()
        if name in labels
    ]
    return [*current_user.workspace().damaged_data(), *opened]


def _unreadable() -> dict[str, str]:
    """What is wrong with data sets that look whole and could not be opened, by name."""
    found: dict[str, str] = st.session_state.setdefault(keys.DAMAGED, {})
    return found


def save(
    data: mrwtd.RelationalData, files: Sequence[str], dataset: str = "", notes: Sequence[str] = (), **how: Any
) -> str:
    """Keep an uploaded data set, with the names of its files and how it was read; gives the name to load it by.

    Several files are read as a zip of them. `dataset` is its name in `load_dataset`, where it is one of those whose
    files the visitor has to bring; `notes` are told after those of the data.
    """
    told: dict[str, Any] = {"file": files[0]} if len(files) == 1 else {"file": ZIP, "files": list(files)}
    told |= {"how": how, "notes": [*data.notes, *notes], "size": dataset_size(data.n_objects, data.n_relations)}
    told |= {"dataset": dataset} if dataset else {}
    told |= _first_kept(UPLOAD_PREFIX + data.digest(), _bare(told))
    _unreadable().pop(UPLOAD_PREFIX + data.digest(), None)
    return UPLOAD_PREFIX + current_user.workspace().save_dataset(data, told)


def _first_kept(name: str, bare: str) -> dict[str, str]:
    """Since when a data set is here, and what it is called: as before, if the same was here under the same name."""
    labels = _labels()
    before = upload_info(name) if name in labels else {}
    kept = before.get("kept") or datetime.now(UTC).isoformat(timespec="microseconds")
    if before and _bare(before) == bare:
        return {"kept": kept, "called": labels[name]}
    others = [label for other, label in labels.items() if other != name]
    return {"kept": kept, "called": unique_labels([*others, bare])[-1]}


def runs_of(name: str) -> list[Run]:
    """The visitor's runs that were made from a data set."""
    return [run for run in current_user.workspace().runs() if dataset_name(run.spec) == name]


def delete(name: str) -> None:
    """Remove an uploaded data set, and the runs that cannot be opened without it."""
    for run in runs_of(name):
        current_user.workspace().delete(run.id)
    current_user.workspace().delete_dataset(name.removeprefix(UPLOAD_PREFIX))


# The caches below know a data set by its name. That of an upload is a digest of its content: users with the same file
# share what was computed from it, and those with other content never do.


@st.cache_data(show_spinner=LOADING, max_entries=100)
def describe(name: str) -> pd.DataFrame:
    """One row per relation: the table of `RelationalData.describe`."""
    return load(name).describe()


@st.cache_data(show_spinner=LOADING, max_entries=100)
def value_summaries(name: str) -> list[str]:
    """How the values of each relation are spread, in a few words."""
    return summarize_values(load(name))


@st.cache_resource(show_spinner=LOADING, max_entries=100)
def choices(name: str) -> Choices:
    """What may be chosen within a data set. It begins with the relation of most ties, where there is room for none."""
    ties = describe(name)["density"]
    patterned = ties.where(ties < 0.5)
    begin = 0 if patterned.isna().all() else int(np.nanargmax(patterned))
    data = load(name)
    return Choices(list(ties.index), ordering.sortable_attributes(data), begin, [one.kind for one in data.relations])


@st.cache_data(show_spinner=LOADING, max_entries=100)
def digest(name: str) -> str:
    """The digest of a data set's content, by which runs record what they were made of."""
    return load(name).digest()


@st.cache_data(show_spinner="Sorting the objects …", max_entries=100)
def object_order(name: str, how: str) -> IndexArray:
    """The objects of a data set in an order of `settings.ORDERS`, or by an attribute."""
    data = load(name)
    if how == "listed":
        return np.arange(data.n_objects)
    return ordering.similarity_order(data) if how == "alike" else ordering.attribute_order(data, how)


@st.cache_resource(show_spinner=LOADING, max_entries=20)
def _sample(name: str) -> mrwtd.RelationalData:
    return mrwtd.load_dataset(name)


# Nobody can ask for a digest that is not in their workspace, because `names` lists only what is there.
@st.cache_resource(show_spinner="Loading your data …", max_entries=10)
def _uploaded(name: str) -> mrwtd.RelationalData:
    data = current_user.workspace().data(name.removeprefix(UPLOAD_PREFIX))
    if data is None:
        raise mrwtd.DataError(Problem("an upload that is not here any more", "another data set"))
    return data
