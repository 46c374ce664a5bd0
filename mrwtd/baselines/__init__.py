"""Every method by name: MrWTD, its variants, and what it is compared with.

A method is a module in this folder that defines `METHODS`, a mapping from names to what makes an unfitted method from
parameters; nothing else has to know of it. The modules are imported when a name is first asked for.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib.abc import InspectLoader
from os import PathLike
from types import MappingProxyType
from typing import IO, Any

from ..data.checks import shown
from ..errors import DataError, Problem
from ..model import storing
from ..model.method import Method

__all__ = ["METHODS", "factories", "load_model", "make_method"]

METHODS: tuple[str, ...]
"""The names of all methods, in the order in which people look for them."""

ORDER = (
    "MrWTD-Q", "MrWTD-H", "MrWTD-L", "MrWTD", "RESCAL", "MMMF", "MMMF+", "BPTF", "CP", "BTF", "MrWTD-B", "Degree",
    "Common neighbours",
)  # fmt: skip
"""Names that are not in it come last."""


@cache
def factories() -> Mapping[str, Callable[..., Method]]:
    """What makes an unfitted method, by name."""
    found: dict[str, Callable[..., Method]] = {}
    for info in pkgutil.iter_modules(__path__):
        # What methods are made of is not imported for their names: compiled parts take long to load.
        if _defines_methods(info):
            found |= importlib.import_module(f"{__name__}.{info.name}").METHODS
    place = {name: position for position, name in enumerate(ORDER)}
    return MappingProxyType({name: found[name] for name in sorted(found, key=lambda one: place.get(one, len(place)))})


def _defines_methods(info: pkgutil.ModuleInfo) -> bool:
    spec = info.module_finder.find_spec(info.name, None)
    source = spec.loader.get_source(info.name) if spec and isinstance(spec.loader, InspectLoader) else None
    return source is not None and "\nMETHODS" in source


def __getattr__(name: str) -> Any:
    if name == "METHODS":
        return tuple(factories())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def make_method(name: str, **params: Any) -> Method:
    """An unfitted method by name. Every one takes `rank`, `lam` and `seed`.

    >>> make_method("RESCAL", rank=5, lam=1.0)
    RESCAL(rank=5, lam=1.0, zeros='signed', max_iter=200, tol=0.001, seed=0)
    >>> make_method("MrWTD-H").loss
    {'binary': 'smooth-hinge'}
    """
    known = factories()
    if not isinstance(name, str) or name not in known:
        raise DataError(Problem(f"the method {shown(name)}", f"one of {', '.join(known)}"))
    takes = inspect.signature(known[name]).parameters
    strange = [param for param in params if param not in takes]
    if strange:
        raise DataError(Problem(f"the parameter {strange[0]!r} of {name}", f"one of {', '.join(takes)}"))
    return known[name](**params)


def load_model(file: str | PathLike[str] | IO[bytes]) -> Method:
    """A fitted method of any kind, as its `save` wrote it.

    >>> import io, mrwtd
    >>> model, buffer = make_method("RESCAL", rank=2, lam=1.0), io.BytesIO()
    >>> model.fit(mrwtd.load_dataset("florentine")).save(buffer)
    >>> load_model(io.BytesIO(buffer.getvalue()))
    RESCAL(rank=2, lam=1.0, zeros='signed', max_iter=200, tol=0.001, seed=0)
    """
    factories()  # a method is known to the files once its module is imported
    return storing.load_model(file)
