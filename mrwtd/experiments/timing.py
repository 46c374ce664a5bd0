"""The timing experiment (section 4.5): time and peak memory of a fit as the data grows, each in a fresh process.

Three binary relations of rank 10, a tenth of the pairs known, λ given. A further hundredth of the pairs is made to be
predicted, so that a fast fit cannot be a bad one unseen. Fits run one at a time: they would slow each other down.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from ..comparison import ResultCache, make_jobs
from ..comparison.processes import POLL_SECONDS
from ..data.datasets.samples import load_dataset
from ..data.reciprocity import UNDIRECTED
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..plots.score_curves import score_curves
from ..runs import DataRef, MethodSpec, RunSpec, SplitSpec
from .experiment import EXPERIMENTS, Experiment, ExperimentJob, Options, Plan

DATA = "Synth-B"
METRICS = ("seconds", "peak_gb", "auprc")
MAX_TRAIN = 0.9
TEST_FRACTION = 0.1
"""Pairs to be predicted, as a fraction of those to learn from."""


@dataclass(frozen=True)
class TimingJob:
    """One fit on data of one size.

    Attributes:
        label: the method.
        n_objects: the size of the data; each run has data of its own.
        run: which of the repetitions; `seed + run` is the seed of data and method.
    """

    label: str
    n_objects: int
    run: int
    rank: int = 10
    train: float = 0.1
    seed: int = 0

    @property
    def spec(self) -> RunSpec:
        """The run that the job is: of the pairs that are known, most are learned from and the others predicted."""
        seed, known = self.seed + self.run, self.train * (1 + TEST_FRACTION)
        options = {"n_objects": self.n_objects, "n_relations": 3, "rank": 10, "seed": seed, "observed": known}
        data = DataRef("synth-binary", sample=True, options=options)
        parameters = {"rank": self.rank, "lam": self.lam, "seed": seed}
        return RunSpec(
            data, SplitSpec(1 / (1 + TEST_FRACTION), seed, "entry"), (MethodSpec(self.label, self.label, parameters),)
        )

    def data(self) -> RelationalData:
        """The data, generated.

        >>> job = TimingJob("RESCAL", 100, run=0)
        >>> [len(part) for part in job.spec.split.parts(job.data())]
        [1485, 150]
        """
        return load_dataset(self.spec.data.name, **self.spec.data.options)

    @property
    def key(self) -> str:
        """What tells the job from all others."""
        return self.spec.key

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the job, from its scores."""
        return scores.assign(run=self.run, method=self.label)

    @property
    def lam(self) -> float:
        """Larger data bears, and needs, a larger λ: about n^(2/3) by its held-out scores.

        >>> TimingJob("RESCAL", 4000, run=0).lam
        12.0
        """
        return float(round(3.0 * (self.n_objects / 500) ** (2 / 3), 1))

    @property
    def effort(self) -> float:
        """What it costs, beside another size: entries grow with the square of the number of objects."""
        return (self.n_objects / 500) * (self.n_objects / 500)

    def __str__(self) -> str:
        return f"{self.label}, n = {self.n_objects:,}, run {self.run + 1}"


@dataclass(frozen=True)
class Timing(Experiment):
    """Time and memory over the number of objects; the fields are those of `Experiment`."""

    name: str = "timing"
    title: str = "Time and memory as the data grows"
    about: str = (
        "One fit of rank 10 with a given λ to three binary relations with a tenth of the pairs known, in a fresh "
        "process with everything compiled: seconds, peak memory (data included), and AUPRC on pairs that were not "
        "learned from. The paper's seconds are of MATLAB on a machine with twelve cores of 2.66 GHz."
    )
    order: int = 4
    axis: str = "n_objects"
    source: str = "timing"
    paper_runs: int = 10
    metrics: tuple[str, ...] = METRICS
    presets: Mapping[str, Options] = field(
        default_factory=lambda: {
            "quick": Options(("RESCAL", "BPTF", "MrWTD-H"), (0.1,), (10,), runs=3, sizes=(500, 1000), n_jobs=1),
            "full": Options(
                ("RESCAL", "BPTF", "MrWTD-H"), (0.1,), (10,), runs=10, sizes=(500, 1000, 2000, 4000, 8000), n_jobs=1
            ),
        }
    )

    def check(self, options: Options) -> Options:
        """The options, with one process at a time."""
        options = super().check(options).change(n_jobs=1)
        make_jobs(
            options.methods, options.train, options.rank[0], options.runs, options.seed
        )  # it refuses what cannot be
        if options.train[0] > MAX_TRAIN:
            raise DataError(Problem(f"train = {options.train[0]}", f"at most {MAX_TRAIN}: pairs to test are needed"))
        return options

    def jobs(self, options: Options) -> list[ExperimentJob]:
        """Every fit, from the smallest size to the largest."""
        options = self.check(options)
        return [job for size in options.sizes for job in self._of_size(options, size)]

    def plans(self, options: Options, folder: Path) -> list[Plan]:
        """The fits of each size."""
        finished, work = ResultCache(folder / "finished", self.name), run_in_fresh_processes
        return [Plan(DATA, self._of_size(options, size), finished, work, UNDIRECTED) for size in options.sizes]

    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """Seconds and memory, both axes logarithmic."""
        found = self.summary(scores)
        return score_curves(found[found["metric"] != "auprc"], self.axis, paper=paper, dark=dark, log=True)

    def _of_size(self, options: Options, size: int) -> list[TimingJob]:
        (rank,), (train,) = options.rank, options.train
        return [
            TimingJob(method, size, run, rank, train, options.seed)
            for run in range(options.runs)
            for method in options.methods
        ]


def run_in_fresh_processes(
    todo: Sequence[TimingJob], cancelled: Callable[[], bool] = lambda: False
) -> Generator[tuple[TimingJob, pd.DataFrame], None, None]:
    """Each job with its rows, one after another, in a process of its own, which `cancelled` ends.

    >>> ((job, rows),) = run_in_fresh_processes([TimingJob("Degree", 60, run=0)])
    >>> rows["metric"].tolist()
    ['seconds', 'peak_gb', 'auprc']
    """
    for job in todo:
        command = [sys.executable, "-m", "mrwtd.experiments.timed_fit", json.dumps(asdict(job))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                answer = _answer(process, cancelled)
            finally:
                process.kill()  # which a process that has ended does not mind
        if answer is None:
            return
        out, err = answer
        if process.returncode == 0:
            yield job, _rows(job, json.loads(out.splitlines()[-1]))
        else:
            said = (err.strip().splitlines() or [f"the process ended with status {process.returncode}"])[-1]
            yield job, _rows(job, {"": float("nan")}, reason=said)


def _answer(process: subprocess.Popen[str], cancelled: Callable[[], bool]) -> tuple[str, str] | None:
    """What a process has written when it ends; None once nobody wants to know."""
    while not cancelled():
        try:
            return process.communicate(timeout=POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    return None


def _rows(job: TimingJob, measured: Mapping[str, float], reason: str = "") -> pd.DataFrame:
    """The measures of a fit in the columns of `mrwtd.compare`, and the number of objects."""
    rows = [{"metric": metric, "value": value} for metric, value in measured.items() if metric in (*METRICS, "")]
    return pd.DataFrame(rows).assign(
        method=job.label,
        train=job.train,
        run=job.run,
        rank=job.rank,
        n_objects=job.n_objects,
        relation="all",
        kind="binary",
        reason=reason,
        seconds=measured.get("seconds", float("nan")),
        evaluations=int(measured.get("evaluations", 0)),
    )


EXPERIMENT = EXPERIMENTS.register(Timing())
