"""Costs of a fit. Experiments measure these numbers; no predictions are needed."""

from .metric import METRICS, Metric


@METRICS.register
class Seconds(Metric):
    """Wall-clock time."""

    name = "seconds"
    label = "seconds"
    help = "Time of one fit"


@METRICS.register
class PeakMemory(Metric):
    """The highest memory use of the process."""

    name = "peak_gb"
    label = "peak memory, GB"
    help = "The most memory that the process of the fit has used"
