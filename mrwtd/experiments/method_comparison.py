"""Methods on the same splits of some data sets: the common part of the synthetic, real and rank experiments.

The protocol is the paper's: training uses a fraction of the unordered pairs of each relation, λ is searched on a
quarter of them, and all other pairs are test entries. AUPRC is the mean over the binary relations, MSE over the real
ones. The data of the paper is undirected. In directed data, relations that are mostly mutual are also held out by pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ..comparison import Job, ResultCache, make_jobs, run_jobs
from ..data.datasets.samples import load_dataset
from ..data.relational import RelationalData
from ..data.splitting import describe_split
from ..plots.score_curves import score_curves
from .experiment import Experiment, Options, Plan


@dataclass(frozen=True)
class Case:
    """A data set of an experiment.

    Attributes:
        name: its name in the paper's tables, or ours.
        dataset, options: the arguments of `mrwtd.load_dataset`, or the data itself.
    """

    name: str
    dataset: str | RelationalData
    options: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> RelationalData:
        """Load the data.

        >>> Case("Kinship", "kinship", {"symmetric": True}).load()
        RelationalData(104 objects, 23 relations, 125,580 entries)
        """
        return self.dataset if isinstance(self.dataset, RelationalData) else load_dataset(self.dataset, **self.options)


@dataclass(frozen=True, kw_only=True)
class Comparison(Experiment):
    """An experiment that compares methods on splits of data sets; the fields are those of `Experiment`."""

    default_cases: tuple[Case, ...]
    axis: str = "train"
    source: str = ""
    paper_runs: int = 20
    metrics: tuple[str, ...] = ("auprc", "mse")

    def cases(self, options: Options) -> tuple[Case, ...]:
        """The data sets for these options."""
        return self.default_cases

    def jobs(self, options: Options) -> list[Job]:
        """Every fit, data set by data set."""
        return [job for _ in self.cases(options) for job in self._jobs_on_one(self.check(options))]

    def plans(self, options: Options, folder: Path) -> list[Plan]:
        """The fits on each data set."""
        plans = []
        for case in self.cases(options):
            data = case.load()
            by = "auto" if any(relation.directed for relation in data.relations) else "entry"
            jobs, cache = self._jobs_on_one(options, by), ResultCache(folder / "finished", data)
            run = partial(run_jobs, data, n_jobs=options.n_jobs, scheduler=options.scheduler)
            plans.append(Plan(case.name, jobs, cache, run, describe_split(data, by)))
        return plans

    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """Curves over the training fraction or the rank."""
        return score_curves(self.summary(scores), self.axis, paper=paper, dark=dark)

    def _jobs_on_one(self, options: Options, by: str = "entry") -> list[Job]:
        return [
            job
            for lam in options.lam or ("auto",)
            for rank in options.rank
            for job in make_jobs(options.methods, options.train, rank, options.runs, options.seed, lam, by=by)
        ]
