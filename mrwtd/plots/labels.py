"""Names as labels in figures: Plotly would take tags in them for formatting, and `%{x}` for a place to fill in."""

from __future__ import annotations

import html


def safe(name: str) -> str:
    """A name as it is.

    >>> safe("<b>ann"), safe("%{x}")
    ('&lt;b&gt;ann', '%&#123;x}')
    """
    return html.escape(name, quote=False).replace("%{", "%&#123;")


def cut(name: str, longest: int) -> str:
    """A name of so many letters at most: cut first, as an escaped letter is several.

    >>> cut("<b>ann", 4), cut("ann", 4)
    ('&lt;b&gt;…', 'ann')
    """
    return safe(name if len(name) <= longest else name[: longest - 1] + "…")
