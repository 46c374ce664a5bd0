"""A file format: a name, a description, a test whether a file has the format, and a function from file to `Table`."""

from collections.abc import Callable
from dataclasses import dataclass

from ...registry import Registry
from ..table import Table
from .source import Source

ReadFunction = Callable[[Source], Table]


@dataclass(frozen=True)
class Reader:
    """One format.

    Attributes:
        name: the value of `format=`.
        description: the content of such a file, in one line.
        extensions: file extensions without the dot, for upload menus.
        matches: whether a file has this format, from its name and content.
        read: the file as a `Table`. Raises no other error than `DataError`.
        order: formats with a lower number are tried first.
    """

    name: str
    description: str
    extensions: tuple[str, ...]
    matches: Callable[[Source], bool]
    read: ReadFunction
    order: int = 50


FORMATS = Registry[Reader]("format", "mrwtd.data.readers.formats")
"""All formats by name. Formats that recognize a file for certain come before those that try to read any file."""


def register_format(
    name: str, description: str, extensions: tuple[str, ...], matches: Callable[[Source], bool], order: int = 50
) -> Callable[[ReadFunction], ReadFunction]:
    """Decorator that registers the read function of a format; the parameters are attributes of `Reader`."""

    def register(read: ReadFunction) -> ReadFunction:
        FORMATS.add(Reader(name, description, extensions, matches, read, order))
        return read

    return register
