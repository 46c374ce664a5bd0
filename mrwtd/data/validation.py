"""Checks and conversions of the arguments of `RelationalData`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..errors import DataError, Problem
from ..typing import Array, IndexArray, Int8Array, Int32Array, Int64Array
from .arguments import argument_error, check_numbers, short_repr
from .published import as_parts
from .relations import Relation

if TYPE_CHECKING:
    from .relational import RelationalData

BLOCK = 1 << 15
"""Number of keys processed at a time: a block fits the processor cache."""

LARGEST = 1e150
"""Largest absolute value: the square of a larger one overflows."""

ALLOWED_RANGE = f"from −{LARGEST:g} to {LARGEST:g}".replace("e+", "e")

ONE = np.ones(1)
ONE.flags.writeable = False


def entry_keys(i: Int32Array, j: Int32Array, k: Int32Array, n_objects: int) -> Int64Array:
    """One integer per entry, (k·n + i)·n + j, which sorts entries by (k, i, j)."""
    key = np.empty(k.size, dtype=np.int64)
    for start in range(0, k.size, BLOCK):
        part = slice(start, start + BLOCK)
        block = key[part]
        np.multiply(k[part], n_objects, out=block, dtype=np.int64)
        block += i[part]
        block *= n_objects
        block += j[part]
    return key


def ordered_pairs(
    relations: Sequence[Relation], i: Int32Array, j: Int32Array, k: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Sources and targets of entries, with i ≤ j in undirected relations."""
    undirected = np.array([not relation.directed for relation in relations], dtype=bool)
    flip = undirected[k] & (i > j)
    return (np.where(flip, j, i), np.where(flip, i, j)) if flip.any() else (i, j)


def is_one(w: Array) -> bool:
    """Whether weights, or numbers of represented pairs, are the broadcast 1, which takes no memory."""
    return w.strides == (0,)


def check_lists(**arguments: Any) -> None:
    """Check that the arguments are iterable."""
    for name, value in arguments.items():
        if not isinstance(value, Iterable):
            expected = "Relation(name, kind, directed) in a list" if name == "relations" else "a list"
            raise argument_error(name, value, expected)


def as_ascending_positions(which: npt.ArrayLike, size: int) -> IndexArray:
    """The positions of a mask or a list of positions, in ascending order.

    >>> as_ascending_positions([True, False, True], 3), as_ascending_positions([2, 0], 3)
    (array([0, 2]), array([0, 2]))
    """
    index = np.asarray(which)
    is_integer = np.issubdtype(index.dtype, np.integer) or not index.size
    if index.ndim != 1 or not (is_integer or (index.dtype == bool and index.size == size)):
        raise argument_error("which", which, f"a mask of {size:,} entries, or positions of some of them")
    positions = np.flatnonzero(index) if index.dtype == bool else index.astype(np.intp)
    if positions.size and not (-size <= positions.min() and positions.max() < size):
        raise DataError(Problem(f"position {positions.max()}", f"positions below {size:,}"))
    if (positions[1:] < positions[:-1]).any():
        positions = np.sort(positions)
    if (positions[1:] == positions[:-1]).any():
        raise DataError(Problem("the same position twice", "each position at most once"))
    return positions


def check_names(objects: tuple[str, ...], relations: tuple[Relation, ...]) -> None:
    """Check that names are unique, and that there are at least two objects and one relation."""
    for relation in relations:
        if not isinstance(relation, Relation):
            raise DataError(Problem(f"{short_repr(relation)} as a relation", "Relation(name, kind, directed)"))
    for noun, names in (("object", objects), ("relation", tuple(r.name for r in relations))):
        if len(set(names)) < len(names):
            repeated = Counter(names).most_common(1)[0][0]
            raise DataError(Problem(f"the {noun} {repeated!r} twice", f"each {noun} once"))
        try:
            "".join(names).encode()
        except UnicodeEncodeError as error:
            actual = f"the character {error.object[error.start]!r} in a name"
            raise DataError(Problem(actual, "names in valid Unicode")) from None
    if len(objects) < 2:
        raise DataError(Problem(f"{len(objects)} object{'s' * (not objects)}", "at least two objects to relate"))
    if not relations:
        raise DataError(Problem("no relation", "at least one relation"))


