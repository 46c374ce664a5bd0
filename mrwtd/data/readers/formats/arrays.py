"""Arrays of MATLAB (`.mat`, version 5 to 7) and NumPy (`.npz`, `.npy`): n × n × m, m × n × n, or an n × n a relation.

NaN is a pair that is not known. Names of objects and relations may stand beside the numbers, as arrays or cells of
text called `objects` and `relations` or of the right length; `weights` of the shape of the tensor are weights.
Nothing is ever unpickled.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ....errors import DataError, Problem, Problems
from ....typing import AnyArray
from ...table import Table
from ..format import FORMATS, Reader
from ..parsing import matlab
from ..parsing.grids import grid_table
from ..parsing.lines import quote, relation_names
from ..source import Source

OBJECT_NAMES = ("objects", "object_names", "names", "labels", "nodes", "node_names", "actors", "entities", "people")
RELATION_NAMES = ("relations", "relation_names", "layers", "layer_names", "predicates", "slices", "types")
WEIGHT_NAMES = ("weights", "weight", "w")


def matches(source: Source) -> bool:
    """Whether the name says so, or the first bytes do."""
    return (
        source.extension in ("mat", "npz", "npy")
        or source.start[:6] == b"\x93NUMPY"
        or source.start[:10].startswith(b"MATLAB 5.0")
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
        arrays: dict[str, Any] = {}
        for member in _members(source):
            name = member.name.removesuffix(".npy")
            if name == member.name or name in arrays:
                raise DataError(
                    Problem(f"the member {quote(member.name)}", "arrays alone, each once"), file=source.name
                )
            arrays[name] = _npy(member.data, f"array {name!r}", source.name)
    elif source.start[:6] == b"\x93NUMPY":
        arrays = {source.stem: _npy(source.data, "", source.name)}
    elif source.extension in ("npz", "npy"):
        expected = f"one that NumPy has saved, whole (.{source.extension})"
        raise DataError(Problem("no NumPy file", expected), file=source.name)
    else:
        arrays, left_out = matlab.variables(source)
    return _table(arrays, left_out, source)


def _members(source: Source) -> list[Source]:
    try:
        return source.members()
    except DataError as error:
        if not any("damaged" in problem.found for problem in error.problems):
            raise
        raise DataError(Problem("a damaged NumPy file", "a whole one (.npz)"), file=source.name) from None


def _npy(data: bytes, where: str, file: str) -> AnyArray:
    """An array from its bytes, by its header alone: no pickle is ever looked at."""
    stream = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(stream)
    except Exception as error:
        raise DataError(Problem(f"a damaged NumPy array ({error})", "an array", where=where), file=file) from None
    if dtype.hasobject:
        raise DataError(Problem("pickled Python objects", "an array of numbers or text", where=where), file=file)
    if any(length < 0 for length in shape):
        raise DataError(Problem(f"the shape {shape}", "lengths of 0 or more", where=where), file=file)
    size = dtype.itemsize
    for length in shape:
        size *= int(length)
    found = len(data) - stream.tell()
    if found != size or dtype.itemsize == 0:
        raise DataError(Problem(f"{found:,} bytes", f"{size:,} for the shape {shape}", where=where), file=file)
    return np.frombuffer(data, dtype=dtype, offset=stream.tell()).reshape(shape, order="F" if fortran else "C")


def _table(arrays: dict[str, Any], left_out: list[str], source: Source) -> Table:
    problems = Problems(source.name)
    texts = {name: _texts(array) for name, array in arrays.items() if array.dtype.kind in "US"}
    numbers = {name: array for name, array in arrays.items() if array.dtype.kind in "buif"}
    tensors = {name: array for name, array in numbers.items() if array.ndim == 3}
    notes: list[str] = []
    weights = None
    if tensors:
        used, matrices, weights = _slices(tensors, notes, problems)
        problems.check()
        relations = _names(texts, RELATION_NAMES, len(matrices), "relation", problems)
        relations = relations or relation_names(len(matrices), [], source)
    else:
        squares = _squares(numbers, problems)
        used, matrices, relations = set(squares), list(squares.values()), list(squares)
    if not matrices and not problems.total:
        seen = ", ".join(f"{quote(name)} of {_shape(array)}" for name, array in list(arrays.items())[:10])
        problems.add(seen or "no arrays", "an n × n × m array, or an n × n array for each relation")
    problems.check()
    n = matrices[0].shape[0]
    objects = _names(
        {name: found for name, found in texts.items() if found != relations}, OBJECT_NAMES, n, "object", problems
    )
    problems.check()
    rest = [name for name in [*arrays, *left_out] if name not in used and name not in texts]
    if rest:
        notes.append(f"left out {', '.join(map(repr, rest))}")
    if not objects:
        objects = [str(number) for number in range(1, n + 1)]
        notes.append("objects are numbered from 1")
    return grid_table(matrices, objects, relations, file=source.name, weights=weights, notes=tuple(notes))


def _shape(array: Any) -> str:
    return f"{' × '.join(map(str, array.shape)) or 'one number'} ({array.dtype})"


def _slices(
    tensors: dict[str, AnyArray], notes: list[str], problems: Problems
) -> tuple[set[str], list[AnyArray], list[AnyArray] | None]:
    """The one array of three dimensions, relation by relation, its weights, and the names of both."""
    weight = _called(tensors, WEIGHT_NAMES) if len(tensors) == 2 else None
    rest = {name: array for name, array in tensors.items() if name != weight}
    if len(rest) > 1:
        problems.add(f"the arrays {', '.join(map(quote, rest))}", "one array of three dimensions")
        return set(rest), [], None
    name, tensor = next(iter(rest.items()))
    where = f"array {name!r}"
    a, b, c = tensor.shape
    if a == b == c:
        notes.append("the last of three equal dimensions is taken for the relations")
    if a != b and b != c:
        problems.add(f"the shape {_shape(tensor)}", "n × n × m or m × n × n", where=where)
    if weight is not None and tensors[weight].shape != tensor.shape:
        problems.add(f"weights of {_shape(tensors[weight])}", f"{_shape(tensor)}", where=f"array {weight!r}")
    axis = 2 if a == b else 0
    weights = None if weight is None else list(np.moveaxis(tensors[weight], axis, 0))
    return set(tensors), list(np.moveaxis(tensor, axis, 0)), weights


def _squares(numbers: dict[str, Any], problems: Problems) -> dict[str, Any]:
    """The n × n arrays; single numbers and vectors are something else, other shapes are mistakes."""
    flat = {name: array for name, array in numbers.items() if array.ndim == 2 and min(array.shape) > 1}
    sizes = [array.shape[0] for array in flat.values() if array.shape[0] == array.shape[1]]
    for name, array in flat.items():
        if array.shape[0] != array.shape[1]:
            problems.add(
                f"{_shape(array)}", "a square matrix: a row and a column for each object", where=f"array {name!r}"
            )
        elif array.shape[0] != sizes[0]:
            problems.add(f"{_shape(array)}", f"{sizes[0]} × {sizes[0]}, as before", where=f"array {name!r}")
    return flat


def _names(texts: dict[str, list[str]], known: tuple[str, ...], size: int, what: str, problems: Problems) -> list[str]:
    """The text array that names the objects or relations, by its own name or by its length; [] if there is none."""
    name = _called(texts, known)
    if name is None:
        fitting = [name for name, found in texts.items() if len(found) == size]
        name = fitting[0] if len(fitting) == 1 else None
    if name is None:
        return []
    found = texts[name]
    where = f"array {name!r}"
    if len(found) != size:
        problems.add(f"{len(found)} names", f"{size}, a name for each {what}", where=where)
    for label in [label for label, times in Counter(found).items() if times > 1]:
        problems.add(f"{quote(label)} twice", f"a name for each {what}", where=where)
    return found


def _called(arrays: Iterable[str], wanted: tuple[str, ...]) -> str | None:
    """The first of the wanted names that an array has, in any case."""
    by_lower = {name.lower(): name for name in arrays}
    return next((by_lower[name] for name in wanted if name in by_lower), None)


def _texts(array: AnyArray) -> list[str]:
    """The texts of an array of text; MATLAB pads them with spaces."""
    cells = array.reshape(-1).tolist()
    return [(cell.decode("latin-1") if isinstance(cell, bytes) else str(cell)).rstrip() for cell in cells]


READER = FORMATS.register(
    Reader(
        name="arrays",
        about="an n × n × m array, or an n × n array for each relation (MATLAB .mat, NumPy .npz and .npy)",
        extensions=("mat", "npz", "npy"),
        matches=matches,
        read=read,
        order=10,
    )
)
