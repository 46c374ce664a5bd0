"""Multi-relational learning by weighted tensor decomposition with modular loss."""

from .baselines import METHODS, load_model, make_method
from .data.readers import read
from .data.relational import RelationalData
from .data.relations import Relation
from .data.samples import list_datasets, load_dataset
from .data.writing import write
from .errors import DataError
from .evaluation import compare, evaluate, summarize
from .model import MrWTD
from .model.diagnostics import ConvergenceWarning

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
    "list_datasets",
    "load_dataset",
    "load_model",
    "make_method",
    "read",
    "summarize",
    "write",
]

__version__ = "0.1.0"
