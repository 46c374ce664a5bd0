"""The experiments of the paper, by name: `synth`, `real`, `rank` and `timing`.

An experiment is a module in this folder that registers an `Experiment` in `EXPERIMENTS`. The command line, the
dashboard and the tests read it from there.
"""

from .experiment import EXPERIMENTS, Experiment, ExperimentResult, Options, Progress
from .reports import write_report
from .tables import Table

__all__ = ["EXPERIMENTS", "Experiment", "ExperimentResult", "Options", "Progress", "Table", "write_report"]
