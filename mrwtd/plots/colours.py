"""The colours of pictures, safe for colour-blind eyes, for a light and a dark background."""

from __future__ import annotations

from dataclasses import dataclass

from ..baselines import METHODS
from ..model.method_registry import Style

BLUE, ORANGE, GREEN, PINK, AMBER, SKY, GREY = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#7F7F7F",
)
"""The palette that every figure takes its colours from; the theme of the dashboard lists the same."""


@dataclass(frozen=True)
class Shades:
    """What the values of an adjacency picture look like on one background.

    Attributes:
        tie, no_tie, unknown: the three states of a pair in a binary relation.
        low, middle, high: from the least value to the greatest.
        below: the far end of values below 0, where there are any.
        line: thin rules. Letters take the colour of the page.
    """

    tie: str
    no_tie: str
    unknown: str
    low: str
    middle: str
    high: str
    below: str
    line: str


LIGHT = Shades(
    tie=BLUE,
    no_tie="#EDF2F6",
    unknown="#C9CDD2",
    low="#EDF2F6",
    middle="#6BAED6",
    high="#08306B",
    below="#A63603",
    line="#D5DBE1",
)
DARK = Shades(
    tie=SKY,
    no_tie="#1D2630",
    unknown="#4A5158",
    low="#1D2630",
    middle="#2F7FB5",
    high="#D6EEFF",
    below="#F6A96B",
    line="#39424C",
)


def shades(dark: bool) -> Shades:
    """The shades for a dark or a light background.

    >>> shades(dark=True).tie == SKY
    True
    """
    return DARK if dark else LIGHT


def ink(dark: bool) -> str:
    """The colour of letters, for marks that belong to no method.

    >>> ink(dark=False)
    '#1B2530'
    """
    return "#E6EAEE" if dark else "#1B2530"


def ground(dark: bool) -> str:
    """The colour behind a picture that is a file of its own: that of the page.

    >>> ground(dark=False)
    '#FFFFFF'
    """
    return "#12171D" if dark else "#FFFFFF"


def faint(colour: str) -> str:
    """A colour of six hexadecimal digits, to be seen through.

    >>> faint(BLUE)
    'rgba(0,114,178,0.15)'
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.15)"


SHORT_DASHES = {
    "dash": "5px,4px",
    "dot": "2px,2px",
    "dashdot": "5px,2px,2px,2px",
    "longdash": "9px,2px",
    "longdashdot": "9px,2px,2px,2px",
}
"""For small panels, where Plotly's own dashes of up to 15 pixels would leave fragments of a line."""


def style_of(method: str, number: int = 0) -> Style:
    """The style of a method; one that is not registered gets one by its number among them.

    >>> style_of("RESCAL").colour, style_of("mine", 1).colour
    ('#D55E00', '#44AA99')
    """
    other = Style(("#AA4499", "#44AA99", "#DDCC77")[number % 3], ("solid", "dash", "dot")[number % 3])
    return METHODS[method].style or other if method in METHODS else other
