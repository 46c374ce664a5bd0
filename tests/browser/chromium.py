"""A Chromium for the browser tests: which one there is, and, run as a script, one where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The headless shell comes first: it is Chromium without the windows, menus and processes that no test looks at.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The program to run: the one that CHROMIUM names, the system's, or Playwright's own."""
    return _systems() or _playwrights()


def _systems() -> str | None:
    return next(
        (path for path in (os.environ.get("CHROMIUM"), *map(shutil.which, NAMES)) if path and _runs(path)), None
    )


def _playwrights() -> str | None:
    # Asking takes a second or two, so this comes last.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        whole = Path(playwright.chromium.executable_path)
    # Playwright tells where its whole browser is or would be. Its shell has a folder of the same number beside it.
    folder = next((path for path in whole.parents if path.name.startswith("chromium-")), whole)
    beside = folder.with_name(folder.name.replace("chromium-", "chromium_headless_shell-"))
    shells = [path for path in beside.glob("*/*") if path.stem in ("chrome-headless-shell", "headless_shell")]
    return next((str(path) for path in (*shells, whole) if path.is_file()), None)


def _runs(path: str) -> bool:
    # Ubuntu's package of this name is a stub that asks for snap: being there is not enough.
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def install_systems() -> None:
    """Debian's package, where we may install it."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return
    quiet = {"env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, "check": False}
    subprocess.run(["apt-get", "update", "-qq"], **quiet)
    for package in NAMES[:2]:
        if not _systems():
            subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], **quiet)


if __name__ == "__main__":
    # With --system before there is Playwright: it can be installed beside it.
    alone = sys.argv[1:] == ["--system"]
    if not (_systems() if alone else find()):
        install_systems()
    if not alone and not find():
        subprocess.run([sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"], check=False)
        if not find():
            sys.exit("No Chromium was found or could be installed. Install one, or name it: CHROMIUM=/path/to/chromium")
