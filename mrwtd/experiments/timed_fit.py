"""One fit of the timing experiment in its own process: `python -m mrwtd.experiments.timed_fit JOB`.

The peak memory of a process covers everything it ever did. So a fit is measured alone, after its data is generated and
a fit to a tiny data set has compiled everything.
"""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from ..baselines import make_method
from ..comparison.processes import end_with_parent
from ..data.datasets.samples import load_dataset
from ..model.diagnostics import without_warnings
from ..model.method import Method
from ..runs import Fit, Hooks, execute
from .timing import TimingJob

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class PeakMemory(Hooks):
    """The peak memory of a fit.

    Attributes:
        bytes: the peak of the process, including the data.
    """

    bytes = 0

    def start(self, label: str, model: Method) -> None:
        """Leave out the memory that generated the data."""
        reset_peak()

    def fitted(self, fit: Fit) -> None:
        """Record the peak at the end of the fit."""
        self.bytes = peak_bytes()


def measure(job: TimingJob) -> dict[str, float]:
    """Seconds, evaluations, peak memory and AUPRC of a fit.

    >>> sorted(measure(TimingJob("RESCAL", 60, run=0)))
    ['auprc', 'evaluations', 'peak_gb', 'seconds']
    """
    with without_warnings():  # everything is compiled before the clock starts
        make_method(job.label, rank=job.rank, lam=1.0).fit(load_dataset("florentine"))
    memory = PeakMemory()
    run = execute(job.spec, job.data(), memory)
    scores = run.scores
    if not run.methods:
        raise ValueError(scores["reason"].iloc[0])
    auprc = scores.loc[scores["metric"] == "auprc", "value"].mean()
    first = scores.iloc[0]
    return {
        "seconds": float(first["seconds"]), "evaluations": int(first["evaluations"]), "peak_gb": memory.bytes / 1e9,
        "auprc": float(auprc),
    }  # fmt: skip


def reset_peak() -> None:
    """Reset the peak memory, if the system supports it: generating the data is not part of the fit."""
    with suppress(OSError):
        CLEAR.write_text("5")


def peak_bytes() -> int:
    """The peak memory of this process.

    >>> peak_bytes() > 10**7
    True
    """
    try:
        # On Linux, getrusage would include the process that started this one.
        (line,) = [line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM")]
        return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    end_with_parent(os.getppid())
    sys.stdout.write(json.dumps(measure(TimingJob(**json.loads(sys.argv[1])))))
