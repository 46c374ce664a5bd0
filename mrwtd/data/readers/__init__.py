"""File reading: `read`, the formats, and the parsing functions they share."""

from .companions import add_attributes
from .read import detect_format, list_formats, read, read_first_rows, read_table
from .source import FORMATS, Reader, Source

__all__ = [
    "FORMATS",
    "Reader",
    "Source",
    "add_attributes",
    "detect_format",
    "list_formats",
    "read",
    "read_first_rows",
    "read_table",
]
