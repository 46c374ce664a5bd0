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


def escape_markdown(text: str) -> str:
    r"""Text that people have typed, safe to show where Markdown is understood: in texts, labels, options and tooltips.

    It is shown as it is, on one line: no formatting, no formula, no symbol, no link, no image. Whatever a user, a file
    or an imported run calls something passes through here, once, where it is shown, and is never kept so.

    >>> escape_markdown("a_b *c* <i>")
    'a\\_b \\*c\\* \\<i\\>'
    >>> [escape_markdown(address).count(JOINER) for address in ("http://a.b", "www.a.b", "me@a.b", ":red[a]", "a: b")]
    [1, 1, 1, 1, 0]
    """
    line = _MARKS.sub(r"\\\1", _ACTIVE.sub(JOINER, _LINES.sub(" ", text)))
    # Four spaces would begin a block of code, and a number with a point a list.
    return " " * line[:1].isspace() + _FIRST.sub(r"\1\\.", line.lstrip())


def tooltip(text: str, help: str) -> str:
    """Text with a hint, as HTML: it is shown under the mouse, by a touch, or when the keyboard comes to it.

    >>> tooltip("a < b", "which is smaller")
    '<span class="hint" tabindex="0" data-hint="which is smaller">a &lt; b</span>'
    """
    return f'<span class="hint" tabindex="0" data-hint="{html.escape(help)}">{html.escape(text)}</span>'


def dataset_size(n_objects: int, n_relations: int) -> str:
    """The size of a data set.

    >>> dataset_size(14, 1), dataset_size(1_000, 6)
    ('14 objects, 1 relation', '1,000 objects, 6 relations')
    """
    return f"{pluralize(n_objects, 'object')}, {pluralize(n_relations, 'relation')}"


def pluralize(number: int, noun: str) -> str:
    """So many of something.

    >>> pluralize(1, "row"), pluralize(12_000, "row"), pluralize(0, "run")
    ('1 row', '12,000 rows', 'no runs')
    """
    return f"{f'{number:,}' if number else 'no'} {noun}{'' if number == 1 else 's'}"


def summarize_names(names: Sequence[str]) -> str:
    """Names in a sentence: all of three, else two of them.

    >>> summarize_names(["a.csv"]), summarize_names(["a.csv", "b.csv", "c.csv", "d.csv"])
    ('a.csv', 'a.csv, b.csv and 2 more')
    """
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"


def join_names(names: Iterable[str]) -> str:
    """Names of methods in a sentence, as plain text.

    >>> join_names(["CP", "BPTF", "MrWTD-B"])
    'CP, BPTF and MrWTD-B'
    """
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


def unique_labels(labels: Iterable[str]) -> list[str]:
    """Labels of a menu, those that stand there already with a number: Streamlit tells options by what they say.

    >>> unique_labels(["ties.csv", "calls.csv", "ties.csv", "ties.csv"])
    ['ties.csv', 'calls.csv', 'ties.csv (2)', 'ties.csv (3)']
    """
    found: dict[str, None] = {}
    for label in labels:
        others = (f"{label} ({number})" for number in count(2))
        found[next(one for one in chain([label], others) if one not in found)] = None
    return list(found)


def encode_list(names: Iterable[str]) -> str:
    r"""Names as one text, for an address.

    >>> encode_list(["ann", "bob"]), encode_list(["a|b"])
    ('ann|bob', 'a\\|b')
    """
    return "|".join(re.sub(r"([\\|])", r"\\\1", name) for name in names)


def decode_list(text: str) -> list[str]:
    r"""The names that `encode_list` has made a text of.

    >>> decode_list("ann|bob"), decode_list(encode_list(["a|b", "c\\"])), decode_list("")
    (['ann', 'bob'], ['a|b', 'c\\'], [])
    """
    return [re.sub(r"\\(.)", r"\1", name, flags=re.S) for name in re.findall(r"(?:\\.|[^|\\])+", text, flags=re.S)]


def format_duration(seconds: float) -> str:
    """Seconds for people.

    >>> format_duration(0.4), format_duration(95), format_duration(600), format_duration(7300)
    ('1 s', '1 min 35 s', '10 min', '2 h 1 min')
    """
    whole = max(round(seconds), 1)
    if whole < 60:
        return f"{whole} s"
    large, small, units = (*divmod(whole, 60), "min s") if whole < 3600 else (*divmod(whole // 60, 60), "h min")
    one, two = units.split()
    return f"{large} {one} {small} {two}" if small else f"{large} {one}"


def format_elapsed(seconds: float) -> str:
    """How long a fit has taken, for people.

    >>> format_elapsed(1.24), format_elapsed(0.004)
    ('1.2 s', 'under 0.1 s')
    """
    return f"{seconds:.1f} s" if seconds >= 0.05 else "under 0.1 s"


def format_bytes(number: float) -> str:
    """Bytes for people.

    >>> format_bytes(3_200_000_000), format_bytes(45_000_000), format_bytes(2_000)
    ('3.2 GB', '45 MB', '1 MB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(number / 1e6, 1):.0f} MB"
