"""`METHODS`: every method by name, with its variants and its look in figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..registry import Registry

if TYPE_CHECKING:
    from .method import Method


@dataclass(frozen=True)
class Style:
    """The colour, the dash and the marker of a method in every figure."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


@dataclass(frozen=True)
class Variant:
    """A method with some parameters preset. Everything else is as in its class.

    >>> import mrwtd
    >>> mrwtd.METHODS["MrWTD-H"](rank=3).loss
    {'binary': 'smooth-hinge'}
    """

    name: str
    base: type[Method]
    preset: Mapping[str, Any] = field(hash=False)
    order: int
    style: Style

    def __call__(self, **params: Any) -> Method:
        """An unfitted method with these parameters and the preset ones."""
        return self.base(**{**self.preset, **params})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)


METHODS = Registry[Any]("method", "mrwtd.baselines", "mrwtd.bayesian")
"""Every method by name: a class, or a `Variant` of one."""
