"""A class at work: many users train samples at the same time, on one server of this machine.

    python -m benchmarks.load [--users 30] [--minutes 5] [--thought 5]

Each user opens Train, clicks Train, waits for the result, looks at a page of results, and thinks. Half of the requests
are the same for several users. Then two users fill the queue with jobs as long as the server allows, and a third one
trains a small sample.

The table has refused requests, the time in the queue, the time of pages as a multiple of that for one user alone who
does the same, the memory of the server process, and whether every user got the runs they asked for, with equal scores
for equal requests.
"""

import asyncio
import json
import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import argument_parser, report
from benchmarks.streamlit_client import Client
from mrwtd.hosting.identity import folder_name
from mrwtd.runs import Run, Workspace
from tests.browser.conftest import start_server

SAMPLES = ("florentine", "aucs", "monastery", "bankwiring")
RESULTS = ("Compare", "Embedding", "Network", "Predict")
CAPPED = {"data": "kinship", "rank": "60", "ensemble": "16", "methods": "MrWTD,MrWTD-Q,MrWTD-H,MrWTD-L"}
"""A training of many minutes, below the limit of an hour."""


def requests(seed: int) -> Iterator[dict[str, str]]:
    """Requests of a user: every second one is the same for all users, the others are nobody else's."""
    draw, common = random.Random(f"user {seed}"), random.Random("all users")
    while True:
        yield {"data": draw.choice(SAMPLES), "seed": str(draw.randrange(1000)), "rank": "5"}
        yield {"data": common.choice(SAMPLES), "seed": str(common.randrange(1000)), "rank": "5"}


