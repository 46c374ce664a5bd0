"""File reading: `read`, the formats, and the parsing functions they share."""

from .format import FORMATS, Reader
from .read import add_attributes, detect_format, list_formats, read, read_table
from .source import Source

__all__ = ["FORMATS", "Reader", "Source", "add_attributes", "detect_format", "list_formats", "read", "read_table"]
