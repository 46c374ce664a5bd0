"""Ways to damage stored runs and data sets, and a user whose files are damaged."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import Settings
from mrwtd.runs import Workspace
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK
from tests.stored_runs import sign

PAGES = [page.path for page in pages().values()]


LATER = "2999-01-01T00:00:00+00:00"


def change_fields(**changes: object) -> Callable[[Path], None]:
    """Change fields of run.json or data.json."""

    def damage(folder: Path) -> None:
        file = next(file for file in (folder / "run.json", folder / "data.json") if file.exists())
        if file.name == "run.json":
            sign(folder, **changes)
        else:
            file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    return damage


def truncate(name: str, keep: float) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(keep * len(content))])

    return damage


def fill_with_zeros(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(bytes((folder / name).stat().st_size)) and None


def delete(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def flip_bit(name: str) -> Callable[[Path], None]:
    """Change one bit in the middle of a file."""

    def damage(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)

    return damage


def change_scores(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    """Change the table of scores."""

    def damage(folder: Path) -> None:
        table = pd.read_csv(folder / "scores.csv", dtype="str", keep_default_na=False)
        change(table).to_csv(folder / "scores.csv", index=False)
        sign(folder)

    return damage


def change_model(
    change: Callable[[dict[str, Any], dict[str, np.ndarray]], object], number: int = 0
) -> Callable[[Path], None]:
    """Change the header of a stored model, or its arrays."""

    def damage(folder: Path) -> None:
        file = folder / "models" / f"{number}.npz"
        with np.load(file) as stored:
            arrays = {name: stored[name] for name in stored.files}
        header = json.loads(arrays["mrwtd"].tobytes())
        change(header, arrays)
        arrays["mrwtd"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        np.savez(file, **arrays)
        sign(folder)

    return damage


def change_model_value(part: str, name: str, value: object) -> Callable[[Path], None]:
    """Replace a parameter or a learned attribute of a stored model."""

    def change(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        header[part]["dict"] = [[key, value if key == name else old] for key, old in header[part]["dict"]]

    return change_model(change)


def nan_in_factors(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    place = dict(header["learned"]["dict"])["A_"]["array"]
    arrays[place][0, 0] = np.nan


def frame(**columns: list[object]) -> dict[str, object]:
    """A table as stored models have it."""
    return {"frame": {"dict": [[name, values] for name, values in columns.items()]}}


DAMAGED_RUNS = {
    "about-cut": truncate("run.json", 0.5),
    "about-empty": truncate("run.json", 0),
    "about-gone": delete("run.json"),
    "created-before-time": change_fields(created="0001-01-01T00:00:00+23:59"),
    "created-number": change_fields(created=5),
    "name-half-a-character": change_fields(name="\ud800"),
    "summary-text": change_fields(summary={"MrWTD": "much"}),
    "spec-empty": change_fields(spec={"split": {}}),
    "spec-text": change_fields(spec={"split": {"train": "x", "seed": 0, "by": "auto", "stratify": False}}),
    "version": change_fields(format=99),
    "byte-in-about": flip_bit("run.json"),
    "byte-in-scores": flip_bit("scores.csv"),
    "scores-empty": truncate("scores.csv", 0),
    "scores-zeros": fill_with_zeros("scores.csv"),
    "scores-gone": delete("scores.csv"),
    "model-cut": truncate("models/0.npz", 0.5),
    "model-gone": delete("models/1.npz"),
}


RUNS_DAMAGED_INSIDE = {
    "scores-without-entries": change_scores(lambda table: table.assign(entries="")),
    "scores-without-a-column": change_scores(lambda table: table.drop(columns="entries")),
    "scores-of-part-of-an-entry": change_scores(lambda table: table.assign(entries="1.5")),
    "scores-with-text": change_scores(lambda table: table.assign(test_entries="many")),
    "scores-with-negative-time": change_scores(lambda table: table.assign(seconds="-1")),
    "scores-infinite": change_scores(lambda table: table.assign(value="inf")),
    "scores-of-another-kind": change_scores(lambda table: table.assign(kind="real")),
    "scores-twice": change_scores(lambda table: pd.concat([table, table])),
    "scores-without-positives": change_scores(lambda table: table.assign(positives="")),
    "relation": change_scores(lambda table: table.replace("marriage", "money")),
    "method": change_scores(lambda table: table.replace("MrWTD", "another")),
    "nothing-scored": change_scores(lambda table: table.assign(entries="0", positives="0")),
    "no-time": change_scores(lambda table: table.assign(seconds="")),
    "labels": change_fields(methods=["RESCAL", "MrWTD", "Degree"]),
    "factors": change_model(nan_in_factors),
    "trace-empty": change_model_value("learned", "trace_", frame(iteration=[], objective=[], score=[])),
    "trace-columns": change_model_value("learned", "trace_", frame(iteration=[1, 2], score=[0.1, 0.2])),
    "trace-nan": change_model_value(
        "learned", "trace_", frame(iteration=[1, 2], objective=[float("nan")] * 2, score=[0.1, 0.2])
    ),
    "path-columns": change_model_value("learned", "lam_path_", frame(strength=[1.0, 2.0])),
    "path-values": change_model_value(
        "learned", "lam_path_", frame(lam=[-1.0, 0.0], score=[0.1, 0.2], collapsed=[False, False])
    ),
    "path-text": change_model_value("learned", "lam_path_", frame(lam=["x"], score=["y"], collapsed=["z"])),
    "rank": change_model_value("parameters", "rank", "three"),
    "seed": change_model_value("parameters", "seed", [0]),
    "ensemble": change_model_value("parameters", "ensemble", None),
    "members": change_model_value("learned", "members_", {"tuple": []}),
    "other-data": change_model_value("learned", "objects_", {"tuple": ["a", "b"]}),
}
"""Damage that is detected only when a run is opened."""


DAMAGED_DATA_SETS = {
    "about-cut": truncate("data.json", 0.5),
    "about-empty": truncate("data.json", 0),
    "about-gone": delete("data.json"),
    "called-mapping": change_fields(called={"a": 1}),
    "files-number": change_fields(files=5),
    "kept-text": change_fields(kept="x"),
    "data-cut": truncate("data.parquet", 0.5),
    "data-gone": delete("data.parquet"),
    "data-zeros": fill_with_zeros("data.parquet"),
}


def workspace_with_run(user: str) -> Workspace:
    """The workspace of a user who has one run and one upload."""
    space, data = current_user.workspace_of(user), mrwtd.load_dataset("florentine")
    if not space.runs():
        work = train(Settings("florentine", **QUICK), data, "Florence", space, name="the good run")
        assert work(Job("training", "train", user, work)) is not None
        space.save_dataset(data, {"file": "good.csv"})
    return space


def damaged_copy(folder: Path, name: str, damage: Callable[[Path], None]) -> Path:
    place = folder.with_name(name)
    shutil.copytree(folder, place)
    if (place / "run.json").exists():
        change_fields(id=name, created=LATER)(place)
    damage(place)
    return place


def failures(app: AppTest) -> list[str]:
    return [*(str(error.value) for error in app.exception), *(str(error.value) for error in app.error)]
