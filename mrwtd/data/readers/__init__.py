"""Files in: `read`, the formats that it knows, and what they share."""

from .format import FORMATS, Reader
from .read import detect, list_formats, read, read_table, with_attributes
from .source import Source

__all__ = ["FORMATS", "Reader", "Source", "detect", "list_formats", "read", "read_table", "with_attributes"]
