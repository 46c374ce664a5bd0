"""Time: seconds of a fit as the training data grows, one fit at a time and without a search for λ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go

from ...data.relational import RelationalData
from ...model.parameters import default_rank
from ...plots.score_curves import score_curves
from ..experiment import ExperimentResult, Options, Plan
from .data_experiment import DATA_EXPERIMENTS, DataExperiment, Template, preset_methods


@dataclass(frozen=True, kw_only=True)
class Times(DataExperiment):
    """Seconds over the training fraction."""

    def __post_init__(self) -> None:
        """Show seconds instead of scores."""
        object.__setattr__(self, "metrics", ("seconds",))

    def check(self, options: Options) -> Options:
        """The options, with a single process: fits at the same time would slow each other down."""
        return super().check(options).change(n_jobs=1)

    def figure(self, scores: pd.DataFrame, paper: bool = True, dark: bool = False) -> go.Figure:
        """Seconds, both axes logarithmic."""
        return score_curves(self.summary(scores), self.axis, paper=paper, dark=dark, log=True)

    def _result(self, plans: Sequence[Plan], options: Options) -> ExperimentResult:
        """One row per fit: its seconds instead of its scores."""
        result = super()._result(plans, options)
        scores, failed = result.scores, result.scores["metric"] == ""
        fits = scores[~failed].drop_duplicates(["method", "train", "run"])
        if len(fits):
            fits = fits.assign(metric="seconds", value=fits["seconds"], relation="all", kind="all", reason="")
        return replace(result, scores=pd.concat([fits, scores[failed]], ignore_index=True))


def presets(data: RelationalData) -> Mapping[str, Options]:
    """Training fractions that double.

    >>> import mrwtd
    >>> presets(mrwtd.load_dataset("florentine"))["quick"].train
    (0.2, 0.4, 0.8)
    """
    (few, many), rank, lam = preset_methods(data), (default_rank(data.n_objects),), (1.0,)
    return {
        "quick": Options(few, (0.2, 0.4, 0.8), rank, runs=1, lam=lam, n_jobs=1),
        "full": Options(many, (0.1, 0.2, 0.4, 0.8), rank, runs=5, lam=lam, n_jobs=1),
    }


DATA_EXPERIMENTS.register(
    Template(
        name="times",
        label="Time",
        title="Time: seconds of a fit as the training data grows",
        about=(
            "The seconds of one fit with λ = 1 to a growing fraction of the entries of this data set, with everything "
            "compiled before the clock starts. A training that searches λ fits about ten times."
        ),
        order=4,
        axis="train",
        presets=presets,
        make=Times,
    )
)
