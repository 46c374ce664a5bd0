"""Uploaded files, read once. The caches identify a file by the id of its upload, and never hash its content."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
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
from .data_texts import LOOKS_LIKE_ATTRIBUTES


def split_attributes(files: Sequence[Any]) -> tuple[list[Any], Any]:
    """The files with relations, and the file with attributes if exactly one of several has them."""
    describing = [file for file in files if is_attribute_table(Source(file.name, file.getvalue()))]
    if len(describing) == 1 < len(files):
        return [file for file in files if file is not describing[0]], describing[0]
    if describing and len(files) == 1:
        st.info(LOOKS_LIKE_ATTRIBUTES.format(escape_markdown(describing[0].name)), icon=":material/lightbulb:")
    return list(files), None


def joined(files: Sequence[Any]) -> Any:
    """One file as it is; several as a zip, as in formats with one file per relation."""
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
    """The format of the files, or None if it is unknown."""
    return detect_format(joined(files))


@cached_resource(max_entries=4, show_spinner="Reading …")
def table(files: Sequence[Any], file_format: str | None) -> Table:
    """The rows of the files, read in the given format or in the detected one."""
    return read_table(joined(files), file_format)


@cached_data(max_entries=20, show_spinner="Checking …")
def contradictions(files: Sequence[Any], file_format: str | None, directed: Any) -> int:
    """The number of rows that list a pair again with another value."""
    return count_contradictions(table(files, file_format), directed)


@cached_resource(max_entries=4, show_spinner="Checking …")
def build_data(
    files: Sequence[Any], file_format: str | None, attributes: Any, options: Mapping[str, Any]
) -> tuple[mrwtd.RelationalData, list[str], tuple[str, ...]]:
    """The data, the relations with ties only, and notes on the attributes. Raises `DataError` for invalid files."""
    rows = table(files, file_format)
    n_notes = len(rows.notes)
    if attributes is not None:
        attributes.seek(0)
        rows = add_attributes(rows, attributes)
    data = build(rows, **{name: value for name, value in options.items() if name != "format"})
    if not len(data):
        raise mrwtd.DataError(Problem("no value at all", "at least one pair with a known value"), file=rows.file)
    return data, ties_only(data.describe()), rows.notes[n_notes:]


def ties_only(facts: pd.DataFrame) -> list[str]:
    """The relations that list nothing but ties, from the table of `RelationalData.describe`.

    >>> facts = {"kind": ["binary", "count", "real"], "balance": [1.0, 1.0, 1.0], "missing": [0.5, 0.0, 0.5]}
    >>> ties_only(pd.DataFrame(facts, index=["likes", "calls", "distance"]))
    ['likes']
    """
    only_ties = facts["kind"].isin(["binary", "count"]) & (facts["balance"] == 1) & (facts["missing"] > 0)
    return [str(name) for name in facts.index[only_ties]]
