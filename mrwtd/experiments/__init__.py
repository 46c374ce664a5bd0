"""The experiments of the paper, by name: `synth`, `real`, `rank` and `timing`.

An experiment is a module in this folder that registers an `Experiment` in `EXPERIMENTS`. The command line, the
dashboard and the tests read it from there. `DATA_EXPERIMENTS` has those that run on any data set.
"""

from .experiment import EXPERIMENTS, Experiment, ExperimentResult, Options
from .on_data.data_experiment import DATA_EXPERIMENTS, DataExperiment
from .reports import write_report

__all__ = [
    "DATA_EXPERIMENTS",
    "EXPERIMENTS",
    "DataExperiment",
    "Experiment",
    "ExperimentResult",
    "Options",
    "write_report",
]
