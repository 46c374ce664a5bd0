"""Colours of the figures, safe for colour-blind readers, on a light and on a dark background."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..baselines import METHODS
from ..model.method import Style
from ..typing import Array

BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, GREY = "#E69F00", "#56B4E9", "#7F7F7F"
"""The palette of all figures; the theme of the dashboard lists the same colours."""


@dataclass(frozen=True)
class Shades:
    """Colours of cells and rules on one background. Text takes the colour of the page.

    Attributes:
        tie, no_tie, unknown: the three states of a pair in a binary relation.
        no_tie, middle, high: from the least value to the greatest.
        below: the far end of negative values.
        line: thin rules.
    """

    tie: str
    no_tie: str
    unknown: str
    middle: str
    high: str
    below: str
    line: str

    @property
    def sequential(self) -> list[tuple[float, str]]:
        """The colour scale of values of one sign."""
        return [(0, self.no_tie), (0.5, self.middle), (1, self.high)]

    @property
    def diverging(self) -> list[tuple[float, str]]:
        """The colour scale of values on both sides of 0."""
        return [(0, self.below), (0.5, self.no_tie), (1, self.high)]


def value_scale(values: Array, palette: Shades) -> tuple[float, float, list[tuple[float, str]]]:
    """The range of the known values and their colour scale, with 0 in the middle if they are on both sides of it.

    >>> value_scale(np.array([-1.0, 2.0, np.nan]), LIGHT)[:2]
    (-2.0, 2.0)
    """
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if low < 0 < high:
        return -max(-low, high), max(-low, high), palette.diverging
    return low, high, palette.sequential


LIGHT = Shades(
    tie=BLUE,
    no_tie="#EDF2F6",
    unknown="#C9CDD2",
    middle="#6BAED6",
    high="#08306B",
    below="#A63603",
    line="#D5DBE1",
)
DARK = Shades(
    tie=SKY,
    no_tie="#1D2630",
    unknown="#4A5158",
    middle="#2F7FB5",
    high="#D6EEFF",
    below="#F6A96B",
    line="#39424C",
)


def shades(dark: bool) -> Shades:
    """Shades for a dark or a light background.

    >>> shades(dark=True).tie == SKY
    True
    """
    return DARK if dark else LIGHT


def text_colour(dark: bool) -> str:
    """Colour of text, and of marks that belong to no method.

    >>> text_colour(dark=False)
    '#1B2530'
    """
    return "#E6EAEE" if dark else "#1B2530"


def background(dark: bool) -> str:
    """Background colour of the page, for pictures saved as a file and for rims of points.

    >>> background(dark=False)
    '#FFFFFF'
    """
    return "#12171D" if dark else "#FFFFFF"


def cell_text_colour(strength: float, dark: bool) -> str:
    """Text colour in a cell whose value is `strength` of the largest: strong cells are far from the page's colour.

    >>> cell_text_colour(0.9, dark=False), cell_text_colour(0.1, dark=False)
    ('#FFFFFF', '#12171D')
    """
    return background(dark=(strength > 0.55) == dark)


def transparent(colour: str) -> str:
    """A colour of six hexadecimal digits at 15% opacity.

    >>> transparent(BLUE)
    'rgba(0,114,178,0.15)'
    """
    red, green, blue = bytes.fromhex(colour[1:])
    return f"rgba({red},{green},{blue},0.15)"


SHORT_DASHES = {
    "dash": "5px,4px",
    "dot": "2px,2px",
    "dashdot": "5px,2px,2px,2px",
    "longdash": "9px,2px",
    "longdashdot": "9px,2px,2px,2px",
}
"""Plotly's dashes of up to 15 pixels leave only fragments of a line in small panels and legends."""


def style_of(method: str, number: int = 0) -> Style:
    """Style of a method; an unregistered method gets one by its number among the methods shown.

    >>> style_of("RESCAL").colour, style_of("mine", 1).colour
    ('#D55E00', '#44AA99')
    """
    other = Style(("#AA4499", "#44AA99", "#DDCC77")[number % 3], ("solid", "dash", "dot")[number % 3])
    return METHODS[method].style or other if method in METHODS else other


def line_and_markers(style: Style, size: int = 7) -> dict[str, Any]:
    """Mode, line and marker of a curve with a marker at each point.

    >>> line_and_markers(style_of("RESCAL"))["marker"]["size"]
    7
    """
    line = {"color": style.colour, "dash": SHORT_DASHES.get(style.dash, style.dash), "width": 2}
    return {"mode": "lines+markers", "line": line, "marker": {"symbol": style.symbol, "size": size}}


def method_line(method: str, number: int = 0) -> dict[str, object]:
    """Colour and dash of a method's line.

    >>> method_line("RESCAL")["color"]
    '#D55E00'
    """
    style = style_of(method, number)
    return {"color": style.colour, "dash": SHORT_DASHES.get(style.dash, style.dash)}
