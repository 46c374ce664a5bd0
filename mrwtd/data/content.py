"""The content of data as a frame, in the types of JSON, and as a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..typing import Array
from .negatives import sampled_pairs
from .published import PARTS
from .table import REPRESENTS
from .validation import is_one, plain_values

if TYPE_CHECKING:
    from .relational import RelationalData


ENTRY_ARRAYS = ("i", "j", "k", "y", "w", "part", "represents")
"""The attributes of data with one number per entry."""


def are_equal(first: RelationalData, second: RelationalData) -> bool:
    """Whether two data sets have the same objects, relations, entries and attributes."""
    return (
        first.objects == second.objects
        and first.relations == second.relations
        and first.object_types == second.object_types
        and all(np.array_equal(getattr(first, name), getattr(second, name)) for name in ENTRY_ARRAYS)
        and first.attributes.equals(second.attributes)
    )


def original_values(data: RelationalData, relations: Iterable[int]) -> Array:
    """The values of `RelationalData.original_values`, of some relations."""
    parts = [np.zeros(0)]
    for k in relations:
        values, levels = data.y[data.slice(k)], np.asarray(data.relations[k].levels)
        parts.append(levels[values.astype(np.intp)] if levels.size else values)
    return parts[1] if len(parts) == 2 else np.concatenate(parts)


def as_frame(data: RelationalData) -> pd.DataFrame:
    """The frame of `RelationalData.to_frame`, with a column of parts if a split was published."""
    names = pd.Index([relation.name for relation in data.relations], dtype="str")
    objects = pd.Index(data.objects, dtype="str")
    frame = pd.DataFrame(
        {
            "source": pd.Categorical.from_codes(data.i, categories=objects),
            "relation": pd.Categorical.from_codes(data.k, categories=names),
            "target": pd.Categorical.from_codes(data.j, categories=objects),
            "value": data.original_values(),
            "weight": data.w,
        }
    )
    if data.part is not None:
        frame["part"] = pd.Categorical.from_codes(data.part, categories=pd.Index(PARTS, dtype="str"))
    if sampled_pairs(data):
        frame[REPRESENTS] = data.represents
    frame.attrs["mrwtd"] = schema(data)
    return frame


def schema(data: RelationalData) -> dict[str, Any]:
    """The dictionary of `RelationalData.schema`."""
    types = {} if data.object_types is None else {"object_types": list(data.object_types)}
    return {
        "objects": list(data.objects),
        "relations": [relation.to_json() for relation in data.relations],
        "attributes": {str(name): plain_values(column) for name, column in data.attributes.items()},
    } | types


def digest(data: RelationalData) -> str:
    """The hash of `RelationalData.digest`. Types are part of it if there are any, so older data keep their digests."""
    types = () if data.object_types is None else (data.object_types,)
    sha = hashlib.sha256(repr((data.objects, data.relations, *types)).encode())
    # Ones count as none, so that the entries of a subset have the digest of the same data without weights.
    numbers = [array for array in (data.w, data.represents) if not is_one(array) and not (array == 1).all()]
    for array in (data.i, data.j, data.k, data.y, *numbers, *(() if data.part is None else (data.part,))):
        sha.update(np.ascontiguousarray(array).data)
    sha.update(data.attributes.to_json(orient="split", double_precision=15).encode())
    return sha.hexdigest()
