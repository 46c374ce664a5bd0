"""One fit of the timing experiment, in a process of its own: `python -m mrwtd.experiments.timed_fit JOB`.

The peak memory of a process counts all that it ever did, so a fit is measured alone, after its data is made and after
a fit to a tiny data set has compiled everything.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..baselines import make_method
from ..data.datasets.samples import load_dataset
from ..data.datasets.synthetic import binary
from ..data.relational import RelationalData
from ..metrics.ranking_curve import average_precision
from ..model.diagnostics import without_warnings
from ..runs import evaluations
from ..typing import Array
from .timing import TimingJob

Scores = Callable[[RelationalData], Array]
Fit = Callable[[RelationalData], tuple[Scores, int]]
"""Training entries in; what scores others, and how many evaluations or sweeps it took, out."""

TEST_FRACTION = 0.1
"""Pairs to be predicted, as a share of those to learn from."""

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def make_train_test(job: TimingJob) -> tuple[RelationalData, RelationalData]:
    """The entries to learn from, and some others.

    >>> [len(part) for part in make_train_test(TimingJob("RESCAL", 100, run=0))]
    [1485, 150]
    """
    seed = job.seed + job.run
    known = binary(job.n_objects, n_relations=3, rank=10, seed=seed, observed=job.train * (1 + TEST_FRACTION))
    train, test = known.split(train=1 / (1 + TEST_FRACTION), seed=seed)
    return train, test


def prepare_method(job: TimingJob) -> Fit:
    """A fit by name, compiled."""
    with without_warnings():
        make_method(job.label, rank=job.rank, lam=1.0).fit(load_dataset("florentine"))

    def fit(train: RelationalData) -> tuple[Scores, int]:
        with without_warnings():
            model = make_method(job.label, rank=job.rank, lam=job.lam, seed=job.seed + job.run).fit(train)
        return model.decision_function, evaluations(model)

    return fit


def measure(job: TimingJob, prepare: Callable[[TimingJob], Fit] = prepare_method) -> dict[str, float]:
    """Seconds, evaluations, peak memory and AUPRC of a fit.

    >>> sorted(measure(TimingJob("RESCAL", 60, run=0)))
    ['auprc', 'evaluations', 'peak_gb', 'seconds']
    """
    train, test = make_train_test(job)
    fit = prepare(job)
    reset_peak()
    began = time.perf_counter()
    score, steps = fit(train)
    seconds = time.perf_counter() - began
    peak = peak_bytes()
    x = score(test)
    scores = [average_precision(test.y[at], x[at]) for at in map(test.slice, range(test.n_relations))]
    return {"seconds": seconds, "evaluations": steps, "peak_gb": peak / 1e9, "auprc": float(np.nanmean(scores))}


def reset_peak() -> None:
    """Reset the peak memory, where the system can: what made the data is no part of the fit."""
    try:
        CLEAR.write_text("5")
    except OSError:
        return


def peak_bytes() -> int:
    """The peak memory of this process.

    >>> peak_bytes() > 10**7
    True
    """
    try:
        # What getrusage tells would on Linux include the process that started this one.
        (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
        return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(TimingJob(**json.loads(sys.argv[1])))))
