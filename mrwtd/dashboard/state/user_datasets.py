"""The data sets of a user: the samples, the uploads, and that of a shared run while it is shown.

Each is loaded once and shared by all pages.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import mrwtd

from ...data.datasets.samples import dataset_info
from ...data.description import summarize_values
from ...data.learnability import Obstacle, find_obstacles
from ...data.published import has_published_test
from ...data.readers.source import ARCHIVE
from ...errors import Problem
from ...plots import ordering
from ...runs import Damaged, Run, Workspace
from ...runs.uploaded_files import Upload
from ...typing import IndexArray
from ..jobs.training import dataset_name
from ..widgets.formatting import dataset_size, summarize_names, unique_labels
from . import current_user, shared_run
from .settings import UPLOAD_PREFIX, Choices

LOADING = "Loading the data …"
MAX_LABEL = 60
"""Names of several files that are longer together are replaced by the first name and the number of the others."""


def names() -> tuple[str, ...]:
    """The data sets that can be shown: the user's own, and that of the shared run."""
    shared = shared_run.current()
    return tuple(dict.fromkeys((*own_names(), *([shared.data] if shared else []))))


def own_names() -> tuple[str, ...]:
    """The data sets of the user: the samples, and the uploads, newest first."""
    return (*samples(), *(name for name in reversed(_labels()) if name not in current_user.unreadable()))


def samples() -> tuple[str, ...]:
    """The samples that come with the package."""
    return tuple(name for name in mrwtd.list_datasets() if not dataset_info(name).needs_folder)


def is_uploaded(name: str) -> bool:
    """Whether a data set is an upload."""
    return name.startswith(UPLOAD_PREFIX)


def upload_info(name: str) -> Mapping[str, Any]:
    """What is stored with an upload: its files, and the options they were read with."""
    return _workspace_with(name).datasets()[name.removeprefix(UPLOAD_PREFIX)]


def title(name: str) -> str:
    """The title of a data set."""
    if not is_uploaded(name):
        return dataset_info(name).title
    info, label = upload_info(name), display_name(name)
    whose = "Your" if is_own(name) else "Shared"
    return label if _sample_of(info) else f"{whose} file{'s' if info.get('files') else ''}: {label}"


def display_name(name: str) -> str:
    """The name of an upload: the data set it is known to be, or the names of its files.

    The first upload with a name has it unchanged. Later ones get a number, and keep it when another is deleted.
    """
    return _labels().get(name) or _stored_label(upload_info(name))


def is_own(name: str) -> bool:
    """Whether a data set is a sample or an upload of the user. One of a shared run is not."""
    return not is_uploaded(name) or current_user.workspace().has_data(name.removeprefix(UPLOAD_PREFIX))


def may_copy(name: str) -> bool:
    """Whether the user may train on a data set and download it. That of a shared run can be looked at only.

    Its owner may have shared it too.
    """
    shared = shared_run.current()
    return is_own(name) or (shared is not None and shared.data == name and shared.with_data)


def may_share(name: str) -> bool:
    """Whether the user may give a data set to others: an upload, but not one whose files each user has to apply for."""
    info = current_user.workspace().datasets().get(name.removeprefix(UPLOAD_PREFIX), {"dataset": name})
    sample = _sample_of(info)
    return not info.get("dataset") and not (sample and dataset_info(sample).needs_folder)


def stored_files(name: str) -> Upload | None:
    """The files that a data set of the user was read from, if they are stored."""
    return current_user.workspace().upload(name.removeprefix(UPLOAD_PREFIX)) if is_uploaded(name) else None


def successor(name: str) -> str:
    """The data set that took the place of one that was changed; the name itself for any other."""
    if name in names() or not is_uploaded(name):
        return name
    digest = name.removeprefix(UPLOAD_PREFIX)
    changed = (new for new, info in current_user.workspace().datasets().items() if digest in info.get("replaced", ()))
    return next((UPLOAD_PREFIX + new for new in changed), name)


