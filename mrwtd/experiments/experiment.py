"""Experiments: options define jobs, which run once and are stored; their scores give a table and a figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ..baselines import METHODS
from ..comparison import FitJob, ResultCache
from ..comparison.processes import check_n_jobs
from ..data.arguments import check_range
from ..errors import DataError, Problem
from ..registry import Registry
from . import tables
from .eta import RemainingTime

SECONDS_PER_FIT = 5.0
"""A rough mean over methods and sizes, to place an experiment in a queue."""

Progress = Callable[[int, int, str, float], object]
"""Called with (done, total, label of the last finished fit, remaining seconds or NaN); returning True cancels."""


@dataclass(frozen=True)
class Options:
    """The options of an experiment.

    Attributes:
        methods: names of `mrwtd.METHODS`.
        train: the training fractions.
        rank: ranks of the decomposition.
        runs: the number of splits for each cell of the table.
        sizes: numbers of objects, if the experiment generates data of several sizes.
        lam: values of λ, if they are given; without any, each fit chooses its λ.
        seed: the seed of splits and methods.
        folder: the folder with the user's files of the MIT data sets.
        n_jobs: the number of processes; −1 for one per core.
        scheduler: the URL of a Dask scheduler whose workers do the fits, instead of processes on this machine.
    """

    methods: tuple[str, ...]
    train: tuple[float, ...]
    rank: tuple[int, ...]
    runs: int
    sizes: tuple[int, ...] = ()
    lam: tuple[float, ...] = ()
    seed: int = 0
    folder: str | None = None
    n_jobs: int = 2
    scheduler: str | None = None

    def change(self, **changes: Any) -> Options:
        """The options with some of them changed.

        >>> Options(("CP",), (0.1,), (10,), runs=20).change(runs=2).runs
        2
        """
        return replace(self, **changes)


@dataclass(frozen=True)
class Plan:
    """The jobs on one data set, the rows of finished ones (after `resume`), and the function that runs the others."""

    name: str
    jobs: Sequence[FitJob]
    cache: ResultCache
    run_jobs: Callable[..., Generator[tuple[FitJob, pd.DataFrame], None, None]]
    """Called with jobs and the function `cancelled=`, which it checks regularly."""
    held_out: str = ""
    """A sentence that says how the test entries were held out."""
    done: dict[str, pd.DataFrame] = field(default_factory=dict)

    def resume(self) -> Plan:
        """The plan with the rows of finished jobs; an `OtherVersionError` if another version of the code made them."""
        done = {job.key: job.rows(rows) for job in self.jobs if (rows := self.cache.get(job.key)) is not None}
        return replace(self, done=done)

    @property
    def todo(self) -> list[FitJob]:
        """The remaining jobs: the first run of everything before the second, and the longest first within a run.

        Options list quick methods, small ranks and small training fractions first, so the reverse order is a good
        approximation. With a long job at the very end, all processes but one would be idle.
        """
        waiting = [job for job in reversed(self.jobs) if job.key not in self.done]
        return sorted(waiting, key=lambda job: job.run)


@dataclass(frozen=True)
class ExperimentResult:
    """The results of an experiment so far.

    Attributes:
        scores: one row per score: `data`, then the columns of `mrwtd.compare`.
        lam_paths: one row per λ that a search tried: data, method, train, rank, run, lam, score.
        done, total: the number of finished jobs, and of all jobs.
        notes: notes for readers of the table.
    """

    scores: pd.DataFrame
    lam_paths: pd.DataFrame
    done: int
    total: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """An experiment of the paper: an instance in a module of this folder, registered in `EXPERIMENTS`.

    Attributes:
        name: one word, for the command line.
        title, about: texts for users; `about` describes the experiment in a sentence or two.
        order: the position among the experiments.
        axis: the option on the horizontal axis: "train", "rank", "n_objects" or "fixed_lam". Others have one value.
        source: the experiment in the paper with its numbers.
        paper_runs: the number of runs behind the paper's means.
        metrics: the names of the metrics in the table.
        presets: the options named "quick" and "full".
        accepts_folder: whether it can use data from the user's folder.
    """

    name: str
    title: str
    about: str
    order: int
    axis: str
    source: str
    paper_runs: int
    metrics: tuple[str, ...]
    presets: Mapping[str, Options]
    accepts_folder: bool = False

    @property
    def key(self) -> str:
        """What identifies it in caches."""
        return self.name

    @property
    def offered_methods(self) -> tuple[str, ...]:
        """The methods that it can compare."""
        return tuple(METHODS)

    def estimated_seconds(self, options: Options) -> float:
        """The estimated time of all fits, one after another."""
        return SECONDS_PER_FIT * len(self.jobs(options))

    @abstractmethod
    def jobs(self, options: Options) -> Sequence[FitJob]:
        """All fits of these options."""

    @abstractmethod
    def plans(self, options: Options, folder: Path) -> list[Plan]:
        """The fits of these options by data set."""

    @abstractmethod
    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """The paper's figure, with or without the numbers of the paper."""

    def notes(self, options: Options) -> tuple[str, ...]:
        """Sentences about the parts of the paper's experiment that these options leave out."""
        return ()

    def check(self, options: Options) -> Options:
        """The options without duplicates, or a `DataError` if they are not valid."""
        axes = {"train": "train", "rank": "rank", "sizes": "n_objects", "lam": "fixed_lam"}
        unique = {
            name: tuple(dict.fromkeys(value))
            for name, value in vars(options).items()
            if isinstance(value, (tuple, list))
        }
        options = options.change(**unique)
        for name, axis in axes.items():
            values = getattr(options, name)
            if axis != self.axis and len(values) > 1:
                shown = ", ".join(f"{value:g}" for value in values)
                raise DataError(
                    Problem(f"{name} = {shown} for {self.name!r}", f"one value: this experiment varies the {self.axis}")
                )
            if not values and (name not in ("sizes", "lam") or self.axis == axis):
                raise DataError(Problem(f"no {name}", "at least one value"))
        for size in options.sizes:
            check_range("sizes", size, 20, 100_000, whole=True)
        check_n_jobs(options.n_jobs)
        return options

    def run(self, options: Options, folder: str | PathLike[str], progress: Progress | None = None) -> ExperimentResult:
        """Run the fits that are not finished in the folder yet, and return all results.

        Every finished fit is stored at once, so the same call continues after an interruption. Failed fits have a row
        with the reason, and are tried again the next time. If the folder has fits of another version of the code, an
        `OtherVersionError` is raised before anything runs.
        """
        options = self.check(options)
        plans = [plan.resume() for plan in self.plans(options, Path(folder))]
        eta, last = RemainingTime(options.n_jobs), ""
        for plan in plans:
            for job in plan.jobs:
                eta.add(plan.name, job, plan.done.get(job.key))

        def cancelled() -> bool:
            return progress is not None and bool(progress(eta.done, eta.total, last, eta.seconds()))

        for plan in plans:
            todo = plan.todo
            if cancelled() or not todo:
                continue
            with closing(plan.run_jobs(todo, cancelled=cancelled)) as results:
                for job, rows in results:
                    plan.cache.save(job, rows)
                    plan.done[job.key] = rows
                    eta.update(plan.name, job, rows)
                    last = f"{plan.name}, {job}"
                    if cancelled():
                        break
        return self._result(plans, options)

    def gather(self, options: Options, folder: str | PathLike[str]) -> ExperimentResult:
        """The results in the folder, without running anything."""
        options = self.check(options)
        return self._result([plan.resume() for plan in self.plans(options, Path(folder))], options)

    def restart(self, options: Options, folder: str | PathLike[str]) -> int:
        """Delete the fits of these options, and those of other versions of the code; return their number.

        Fits of this version of the code for other options stay.

        >>> import tempfile
        >>> from mrwtd.experiments.experiment import EXPERIMENTS
        >>> real = EXPERIMENTS["real"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     real.restart(real.presets["quick"], folder)
        0
        """
        plans = self.plans(self.check(options), Path(folder))
        return sum(plan.cache.restart(job.key for job in plan.jobs) for plan in plans)

    def table(self, scores: pd.DataFrame, paper: bool = True) -> tables.Table:
        """The paper's table of these scores, with the numbers of the paper."""
        return tables.table(self, scores, paper)

    def summary(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Mean, standard deviation and ties of each method, with the numbers of the paper as further columns."""
        return tables.summary(self, scores)

    def command(self, options: Options) -> str:
        """The command that runs the same options; the user's folder is left out.

        >>> from mrwtd.experiments.experiment import EXPERIMENTS
        >>> real = EXPERIMENTS["real"]
        >>> real.command(real.presets["full"].change(runs=3, methods=("RESCAL", "MrWTD-L")))
        'python -m mrwtd paper real --methods RESCAL,MrWTD-L --runs 3'
        """
        parts = [f"python -m mrwtd paper {self.name}", *command_options(options, self.presets["full"])]
        return " ".join([*parts, *(["--data FOLDER"] if options.folder is not None else [])])

    def _result(self, plans: Sequence[Plan], options: Options) -> ExperimentResult:
        frames: list[pd.DataFrame] = []
        paths: list[tuple[object, ...]] = []
        for plan in plans:
            for rows in (plan.done[job.key] for job in plan.jobs if job.key in plan.done):
                fit = rows.iloc[0]
                paths += [
                    (plan.name, fit["method"], fit["train"], fit["rank"], fit["run"], lam, score)
                    for lam, score in rows.attrs.get("lam_path", ())
                ]
                frames.append(rows.assign(data=plan.name))
                frames[-1].attrs = {}
        columns = ("data", "method", "train", "rank", "run", "lam", "score")
        total = sum(len(plan.jobs) for plan in plans)
        scores = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(tables.BASE_COLUMNS))
        scores.insert(0, "data", scores.pop("data"))
        notes = (*_how_held_out(plans), *self.notes(options))
        return ExperimentResult(scores, pd.DataFrame(paths, columns=list(columns)), len(frames), total, notes)


def command_options(options: Options, default: Options) -> list[str]:
    """The options of the command line that differ from the default.

    >>> command_options(Options(("CP",), (0.1,), (10,), runs=2), Options(("CP",), (0.1,), (5, 10), runs=20))
    ['--rank 10', '--runs 2']
    """
    words = []
    for name in ("methods", "train", "rank", "sizes", "lam", "runs", "seed"):
        value = getattr(options, name)
        if value != getattr(default, name):
            values = value if isinstance(value, tuple) else (value,)
            text = ",".join(f"{item:g}" if isinstance(item, (int, float)) else item for item in values)
            words.append(f"--{name} '{text}'" if " " in text else f"--{name} {text}")
    return words


EXPERIMENTS = Registry[Experiment]("experiment", "mrwtd.experiments")
"""Every experiment by name, in the order of the paper."""


def _how_held_out(plans: Sequence[Plan]) -> tuple[str, ...]:
    """How the test entries were held out: one sentence if it is the same for all data sets, else one for each."""
    sentences = {plan.name: plan.held_out for plan in plans if plan.held_out}
    if len(set(sentences.values())) == 1:
        return (next(iter(sentences.values())),)
    return tuple(f"{name}: {sentence}" for name, sentence in sentences.items())