async def alone(client: Client, first_seed: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of each page for one user of an idle server, who does the same: trains, and then opens a page once."""
    times = defaultdict(list)
    for number, page in enumerate(RESULTS * rounds):
        data = SAMPLES[number // len(RESULTS) % len(SAMPLES)]
        request = {"data": data, "seed": str(first_seed + number), "rank": "5"}
        times["Train"].append(await client.open("Train", **request))
        await client.click("Train")
        while client.is_training:
            await asyncio.sleep(0.1)
        times[page].append(await client.open(page, data=request["data"]))
    return times


async def use(url: str, number: int, end: float, thought: float, record: dict[str, Any]) -> None:
    """One user until the end of the test."""
    client, draw = Client(url), random.Random(number)
    await client.connect()
    (user,) = [value for name, value in client.cookies.items() if name.startswith("mrwtd")]
    await asyncio.sleep(thought * draw.random())
    for request in requests(number):
        record["pages"]["Train"].append(await client.open("Train", **request))
        await client.click("Train")
        clicked = time.monotonic()
        record["requests"][user].append(request)
        while client.is_training and time.monotonic() < end + 60:
            await asyncio.sleep(0.1)
        record["answers"].append(time.monotonic() - clicked)
        page = draw.choice(RESULTS)
        record["pages"][page].append(await client.open(page, data=request["data"]))
        await asyncio.sleep(thought)
        if time.monotonic() > end:
            break
    record["errors"] += client.errors
    await client.close()


def memory(pid: int) -> float:
    """Resident memory of a process in MB."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1e3


async def watch(pid: int, end: float, record: dict[str, Any]) -> None:
    """The memory of the server, once per second."""
    while time.monotonic() < end:
        record["memory"].append(memory(pid))
        await asyncio.sleep(1)


async def load(url: str, pid: int, log: Path, users: int, minutes: float, thought: float) -> dict[str, Any]:
    """All users at once, after one user alone."""
    record: dict[str, Any] = {"pages": defaultdict(list), "requests": defaultdict(list), "memory": []}
    record |= {"answers": [], "errors": []}
    client = Client(url)
    await client.connect()
    await alone(client, first_seed=2000, rounds=1)  # loads what a server loads once
    record["idle"] = await alone(client, first_seed=3000, rounds=5)
    record["before"] = len(waits(log))
    await client.close()
    end = time.monotonic() + 60 * minutes
    tasks = [use(url, number, end, thought, record) for number in range(users)]
    await asyncio.gather(watch(pid, end, record), *tasks)
    return record


async def crowded(url: str) -> dict[str, object]:
    """Seconds of a small training while two users hold the queue with long ones."""
    hogs = [Client(url) for _ in range(2)]
    for number, hog in enumerate(hogs):
        await hog.connect()
        for job in range(5):
            await hog.open("Train", **CAPPED, seed=str(100 * number + job))
            await hog.click("Train")
    small = Client(url)
    await small.connect()
    await small.open("Train", data="florentine", rank="3", seed="77")
    began = time.monotonic()
    await small.click("Train")
    while small.is_training and time.monotonic() < began + 120:
        await asyncio.sleep(0.1)
    seconds = time.monotonic() - began
    queued = sum(text.startswith(("**Waiting**", "**Running**")) for hog in hogs for text in hog.texts())
    for client in (*hogs, small):
        await client.close()
    return {"figure": "small training beside long ones of two users", "value": f"{seconds:.1f} s ({queued} shown)"}


def mixed_up(home: Path, requested: dict[str, list[dict[str, str]]]) -> tuple[int, int]:
    """The number of runs that differ from what their user requested or from equal runs, and of all runs."""
    wrong, runs, scores = 0, 0, {}
    for user, wanted in requested.items():
        asked = {(request["data"], int(request["seed"])) for request in wanted}
        for run in Workspace(home / "workspaces" / folder_name(user)).runs():
            runs += 1
            key = run.spec.data.name, run.spec.split.seed
            wrong += key not in asked or not same(scores.setdefault(key, run), run)
    return wrong, runs


def same(first: Run, second: Run) -> bool:
    """Whether two runs have the same scores."""
    columns = ["method", "relation", "metric", "value"]
    return first.scores[columns].equals(second.scores[columns])


def waits(log: Path) -> list[float]:
    """Seconds in the queue of each training, from the log of jobs."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith('{"time"')]
    return [line["waited"] for line in lines if line["kind"] == "train"]


def figures(record: dict[str, Any], waited: list[float], wrong: tuple[int, int]) -> list[dict[str, object]]:
    """The rows of the table."""
    refused = [text for text in record["errors"] if "waiting jobs" in text]
    pages = {page: (median(times), median(record["idle"][page])) for page, times in record["pages"].items() if times}
    minutes = record["memory"][60::60] or record["memory"][-1:]
    after = record["memory"][min(60, len(record["memory"]) // 3) :]
    return [
        {"figure": "requests", "value": sum(map(len, record["requests"].values()))},
        {"figure": "computed", "value": len(waited)},
        {"figure": "refused", "value": len(refused)},
        {"figure": "other errors", "value": len(record["errors"]) - len(refused)},
        {"figure": "runs that are not what was requested", "value": f"{wrong[0]} of {wrong[1]}"},
        {"figure": "median wait in the queue", "value": f"{median(waited):.1f} s"},
        {"figure": "longest wait in the queue", "value": f"{max(waited):.1f} s"},
        {"figure": "median time from click to result", "value": f"{median(record['answers']):.1f} s"},
        *({"figure": f"{page}: median, against one user alone", "value": f"{busy:.2f} s, × {busy / idle:.1f}"}
          for page, (busy, idle) in pages.items()),
        {"figure": "memory of the server after a minute, most, end",
         "value": f"{after[0]:.0f}, {max(after):.0f}, {after[-1]:.0f} MB (+ {max(after) / after[0] - 1:.0%} at most)"},
        {"figure": "memory at the end of each minute, MB", "value": ", ".join(f"{size:.0f}" for size in minutes)},
    ]  # fmt: skip


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--users", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--thought", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server, url = start_server(folder / "log", home=folder / "home")
        try:
            record = asyncio.run(load(url, server.pid, folder / "log", options.users, options.minutes, options.thought))
            waited = waits(folder / "log")[record["before"] :]
            rows = figures(record, waited, mixed_up(folder / "home", record["requests"]))
            rows.append(asyncio.run(crowded(url)))
        finally:
            server.terminate()
            server.wait(timeout=60)
        report("load", rows)
        print(*dict.fromkeys(record["errors"]), sep="\n")
        if record["errors"]:
            print(*(line for line in (folder / "log").read_text().splitlines() if not line.startswith("{")), sep="\n")
