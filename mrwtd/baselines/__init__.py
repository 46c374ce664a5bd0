"""The baselines, and the variants of MrWTD. A method is a class in this folder that registers itself.

`METHODS` has them all by name; the modules are imported when a name is first looked up.
"""

from typing import Any

from ..errors import DataError, Problem
from ..model.method import METHODS, Method
from ..model.storage import load_model

__all__ = ["METHODS", "load_model", "make_method"]


def make_method(name: str, **params: Any) -> Method:
    """An unfitted method by name. Every method has `rank`, `lam` and `seed`.

    >>> make_method("RESCAL", rank=5, lam=1.0)
    RESCAL(rank=5, lam=1.0, coding='auto', max_iter=200, tol=0.001, seed=0)
    >>> make_method("MrWTD-H").loss
    {'binary': 'smooth-hinge'}
    """
    method = METHODS[name]
    accepted = method.parameter_names()
    unknown = [param for param in params if param not in accepted]
    if unknown:
        raise DataError(Problem(f"the parameter {unknown[0]!r} of {name}", f"one of {', '.join(accepted)}"))
    return method(**params)  # type: ignore[no-any-return]
