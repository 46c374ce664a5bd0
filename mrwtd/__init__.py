"""Multi-relational learning by weighted tensor decomposition with modular loss."""

from typing import Any

from .baselines import load_model, make_method
from .comparison import compare
from .data.readers import read
from .data.relational import RelationalData
from .data.relations import Relation
from .data.samples import list_datasets, load_dataset
from .data.writing import write
from .errors import DataError
from .evaluation import evaluate, summarize
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
    "list_datasets",
    "load_dataset",
    "load_model",
    "load_run",
    "make_method",
    "read",
    "summarize",
    "write",
]


def __getattr__(name: str) -> Any:
    """`METHODS`, which is put together when it is first asked for: some methods take long to load."""
    if name == "METHODS":
        from .baselines import METHODS

        return METHODS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
