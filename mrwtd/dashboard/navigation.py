"""The pages of the dashboard, found where Streamlit finds them: `app.py` and the files of `pages/`.

A page says what it is in its own file: its name is the title in the menu, and `ICON` its icon. The file is read and
not run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..registry import Registry


@dataclass(frozen=True)
class Page:
    """An entry of the menu.

    Attributes:
        path: the file, as Streamlit wants it: relative to `app.py`.
        title: what the menu says.
        icon: a Material symbol.
        order: its place in the menu.
    """

    path: str
    title: str
    icon: str
    order: int = 0

    @property
    def name(self) -> str:
        """Its name in URLs, which the names of its own choices begin with: "degrees" in `degrees.colour`.

        >>> Page("pages/9_Best_pairs.py", "Best pairs", ":material/star:").name
        'best-pairs'
        """
        return self.title.lower().replace(" ", "-")


@cache
def pages(site: Path) -> Registry[Page]:
    """Every page by name: Start, then the files of `pages/` in the order of the numbers that their names begin with.

    >>> from mrwtd.data.location import site_folder
    >>> pages(site_folder())["start"].title
    'Start'
    """
    found = Registry[Page]("page")
    found.add(_page(site / "app.py", site, "Start", 0))
    for file in sorted((site / "pages").glob("*.py")):
        found.add(_page(file, site, _title(file), _number(file)))
    return found


def _number(file: Path) -> int:
    found = re.match(r"\d+", file.stem)
    return int(found.group()) if found else 1_000_000


def _title(file: Path) -> str:
    return re.sub(r"^\d+[_ -]*", "", file.stem).replace("_", " ")


def _page(file: Path, site: Path, title: str, order: int) -> Page:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    icons = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["ICON"]
    ]
    return Page(file.relative_to(site).as_posix(), title, icons[0] if icons else ":material/article:", order)
