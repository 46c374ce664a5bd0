"""Files that were dropped, read once: the caches know a file by the id of its upload, and never hash its content."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

import mrwtd

from ....data.build import build, count_contradictions
from ....data.readers import add_attributes, detect_format, read_table
from ....data.readers.parsing.attributes import is_attribute_table
from ....data.readers.source import Source
from ....data.table import Table
from ....errors import Problem
from ...state import user_datasets
from ...state.caches import cached_data, cached_resource
from ...widgets.formatting import escape_markdown
from . import schema_editor


def apart(files: Sequence[Any]) -> tuple[list[Any], Any]:
    """Of several files those with ties, and the one that describes objects, where one was dropped along with them."""
    describing = [file for file in files if is_attribute_table(Source(file.name, file.getvalue()))]
    if len(describing) != 1:
        return list(files), None
    if len(files) == 1:
        st.info(
            f"{escape_markdown(describing[0].name)} looks like a list of objects with their attributes. If it is "
            "one, drop it "
            "into the field for attributes, and the file with the relations here.",
            icon=":material/lightbulb:",
        )
        return list(files), None
    return [file for file in files if file is not describing[0]], describing[0]


def joined(files: Sequence[Any]) -> Any:
    """One file as it is; several as a zip of them, which is how formats of a file a relation come."""
    if len(files) == 1:
        files[0].seek(0)
        return files[0]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in files:
            archive.writestr(file.name, file.getvalue())
    buffer.seek(0)
    buffer.name = user_datasets.ZIP
    return buffer


@cached_data(max_entries=20, show_spinner="Reading …")
def detected(files: Sequence[Any]) -> str | None:
    """The format of the files, as far as it can be told."""
    return detect_format(joined(files))


@cached_resource(max_entries=4, show_spinner="Reading …")
def table(files: Sequence[Any], wanted: str | None) -> Table:
    """The rows of the files, read in a format or in the one detected."""
    return read_table(joined(files), wanted)


@cached_data(max_entries=20, show_spinner="Checking …")
def contradictions(files: Sequence[Any], wanted: str | None, directed: Any) -> int:
    """How many rows list a pair again with another value."""
    return count_contradictions(table(files, wanted), directed)


@cached_resource(max_entries=4, show_spinner="Checking …")
def build_data(
    files: Sequence[Any], wanted: str | None, attributes: Any, how: Mapping[str, Any]
) -> tuple[mrwtd.RelationalData, list[str], tuple[str, ...]]:
    """What becomes of the files, or a `DataError`; relations of which only ties are known; notes on the attributes."""
    read = table(files, wanted)
    notes = len(read.notes)
    if attributes is not None:
        attributes.seek(0)
        read = add_attributes(read, attributes)
    data = build(read, **{name: value for name, value in how.items() if name != "format"})
    if not len(data):
        raise mrwtd.DataError(Problem("no value at all", "at least one pair with a known value"), file=read.file)
    return data, schema_editor.ties_only(data.describe()), read.notes[notes:]
