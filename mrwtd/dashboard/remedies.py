"""What to do about a message of a fitted model: a button's label, and the settings that it changes. No Streamlit."""

from __future__ import annotations

import math
import re
from typing import Any

from .settings import AUTO, LAMS, Settings


def remedy(message: str, settings: Settings, n_objects: int, lam: float = 1.0) -> tuple[str, dict[str, Any]] | None:
    """The change that helps against what a message tells, or None where there is none to make.

    `settings` are those of the run that the message is of, and `lam` is the λ that the method took.

    >>> remedy("The fit collapsed to zero: at λ = 100 …", Settings(lam=100.0), 50)
    ('Let λ be searched', {'lam': 'auto'})
    >>> remedy("The fit collapsed to zero … Let the search come to a smaller λ …", Settings(), 50, lam=316.2)
    ('Take λ = 1', {'lam': 1.0})
    >>> remedy("The fit was still improving after 300 iterations. …", Settings(lam=3.162), 50, lam=3.162)
    ('Take λ = 10', {'lam': 10.0})
    >>> remedy("The chain was still on its way …", Settings(rank=30), 50)
    ('Take rank 15', {'rank': 15})
    >>> remedy("The rank 30 is above the number of objects, 20: …", Settings(rank=30), 20)
    ('Take rank 10', {'rank': 10})
    >>> remedy("The rank 30 is more than the data can carry … In use: 11 of 30 factors …", Settings(rank=30), 50)
    ('Take rank 11', {'rank': 11})
    """
    if "nothing to learn" in message:
        return None
    if "collapsed" in message:
        if settings.lam != AUTO:
            return "Let λ be searched", {"lam": AUTO}
        if "Let the search" in message:
            return _take_lam(min(1.0, lam / math.sqrt(10)))
        if "smaller λ" in message:
            return _take_lam(lam / math.sqrt(10))
        more = min(0.9, round(2 * settings.train, 2))
        return (f"Learn from {more:.0%}", {"train": more}) if more > settings.train else None
    if "still improving" in message:
        return None if settings.lam == AUTO else _take_lam(lam * math.sqrt(10))
    if ("rank" in message.lower() or "chain" in message) and settings.rank > 1:
        said = re.search(r"In use: (\d{1,4})\b|expected at most [\d,]{1,20} unknowns: rank (\d{1,4})\b", message)
        smaller = int(said.group(1) or said.group(2)) if said else max(1, min(settings.rank // 2, n_objects // 2))
        return f"Take rank {smaller}", {"rank": smaller}
    return None


def _take_lam(lam: float) -> tuple[str, dict[str, Any]]:
    """The λ of the half decades that is nearest."""
    near = 10 ** (round(2 * math.log10(min(max(lam, LAMS[0]), LAMS[1]))) / 2)
    within = float(f"{near:.3g}")
    return f"Take λ = {within:g}", {"lam": within}
