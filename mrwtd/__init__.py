"""Multi-relational learning by weighted tensor decomposition with modular loss."""

from .data.errors import DataError
from .data.readers import read
from .data.relational import RelationalData
from .data.relations import Relation
from .data.samples import list_datasets, load_dataset
from .evaluation import compare, evaluate, summarize
from .model import MrWTD, load_model

__all__ = [
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
    "read",
    "summarize",
]

__version__ = "0.1.0"
