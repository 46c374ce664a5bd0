"""Files in: `read`, the formats that it knows, and what they share."""

from .format import FORMATS, Reader
from .read import add_attributes, detect_format, list_formats, read, read_table
from .source import Source

__all__ = ["FORMATS", "Reader", "Source", "add_attributes", "detect_format", "list_formats", "read", "read_table"]
