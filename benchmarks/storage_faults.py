"""Faults of storage: a full disk, a read-only one, a missing folder, and two servers on one folder.

    python -m benchmarks.storage_faults

Each fault is made before the server starts, or while it runs. Then a user opens all pages and trains a sample: how many
pages open, how often the fault is reported, at first and later, the lines in the log, what the training says,
and whether a training is saved after the repair, without a restart. The disk is a small tmpfs, for which the script
needs the rights of root. Linux only.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from benchmarks.faults import QUICK, Server, User, left_behind, serving, wait_for
from benchmarks.measure import argument_parser, report
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state.session import MESSAGE_SECONDS
from tests.browser import chromium
from tests.browser.conftest import FLAGS, PATIENCE

REPORT = "Administrator"
"""A word of the report to the user, and of the line in the log."""

DISK_MB = 20


class Disk:
    """A small disk with the home folder, and its faults."""

    def __init__(self, folder: Path):
        self.folder, self.home = folder, folder / "home"

    def fill(self) -> None:
        with suppress(OSError), (self.folder / "filler").open("wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()

    def make_read_only(self) -> None:
        run("mount", "-o", "remount,ro", str(self.folder))

    def detach(self) -> None:
        """Mount an empty read-only disk over it, as if the disk were missing."""
        run("mount", "-t", "tmpfs", "-o", "ro,size=4k", "tmpfs", str(self.folder))

    def repair(self) -> None:
        while is_mounted_twice(self.folder):
            run("umount", str(self.folder))
        run("mount", "-o", "remount,rw", str(self.folder))
        (self.folder / "filler").unlink(missing_ok=True)


FAULTS: dict[str, Callable[[Disk], None]] = {
    "full": Disk.fill,
    "read-only": Disk.make_read_only,
    "missing": Disk.detach,
}


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def is_mounted_twice(folder: Path) -> bool:
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return [line.split()[1] for line in mounts].count(str(folder)) > 1


@contextmanager
def small_disk() -> Iterator[Disk]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve() / "disk"
        folder.mkdir()
        run("mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder))
        try:
            yield Disk(folder)
        finally:
            while is_mounted_twice(folder):
                run("umount", str(folder))
            run("umount", "--lazy", str(folder))


def visit(browser: Browser, server: Server) -> tuple[int, int, int]:
    """For a new user: the number of pages that open, of first pages with a report, and of later ones with a report."""
    page = browser.new_context().new_page()
    page.set_default_timeout(120_000)
    page.goto(server.url)
    opened, first, later = 0, 0, 0
    for number, entry in enumerate(pages().values()):
        page.get_by_test_id("stSidebar").get_by_role("link", name=entry.title, exact=True).click()
        expect(page).to_have_title(f"{entry.title} · mrwtd", timeout=120_000)
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning", timeout=120_000)
        failed = page.get_by_text("Something went wrong").count() + page.get_by_test_id("stException").count()
        opened += not failed
        reports = page.get_by_test_id("stAlert").filter(has_text=REPORT).count()
        if number:
            later += reports
        else:
            first += reports
            page.wait_for_timeout(1_000 * MESSAGE_SECONDS + 1_000)
    page.context.close()
    return opened, first, later


def fault_row(browser: Browser, name: str, at_start: bool) -> dict[str, object]:
    with small_disk() as disk:
        log = disk.folder.with_name("log")
        with serving(disk.home, log=log) as server:
            user = User(browser, disk.home)
            user.train(server.url)
            if not at_start:
                return observe(browser, name, "while it runs", disk, server, user)
        FAULTS[name](disk)
        with serving(disk.home, log=log) as server:
            return observe(browser, name, "at the start", disk, server, user)


def observe(browser: Browser, name: str, when: str, disk: Disk, server: Server, user: User) -> dict[str, object]:
    if when != "at the start":
        FAULTS[name](disk)
        wait_for(lambda: visit_once(user, server), 120)
    opened, first, later = visit(browser, server)
    alerts = user.train(server.url, QUICK.replace("rank=2", "rank=3"))
    lines = sum(REPORT in line for line in server.log.read_text(errors="replace").splitlines())
    disk.repair()
    before = len(user.space.runs())
    user.train(server.url, QUICK.replace("rank=2", "rank=4"))
    saved = len(user.space.runs()) > before
    return {
        "disk": f"{name} {when}",
        "pages that open": f"{opened} of {len(pages())}",
        "reports to a new user": f"{first} at first, {later} later",
        "lines in the log": lines,
        "messages of a training": [" ".join(alert.split()[1:]) for alert in alerts],  # without the icon
        "saved after the repair": "yes" if saved else "no",
    }


def visit_once(user: User, server: Server) -> bool:
    """Whether the server has noticed the fault, which it looks for twice a minute."""
    user.open(server.url)
    return REPORT in server.log.read_text(errors="replace")


def two_servers(browser: Browser) -> dict[str, object]:
    """Two servers on one folder: a user trains on both at once, and both show all runs."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        with serving(home) as first, serving(home, log=Path(place) / "second") as second:
            user = User(browser, home)
            other = User(browser, home, user.id)
            opened = [visit(browser, server)[0] for server in (first, second)]
            for number in range(3):
                user.start_training(first.url, QUICK.replace("rank=2", f"rank={2 + number}"))
                other.train(second.url, QUICK.replace("rank=2", f"rank={6 + number}"))
                wait_for(lambda number=number: len(user.space.runs()) == 2 * number + 2)
            listed = []
            for server, window in ((first, user), (second, other)):
                page = window.open(server.url, "Train?data=florentine")
                listed.append(page.get_by_text("History (").inner_text())
            return {
                "servers": "two on one folder", "pages that open": " and ".join(map(str, opened)),
                "runs": len(user.space.runs()), "histories": " and ".join(listed), "drafts": len(left_behind(home)),
            }  # fmt: skip


def numbered(rows: list[dict[str, object]]) -> tuple[list[dict[str, object]], str]:
    """The rows with numbers in place of messages, and the list of messages with the description of the script."""
    name = "messages of a training"
    messages = list(dict.fromkeys(message for row in rows for message in row[name]))
    numbers = {message: str(number) for number, message in enumerate(messages, 1)}
    short = [row | {name: ", ".join(numbers[message] for message in row[name]) or "–"} for row in rows]
    listed = "\n".join(f"{number}. {message}" for message, number in numbers.items())
    return short, f"Messages:\n\n{listed}\n\n{__doc__}"


def main() -> None:
    argument_parser(__doc__).parse_args()
    rows = []
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        servers = two_servers(browser)
        print(servers, flush=True)
        for name in FAULTS:
            for at_start in (False, True):
                rows.append(fault_row(browser, name, at_start))
                print(rows[-1], flush=True)
    report("two-servers", [servers])
    report("storage-faults", *numbered(rows))
    expected = f"{len(pages())} of {len(pages())}", "1 at first, 0 later", 1
    names = "pages that open", "reports to a new user", "lines in the log"
    failed = [row for row in rows if tuple(row[name] for name in names) != expected]
    sys.exit(f"failed: {failed}" if failed else 0)


if __name__ == "__main__":
    main()
