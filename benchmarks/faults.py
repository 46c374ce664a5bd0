"""Faults of a server: killed with SIGKILL in mid-training, in mid-write, in mid-upload and in mid-experiment.

    python -m benchmarks.faults [--rounds 2]

After each kill: the seconds until all worker processes have ended. After the restart: whether the earlier run is whole,
and whether anything of the unfinished one is left. A write is stopped at a given file, so that the server is killed
there. Linux only.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.measure import argument_parser, report
from benchmarks.pages import wait_until_complete
from mrwtd import plugins
from mrwtd.hosting.identity import Identities, folder_name
from mrwtd.runs import Workspace
from mrwtd.runs.file_checks import checksum
from mrwtd.runs.store import read_fit
from tests.browser import chromium
from tests.browser.conftest import FLAGS, PATIENCE, start_server

QUICK = "data=florentine&methods=MrWTD,Degree&rank=2&lam=1&train=0.6"
LONG = "data=kinship&methods=MrWTD,MMMF%2B&rank=40&train=0.9"
"""Settings of a training of a second, and of minutes."""

STOP, STOPPED = "MRWTD_STOP_AT", "MRWTD_STOPPED"

PLUGIN = f"""
import os, re, sys, time

def stop(event, arguments):
    if event in ("open", "os.link", "os.rename") and ".draft-" in str(arguments[0]):
        paths = arguments[:1] if event == "open" else arguments[:2]
        if re.search(os.environ["{STOP}"], " ".join([event, *map(str, paths)])):
            if not os.path.exists(os.environ["{STOPPED}"]):
                os.mkdir(os.environ["{STOPPED}"])
                time.sleep(3600)