def relation_positions(relations: Sequence[Relation], names: Iterable[Any]) -> list[int]:
    """The positions of some relations, by name; each may be named once."""
    if not isinstance(names, Iterable):
        raise argument_error("names", names, "a list of names of relations")
    known = {relation.name: position for position, relation in enumerate(relations)}
    texts = [name if isinstance(name, str) else short_repr(name) for name in names]
    for name in texts:
        if name not in known:
            raise DataError(Problem(f"relation {name!r}", f"one of {', '.join(map(repr, known))}"))
    if len(set(texts)) < len(texts):
        raise DataError(Problem(f"relations {texts}", "each relation once"))
    return [known[name] for name in texts]


def sorted_entries(
    objects: tuple[str, ...],
    relations: tuple[Relation, ...],
    i: npt.ArrayLike,
    j: npt.ArrayLike,
    k: npt.ArrayLike,
    y: npt.ArrayLike,
    w: npt.ArrayLike | None,
    part: npt.ArrayLike | None = None,
    represents: npt.ArrayLike | None = None,
) -> tuple[Int32Array, Int32Array, Int32Array, Array, Array, Int8Array | None, Array]:
    """The entries as arrays, sorted by (k, i, j), undirected ones with i ≤ j, after all checks."""
    i_, j_, k_ = (as_positions(a, name) for a, name in ((i, "i"), (j, "j"), (k, "k")))
    y_ = check_numbers("y", y, "a number for each entry")
    w_, part_ = as_weights(w, y_.size), as_parts(part, y_.size)
    represents_ = as_pair_numbers(represents, y_.size)
    sizes = {a.size for a in (i_, j_, k_, y_, w_, represents_)}
    if len(sizes) > 1:
        expected = "i, j, k, y, w and represents of the same length"
        raise DataError(Problem(f"arrays of {sorted(sizes)} entries", expected))
    n, m = len(objects), len(relations)
    for name, positions, bound in (("i", i_, n), ("j", j_, n), ("k", k_, m)):
        if positions.size and (positions.min() < 0 or positions.max() >= bound):
            raise DataError(Problem(f"{name} outside 0…{bound - 1}", "positions in the list of objects or relations"))
    i_, j_ = ordered_pairs(relations, i_, j_, k_)
    key = entry_keys(i_, j_, k_, n)
    if (key[1:] <= key[:-1]).any():
        order = np.argsort(key, kind="stable")
        key = key[order]
        i_, j_, k_, y_ = i_[order], j_[order], k_[order], y_[order]
        w_, represents_ = (a if is_one(a) else a[order] for a in (w_, represents_))
        part_ = None if part_ is None else part_[order]
        same = key[1:] == key[:-1]
        if same.any():
            entry = int(np.argmax(same))
            pair = f"{objects[i_[entry]]!r} – {objects[j_[entry]]!r} in {relations[k_[entry]].name!r}"
            raise DataError(Problem(f"two entries for {pair}", "one entry per pair and relation"))
    return i_, j_, k_, y_, w_, part_, represents_


def radix_argsort(numbers: npt.NDArray[np.integer[Any]], below: int) -> IndexArray:
    """A stable argsort of whole numbers from 0 to below a bound.

    NumPy uses a radix sort for 16-bit integers, which is several times faster than comparisons.

    >>> radix_argsort(np.array([70_000, 3, 70_000, 1]), below=100_000)
    array([3, 1, 0, 2])
    """
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    for shift in range(16, (below - 1).bit_length(), 16):
        order = order[np.argsort((numbers[order] >> shift).astype(np.uint16), kind="stable")]
    return order


def as_positions(a: npt.ArrayLike, name: str) -> Int32Array:
    """A new array of positions as 32-bit integers."""
    array = np.asarray(a).reshape(-1)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise DataError(Problem(f"{name} of type {array.dtype}", "whole numbers: positions of objects and relations"))
    if array.size and array.max() > np.iinfo(np.int32).max:
        raise DataError(Problem(f"{name} up to {array.max()}", f"positions below {np.iinfo(np.int32).max}"))
    return array.astype(np.int32, copy=True)


def as_weights(w: npt.ArrayLike | None, size: int) -> Array:
    """Weights in [0, 1]; if all are 1, a broadcast that takes no memory."""
    if w is None:
        return np.broadcast_to(ONE, (size,))
    weights = check_numbers("w", w, "a weight from 0 to 1 for each entry")
    wrong = ~((weights >= 0) & (weights <= 1))
    if wrong.any():
        raise DataError(Problem(f"weight {weights[wrong][0]:g}", "weights from 0 to 1"))
    return np.broadcast_to(ONE, weights.shape) if (weights == 1).all() else weights


