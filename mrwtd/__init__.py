"""Multi-relational learning by weighted tensor decomposition with modular loss."""

from .data.errors import DataError
from .data.readers import read
from .data.relational import RelationalData
from .data.relations import Relation
from .data.samples import list_datasets, load_dataset

__all__ = [
    "DataError",
    "Relation",
    "RelationalData",
    "list_datasets",
    "load_dataset",
    "read",
]
