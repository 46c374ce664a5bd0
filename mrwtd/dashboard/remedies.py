"""What to do about a message of a fitted model: a button's label, and the settings that it changes. No Streamlit."""

from __future__ import annotations

import math
import re
from typing import Any

from .settings import AUTO, LAMS, Settings


def remedy(message: str, settings: Settings, n_objects: int) -> tuple[str, dict[str, Any]] | None:
    """The change that helps against what a message tells, or None where there is none to make.

    >>> remedy("The fit collapsed to zero: at λ = 100 …", Settings(lam=100.0), 50)
    ('Let λ be searched', {'lam': 'auto'})
    >>> remedy("The rank 30 is above the number of objects, 20: …", Settings(rank=30), 20)
    ('Take rank 10', {'rank': 10})
    >>> remedy("The rank 30 is more than the data can carry … In use: 11 of 30 factors …", Settings(rank=30), 50)
    ('Take rank 11', {'rank': 11})
    """
    if "collapsed" in message:
        if settings.lam != AUTO:
            return "Let λ be searched", {"lam": AUTO}
        more = min(0.9, round(2 * settings.train, 2))
        return (f"Learn from {more:.0%}", {"train": more}) if more > settings.train else None
    if "still improving" in message:
        used = re.search(r"λ = ([\d.e+-]+)", message)
        now = settings.lam if isinstance(settings.lam, float) else float(used.group(1)) if used else 1.0
        larger = min(LAMS[1], float(f"{now * math.sqrt(10):.3g}"))
        return f"Take λ = {larger:g}", {"lam": larger}
    if "rank" in message.lower() and settings.rank > 1:
        used = re.search(r"In use: (\d+)", message)
        smaller = int(used.group(1)) if used else max(1, min(settings.rank // 2, n_objects // 2))
        return f"Take rank {smaller}", {"rank": smaller}
    return None
