"""The experiments of the user: their records and finished fits in the workspace."""

from __future__ import annotations

import shutil
from pathlib import Path

from ...experiments import EXPERIMENTS, Experiment
from . import current_user, experiment_records, session
from .experiment_records import ExperimentRecord

KIND = "experiment"
"""The kind of a job that runs an experiment."""


def fits_folder(experiment: Experiment) -> Path:
    """The folder of the user's finished fits of an experiment."""
    return current_user.workspace().folder / "experiments" / experiment.name


def records_folder() -> Path:
    """The folder of the user's records of experiments."""
    return current_user.workspace().folder / "experiments" / "asked"


def history() -> list[ExperimentRecord]:
    """The experiments that the user has run, newest first."""
    return experiment_records.load_all(records_folder())


def delete_damaged(record_id: str) -> None:
    """Delete a record that cannot be read."""
    (records_folder() / f"{Path(record_id).name}.json").unlink(missing_ok=True)


def open_record(record: ExperimentRecord) -> None:
    """Choose an experiment of the history, with the options that it was run with."""
    previous = experiment_records.experiment_settings(session.settings().views, record.experiment)
    session.change(**(dict.fromkeys(previous, "") | dict(record.settings)))


def delete_record(record: ExperimentRecord) -> None:
    """Delete an experiment from the history, and with the last one of its kind the finished fits."""
    experiment_records.delete(records_folder(), record)
    if not any(other.experiment == record.experiment for other in history()):
        shutil.rmtree(fits_folder(EXPERIMENTS[record.experiment]), ignore_errors=True)
