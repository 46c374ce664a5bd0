"""The one table of pages, for the menu, for links and for the prefixes of URL parameters.

It is read from the files that Streamlit runs: `app.py` and those in `pages/`. The file name gives the title and the
position in the menu, a line `ICON = "…"` in the file gives the icon.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..data.location import site_folder
from ..registry import Registry


@dataclass(frozen=True)
class Page:
    """A page of the dashboard.

    Attributes:
        path: the file relative to `app.py`, as Streamlit expects it.
        title: the label in the menu.
        icon: a Material symbol.
        order: the position in the menu.
    """

    path: str
    title: str
    icon: str
    order: float = 0

    @property
    def name(self) -> str:
        """Name in links and URLs. The settings of a page start with it, such as `degrees.colour`.

        >>> Page("pages/9_Best_pairs.py", "Best pairs", ":material/star:").name
        'best-pairs'
        """
        return self.title.lower().replace(" ", "-")

    @property
    def url_path(self) -> str:
        """The last part of its URL.

        >>> Page("pages/9_Best_pairs.py", "Best pairs", ":material/star:").url_path
        'Best_pairs'
        """
        return self.title.replace(" ", "_")


def pages() -> Registry[Page]:
    """All pages by name, in the order of the menu: Start, then the files in `pages/` by their numbers.

    >>> pages()["train"].path
    'pages/2_Train.py'
    """
    return _read(site_folder())


@cache
def _read(site: Path) -> Registry[Page]:
    registry = Registry[Page]("page")
    for file in [site / "app.py", *sorted(site.glob("pages/*.py"))]:
        stem = "0_Start" if file.name == "app.py" else file.stem
        number = re.sub(r"\D.*", "", stem)
        title = stem.removeprefix(number).lstrip("_ -").replace("_", " ")
        icon = re.search(r'^ICON = "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE)
        path, symbol = file.relative_to(site).as_posix(), icon[1] if icon else ":material/article:"
        registry.add(Page(path, title, symbol, float(number or "inf")))
    return registry
