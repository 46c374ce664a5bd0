"""The data sets a visitor can look at: the samples, and what he has uploaded. Read once, shared by all pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

import mrwtd
from mrwtd.data.samples import about
from mrwtd.plots import ordering

from . import keys
from .settings import UPLOAD, Choices


@dataclass(frozen=True)
class Uploaded:
    """A visitor's own data, under the name of its file."""

    name: str
    data: mrwtd.RelationalData
    digest: str


def names() -> tuple[str, ...]:
    """What can be chosen now: the samples that come with the package, and the visitor's own data if there is any."""
    samples = tuple(name for name in mrwtd.list_datasets() if not about(name).needs_folder)
    return (*samples, UPLOAD) if keys.UPLOADED in st.session_state else samples


def title(name: str) -> str:
    """What people call a data set."""
    return f"Your file: {st.session_state[keys.UPLOADED].name}" if name == UPLOAD else about(name).title


def load(name: str) -> mrwtd.RelationalData:
    """A data set by name. It is shared by all visitors who look at it, which is safe: data never changes."""
    if name == UPLOAD:
        own: Uploaded = st.session_state[keys.UPLOADED]
        return own.data
    return _sample(name)


def describe(name: str) -> pd.DataFrame:
    """A row a relation: the table of `RelationalData.describe`."""
    return _describe(_key(name), load(name))


def choices(name: str) -> Choices:
    """What may be chosen within a data set. It begins with the relation of most ties, where there is room for none."""
    ties = describe(name)["density"]
    patterned = ties.where(ties < 0.5)
    begin = 0 if patterned.isna().all() else int(np.nanargmax(patterned))
    return Choices(list(ties.index), ordering.attribute_orders(load(name)), begin)


def upload(file: IO[Any], absent: str) -> None:
    """Take the visitor's file as his data set, or raise `DataError` and leave everything as it was."""
    data = mrwtd.read(file, absent=absent)
    st.session_state[keys.UPLOADED] = Uploaded(str(file.name), data, data.digest())


def order(name: str, how: str) -> npt.NDArray[np.intp]:
    """The objects of a data set in an order of `settings.ORDERS`, or by an attribute."""
    return _order(_key(name), how, load(name))


def _key(name: str) -> str:
    """What tells a data set from all others, whoever looks at it."""
    return str(st.session_state[keys.UPLOADED].digest) if name == UPLOAD else name


@st.cache_data(show_spinner=False, max_entries=100)
def _describe(key: str, _data: mrwtd.RelationalData) -> pd.DataFrame:  # noqa: ARG001
    return _data.describe()


@st.cache_data(show_spinner="Sorting the objects …", max_entries=100)
def _order(key: str, how: str, _data: mrwtd.RelationalData) -> npt.NDArray[np.intp]:  # noqa: ARG001
    if how == "listed":
        return np.arange(_data.n_objects)
    return ordering.alike(_data) if how == "alike" else ordering.by_attribute(_data, how)


@st.cache_resource(show_spinner="Loading the data …", max_entries=20)
def _sample(name: str) -> mrwtd.RelationalData:
    return mrwtd.load_dataset(name)
