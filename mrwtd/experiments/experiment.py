"""What an experiment is: options in, jobs that are run once and kept, and a table and a figure out of their scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import plotly.graph_objects as go

from ..comparison import ResultCache
from ..data.arguments import check_range
from ..errors import DataError, Problem
from ..registry import Registry
from . import tables
from .eta import RemainingTime

Progress = Callable[[int, int, str, float], object]
"""Called with (done, total, what was finished last, seconds left, NaN while unknown); returning True cancels."""


class ExperimentJob(Protocol):
    """One fit of an experiment. `str` of it is for people."""

    @property
    def key(self) -> str:
        """What tells it from all others."""

    @property
    def label(self) -> str:
        """The method, as tables name it."""

    @property
    def run(self) -> int:
        """Which of several fits that differ in their seed."""


@dataclass(frozen=True)
class Options:
    """What is asked of an experiment.

    Attributes:
        methods: names of `mrwtd.METHODS`.
        train: shares of the entries to learn from.
        rank: ranks of the decomposition.
        runs: splits for each cell of the table.
        sizes: numbers of objects, where the experiment makes data of several sizes.
        seed: of splits and methods.
        folder: where the user's files of the MIT data sets are.
        n_jobs: processes; −1 for as many as there are cores.
        scheduler: the address of a Dask scheduler whose workers do the fits, in place of processes here.
    """

    methods: tuple[str, ...]
    train: tuple[float, ...]
    rank: tuple[int, ...]
    runs: int
    sizes: tuple[int, ...] = ()
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
    """The jobs on one data set: those asked for, those that are done (after `resume`), and what runs the others."""

    name: str
    asked: Sequence[Any]
    finished: ResultCache
    work: Callable[..., Generator[tuple[Any, pd.DataFrame], None, None]]
    """Called with jobs and `cancelled=`, which it asks now and then."""
    held_out: str = ""
    """A sentence that says how the test parts were drawn."""
    done: dict[str, pd.DataFrame] = field(default_factory=dict)

    def resume(self) -> Plan:
        """The same with what is finished already; an `OtherVersionError` where other code has made it."""
        kept = {job.key: job.rows(rows) for job in self.asked if (rows := self.finished.get(job.key)) is not None}
        return replace(self, done=kept)

    @property
    def todo(self) -> list[Any]:
        """The jobs that are not done, the first run of everything before the second, and in a run the longest first.

        Options list quick methods, small ranks and small training sizes first, so the reverse is near enough to that.
        With a long job at the very end, all processes but one would wait for it.
        """
        waiting = [job for job in reversed(self.asked) if job.key not in self.done]
        return sorted(waiting, key=lambda job: int(job.run))


@dataclass(frozen=True)
class ExperimentResult:
    """What has come out so far.

    Attributes:
        scores: a row a score: `data`, then the columns of `mrwtd.compare`.
        lam_paths: a row for each λ that a search tried: data, method, train, rank, run, lam, score.
        done, total: how many of the jobs are finished.
        notes: what a reader of the table has to know.
    """

    scores: pd.DataFrame
    lam_paths: pd.DataFrame
    done: int
    total: int
    notes: tuple[str, ...] = ()


class Experiment(ABC):
    """An experiment of the paper. A subclass in a file of this folder, registered in `EXPERIMENTS`, is all it takes.

    Attributes:
        name: one word, for the command line.
        title, about: for people; `about` says in a sentence or two what is done.
        order: its place among the experiments.
        axis: what varies along the horizontal axis: "train", "rank" or "n_objects". All else has one value.
        source: under which experiment the paper prints its numbers.
        paper_runs: how many runs the paper's numbers are means of.
        metrics: the names of those that the table shows.
        presets: the options named "quick" and "full".
        accepts_folder: whether it can use data that the user brings.
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

    @abstractmethod
    def jobs(self, options: Options) -> list[ExperimentJob]:
        """Every fit that these options ask for."""

    @abstractmethod
    def plans(self, options: Options, folder: Path) -> list[Plan]:
        """The same, by data set."""

    @abstractmethod
    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """The paper's figure, with or without the paper's own numbers in it."""

    def notes(self, options: Options) -> tuple[str, ...]:
        """What these options leave out of the paper's experiment, in sentences."""
        del options
        return ()

    def check(self, options: Options) -> Options:
        """The options without repetitions, or a `DataError` that says what is wrong with them."""
        axes = {"train": "train", "rank": "rank", "sizes": "n_objects"}
        tidy = {
            field.name: tuple(dict.fromkeys(value))
            for field in fields(options)
            if isinstance(value := getattr(options, field.name), (tuple, list))
        }
        options = options.change(**tidy)
        for name, axis in axes.items():
            values = getattr(options, name)
            if axis != self.axis and len(values) > 1:
                shown = ", ".join(f"{value:g}" for value in values)
                raise DataError(Problem(f"{name} = {shown} for {self.name!r}", f"one value: it varies the {self.axis}"))
            if not values and (name != "sizes" or self.axis == "n_objects"):
                raise DataError(Problem(f"no {name}", "at least one value"))
        for size in options.sizes:
            check_range("sizes", size, 20, 100_000, whole=True)
        jobs = options.n_jobs
        if not isinstance(jobs, int) or isinstance(jobs, bool) or (jobs < 1 and jobs != -1):
            raise DataError(Problem(f"n_jobs = {jobs!r}", "a whole number from 1 up, or -1 for all cores"))
        return options

    def run(self, options: Options, folder: str | PathLike[str], progress: Progress | None = None) -> ExperimentResult:
        """Run what is not finished in the folder yet, and give all that was asked for.

        Every finished fit is written at once, so that the same call goes on where an interrupted one was. Fits that
        fail leave a row that says why, and are tried again the next time. Fits that another version of the code has
        kept there are an `OtherVersionError`, before anything runs.
        """
        options = self.check(options)
        plans = [plan.resume() for plan in self.plans(options, Path(folder))]
        pace = RemainingTime(options.n_jobs)
        for plan in plans:
            for job in plan.asked:
                pace.plan(plan.name, job, plan.done.get(job.key))
        pace.start()
        tell, last = progress or _silent, ""

        def cancelled() -> bool:
            return bool(tell(pace.done, pace.total, last, pace.left()))

        for plan in plans:
            todo = plan.todo
            if cancelled() or not todo:
                continue
            with closing(plan.work(todo, cancelled=cancelled)) as results:
                for job, rows in results:
                    plan.finished.save(job, rows)
                    plan.done[job.key] = rows
                    pace.step(plan.name, job, rows)
                    last = f"{plan.name}, {job}"
                    if cancelled():
                        break
        return self._outcome(plans, options)

    def gather(self, options: Options, folder: str | PathLike[str]) -> ExperimentResult:
        """What is finished in the folder, without running anything."""
        options = self.check(options)
        return self._outcome([plan.resume() for plan in self.plans(options, Path(folder))], options)

    def restart(self, options: Options, folder: str | PathLike[str]) -> int:
        """Delete the fits that these options ask for, and those of other versions of the code; how many there were.

        Fits of the same data that an experiment with other options has kept stay, where this version has made them.

        >>> import tempfile
        >>> from mrwtd.experiments import EXPERIMENTS
        >>> real = EXPERIMENTS["real"]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     real.restart(real.presets["quick"], folder)
        0
        """
        plans = self.plans(self.check(options), Path(folder))
        return sum(plan.finished.restart(job.key for job in plan.asked) for plan in plans)

    def table(self, scores: pd.DataFrame, paper: bool = True) -> tables.Table:
        """The paper's table of these scores, with the paper's numbers beside."""
        return tables.table(self, scores, paper)

    def summary(self, scores: pd.DataFrame) -> pd.DataFrame:
        """Mean, standard deviation and ties of each method, with the paper's numbers as further columns."""
        return tables.summary(self, scores)

    def command(self, options: Options) -> str:
        """The command that runs the same; user's folders are left out of it.

        >>> from mrwtd.experiments import EXPERIMENTS
        >>> real = EXPERIMENTS["real"]
        >>> real.command(real.presets["full"].change(runs=3, methods=("RESCAL", "MrWTD-L")))
        'python -m mrwtd paper real --methods RESCAL,MrWTD-L --runs 3'
        """
        full, words = self.presets["full"], [f"python -m mrwtd paper {self.name}"]
        for name in ("methods", "train", "rank", "sizes", "runs", "seed"):
            value = getattr(options, name)
            if value != getattr(full, name):
                items = [f"{item:g}" if isinstance(item, (int, float)) else item for item in _listed(value)]
                text = ",".join(items)
                words.append(f"--{name} '{text}'" if " " in text else f"--{name} {text}")
        return " ".join([*words, *(["--data FOLDER"] if options.folder is not None else [])])

    def _outcome(self, plans: Sequence[Plan], options: Options) -> ExperimentResult:
        frames: list[pd.DataFrame] = []
        paths: list[tuple[object, ...]] = []
        total = 0
        for plan in plans:
            total += len(plan.asked)
            for job in plan.asked:
                rows = plan.done.get(job.key)
                if rows is not None:
                    paths.extend(_lam_path(plan.name, rows))
                    frames.append(rows.assign(data=plan.name))
                    frames[-1].attrs = {}
        columns = ("data", "method", "train", "rank", "run", "lam", "score")
        scores = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(tables.BASE_COLUMNS))
        scores.insert(0, "data", scores.pop("data"))
        notes = (*_how_held_out(plans), *self.notes(options))
        return ExperimentResult(scores, pd.DataFrame(paths, columns=list(columns)), len(frames), total, notes)


EXPERIMENTS = Registry[Experiment]("experiment", "mrwtd.experiments")
"""Every experiment by name, in the order of the paper."""


def _how_held_out(plans: Sequence[Plan]) -> tuple[str, ...]:
    """How the test parts were drawn: one sentence where it is the same for all data sets, else one for each."""
    sentences = {plan.name: plan.held_out for plan in plans if plan.held_out}
    if len(set(sentences.values())) == 1:
        return (next(iter(sentences.values())),)
    return tuple(f"{name}: {sentence}" for name, sentence in sentences.items())


def _silent(done: int, total: int, what: str, left: float) -> None:
    del done, total, what, left


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)


def _lam_path(data: str, rows: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    first = rows.iloc[0]
    for lam, score in rows.attrs.get("lam_path", ()):
        yield data, first["method"], first["train"], first["rank"], first["run"], lam, score
