"""What the comments at the top of a list declare: direction, kind of values, and order of columns.

KONECT and SNAP publish networks as lists without column names, with comments such as

    % sym positive                         # Undirected graph: ../../data/output/facebook.txt
    % 78 34 34                             # Nodes: 4039 Edges: 88234
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .headers import Roles

_KONECT = re.compile(r"%\s*+(sym|asym|bip)\s++([a-z]++)", re.IGNORECASE)
_SNAP = re.compile(r"#\s*+(un)?directed\s++(?:graph|network|multigraph)", re.IGNORECASE)

REPEATED = ("positive", "multisigned", "multiweighted", "multiposweighted", "dynamic")
"""KONECT's names of weights for networks in which a pair can be listed several times; the values are summed."""


@dataclass(frozen=True)
class Announcement:
    """The properties of the only relation of a list.

    >>> announcement(["% asym positive", "% 5 3 3"])
    Announcement(directed=True, weights='positive', two_mode=False)
    >>> announcement(["# Undirected graph (each pair once)"])
    Announcement(directed=False, weights='', two_mode=False)

    Attributes:
        directed: whether the ties have a direction; None if the comments do not say it.
        weights: KONECT's name for the values; "" if the comments do not describe the columns.
        two_mode: whether sources and targets are different sets, whose numbers may be the same.
    """

    directed: bool | None = None
    weights: str = ""
    two_mode: bool = False

    @property
    def is_summed(self) -> bool:
        """Whether the rows of a pair are summed."""
        return self.weights in REPEATED

    def roles(self, width: int) -> Roles | None:
        """The columns of KONECT's lists, source, target, value and time; None if they are not described."""
        if not self.weights or not 2 <= width <= 4:
            return None
        has_value = width > 2 and self.weights != "unweighted"
        others = tuple(range(2 + has_value, width))
        return Roles(0, 1, (), 2 if has_value else None, None, others)


def announcement(comments: Sequence[str]) -> Announcement | None:
    """The properties that some comments declare, or None if there is none."""
    for comment in comments:
        if match := _KONECT.match(comment):
            return Announcement(match[1].lower() != "sym", match[2].lower(), match[1].lower() == "bip")
        if match := _SNAP.match(comment):
            return Announcement(match[1] is None)
    return None
