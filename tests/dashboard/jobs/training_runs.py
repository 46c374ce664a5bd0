"""Run a training without the queue, for tests."""

from pathlib import Path

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import Training, recipient
from mrwtd.dashboard.state.settings import Settings
from mrwtd.runs import Run, Workspace

SETTINGS = Settings(
    "bankwiring", train=0.5, seed=3, rank=3, lam=1.0, start="random", ensemble=2,
    methods=("MrWTD", "MrWTD-Q", "RESCAL", "Degree"), loss={"help": "smooth-hinge"}, weight={"help": 2.0},
)  # fmt: skip


def train(settings: Settings, data: mrwtd.RelationalData, title: str, space: Workspace, name: str = "") -> Training:
    """The work of a training job for one user."""
    return Training(settings, data, "", recipient(settings, data, title, space, name))


def run_of(settings: Settings, data: mrwtd.RelationalData, folder: Path, job: Job | None = None) -> Run | None:
    job = job or Job("t", "train", "me", lambda job: None)
    job.work = train(settings, data, "title", Workspace(folder))
    return job.execute()
