"""Changes of how a data set is read: its files are read again with other options, which makes a new data set.

The new one takes the place of the old one. If runs were made from the old one, both stay.
"""

import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import mrwtd

from ...data.transform import TRANSFORMS
from ...hosting.config import config
from ...hosting.uploads import UploadReader
from ...runs.uploaded_files import Upload, UploadedFile
from ..jobs import job_status
from ..widgets.formatting import pluralize
from . import current_user, session, user_datasets

NOT_FOR_BUILD = ("format", "attributes")
"""Options of `mrwtd.read` that are about files, not about their rows."""


@dataclass(frozen=True)
class Reading:
    """The files of a data set, and how they were read.

    Attributes:
        upload: the files.
        info: the description to store: the names of the files, their options, and what they were made from.
    """

    upload: Upload
    info: Mapping[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        """The options of `mrwtd.read`."""
        return dict(self.info.get("how", {}))


def reading_of(name: str) -> Reading:
    """The files of a data set: those that were uploaded, or one file with the data as it is.

    The latter is for samples, and for data whose files are not stored, as in an imported run.
    """
    info = user_datasets.upload_info(name) if user_datasets.is_uploaded(name) else {"file": name, "dataset": name}
    upload = user_datasets.stored_files(name)
    if upload is not None:
        return Reading(upload, {key: info[key] for key in ("file", "files", "how", "made_from") if key in info})
    file = io.BytesIO()
    mrwtd.write(user_datasets.load(name), file, format="parquet")
    file_name = f"{PurePath(str(info.get('dataset') or info['file'])).stem}.parquet"
    base = {key: info[key] for key in ("file", "files", "how", "dataset", "made_from") if key in info}
    return Reading(
        Upload((UploadedFile(file_name, file.getvalue()),)), {"file": file_name, "how": {}, "made_from": base}
    )


def apply(name: str, changes: Mapping[str, Mapping[str, Any]], check: Callable[[int], None]) -> None:
    """Read a data set again with other options for some relations, and use it. Everything else stays as it is.

    An exception of `check`, which is called often meanwhile, stops it.
    """
    reading = reading_of(name)
    options = merge_options(reading.options, changes, user_datasets.load(name))
    reader = UploadReader(
        reading.upload.files, config().uploads, reading.upload.attributes, check, current_user.user_id()
    )
    try:
        data = reader.build(options.get("format"), build_options(options)).data
    finally:
        reader.close()
    use(name, data, replace(reading, info={**reading.info, "how": options}))


def use(name: str, data: mrwtd.RelationalData, reading: Reading) -> None:
    """Store a data set that was made from another one, and use it in its place."""
    runs, busy = user_datasets.runs_of(name), job_status.active_job(subject=name) is not None
    new = user_datasets.save_change(name, data, reading.info, reading.upload, remove_old=not runs and not busy)
    label = user_datasets.display_name(new)
    session.use_changed_data(new)
    if runs and new != name:
        made = f"{pluralize(len(runs), 'run')} made before {'stays' if len(runs) == 1 else 'stay'}"
        session.add_message(f"Changed data is in use: {label}. {made} with {user_datasets.display_name(name)}.")
    else:
        session.add_message(f"Changed data is in use: {label}.", success=True)


def build_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `mrwtd.read` that are also options of `build`.

    >>> build_options({"format": "long", "kinds": {"calls": "count"}})
    {'kinds': {'calls': 'count'}}
    """
    return {name: value for name, value in options.items() if name not in NOT_FOR_BUILD}


def merge_options(
    options: Mapping[str, Any], changes: Mapping[str, Mapping[str, Any]], data: mrwtd.RelationalData
) -> dict[str, Any]:
    """Options of `mrwtd.read` with changes for some relations of the data that they gave.

    >>> data = mrwtd.load_dataset("florentine")
    >>> merge_options({"absent": "negative"}, {"absent": {"marriage": 5}}, data)
    {'absent': {'business': 'negative', 'marriage': 5}}
    """
    names, merged = names_before_transform(options, data), dict(options)
    for option, values in changes.items():
        merged[option] = {**by_relation(merged.get(option, {}), names), **values}
    for name in changes.get("transform", ()):  # a transformed relation is real
        merged["kinds"] = {other: kind for other, kind in merged.get("kinds", {}).items() if other != name}
    return {option: value for option, value in merged.items() if value != {}}


def names_before_transform(options: Mapping[str, Any], data: mrwtd.RelationalData) -> list[str]:
    """The names of the relations as the options of `mrwtd.read` have them.

    >>> names_before_transform({"transform": {"trade": "log1p"}}, mrwtd.load_dataset("florentine"))
    ['business', 'marriage']
    """
    transformed = {TRANSFORMS[how].rename(name): name for name, how in options.get("transform", {}).items()}
    return [transformed.get(relation.name, relation.name) for relation in data.relations]


def by_relation(option: Any, names: Iterable[str]) -> dict[str, Any]:
    """An option of `mrwtd.read` with a value per relation, also if it is one value for all.

    >>> by_relation("negative", ["likes", "helps"]), by_relation({"likes": 5}, ["likes", "helps"])
    ({'likes': 'negative', 'helps': 'negative'}, {'likes': 5})
    """
    return dict(option) if isinstance(option, Mapping) else dict.fromkeys(names, option)