def _labels() -> dict[str, str]:
    """Display names of the uploads, in the order of their first upload."""
    # The workspace lists the last stored first, which decides between equal times.
    uploads = list(current_user.workspace().datasets().items())[::-1]
    uploads.sort(key=lambda upload: str(upload[1].get("kept", "")))
    labels = unique_labels(_stored_label(info) for _, info in uploads)
    return dict(zip((UPLOAD_PREFIX + digest for digest, _ in uploads), labels, strict=True))


def _stored_label(info: Mapping[str, Any]) -> str:
    return str(info.get("called") or _label(info))


def _label(info: Mapping[str, Any]) -> str:
    if sample := _sample_of(info):
        return dataset_info(sample).title + ", changed" * ("made_from" in info)
    files = info.get("files") or [info["file"]]
    label = summarize_names(files)
    return label if len(label) <= MAX_LABEL or len(files) == 1 else f"{files[0]} and {len(files) - 1} more"


def _sample_of(info: Mapping[str, Any]) -> str:
    """The data set by the name of `load_dataset` that an upload is, or was made from; empty for other files."""
    while "made_from" in info:
        info = info["made_from"]
    return str(info["dataset"]) if info.get("dataset") in mrwtd.list_datasets() else ""


def load(name: str) -> mrwtd.RelationalData:
    """Load a data set by name. All users who may see it share the object, which is safe because data is immutable."""
    return _uploaded(name, _workspace_with(name)) if is_uploaded(name) else _sample(name)


def _workspace_with(name: str) -> Workspace:
    """The workspace with an upload that the user may see: that of the shared run, or the user's own."""
    shared = shared_run.current()
    space = shared.space if shared is not None and shared.data == name else current_user.workspace()
    if not space.has_data(name.removeprefix(UPLOAD_PREFIX)):
        raise mrwtd.DataError(Problem("an upload that was deleted", "another data set"))
    return space


def can_open(name: str) -> bool:
    """Whether a data set can be opened. An upload that cannot is listed as damaged from now on."""
    if not is_uploaded(name) or name not in names():
        return not is_uploaded(name)
    try:
        load(name)
    except mrwtd.DataError as error:
        mark_damaged(name, str(error))
        return False
    return True


def mark_damaged(name: str, reason: str) -> None:
    """Leave an upload out in this session. It is listed as damaged and can be deleted."""
    current_user.unreadable()[name] = reason


def damaged() -> list[Damaged]:
    """The uploads that cannot be opened."""
    labels, reasons = _labels(), current_user.unreadable()
    unreadable = [
        Damaged(name.removeprefix(UPLOAD_PREFIX), labels[name], reasons[name]) for name in reasons if name in labels
    ]
    return [*current_user.workspace().damaged_data(), *unreadable]


def save(
    data: mrwtd.RelationalData,
    files: Sequence[str],
    dataset: str = "",
    upload: Upload | None = None,
    **how: Any,
) -> str:
    """Store an upload with its files, their names and the reading options. Returns the name to load it by.

    Several files are read as one archive. `dataset` is the name in `load_dataset`, for data sets whose files the user
    provides.
    """
    info: dict[str, Any] = {"file": files[0]} if len(files) == 1 else {"file": ARCHIVE, "files": list(files)}
    info |= {"how": how, "notes": list(data.notes), "size": dataset_size(data.n_objects, data.n_relations)}
    info |= {"dataset": dataset} if dataset else {}
    return _save(data, info, upload)


def save_change(
    name: str, data: mrwtd.RelationalData, info: Mapping[str, Any], upload: Upload, *, remove_old: bool
) -> str:
    """Store data that was made from another data set. Unless the old one is kept, the new one gets its place and name.

    `info` describes the files and how they were read.
    """
    info = {**info, "notes": list(data.notes), "size": dataset_size(data.n_objects, data.n_relations)}
    new, before = UPLOAD_PREFIX + data.digest(), upload_info(name) if is_uploaded(name) else {}
    if not before or not remove_old or new == name:
        return _save(data, info, upload)
    digest = name.removeprefix(UPLOAD_PREFIX)
    info |= {key: before[key] for key in ("kept", "called") if key in before}
    info["replaced"] = [*before.get("replaced", ()), digest]
    current_user.unreadable().pop(new, None)
    current_user.workspace().save_dataset(data, info, upload)
    try:
        load(new)
    except mrwtd.DataError:  # the old one stays if the new one cannot be opened
        current_user.workspace().delete_dataset(new.removeprefix(UPLOAD_PREFIX))
        raise
    current_user.workspace().delete_dataset(digest)
    return new


