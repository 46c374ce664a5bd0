"""Caches shared by all users. Large objects are identified by a short key and are not hashed themselves.

A key must differ whenever the content differs, also between users: it contains a workspace folder, the id of an
upload, or a digest of the content.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, ParamSpec, TypeVar

import streamlit as st

P = ParamSpec("P")
T = TypeVar("T")

HASH_FUNCS: dict[str | type[Any], Callable[[Any], Any]] = {}
"""Functions that hash objects for the caches, by class."""


def hashed_by_key(cls: type[T]) -> type[T]:
    """Class decorator: the caches hash instances by their attribute `key`."""
    HASH_FUNCS[cls] = attrgetter("key")
    return cls


@hashed_by_key
@dataclass(frozen=True)
class Keyed(Generic[T]):
    """A value with the key that the caches hash instead of it.

    >>> @cached_data(max_entries=2)
    ... def size(values: Keyed[list[int]]) -> int:
    ...     return len(values.value)
    >>> size(Keyed("mine", [1, 2, 3])), size(Keyed("mine", [])), size(Keyed("yours", []))
    (3, 3, 0)
    """

    key: Any
    value: T


def cached_data(*, max_entries: int, show_spinner: bool | str = False) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`st.cache_data` with `HASH_FUNCS`. Each caller gets a copy."""
    return st.cache_data(max_entries=max_entries, show_spinner=show_spinner, hash_funcs=HASH_FUNCS)


def cached_resource(
    *, max_entries: int, show_spinner: bool | str = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """`st.cache_resource` with `HASH_FUNCS`. All callers get the same object."""
    return st.cache_resource(max_entries=max_entries, show_spinner=show_spinner, hash_funcs=HASH_FUNCS)