sys.addaudithook(stop)
"""
"""A plugin that stops a server, or its worker, before it opens, links or renames a certain file of a draft."""

POINTS = {
    "scores": r"open .*/scores\.csv$",
    "second model": r"open .*/models/1\.npz$",
    "description": r"os\.rename .*/run\.json$",
    "copy for the user": r"os\.link .*/models/1\.npz$",
    "last rename": r"os\.rename .*/runs/\.draft-\w+ .*/runs/[^/]+$",
}
"""What the server is about to do when it is killed while it stores a run."""

UPLOAD_POINTS = {
    "data": r"open .*/data\.parquet$",
    "files of an upload": r"open .*/upload\.zip$",
    "last rename of an upload": r"os\.rename .*/complete .*/data/\w+$",
}
"""What the server is about to do when it is killed while it stores an upload."""


@dataclass
class Server:
    """A dashboard with its process, its URL, the folder of its workspaces and its log."""

    process: subprocess.Popen[bytes]
    url: str
    home: Path
    log: Path

    def kill(self) -> tuple[int, float]:
        """Kill the server; return the number of its processes, and the seconds until they have ended: at most 60."""
        family = list(descendants(self.process.pid))
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        start = time.monotonic()
        while any(map(is_running, family)) and time.monotonic() - start < 60:
            time.sleep(0.1)
        for pid in filter(is_running, family):
            os.kill(pid, signal.SIGKILL)
        return len(family), time.monotonic() - start


@contextmanager
def serving(home: Path, log: Path | None = None, **environment: str) -> Iterator[Server]:
    """A server on a folder of workspaces, which is ended at the end."""
    log = log or home.with_name("log")
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        process, url = start_server(log, home=home)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
    try:
        yield Server(process, url, home, log)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=30)


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, and those that these have started."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            yield child
            yield from descendants(child)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class User:
    """A user of a folder of workspaces, with a browser of their own."""

    def __init__(self, browser: Browser, home: Path, id: str = ""):
        identities = Identities(home)
        self.id = id or identities.issue()
        self.space = Workspace(home / "workspaces" / folder_name(self.id))
        self.context = browser.new_context(viewport={"width": 1366, "height": 768})
        cookie = {"name": identities.cookie_name, "value": self.id, "domain": "localhost", "path": "/"}
        self.context.add_cookies([cookie])
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)

    def open(self, url: str, path: str = "") -> Page:
        self.page.goto(f"{url}/{path}")
        wait_until_complete(self.page)
        return self.page

    def start_training(self, url: str, settings: str) -> None:
        main = self.open(url, f"Train?{settings}").get_by_test_id("stMain")
        main.get_by_role("button", name=re.compile("^Train ")).click()

    def train(self, url: str, settings: str = QUICK) -> list[str]:
        """Train, wait for the end, and return the warnings on the page."""
        self.start_training(url, settings)
        expect(self.page.get_by_role("button", name="Cancel").first).to_be_visible()
        expect(self.page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=120_000)
        wait_until_complete(self.page)
        return [alert.inner_text() for alert in self.page.get_by_test_id("stAlert").all()]


def wait_for(condition: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.01)


def left_behind(home: Path) -> list[str]:
    return [path.name for path in home.rglob(".*") if path.name.startswith((".draft-", ".gone-"))]


def contents(space: Workspace) -> dict[str, object]:
    """The checksums of all files of the runs."""
    files = [file for run in space.runs() if run.folder for file in run.folder.rglob("*") if file.is_file()]
    return {str(file): checksum(file)["sha256"] for file in files}


def check(fault: str, server: Server, user: User, before: dict[str, object]) -> dict[str, object]:
    """Kill a server, start another one on the same folder, and compare what is there with what was there before."""
    drafts = len(left_behind(server.home))
    workers, seconds = server.kill()
    with serving(server.home) as restarted:
        page = user.open(restarted.url)
        wait_for(lambda: not left_behind(server.home), 30)
        failed = page.get_by_text("Something went wrong").count()
        restart = page.get_by_test_id("stSidebar").get_by_role("button", name="Restart").count()
    after = contents(user.space)
    for run in user.space.runs():
        run.models()
    return {
        "killed": fault,
        "workers": workers,
        "end after": f"{seconds:.1f} s",
        "drafts": drafts,
        "drafts after restart": len(left_behind(server.home)),
        "earlier runs": "whole" if after == before else "DAMAGED",
        "restart offered": "yes" if restart else "no",
        "page": "FAILS" if failed else "opens",
    }


def kill_in_training(browser: Browser, home: Path) -> dict[str, object]:
    user = User(browser, home)
    with serving(home) as server:
        user.train(server.url)
        before = contents(user.space)
        user.start_training(server.url, LONG)
        expect(user.page.get_by_text(re.compile("iteration")).first).to_be_visible()
        return check("in a training", server, user, before)


def kill_in_write(browser: Browser, home: Path, point: str) -> dict[str, object]:
    user, plugin, stopped = User(browser, home), home.with_name("plugin.py"), home.with_name("stopped")
    with serving(home) as server:
        user.train(server.url)
    before = contents(user.space)
    plugin.write_text(PLUGIN)
    with serving(home, **{plugins.VARIABLE: str(plugin), STOP: POINTS[point], STOPPED: str(stopped)}) as server:
        user.start_training(server.url, QUICK.replace("rank=2", "rank=3"))
        wait_for(stopped.exists)
        return check(f"before: {point}", server, user, before)


def upload(page: Page, url: str, name: str) -> None:
    """Upload a file and use it, without waiting until it is stored."""
    rows = b"".join(b"p%d,p%d,%d\n" % (i, j, i * j % 3 == 0) for i in range(20) for j in range(20) if i != j)
    page.goto(f"{url}/Data?data=florentine&data.upload=1")
    wait_until_complete(page)
    field = page.get_by_test_id("stFileUploader").first.locator("input")
    field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": b"source,target,value\n" + rows})
    page.get_by_role("button", name="Use this data").click()


def kill_in_upload(browser: Browser, home: Path, point: str) -> dict[str, object]:
    user, plugin, stopped = User(browser, home), home.with_name("plugin.py"), home.with_name("stopped")
    with serving(home) as server:
        user.train(server.url)
    before = contents(user.space)
    plugin.write_text(PLUGIN)
    variables = {plugins.VARIABLE: str(plugin), STOP: UPLOAD_POINTS[point], STOPPED: str(stopped)}
    with serving(home, **variables) as server:
        upload(user.page, server.url, "half.csv")
        wait_for(stopped.exists)
        row = check(f"before: {point}", server, user, before)
    listed = len(user.space.datasets()) + len(user.space.damaged_data())
    return row | {"earlier runs": f"{row['earlier runs']}, {listed} uploads", "restart offered": "–"}


def kill_in_experiment(browser: Browser, home: Path) -> dict[str, object]:
    user = User(browser, home)
    with serving(home) as server:
        user.train(server.url)
        before = contents(user.space)
        user.open(server.url, "Experiments").get_by_role("button", name="Run", exact=True).click()
        finished = user.space.folder / "experiments" / "real" / "finished"
        wait_for(lambda: any(finished.glob("*.json")), 300)
        row = check("in an experiment", server, user, before)
    fits = [read_fit(file) for file in finished.glob("*.json")]
    return row | {"earlier runs": f"{row['earlier runs']}, and {len(fits)} fits"}


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    rounds, rows = parser.parse_args().rounds, []
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        for _ in range(rounds):
            for fault in (kill_in_training, kill_in_experiment):
                with tempfile.TemporaryDirectory() as folder:
                    rows.append(fault(browser, Path(folder) / "home"))
                    print(rows[-1], flush=True)
            for point in POINTS:
                with tempfile.TemporaryDirectory() as folder:
                    rows.append(kill_in_write(browser, Path(folder) / "home", point))
                    print(rows[-1], flush=True)
            for point in UPLOAD_POINTS:
                with tempfile.TemporaryDirectory() as folder:
                    rows.append(kill_in_upload(browser, Path(folder) / "home", point))
                    print(rows[-1], flush=True)
    report("faults", rows, __doc__ or "")
    failed = [row for row in rows if row["drafts after restart"] or row["page"] != "opens"]
    failed += [row for row in rows if row["restart offered"] == "no"]
    failed += [row for row in rows if re.search(r"DAMAGED|[1-9] uploads", str(row["earlier runs"]))]
    sys.exit(f"failed: {failed}" if failed else 0)


if __name__ == "__main__":
    main()
