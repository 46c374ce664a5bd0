"""The timing experiment (section 4.5): time and peak memory of a fit as the data grows, each in a fresh process.

Three binary relations of rank 10, a tenth of the pairs known, λ given. A further hundredth of the pairs are test
entries, so that a fast but bad fit is noticed. Fits run one at a time, as they would slow each other down.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from ..comparison import FitJob, ResultCache, make_jobs
from ..comparison.processes import POLL_SECONDS
from ..data.datasets.samples import load_dataset
from ..data.relational import RelationalData
from ..data.splitting import UNDIRECTED
from ..errors import DataError, Problem
from ..plots.score_curves import score_curves
from ..runs import DataRef, MethodSpec, RunSpec, SplitSpec
from .experiment import EXPERIMENTS, Experiment, Options, Plan

DATA = "Synth-B"
METRICS = ("seconds", "peak_gb", "auprc")
MAX_TRAIN = 0.9
TEST_FRACTION = 0.1
"""The number of test entries as a fraction of the training entries."""


@dataclass(frozen=True)
class TimingJob(FitJob):
    """One fit on data of one size.

    Attributes:
        label: the method.
        n_objects: the size of the data; each run has different data.
        run: the number of the repetition; `seed + run` is the seed of data and method.
    """

    label: str
    n_objects: int
    run: int
    rank: int = 10
    train: float = 0.1
    seed: int = 0

    @property
    def spec(self) -> RunSpec:
        """The specification of the run: most known pairs are training entries, the others test entries."""
        seed, known = self.seed + self.run, self.train * (1 + TEST_FRACTION)
        options = {"n_objects": self.n_objects, "n_relations": 3, "rank": 10, "seed": seed, "observed": known}
        data = DataRef("synth-binary", sample=True, options=options)
        parameters = {"rank": self.rank, "lam": self.lam, "seed": seed}
        return RunSpec(
            data, SplitSpec(1 / (1 + TEST_FRACTION), seed, "entry"), (MethodSpec(self.label, self.label, parameters),)
        )

    def data(self) -> RelationalData:
        """Generate the data.

        >>> job = TimingJob("RESCAL-signs", 100, run=0)
        >>> [len(part) for part in job.spec.split.parts(job.data())]
        [1485, 150]
        """
        return load_dataset(self.spec.data.name, **self.spec.data.options)

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the job, from its scores."""
        return scores.assign(run=self.run, method=self.label)

    @property
    def lam(self) -> float:
        """Larger data needs a larger λ: about n^(2/3) by its validation scores.

        >>> TimingJob("RESCAL-signs", 4000, run=0).lam
        12.0
        """
        return float(round(3.0 * (self.n_objects / 500) ** (2 / 3), 1))

    @property
    def effort(self) -> float:
        """The cost relative to other sizes: entries grow with the square of the number of objects."""
        return (self.n_objects / 500) ** 2

    def __str__(self) -> str:
        return f"{self.label}, n = {self.n_objects:,}, run {self.run + 1}"


class Timing(Experiment):
    """Time and memory over the number of objects."""

    def check(self, options: Options) -> Options:
        """The options, with a single process."""
        options = super().check(options).change(n_jobs=1)
        # This call checks the values.
        make_jobs(options.methods, options.train, options.rank[0], options.runs, options.seed)
        if options.train[0] > MAX_TRAIN:
            raise DataError(
                Problem(f"train = {options.train[0]}", f"at most {MAX_TRAIN}, so that pairs remain for the test")
            )
        return options

    def jobs(self, options: Options) -> list[TimingJob]:
        """Every fit, from the smallest size to the largest."""
        options = self.check(options)
        return [job for size in options.sizes for job in self._of_size(options, size)]

    def plans(self, options: Options, folder: Path) -> list[Plan]:
        """The fits of each size."""
        cache, run = ResultCache(folder / "finished", self.name), run_in_fresh_processes
        return [Plan(DATA, self._of_size(options, size), cache, run, UNDIRECTED) for size in options.sizes]

    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """Seconds and memory, both axes logarithmic."""
        summary = self.summary(scores)
        return score_curves(summary[summary["metric"] != "auprc"], self.axis, paper=paper, dark=dark, log=True)

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
    """Yield each job with its rows, one after another, each in its own process, which `cancelled` ends.

    >>> ((job, rows),) = run_in_fresh_processes([TimingJob("Degree", 60, run=0)])
    >>> rows["metric"].tolist()
    ['seconds', 'peak_gb', 'auprc']
    """
    for job in todo:
        command = [sys.executable, "-m", "mrwtd.experiments.timed_fit", json.dumps(asdict(job))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                output = _output(process, cancelled)
            finally:
                process.kill()  # no effect on a process that has ended
        if output is None:
            return
        out, err = output
        if process.returncode == 0:
            yield job, _rows(job, json.loads(out.splitlines()[-1]))
        else:
            reason = (err.strip().splitlines() or [f"the process ended with status {process.returncode}"])[-1]
            yield job, _rows(job, {"": float("nan")}, reason=reason)


def _output(process: subprocess.Popen[str], cancelled: Callable[[], bool]) -> tuple[str, str] | None:
    """The output and errors of a process when it ends; None if it is cancelled."""
    while not cancelled():
        try:
            return process.communicate(timeout=POLL_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    return None


def _rows(job: TimingJob, measured: Mapping[str, float], reason: str = "") -> pd.DataFrame:
    """The measurements of a fit in the columns of `mrwtd.compare`, and the number of objects."""
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


METHODS = ("RESCAL-signs", "BPTF", "MrWTD-H")

EXPERIMENT = EXPERIMENTS.register(
    Timing(
        name="timing",
        title="Time and memory as the data grows",
        about=(
            "One fit of rank 10 with a given λ to three binary relations with a tenth of the pairs known, in a fresh "
            "process with everything compiled: seconds, peak memory (including the data), and AUPRC on test pairs. "
            "The paper's seconds are of MATLAB on a machine with twelve cores of 2.66 GHz."
        ),
        order=4,
        axis="n_objects",
        source="timing",
        paper_runs=10,
        metrics=METRICS,
        presets={
            "quick": Options(METHODS, (0.1,), (10,), runs=3, sizes=(500, 1000), n_jobs=1),
            "full": Options(METHODS, (0.1,), (10,), runs=10, sizes=(500, 1000, 2000, 4000, 8000), n_jobs=1),
        },
    )
)
