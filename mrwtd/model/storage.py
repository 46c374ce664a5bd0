"""A fitted method on disk: an npz file of arrays with one JSON header. Nothing is ever unpickled.

The header has the version of the format, the class, the parameters and the learned attributes; an array in them is a
reference to an array of the file.
"""

import io
import json
import zipfile
import zlib
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from ..data.arguments import short_repr
from ..data.possible_pairs import PossiblePairs
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..data.validation import is_one
from ..errors import DataError, Problem
from . import learned
from .diagnostics import Diagnostic
from .layout import Factors
from .method import METHODS, Method
from .snapshots import Snapshot

FORMAT = 2
HEADER = "mrwtd"
EXPECTED = "a model saved by mrwtd"
FEW = 16
"""Arrays of at most this many numbers are in the header: biases and snapshots would be thousands of small files."""

MOST_ENTRIES = 1_000_000
"""Up to this number, training entries are stored in the file; above it, `explain` needs them as an argument."""

SAMPLE, WORTH = 1 << 16, 0.8
"""An array is compressed if a sample of this many bytes shrinks below this fraction."""

_UNREADABLE = (
    *(ValueError, LookupError, TypeError, AttributeError, EOFError, RuntimeError, ArithmeticError, MemoryError),
    *(zipfile.BadZipFile, zlib.error),
)
"""The errors of a damaged or malicious file."""


def save(method: Method, file: str | PathLike[str] | IO[bytes]) -> None:
    """Write a fitted method."""
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    header = {"format": FORMAT, **_content(method, arrays)}
    arrays[HEADER] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            _add(archive, name, array)
    if isinstance(file, (str, PathLike)):
        Path(file).write_bytes(buffer.getvalue())
    elif hasattr(file, "write"):
        file.write(buffer.getvalue())
    else:
        raise DataError(Problem(f"{short_repr(file)} as a file", "a path, or a file opened for writing bytes"))


