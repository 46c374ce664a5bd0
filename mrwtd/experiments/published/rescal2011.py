"""AUC-PR by 10-fold cross-validation over all cells, as in the paper on RESCAL (Nickel, Tresp and Kriegel, 2011).

All n²m cells, self-pairs included, are shuffled and divided into ten folds. The cells of a fold are unknown to the fit:
0 in the tensor of RESCAL, left out for other methods. All held-out cells of a fold, of all relations together, give one
precision–recall curve, whose area is by the trapezoidal rule. Elsewhere, `mrwtd` shows the mean over the relations.

The published example divides the predictions of each pair by their norm over the relations, and rounds to three digits.
That helps if a pair has at most one relation, as in Kinship, and hurts if it has several. Both are shown. A method with
probabilities is scored by these.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import auc, precision_recall_curve
from threadpoolctl import threadpool_limits

from ...data.relational import RelationalData
from ...model.diagnostics import without_warnings
from ...runs import RunSpec, SplitSpec
from ...typing import Array, IndexArray
from .settings import DATA, SAMPLED, SWEEPS, TURNED, TURNED_VIEWS, Setting
from .stored_jobs import Progress, StoredJob, run_stored
from .turned import VIEWS

FOLDS = 10
DIGITS = 3
PLAIN, NORMALIZED = "plain", "normalized"

PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "RESCAL": {name: {"rank": 20 if name == "nations" else 100, "lam": 10.0, "coding": "binary"} for name in DATA},
    "MrWTD-L": {
        "kinship": {"rank": 60, "lam": 5.0}, "umls": {"rank": 60, "lam": 5.0}, "nations": {"rank": 3, "lam": 3.16},
    },
    "MrWTD-L" + TURNED: {
        "kinship": {"rank": 60, "lam": 5.0}, "umls": {"rank": 60, "lam": 5.0}, "nations": {"rank": 10, "lam": 5.0},
    },
    "MrWTD-B": {"nations": {"rank": 10, **SWEEPS}},
    "MrWTD-B" + TURNED: {"nations": {"rank": 10, **SWEEPS}},
}  # fmt: skip
"""The parameters by method and data set, for RESCAL those of the published example; other methods have MrWTD-L's."""


def setting_of(label: str, data: str, rank: int | None = None, lam: float | None = None) -> Setting | None:
    """The setting of a method on a data set; None if it has no preset there, as it would take too long.

    >>> setting_of("RESCAL", "kinship").name
    'RESCAL, rank 100, λ 10, coding=binary'
    """
    name, turned = label.removesuffix(TURNED), label.endswith(TURNED)
    preset = PRESETS.get(label, PRESETS["MrWTD-L" + TURNED * turned]).get(data)
    if preset is None:
        return None
    parameters = {**preset, "seed": 0} | {key: value for key, value in (("rank", rank), ("lam", lam)) if value}
    if name in SAMPLED:
        parameters = {key: value for key, value in parameters.items() if key != "lam"} | SWEEPS
    return Setting(name, parameters, TURNED_VIEWS[data][0] if turned else VIEWS[:1])


def fold_of_cells(data: RelationalData, seed: int) -> IndexArray:
    """The fold of each cell: all cells shuffled together, in ten equal parts.

    >>> import mrwtd
    >>> np.bincount(fold_of_cells(mrwtd.load_dataset("nations", form="standard"), seed=0)).tolist()
    [1078, 1078, 1078, 1078, 1078, 1078, 1078, 1078, 1078, 1078]
    """
    fold = np.empty(len(data), dtype=np.intp)
    fold[np.random.default_rng(seed).permutation(len(data))] = np.arange(len(data)) % FOLDS
    return fold


def pooled_auc(y: Array, x: Array) -> float:
    """The area under one precision–recall curve, by the trapezoidal rule.

    >>> pooled_auc(np.array([1.0, -1, 1, -1]), np.array([0.9, 0.1, 0.8, 0.2]))
    1.0
    """
    precision, recall, _ = precision_recall_curve(y > 0, x)
    return float(auc(recall, precision))


def normalized(data: RelationalData, x: Array) -> Array:
    """Predictions of all cells, divided by the norm of those of the same pair, and rounded.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("nations", form="standard")
    >>> values = normalized(data, np.ones(len(data)))
    >>> bool((values == round(55 ** -0.5, 3)).all())
    True
    """
    pair = data.i.astype(np.int64) * data.n_objects + data.j
    norms = np.sqrt(np.bincount(pair, x * x, minlength=data.n_objects**2))[pair]
    divided: Array = np.divide(x, norms, out=np.zeros_like(x), where=norms > 0)
    return divided.round(DIGITS)


@dataclass(frozen=True)
class FoldJob(StoredJob):
    """One fold of one data set, held out from one setting.

    Attributes:
        seed: the seed of the folds.
    """

    seed: int = 0

    @property
    def spec(self) -> RunSpec:
        """The specification of the run."""
        return self._spec_with(SplitSpec(1 - 1 / FOLDS, self.seed, "entry", folds=FOLDS, fold=self.run))

    def rows(self, scores: pd.DataFrame) -> pd.DataFrame:
        """The rows of the job."""
        return super().rows(scores).assign(run=self.run)

    def __str__(self) -> str:
        return f"{super().__str__()}, fold {self.run + 1}"


def run_fold_job(job: FoldJob, data: RelationalData) -> pd.DataFrame:
    """The area with and without normalization, one row each.

    >>> job = FoldJob("nations", setting_of("RESCAL", "nations", rank=2), run=0)
    >>> import mrwtd
    >>> run_fold_job(job, mrwtd.load_dataset("nations", form="standard"))["form"].tolist()
    ['plain', 'normalized']
    """
    held = fold_of_cells(data, job.seed) == job.run
    with threadpool_limits(1), without_warnings():
        model, seconds = job.fit(data.subset(~held)._with(part=None))
        probability = model.predict_proba(data)
        x = model.decision_function(data) if np.isnan(probability).any() else probability
    values = [pooled_auc(data.y[held], shown[held]) for shown in (x, normalized(data, x))]
    rows = pd.DataFrame({"form": [PLAIN, NORMALIZED], "value": values}).assign(
        method=job.label, relation="all", kind="binary", metric="auc_pr", entries=int(held.sum()), seconds=seconds
    )
    return job.rows(rows)


def run_rescal2011(
    settings: Iterable[tuple[str, Setting]],
    folder: Path,
    folds: int = FOLDS,
    progress: Progress | None = None,
    restart: bool = False,
) -> pd.DataFrame:
    """The rows of the first `folds` folds of all settings; those in the folder are not run again."""
    jobs = [FoldJob(data, setting, run) for data, setting in settings for run in range(folds)]
    return run_stored(jobs, run_fold_job, folder, progress, restart)


def summary(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over the folds, by data set, setting and form."""
    keys = ["data", "label", "setting", "form"]
    groups = scores.groupby(keys, sort=False)
    table = groups["value"].agg(["mean", "std", "count"]).rename(columns={"std": "sd", "count": "folds"})
    return table.assign(seconds=groups["seconds"].median()).reset_index()
