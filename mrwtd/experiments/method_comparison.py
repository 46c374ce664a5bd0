"""Methods on the same splits of some data sets: what the synthetic, the real and the rank experiment have in common.

The protocol is the paper's: a share of the unordered pairs of each relation is learned from, λ is searched on a quarter
of them, the rest is the test; AUPRC is the mean over the binary relations, MSE that over the real ones. The data of the
paper is undirected. Of directed data, relations that are mostly mutual are held out by pair too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ..comparison import Job, ResultCache, make_jobs, run_jobs
from ..data.datasets.samples import load_dataset
from ..data.reciprocity import describe_split
from ..data.relational import RelationalData
from ..plots.score_curves import score_curves
from .experiment import Experiment, ExperimentJob, Options, Plan


@dataclass(frozen=True)
class Case:
    """A data set of an experiment.

    Attributes:
        name: what the paper's tables call it, or ours where the paper has none.
        dataset, options: what `mrwtd.load_dataset` takes.
    """

    name: str
    dataset: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> RelationalData:
        """The data.

        >>> Case("Kinship", "kinship", {"symmetric": True}).load()
        RelationalData(104 objects, 23 relations, 125,580 entries)
        """
        return load_dataset(self.dataset, **self.options)


@dataclass(frozen=True)
class Comparison(Experiment):
    """An experiment that compares methods on splits of data sets; the fields are those of `Experiment`."""

    name: str
    title: str
    about: str
    order: int
    default_cases: tuple[Case, ...]
    presets: Mapping[str, Options]
    axis: str = "train"
    source: str = ""
    paper_runs: int = 20
    metrics: tuple[str, ...] = ("auprc", "mse")

    def cases(self, options: Options) -> tuple[Case, ...]:
        """The data sets that these options allow."""
        del options
        return self.default_cases

    def jobs(self, options: Options) -> list[ExperimentJob]:
        """Every fit, data set by data set."""
        return [job for _ in self.cases(options) for job in self._on_one(self.check(options))]

    def plans(self, options: Options, folder: Path) -> list[Plan]:
        """The fits on each data set."""
        plans = []
        for case in self.cases(options):
            data = case.load()
            by = "auto" if any(relation.directed for relation in data.relations) else "entry"
            asked = self._on_one(options, by)
            work = partial(run_jobs, data, n_jobs=options.n_jobs, scheduler=options.scheduler)
            plans.append(Plan(case.name, asked, ResultCache(folder / "finished", data), work, describe_split(data, by)))
        return plans

    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """Curves over the training size, or over the rank."""
        return score_curves(self.summary(scores), self.axis, paper=paper, dark=dark)

    def _on_one(self, options: Options, by: str = "entry") -> Sequence[Job]:
        return [
            job
            for rank in options.rank
            for job in make_jobs(options.methods, options.train, rank, options.runs, options.seed, by=by)
        ]
