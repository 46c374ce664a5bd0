"""The location of files that are part of the package: the samples, and the dashboard's pages."""

from functools import cache
from pathlib import Path


@cache
def site_folder() -> Path:
    """The folder with `app.py`, `pages/` and `sample_data/`.

    In an installed package it is inside the package; in the repository it is the folder of the package.

    >>> (site_folder() / "sample_data" / "catalogue.toml").is_file()
    True
    """
    package = Path(__file__).resolve().parent.parent
    installed = package / "site"
    return installed if installed.is_dir() else package.parent