def _content(method: Method, arrays: dict[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """The class, the parameters and the learned attributes."""
    values = {name: value for name, value in vars(method).items() if name.endswith("_")}
    return {
        "class": type(method).__name__,
        "parameters": _encode(method.get_params(), arrays),
        "learned": _encode(values, arrays),
    }


def _add(archive: zipfile.ZipFile, name: str, array: np.ndarray[Any, Any]) -> None:
    """Add an array, as `numpy.savez_compressed` but faster: large factors, which hardly shrink, are not compressed."""
    part = io.BytesIO()
    np.lib.format.write_array(part, array, allow_pickle=False)
    sample = part.getbuffer()[-SAMPLE:]
    shrinks = len(zlib.compress(sample, 1)) < WORTH * len(sample)
    info = zipfile.ZipInfo(f"{name}.npy")  # without the time: the same model is the same file
    archive.writestr(info, part.getbuffer(), zipfile.ZIP_DEFLATED if shrinks else zipfile.ZIP_STORED, compresslevel=1)


def load_model(file: str | PathLike[str] | IO[bytes]) -> Method:
    """A fitted method of any kind, as its `save` wrote it.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> buffer = io.BytesIO()
    >>> model.save(buffer)
    >>> np.array_equal(mrwtd.load_model(io.BytesIO(buffer.getvalue())).A_, model.A_)
    True
    """
    name = Path(file).name if isinstance(file, (str, PathLike)) else str(getattr(file, "name", "the file"))
    try:
        content = Path(file).read_bytes() if isinstance(file, (str, PathLike)) else file.read()
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        header = json.loads(arrays[HEADER].tobytes())
        version, kind = header["format"], header["class"]
    except OSError as error:
        raise DataError(Problem(error.strerror or str(error) or "an unreadable file", EXPECTED), file=name) from None
    except _UNREADABLE as error:
        raise DataError(Problem(f"a file of another kind ({error})", EXPECTED), file=name) from None
    if version != FORMAT:
        raise DataError(
            Problem(f"a model in format {version}", f"format {FORMAT}; another version of mrwtd saved it"), file=name
        )
    len(METHODS)  # a class is known once its module is imported
    if kind not in Method.kinds:
        raise DataError(Problem(f"a model of class {kind!r}", f"one of {', '.join(Method.kinds)}"), file=name)
    try:
        return _method(header, arrays)
    except Exception as error:  # a changed file can have anything anywhere
        raise DataError(Problem(f"a damaged model ({error})", EXPECTED), file=name) from None


def _method(content: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> Method:
    """The method of `_content`; any error if no fit gives it."""
    method = object.__new__(Method.kinds[content["class"]])
    for name in method.parameter_names():  # a version without a parameter worked like its default
        setattr(method, name, method.default(name))
    for part in ("parameters", "learned"):
        for key, value in _decode(content[part], arrays).items():
            _check_name(method, part, key)
            setattr(method, key, value)
    learned.check(method)
    _try(method)
    return method


def _try(method: Method) -> None:
    """Check the parameters, and predict one pair of each relation, with its first source and its last target."""
    types = method.object_types_
    possible = [PossiblePairs.of(relation, types or len(method.objects_)) for relation in method.relations_]
    i, j = [pairs.source_positions[0] for pairs in possible], [pairs.target_positions[-1] for pairs in possible]
    y = [float(relation.kind == "binary") for relation in method.relations_]
    pairs = RelationalData(method.objects_, method.relations_, i, j, range(len(y)), y, object_types=types)
    method.check(pairs)
    method.predict_all(pairs)
    method.predict_std(pairs)


def _check_name(method: Method, part: str, name: Any) -> None:
    """Refuse an attribute that a fitted method does not have: a forged file would put data in place of a function."""
    known = name in method.parameter_names() if part == "parameters" else isinstance(name, str) and name.endswith("_")
    if not known or name.startswith("_") or callable(getattr(type(method), name, None)):
        raise ValueError(f"{part} called {name!r}")


def _encode(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """JSON for a value; arrays are added to `arrays` and referred to by name."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.size <= FEW and value.dtype == np.float64:
        return {"numbers": value.tolist()}
    if isinstance(value, np.ndarray):
        key = f"array{len(arrays)}"
        arrays[key] = value
        return {"array": key}
    if isinstance(value, RelationalData):
        if len(value) > MOST_ENTRIES:
            return None
        fields = {name: getattr(value, name) for name in "ijky"}
        numbers = {"w": value.w, "represents": value.represents}
        fields |= {name: array for name, array in numbers.items() if not is_one(array)}
        fields |= {"relations": value.relations, "objects": value.objects}
        fields |= {} if value.object_types is None else {"object_types": value.object_types}
        return {"data": _encode(fields, arrays)}
    if isinstance(value, pd.DataFrame):
        return {"frame": _encode({str(name): column.tolist() for name, column in value.items()}, arrays)}
    if isinstance(value, Factors):
        return {"factors": _encode([value.A, value.R, list(value.extras)], arrays)}
    if isinstance(value, Snapshot):
        return {"snapshot": _encode([value.iteration, value.factors], arrays)}
    if isinstance(value, Method):
        return {"method": _content(value, arrays)}
    if isinstance(value, Relation):
        return {"relation": value.to_json()}
    if isinstance(value, Diagnostic):
        return {"diagnostic": value.to_json()}
    if _is_stackable(value):
        return {"stack": [_encode(np.stack(parts), arrays) for parts in zip(*value, strict=True)]}
    if isinstance(value, tuple):
        return {"tuple": [_encode(item, arrays) for item in value]}
    if isinstance(value, list):
        return [_encode(item, arrays) for item in value]
    if isinstance(value, dict):
        return {"dict": [[key, _encode(item, arrays)] for key, item in value.items()]}
    if isinstance(value, np.generic):
        return value.item()
    return value


def _is_stackable(value: Any) -> bool:
    """Whether it has several states of equal arrays, as samplers store: hundreds of small arrays would load slowly."""
    return (
        isinstance(value, tuple)
        and len(value) > 1
        and all(isinstance(state, tuple) and len(state) == len(value[0]) > 0 for state in value)
        and all(isinstance(part, np.ndarray) for state in value for part in state)
        and len({tuple((part.shape, part.dtype) for part in state) for state in value}) == 1
    )


def _decode(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    if isinstance(value, list):
        return [_decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((tag, content),) = value.items()
    if tag == "array":
        return arrays[content]
    if tag == "numbers":
        return np.array(content, dtype=np.float64)
    if tag == "relation":
        return Relation(**content)
    if tag == "method":
        return _method(content, arrays)
    if tag == "diagnostic":
        return Diagnostic.from_json(content)
    if tag == "tuple":
        return tuple(_decode(item, arrays) for item in content)
    if tag == "stack":
        return tuple(zip(*_decode(content, arrays), strict=True))
    if tag == "dict":
        return {key: _decode(item, arrays) for key, item in content}
    decoded = _decode(content, arrays)
    if tag == "frame":
        return pd.DataFrame(decoded)
    if tag == "factors":
        return Factors(decoded[0], decoded[1], tuple(decoded[2]))
    if tag == "snapshot":
        return Snapshot(*decoded)
    return RelationalData(**decoded)