def as_pair_numbers(represents: npt.ArrayLike | None, size: int) -> Array:
    """The number of pairs that each entry stands for, from 1 up; if all are 1, a broadcast that takes no memory."""
    if represents is None:
        return np.broadcast_to(ONE, (size,))
    numbers = check_numbers("represents", represents, "a number of pairs, from 1 up, for each entry")
    wrong = ~((numbers >= 1) & (numbers <= LARGEST))
    if wrong.any():
        raise DataError(Problem(f"an entry that represents {numbers[wrong][0]:g} pairs", "1 pair or more"))
    return np.broadcast_to(ONE, numbers.shape) if (numbers == 1).all() else numbers


def as_attributes(attributes: pd.DataFrame | None, objects: tuple[str, ...]) -> pd.DataFrame:
    """A frame with one row per object, in the order of the objects."""
    index = pd.Index(objects, name="object", dtype="str")
    if attributes is None:
        return pd.DataFrame(index=index)
    if not isinstance(attributes, pd.DataFrame):
        raise DataError(Problem(f"{short_repr(attributes)} as attributes", "a frame with one row per object"))
    frame = attributes.copy()
    frame.index = frame.index.astype("str")
    if frame.index.has_duplicates:
        repeated = frame.index[frame.index.duplicated()][0]
        raise DataError(Problem(f"two rows of attributes for {repeated!r}", "one row per object"))
    frame = frame.reindex(index)
    frame.columns = frame.columns.astype("str")
    if frame.columns.has_duplicates:
        repeated = frame.columns[frame.columns.duplicated()][0]
        raise DataError(Problem(f"the attribute {repeated!r} twice", "each attribute once"))
    # The types that a file can store, so that data are equal after writing and reading.
    return pd.DataFrame({name: plain_values(frame[name]) for name in frame.columns}, index=index)


def plain_values(column: pd.Series) -> list[Any]:
    """The values of a column in the types of JSON, with None for unknown ones."""
    return [None if value is pd.NA or value != value else value for value in column.tolist()]


def as_object_types(
    object_types: Iterable[str] | None, objects: tuple[str, ...], relations: tuple[Relation, ...]
) -> tuple[str, ...] | None:
    """The type of each object, if there are types; every type that a relation connects must have an object."""
    if object_types is not None:
        check_lists(object_types=object_types)
    types = None if object_types is None else tuple(map(str, object_types))
    if types is not None and len(types) != len(objects):
        raise DataError(Problem(f"types of {len(types):,} objects", f"{len(objects):,}, one for each object"))
    known = set(types or ())
    for relation in relations:
        missing = [name for name in relation.types or () if name not in known]
        if missing:
            where = f"relation {relation.name!r}"
            raise DataError(Problem(f"no object of type {missing[0]!r}", "object_types with this type", where=where))
    return types


def check_types(data: RelationalData, k: int) -> None:
    """Check that the entries of relation k are between objects of its types."""
    relation, part = data.relations[k], data.slice(k)
    if relation.types is None or part.start == part.stop or data.object_types is None:
        return
    for end, positions, wanted in (
        ("source", data.i[part], relation.types[0]),
        ("target", data.j[part], relation.types[1]),
    ):
        is_wanted = (np.array(data.object_types, dtype=object) == wanted).astype(bool)
        wrong = positions[~is_wanted[positions]]
        if wrong.size:
            actual = f"{data.objects[wrong[0]]!r}, of type {data.object_types[wrong[0]]!r}, as a {end}"
            raise DataError(Problem(actual, f"an object of type {wanted!r}", where=f"relation {relation.name!r}"))


def check_values(relation: Relation, y: Array) -> None:
    """Check that the values are allowed for the kind of the relation."""
    where = f"relation {relation.name!r}"
    if relation.kind == "binary":
        good, expected = np.abs(y) == 1, "−1 or +1 (binary)"
    elif relation.kind == "ordinal":
        top = len(relation.levels) - 1
        good = (y >= 0) & (y <= top) & (y == np.floor(y))
        expected = f"a level 0…{top} (ordinal)"
        if top < 0:
            expected = "Relation(…, levels=(…)): an ordinal relation needs its levels"
    elif relation.kind == "count":
        good, expected = (y >= 0) & (y <= LARGEST) & (y == np.floor(y)), "0, 1, 2, … up to 1e150 (count)"
    else:
        good, expected = np.abs(y) <= LARGEST, f"a number {ALLOWED_RANGE} (real)"
    if not good.all():
        raise DataError(Problem(f"value {y[~good][0]:g}", expected, where=where))
