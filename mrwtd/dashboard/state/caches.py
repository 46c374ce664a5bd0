"""Caches that all users share, in which large objects are told apart by a short key and never hashed themselves.

A key has to differ whenever the content differs, between users too: it holds a folder of a workspace, the id of an
upload, or a digest of the content.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

P = ParamSpec("P")
T = TypeVar("T")

HASH_FUNCS: dict[str | type[Any], Callable[[Any], Any]] = {UploadedFile: attrgetter("file_id")}
"""How the caches hash objects of a class."""


def hashed_by_key(cls: type[T]) -> type[T]:
    """A class whose objects the caches hash by their attribute `key`."""
    HASH_FUNCS[cls] = attrgetter("key")
    return cls


@hashed_by_key
@dataclass(frozen=True)
class Keyed(Generic[T]):
    """A value with the key that the caches hash in its place.

    >>> @cached_data(max_entries=2)
    ... def size(values: Keyed[list[int]]) -> int:
    ...     return len(values.value)
    >>> size(Keyed("mine", [1, 2, 3])), size(Keyed("mine", [])), size(Keyed("yours", []))
    (3, 3, 0)
    """

    key: Any
    value: T


def cached_data(*, max_entries: int, show_spinner: bool | str = False) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`st.cache_data`, which gives each caller a copy, with `HASH_FUNCS`."""
    return st.cache_data(max_entries=max_entries, show_spinner=show_spinner, hash_funcs=HASH_FUNCS)


def cached_resource(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`st.cache_resource`, which gives all callers the same object, with `HASH_FUNCS`."""
    return st.cache_resource(max_entries=max_entries, show_spinner=show_spinner, hash_funcs=HASH_FUNCS)
