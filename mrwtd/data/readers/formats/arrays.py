"""Arrays of MATLAB (`.mat`, version 5 to 7) and NumPy (`.npz`, `.npy`): n × n × m, m × n × n, or n × n per relation.

NaN marks a pair as unobserved. Arrays or cells of text called `objects` and `relations`, or of the right length, are
names. An array `weights` of the shape of the tensor has weights. Nothing is ever unpickled.
"""

import io
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ....errors import DataError, Problem, Problems
from ....typing import AnyArray
from ...limits import RELATIONS, UNLABELLED
from ...table import Table
from ..parsing import matlab
from ..parsing.lines import quote, relation_names, repeated
from ..parsing.matrix import default_names, grid_table
from ..source import Source, register_format

OBJECT_NAMES = ("objects", "object_names", "names", "labels", "nodes", "node_names", "actors", "entities", "people")
RELATION_NAMES = ("relations", "relation_names", "layers", "layer_names", "predicates", "slices", "types")
WEIGHT_NAMES = ("weights", "weight", "w")
NUMPY_MAGIC = b"\x93NUMPY"


def matches(source: Source) -> bool:
    """Whether the extension or the first bytes are those of NumPy or MATLAB."""
    if source.is_zip and source.member_names and all(name.endswith(".npy") for name in source.member_names):
        return True
    return source.extension in ("mat", "npz", "npy") or source.start.startswith((NUMPY_MAGIC, b"MATLAB 5.0"))


@register_format(
    "arrays",
    "an n × n × m array, or one n × n array per relation (MATLAB .mat, NumPy .npz and .npy)",
    ("mat", "npz", "npy"),
    matches,
    order=10,
)
def read(source: Source) -> Table:
    """The arrays of a file as relations.

    >>> file = io.BytesIO()
    >>> np.savez(file, advice=np.eye(3), calls=np.ones((3, 3)))
    >>> read(Source("office.npz", file.getvalue())).relations
    ('advice', 'calls')
    """
    left_out: list[str] = []
    if source.is_zip:
        arrays = _npz(source)
    elif source.start.startswith(NUMPY_MAGIC):
        arrays = {source.stem: _npy(source.data, "")}
    elif source.extension in ("npz", "npy"):
        expected = f"a complete file saved by NumPy (.{source.extension})"
        raise DataError(Problem("a file that is not in NumPy's format", expected))
    else:
        arrays, left_out = matlab.variables(source)
    return _table(arrays, left_out, source)


def _npz(source: Source) -> dict[str, Any]:
    try:
        members = source.members
    except DataError as error:
        if not any("damaged" in problem.found for problem in error.problems):
            raise
        raise DataError(Problem("a damaged NumPy file", "a complete file (.npz); save it again")) from None
    arrays: dict[str, Any] = {}
    for member in members:
        name = member.name.removesuffix(".npy")
        if name == member.name or name in arrays:
            raise DataError(Problem(f"{quote(member.name)} in the file", "only arrays (.npy), with different names"))
        arrays[name] = _npy(member.data, f"array {name!r}")
    return arrays


