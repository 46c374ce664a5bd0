"""What a format is: a name, a line for people, a test, and a function from file to `Table`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...registry import Registry
from ..table import Table
from .source import Source


@dataclass(frozen=True)
class Reader:
    """One format.

    Attributes:
        name: what `format=` takes.
        about: what such a file holds, in a line.
        extensions: how the names of such files end, without the dot; for upload menus.
        matches: whether a file is of this format, from its name and content.
        read: the file as a `Table`. Fails with `DataError` and nothing else.
        order: readers with a lower number are asked first.
    """

    name: str
    about: str
    extensions: tuple[str, ...]
    matches: Callable[[Source], bool]
    read: Callable[[Source], Table]
    order: int = 50


FORMATS = Registry[Reader]("format", "mrwtd.data.readers.formats")
"""Every format by name: those that know a file for certain come before those that would try it."""
