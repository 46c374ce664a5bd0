"""Room beside a figure, given rather than found.

Plotly can find out how much room the letters along an axis need, but draws the figure twice or three times for it. A
page is there in half the time when it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

STILL = {"automargin": False}
"""For an axis whose figure has the margins that it needs."""

TICKS, TITLE = 20, 22
"""Pixels below an axis for numbers, and for a title."""

NUMBERS = 36
"""Pixels beside an axis for numbers."""


def around(*, left: float = 8, right: float = 8, top: float = 8, bottom: float = 8) -> dict[str, Mapping[str, float]]:
    """The margins of a figure, for its layout; a legend or a colour bar adds what it needs.

    >>> around(left=NUMBERS)["margin"]["l"]
    36
    """
    return {"margin": {"l": left, "r": right, "t": top, "b": bottom}}


def letters(texts: Iterable[str], size: float = 12.0) -> float:
    """Pixels that the longest of some texts takes, rather more than less.

    >>> letters(["a", "abc"]) == letters(["abc"]) < letters(["abc"], size=14)
    True
    """
    return 8 + 0.58 * size * max(map(len, texts), default=0)
