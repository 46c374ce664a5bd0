"""Text for people: numbers, lists of names, and text from users that is safe to show."""

import html
import re
from collections.abc import Iterable, Sequence
from itertools import chain, count

from ...data.relations import Relation

JOINER = "\u2060"
"""Word joiner, an invisible character. It breaks up links and symbols that Streamlit recognizes even when escaped."""

_LINES = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")
_ACTIVE = re.compile(r"(?<=:)(?=\S)|(?<=www)(?=\.)|(?<=@)(?=\S)|(?<=[<>=~-])(?=[<>=-])", re.IGNORECASE)
_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|$~:&=-])")
_FIRST = re.compile(r"^(\d{1,9})\.(?=\s|$)")


def escape_markdown(text: str) -> str:
    r"""Escape text for places where Streamlit renders Markdown: texts, labels, options and tooltips.

    The text is shown literally, on one line: no formatting, formula, symbol, link or image. Names from users, files
    and imported runs are escaped once, where they are shown, and are never stored escaped.

    >>> escape_markdown("a_b *c* <i>")
    'a\\_b \\*c\\* \\<i\\>'
    >>> [escape_markdown(text).count(JOINER) for text in ("http://a.b", "www.a.b", "me@a.b", ":red[a]", "a: b")]
    [1, 1, 1, 1, 0]
    """
    line = _MARKS.sub(r"\\\1", _ACTIVE.sub(JOINER, _LINES.sub(" ", text)))
    # Four leading spaces would start a code block, and a number with a full stop a list.
    return " " * line[:1].isspace() + _FIRST.sub(r"\1\\.", line.lstrip())


def tooltip(text: str, help: str) -> str:
    """HTML of a text with a tooltip, which opens on hover, touch or keyboard focus.

    >>> tooltip("a < b", "which is smaller")
    '<span class="tooltip" tabindex="0" data-tooltip="which is smaller">a &lt; b</span>'
    """
    return f'<span class="tooltip" tabindex="0" data-tooltip="{html.escape(help)}">{html.escape(text)}</span>'


def shorten(text: str) -> str:
    """Text of at most 60 characters.

    >>> shorten("short"), len(shorten("long " * 20))
    ('short', 60)
    """
    return text if len(text) <= 60 else text[:59] + "…"


def arrow(relation: Relation) -> str:
    """The sign between two objects of a relation: an arrow, or a dash if it is undirected.

    >>> arrow(Relation("likes", "binary", directed=True)), arrow(Relation("married", "binary", directed=False))
    ('→', '–')
    """
    return "→" if relation.directed else "–"


def signed(value: float, spec: str = "z.2f") -> str:
    """A number with a true minus sign: by default with two decimals, and without a sign before zero.

    >>> signed(-1.5), signed(-0.001), signed(0.25, "+z.1f")
    ('−1.50', '0.00', '+0.2')
    """
    return f"{value:{spec}}".replace("-", "−")


def dataset_size(n_objects: int, n_relations: int) -> str:
    """The size of a data set.

    >>> dataset_size(14, 1), dataset_size(1_000, 6)
    ('14 objects, 1 relation', '1,000 objects, 6 relations')
    """
    return f"{pluralize(n_objects, 'object')}, {pluralize(n_relations, 'relation')}"


def pluralize(number: int, noun: str) -> str:
    """A number with its noun in singular or plural.

    >>> pluralize(1, "row"), pluralize(12_000, "row"), pluralize(0, "run")
    ('1 row', '12,000 rows', 'no runs')
    """
    return f"{f'{number:,}' if number else 'no'} {noun}{'' if number == 1 else 's'}"


def summarize_names(names: Sequence[str]) -> str:
    """Up to three names, or the first two and the number of the others.

    >>> summarize_names(["a.csv"]), summarize_names(["a.csv", "b.csv", "c.csv", "d.csv"])
    ('a.csv', 'a.csv, b.csv and 2 more')
    """
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} and {len(names) - 2} more"


def join_names(names: Iterable[str]) -> str:
    """All names as a list in a sentence.

    >>> join_names(["CP", "BPTF", "MrWTD-B"])
    'CP, BPTF and MrWTD-B'
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def unique_labels(labels: Iterable[str]) -> list[str]:
    """Labels for a menu, with a number after repeated ones: Streamlit identifies options by their labels.

    >>> unique_labels(["ties.csv", "calls.csv", "ties.csv", "ties.csv"])
    ['ties.csv', 'calls.csv', 'ties.csv (2)', 'ties.csv (3)']
    """
    unique: dict[str, None] = {}
    for label in labels:
        candidates = chain([label], (f"{label} ({number})" for number in count(2)))
        unique[next(text for text in candidates if text not in unique)] = None
    return list(unique)


def encode_list(names: Iterable[str]) -> str:
    r"""Names as one text for a URL.

    >>> encode_list(["ann", "bob"]), encode_list(["a|b"])
    ('ann|bob', 'a\\|b')
    """
    return "|".join(re.sub(r"([\\|])", r"\\\1", name) for name in names)


def decode_list(text: str) -> list[str]:
    r"""Names from a text written by `encode_list`.

    >>> decode_list("ann|bob"), decode_list(encode_list(["a|b", "c\\"])), decode_list("")
    (['ann', 'bob'], ['a|b', 'c\\'], [])
    """
    return [re.sub(r"\\(.)", r"\1", name, flags=re.S) for name in re.findall(r"(?:\\.|[^|\\])+", text, flags=re.S)]


def format_duration(seconds: float) -> str:
    """A duration in the one or two largest units.

    >>> format_duration(0.4), format_duration(95), format_duration(600), format_duration(7300)
    ('1 s', '1 min 35 s', '10 min', '2 h 1 min')
    """
    rounded = max(round(seconds), 1)
    if rounded < 60:
        return f"{rounded} s"
    total, large, small = (rounded, "min", "s") if rounded < 3600 else (rounded // 60, "h", "min")
    whole, rest = divmod(total, 60)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"


def format_elapsed(seconds: float) -> str:
    """The duration of a fit.

    >>> format_elapsed(1.24), format_elapsed(0.004)
    ('1.2 s', 'under 0.1 s')
    """
    return f"{seconds:.1f} s" if seconds >= 0.05 else "under 0.1 s"


def format_bytes(number: float) -> str:
    """A number of bytes in MB or GB.

    >>> format_bytes(3_200_000_000), format_bytes(45_000_000), format_bytes(2_000)
    ('3.2 GB', '45 MB', '1 MB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(number / 1e6, 1):.0f} MB"