def _npy(data: bytes, where: str) -> AnyArray:
    """An array from its bytes, by its header alone: nothing is unpickled."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(stream)
    except Exception as error:
        raise DataError(Problem(f"a damaged NumPy array ({error})", "a complete array", where=where)) from None
    if dtype.hasobject:
        raise DataError(Problem("pickled Python objects", "an array of numbers or text", where=where))
    if any(length < 0 for length in shape):
        raise DataError(Problem(f"the shape {shape}", "lengths of at least 0", where=where))
    size, stored = math.prod((dtype.itemsize, *map(int, shape))), len(data) - stream.tell()
    if stored != size or dtype.itemsize == 0:
        raise DataError(Problem(f"{stored:,} bytes", f"{size:,} bytes for the shape {shape}", where=where))
    return np.frombuffer(data, dtype=dtype, offset=stream.tell()).reshape(shape, order="F" if fortran else "C")


def _table(arrays: dict[str, Any], left_out: list[str], source: Source) -> Table:
    problems = Problems()
    texts = {name: _texts(array) for name, array in arrays.items() if array.dtype.kind in "USO"}
    numbers = {name: array for name, array in arrays.items() if array.dtype.kind in "buif" and 0 not in array.shape}
    tensors = {name: array for name, array in numbers.items() if array.ndim == 3}
    notes: list[str] = []
    weights = None
    if tensors:
        used, matrices, weights = _slices(tensors, source, notes, problems)
        problems.check()
        relations = _names(texts, RELATION_NAMES, len(matrices), "relation", problems)
        relations = relations or relation_names(len(matrices), [], source)
    else:
        squares = _squares(numbers, problems)
        used, matrices, relations = set(squares), list(squares.values()), list(squares)
    if not matrices and not problems.total:
        actual = ", ".join(f"{quote(name)} of shape {_shape(array)}" for name, array in list(arrays.items())[:10])
        problems.add(actual or "no arrays", "an n × n × m array, or one n × n array per relation")
    problems.check()
    n = matrices[0].shape[0]
    RELATIONS.check(len(matrices), source.size)
    others = {name: labels for name, labels in texts.items() if labels != relations}
    objects = _names(others, OBJECT_NAMES, n, "object", problems)
    problems.check()
    unused = [name for name in [*arrays, *left_out] if name not in used and name not in texts]
    if unused:
        notes.append(f"Not used: {', '.join(map(repr, unused))}.")
    if not objects:
        UNLABELLED.check(n, source.size)
        objects = default_names(n)
        notes.append("Objects are numbered from 1.")
    return grid_table(source, matrices, objects, relations, weights=weights, notes=tuple(notes))


def _shape(array: Any) -> str:
    return f"{' × '.join(map(str, array.shape)) or 'one number'} ({array.dtype})"


def _slices(
    tensors: dict[str, AnyArray], source: Source, notes: list[str], problems: Problems
) -> tuple[set[str], list[AnyArray], list[AnyArray] | None]:
    """The names of the used arrays, the matrices of the only three-dimensional array, and their weights."""
    weight = _first_match(tensors, WEIGHT_NAMES) if len(tensors) == 2 else None
    rest = {name: array for name, array in tensors.items() if name != weight}
    if len(rest) > 1:
        problems.add(f"the arrays {', '.join(map(quote, rest))}", "one array of three dimensions")
        return set(rest), [], None
    name, tensor = next(iter(rest.items()))
    a, b, c = tensor.shape
    if a == b == c:
        notes.append("All three dimensions are equal: the last one is read as the relations.")
    if a != b and b != c:
        problems.add(f"the shape {_shape(tensor)}", "n × n × m or m × n × n", where=f"array {name!r}")
    if weight is not None and tensors[weight].shape != tensor.shape:
        actual, expected = f"weights of shape {_shape(tensors[weight])}", f"the shape {_shape(tensor)}"
        problems.add(actual, expected, where=f"array {weight!r}")
    problems.check()
    axis = 2 if a == b else 0
    RELATIONS.check(tensor.shape[axis], source.size)
    weights = None if weight is None else list(np.moveaxis(tensors[weight], axis, 0))
    return set(tensors), list(np.moveaxis(tensor, axis, 0)), weights


def _squares(numbers: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """The n × n arrays. Single numbers and vectors are ignored; other shapes are problems."""
    matrices = {name: array for name, array in numbers.items() if array.ndim == 2 and min(array.shape) > 1}
    sizes = [array.shape[0] for array in matrices.values() if array.shape[0] == array.shape[1]]
    for name, array in matrices.items():
        where = f"array {name!r}"
        if array.shape[0] != array.shape[1]:
            problems.add(_shape(array), "a square matrix, with a row and a column for each object", where=where)
        elif array.shape[0] != sizes[0]:
            problems.add(_shape(array), f"{sizes[0]} × {sizes[0]}, as in the first array", where=where)
    return matrices


def _names(texts: dict[str, list[str]], known: tuple[str, ...], size: int, noun: str, problems: Problems) -> list[str]:
    """The labels of objects or relations, from a text array with a known name or the right length; [] if none."""
    name = _first_match(texts, known)
    if name is None:
        fitting = [name for name, labels in texts.items() if len(labels) == size]
        name = fitting[0] if len(fitting) == 1 else None
    if name is None:
        return []
    labels = texts[name]
    where = f"array {name!r}"
    if len(labels) != size:
        problems.add(f"{len(labels)} names", f"{size} names, one per {noun}", where=where)
    for label in repeated(labels):
        problems.add(f"{quote(label)} twice", f"a different name for each {noun}", where=where)
    return labels


def _first_match(names: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """The first of the wanted names among the names; case does not matter."""
    by_lower = {name.lower(): name for name in names}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def _texts(array: AnyArray) -> list[str]:
    """The texts of an array, without the spaces that MATLAB adds as padding."""
    cells = array.reshape(-1).tolist()
    return [(cell.decode("latin-1") if isinstance(cell, bytes) else str(cell)).rstrip() for cell in cells]
