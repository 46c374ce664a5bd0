"""A Chromium for the browser tests: which one there is, and, run as a script, one where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The program to run: the one that CHROMIUM names, the system's, or Playwright's own."""
    system = (os.environ.get("CHROMIUM"), *map(shutil.which, NAMES))
    return next((path for path in system if path and _runs(path)), None) or _playwrights()


def _playwrights() -> str | None:
    # Asking takes a second or two, so this comes last.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _runs(path: str) -> bool:
    # Ubuntu's package of this name is a stub that asks for snap: being there is not enough.
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def install() -> None:
    """Debian's package where we may install it, else Playwright's own download."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, "check": False}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], **quiet)
        if find():
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


if __name__ == "__main__":
    if not find():
        install()
    if not find():
        sys.exit("No Chromium was found or could be installed. Install one, or name it: CHROMIUM=/path/to/chromium")
