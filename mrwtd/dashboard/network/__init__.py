"""The Network page: its controls, its picture, and what is looked at."""

from .page import sections

__all__ = ["sections"]
