"""Trainings in worker processes: several users, cancelling, crashes, and runs that cannot be saved."""

import os
import signal
from pathlib import Path

import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job, Queue, training
from mrwtd.dashboard.jobs.training import Training, recipient
from mrwtd.dashboard.state.settings import Settings
from mrwtd.errors import Problem
from mrwtd.hosting import isolated
from mrwtd.runs import Workspace
from mrwtd.runs.storage_error import StorageError

SETTINGS = Settings("florentine", rank=2, lam=1.0, methods=("MrWTD", "Degree"))
SLOW = Settings("kinship", rank=100, methods=("MrWTD",), ensemble=50)


def for_users(settings: Settings, folder: Path, *users: str) -> Training:
    data = mrwtd.load_dataset(settings.data)
    places = {user: recipient(settings, data, f"data of {user}", Workspace(folder / user)) for user in users}
    work = Training(settings, data, users[0], places[users[0]])
    assert all(work.add(user, places[user]) for user in users[1:])
    return work


def test_every_user_who_waits_gets_the_run_in_their_own_words(tmp_path: Path) -> None:
    queue = Queue()
    job = queue.submit("ann", "title", for_users(SETTINGS, tmp_path, "ann", "bob", "cat"))
    job.owners.add("bob")
    queue.wait(job)
    assert job.state == "finished", job.problem
    runs = {user: Workspace(tmp_path / user).run(job.id) for user in ("ann", "bob")}
    assert {user: run.title for user, run in runs.items()} == {"ann": "data of ann", "bob": "data of bob"}
    assert runs["ann"].scores.equals(runs["bob"].scores)
    assert sorted(runs["bob"].models()) == ["Degree", "MrWTD"]
    assert Workspace(tmp_path / "cat").runs() == []  # who did not wait
    assert not [*(tmp_path / "ann" / "runs").glob(".*")]


def test_a_run_that_is_being_saved_has_no_more_recipients(tmp_path: Path) -> None:
    work = for_users(SETTINGS, tmp_path, "ann")
    assert Job("t", "train", "ann", work).execute() is not None
    place = recipient(SETTINGS, mrwtd.load_dataset("florentine"), "late", Workspace(tmp_path / "bob"))
    assert not work.add("bob", place)


def test_cancelled_it_ends_and_its_process_too(tmp_path: Path) -> None:
    queue = Queue()
    job = queue.submit("ann", "title", for_users(SLOW, tmp_path, "ann"))
    while not (job.detail and job.detail[0].state == "running") and not job.done:
        os.sched_yield()
    queue.cancel(job, "ann")
    queue.wait(job)
    assert job.state == "stopped"


def test_a_crash_is_a_failure_of_this_job_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes: list[isolated.Process] = []

    class Watched(isolated.Process):
        def __init__(self, **options: int):
            super().__init__(**options)
            processes.append(self)

    monkeypatch.setattr(training, "Process", Watched)
    queue = Queue()
    job = queue.submit("ann", "title", for_users(SLOW, tmp_path, "ann"))
    while not (job.detail and job.detail[0].state == "running") and not job.done:
        os.sched_yield()
    os.kill(processes[0].pid, signal.SIGKILL)
    queue.wait(job)
    assert job.state == "failed"
    assert "memory" in job.problem
    after = queue.submit("ann", "title", for_users(SETTINGS, tmp_path, "ann"))
    queue.wait(after)
    assert after.state == "finished"


def test_a_run_that_cannot_be_saved_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **changes: object) -> None:
        raise StorageError(Problem("no space left on the server", "free space"))

    monkeypatch.setattr(Workspace, "adopt", refuse)
    run = Job("t", "train", "ann", for_users(SETTINGS, tmp_path, "ann")).execute()
    assert run.folder is None
    assert sorted(run.models()) == ["Degree", "MrWTD"]
    assert set(run.scores["method"]) == {"MrWTD", "Degree"}


def test_a_workspace_that_cannot_be_written_leaves_the_run_in_memory(tmp_path: Path) -> None:
    (tmp_path / "ann").write_text("a file where the folder should be")
    run = Job("t", "train", "ann", for_users(SETTINGS, tmp_path, "ann")).execute()
    assert run.folder is None
    assert sorted(run.models()) == ["Degree", "MrWTD"]
