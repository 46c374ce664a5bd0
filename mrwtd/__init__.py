"""Multi-relational learning by weighted tensor decomposition with modular loss."""

from .baselines import METHODS, load_model, make_method
from .comparison import compare
from .data.datasets.samples import list_datasets, load_dataset
from .data.readers import read
from .data.relational import RelationalData
from .data.relations import Relation
from .data.writers import write
from .errors import DataError
from .evaluation import evaluate, evaluate_ranking, summarize
from .model import MrWTD
from .model.diagnostics import ConvergenceWarning
from .runs import load_run
from .version import __version__

__all__ = [
    "METHODS",
    "ConvergenceWarning",
    "DataError",
    "MrWTD",
    "Relation",
    "RelationalData",
    "__version__",
    "compare",
    "evaluate",
    "evaluate_ranking",
    "list_datasets",
    "load_dataset",
    "load_model",
    "load_run",
    "make_method",
    "read",
    "summarize",
    "write",
]
