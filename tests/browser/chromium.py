"""Find a Chromium for the browser tests; as a script, install one if there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The headless shell comes first: it is Chromium without windows and menus, which no test needs.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The program to run: the one that CHROMIUM names, the system's, or Playwright's own."""
    return _systems() or _playwrights()


def _systems() -> str | None:
    return next(
        (path for path in (os.environ.get("CHROMIUM"), *map(shutil.which, NAMES)) if path and _runs(path)), None
    )


def _playwrights() -> str | None:
    # Playwright takes a second or two to start, so this is the last resort.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = Path(playwright.chromium.executable_path)
    # Playwright knows the path of its full browser. The headless shell is in a folder with the same number.
    folder = next((path for path in browser.parents if path.name.startswith("chromium-")), browser)
    shell_folder = folder.with_name(folder.name.replace("chromium-", "chromium_headless_shell-"))
    shells = [path for path in shell_folder.glob("*/*") if path.stem in ("chrome-headless-shell", "headless_shell")]
    return next((str(path) for path in (*shells, browser) if path.is_file()), None)


def _runs(path: str) -> bool:
    # Ubuntu's package of this name is a stub that asks for snap: an existing file is not enough.
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def install_systems() -> None:
    """Install the package of Debian, with root permissions."""
    if not (hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")):
        return
    quiet = {"env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, "check": False}
    subprocess.run(["apt-get", "update", "-qq"], **quiet)
    for package in NAMES[:2]:
        if not _systems():
            subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], **quiet)


if __name__ == "__main__":
    # With --system: runs while Playwright is being installed.
    alone = sys.argv[1:] == ["--system"]
    if not (_systems() if alone else find()):
        install_systems()
    if not alone and not find():
        subprocess.run([sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"], check=False)
        if not find():
            sys.exit("No Chromium was found or could be installed. Install one, or name it: CHROMIUM=/path/to/chromium")
