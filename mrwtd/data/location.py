"""Where the files that travel with the package are: the samples, and the dashboard's pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def site_folder() -> Path:
    """The folder that holds `app.py`, `pages/` and `sample_data/`.

    An installed package carries them inside itself; in the repository they stand beside it.

    >>> (site_folder() / "sample_data" / "catalogue.toml").is_file()
    True
    """
    package = Path(__file__).resolve().parent.parent
    carried = package / "site"
    return carried if carried.is_dir() else package.parent
