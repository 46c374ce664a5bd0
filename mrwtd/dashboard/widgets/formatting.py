"""Numbers and other people's text, in words that are fit to show."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import chain, count

JOINER = "\u2060"
"""A word joiner: it is not seen, and parts what Streamlit takes for a link or a symbol even where it is escaped."""

_LINES = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_ACTIVE = re.compile(r"(?<=:)(?=\S)|(?<=www)(?=\.)|(?<=@)(?=\S)|(?<=[<>=~-])(?=[<>=-])", re.IGNORECASE)
_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|$~:&=-])")
_FIRST = re.compile(r"^(\d{1,9})\.(?=\s|$)")


def plain(text: str) -> str:
    r"""Text that people have typed, safe to show where Markdown is understood: in texts, labels, options and tooltips.

    It is shown as it is, on one line: no formatting, no formula, no symbol, no link, no image. Whatever a user, a file
    or an imported run calls something passes through here, once, where it is shown, and is never kept so.

    >>> plain("a_b *c* <i>")
    'a\\_b \\*c\\* \\<i\\>'
    >>> [plain(address).count(JOINER) for address in ("http://a.b", "www.a.b", "me@a.b", ":red[a]", "a: b")]
    [1, 1, 1, 1, 0]
    """
    line = _MARKS.sub(r"\\\1", _ACTIVE.sub(JOINER, _LINES.sub(" ", text)))
    # Four spaces would begin a block of code, and a number with a point a list.
    return " " * line[:1].isspace() + _FIRST.sub(r"\1\\.", line.lstrip())


def hinted(text: str, hint: str) -> str:
    """Text with a hint, as HTML: it is shown under the mouse, by a touch, or when the keyboard comes to it.

    >>> hinted("a < b", "which is smaller")
    '<span class="hint" tabindex="0" data-hint="which is smaller">a &lt; b</span>'
    """
    return f'<span class="hint" tabindex="0" data-hint="{html.escape(hint)}">{html.escape(text)}</span>'


def counted(n_objects: int, n_relations: int) -> str:
    """The size of a data set.

    >>> counted(14, 1), counted(1_000, 6)
    ('14 objects, 1 relation', '1,000 objects, 6 relations')
    """
    return f"{number_of(n_objects, 'object')}, {number_of(n_relations, 'relation')}"


def number_of(number: int, noun: str) -> str:
    """So many of something.

    >>> number_of(1, "row"), number_of(12_000, "row"), number_of(0, "run")
    ('1 row', '12,000 rows', 'no runs')
    """
    return f"{f'{number:,}' if number else 'no'} {noun}{'' if number == 1 else 's'}"


def number(value: float) -> str:
    """A number for people: four digits, and none behind the point of thousands.

    >>> number(0.123456), number(13_720.4), number(-0.5)
    ('0.1235', '13,720', '-0.5')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def some(names: Sequence[str]) -> str:
    """Names in a sentence: all of three, else two of them.

    >>> some(["a.csv"]), some(["a.csv", "b.csv", "c.csv", "d.csv"])
    ('a.csv', 'a.csv, b.csv and 2 more')
    """
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"


def joined(names: Iterable[str]) -> str:
    """Names of methods in a sentence, as plain text.

    >>> joined(["CP", "BPTF", "MrWTD-B"])
    'CP, BPTF and MrWTD-B'
    """
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


def distinct(labels: Iterable[str]) -> list[str]:
    """Labels of a menu, those that stand there already with a number: Streamlit tells options by what they say.

    >>> distinct(["ties.csv", "calls.csv", "ties.csv", "ties.csv"])
    ['ties.csv', 'calls.csv', 'ties.csv (2)', 'ties.csv (3)']
    """
    found: dict[str, None] = {}
    for label in labels:
        others = (f"{label} ({number})" for number in count(2))
        found[next(one for one in chain([label], others) if one not in found)] = None
    return list(found)


def listed(names: Iterable[str]) -> str:
    r"""Names as one text, for an address.

    >>> listed(["ann", "bob"]), listed(["a|b"])
    ('ann|bob', 'a\\|b')
    """
    return "|".join(re.sub(r"([\\|])", r"\\\1", name) for name in names)


def unlisted(text: str) -> list[str]:
    r"""The names that `listed` has made a text of.

    >>> unlisted("ann|bob"), unlisted(listed(["a|b", "c\\"])), unlisted("")
    (['ann', 'bob'], ['a|b', 'c\\'], [])
    """
    return [re.sub(r"\\(.)", r"\1", name, flags=re.S) for name in re.findall(r"(?:\\.|[^|\\])+", text, flags=re.S)]


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(0.4), duration(95), duration(600), duration(7300)
    ('1 s', '1 min 35 s', '10 min', '2 h 1 min')
    """
    whole = max(round(seconds), 1)
    if whole < 60:
        return f"{whole} s"
    large, small, units = (*divmod(whole, 60), "min s") if whole < 3600 else (*divmod(whole // 60, 60), "h min")
    one, two = units.split()
    return f"{large} {one} {small} {two}" if small else f"{large} {one}"


def took(seconds: float) -> str:
    """How long a fit has taken, for people.

    >>> took(1.24), took(0.004)
    ('1.2 s', 'under 0.1 s')
    """
    return f"{seconds:.1f} s" if seconds >= 0.05 else "under 0.1 s"


def size(number: float) -> str:
    """Bytes for people.

    >>> size(3_200_000_000), size(45_000_000), size(2_000)
    ('3.2 GB', '45 MB', '1 MB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(number / 1e6, 1):.0f} MB"