def copy_shared() -> str:
    """Store the data of the shared run as an upload of the user, if its owner allows that. Returns its name."""
    shared = shared_run.current()
    if shared is None or is_own(shared.data) or not shared.with_data:
        raise mrwtd.DataError(Problem("a data set that is not shared", "a run that is shared with its data"))
    return _save(load(shared.data), {key: value for key, value in upload_info(shared.data).items() if key != "called"})


def _save(data: mrwtd.RelationalData, info: dict[str, Any], upload: Upload | None = None) -> str:
    name, label = UPLOAD_PREFIX + data.digest(), _label(info)
    labels = _labels()
    # The same data under the same name keeps its time and its label.
    before = upload_info(name) if name in labels else {}
    info["kept"] = before.get("kept") or datetime.now(UTC).isoformat(timespec="microseconds")
    if before and _label(before) == label:
        info["called"] = labels[name]
    else:
        info["called"] = unique_labels([*(labels[other] for other in labels if other != name), label])[-1]
    current_user.unreadable().pop(name, None)
    return UPLOAD_PREFIX + current_user.workspace().save_dataset(data, info, upload)


def runs_of(name: str) -> list[Run]:
    """The user's runs on a data set."""
    return [run for run in current_user.workspace().runs() if dataset_name(run.spec) == name]


def delete(name: str) -> None:
    """Delete an upload, and the runs that need it."""
    for run in runs_of(name):
        current_user.workspace().delete(run.id)
    current_user.workspace().delete_dataset(name.removeprefix(UPLOAD_PREFIX))


# The caches below identify a data set by its name. The name of an upload is a digest of its content, so that users
# share results only for identical data.


@st.cache_data(show_spinner=LOADING, max_entries=100)
def describe(name: str) -> pd.DataFrame:
    """One row per relation: the table of `RelationalData.describe`."""
    return load(name).describe()


@st.cache_data(show_spinner=LOADING, max_entries=100)
def value_summaries(name: str) -> list[str]:
    """A summary of the values of each relation."""
    return summarize_values(load(name))


@st.cache_data(show_spinner=LOADING, max_entries=100)
def obstacles(name: str) -> tuple[Obstacle, ...]:
    """What keeps a model from learning relations of a data set."""
    return find_obstacles(load(name))


@st.cache_resource(show_spinner=LOADING, max_entries=100)
def choices(name: str) -> Choices:
    """The choices within a data set. The default is the densest relation with a density below one half."""
    data, density = load(name), describe(name)["density"]
    default = int(np.argmax(density.where(density < 0.5, -1.0)))
    kinds = [relation.kind for relation in data.relations]
    return Choices(list(density.index), ordering.sortable_attributes(data), default, kinds, has_published_test(data))


@st.cache_data(show_spinner=LOADING, max_entries=100)
def digest(name: str) -> str:
    """The digest of the content of a data set, which runs store."""
    return load(name).digest()


@st.cache_data(show_spinner="Sorting the objects …", max_entries=100)
def object_order(name: str, how: str) -> IndexArray:
    """The objects of a data set in an order of `settings.ORDERS`, or by an attribute."""
    data = load(name)
    if how == "listed":
        return np.arange(data.n_objects)
    return ordering.similarity_order(data) if how == "alike" else ordering.attribute_order(data, how)


_sample = st.cache_resource(show_spinner=LOADING, max_entries=20)(mrwtd.load_dataset)


# The workspace is no part of the key, as all members of a class may upload one file. So `load` checks access.
@st.cache_resource(show_spinner="Loading your data …", max_entries=10)
def _uploaded(name: str, _space: Workspace) -> mrwtd.RelationalData:
    data = _space.data(name.removeprefix(UPLOAD_PREFIX))
    if data is None:
        raise mrwtd.DataError(Problem("an upload that was deleted", "another data set"))
    return data
