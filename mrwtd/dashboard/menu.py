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


@dataclass(frozen=True)
class Page:
    """An entry of the menu.

    Attributes:
        path: the file, as Streamlit wants it: relative to `app.py`.
        title: what the menu says.
        icon: a Material symbol.
    """

    path: str
    title: str
    icon: str

    @property
    def prefix(self) -> str:
        """What the names of the page's own choices begin with in the URL: "degrees" in `degrees.colour`.

        >>> Page("pages/9_Best_pairs.py", "Best pairs", ":material/star:").prefix
        'best-pairs'
        """
        return self.title.lower().replace(" ", "-")


@cache
def pages(site: Path) -> tuple[Page, ...]:
    """Start, then the files of `pages/` in the order of the numbers that their names begin with.

    >>> from mrwtd.data.location import site_folder
    >>> pages(site_folder())[0].title
    'Start'
    """
    files = sorted((site / "pages").glob("*.py"), key=lambda file: (_number(file), file.name))
    return (_page(site / "app.py", site, "Start"), *(_page(file, site, _title(file)) for file in files))


def _number(file: Path) -> int:
    found = re.match(r"\d+", file.stem)
    return int(found.group()) if found else 1_000_000


def _title(file: Path) -> str:
    return re.sub(r"^\d+[_ -]*", "", file.stem).replace("_", " ")


def _page(file: Path, site: Path, title: str) -> Page:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    icons = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["ICON"]
    ]
    return Page(file.relative_to(site).as_posix(), title, icons[0] if icons else ":material/article:")
