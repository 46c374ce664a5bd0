"""The Predict page: two objects, the best unknown pairs, and somebody new."""

from .page import sections

__all__ = ["sections"]
