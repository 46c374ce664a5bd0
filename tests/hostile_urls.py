"""URL parameters with values that no link of the dashboard has, over all pages and all parameters."""

import re
from collections.abc import Iterator
from pathlib import Path

import mrwtd.dashboard
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state.settings import PARAMETERS, PARSERS, PER_RELATION

VALUES = (
    "", " ", "0", "-1", "-0.0", "nan", "inf", "-inf", "1e308", "1e-320", "9" * 400, "0x10", "1_000", "½", "True",
    "None", "[]", "{}", "a|b|", "|", ",", "MrWTD,,", "auto", "../../etc/passwd", "C:\\con", "\x00", "%00", "%s%n",
    "\u202e☃", "'; DROP TABLE runs; --", "<script>alert(1)</script>", "${7*7}{{7*7}}", "x" * 5_000, "own-", "own-../..",
    "0-0",
)  # fmt: skip

RELATION = "work"
"""A relation of the sample that is shown by default."""


def names(page: str) -> list[str]:
    """The parameters of a page, from its code, and those of all pages except the data set."""
    code = "".join(file.read_text(encoding="utf-8") for file in Path(mrwtd.dashboard.__path__[0]).rglob("*.py"))
    found = sorted(set(re.findall(rf'"({re.escape(page)}\.[a-z-]+)"', code)))
    per_relation = [f"{name}.{relation}" for name in PER_RELATION for relation in (RELATION, "no relation")]
    return [*found, *PARSERS, *PARAMETERS, *per_relation, f"{page}.unknown", "unknown"]


def queries(page: str, shift: int) -> dict[str, str]:
    """A hostile value for each parameter of a page, another one for each shift."""
    return {name: VALUES[(7 * index + shift) % len(VALUES)] for index, name in enumerate(names(page))}


def addresses() -> Iterator[tuple[str, dict[str, str]]]:
    """Pages with one hostile parameter each: every parameter of every page with several values."""
    for page in pages():
        for index, name in enumerate([*names(page), "data"]):
            for value in VALUES[index % 4 :: 4]:
                yield page, {name: value}
