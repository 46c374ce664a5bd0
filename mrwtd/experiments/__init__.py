"""The experiments of the paper, by name: `synth`, `real`, `rank` and `timing`.

An experiment is a module in this folder that defines `EXPERIMENT`; the command line, the dashboard and the tests find
it here, and nothing else has to know of it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib.abc import InspectLoader
from types import MappingProxyType

from ..errors import DataError, Problem
from .experiment import Experiment, Options, Outcome, Progress
from .reports import write_report
from .tables import Table

__all__ = [
    "Experiment",
    "Options",
    "Outcome",
    "Progress",
    "Table",
    "experiment_named",
    "experiments",
    "write_report",
]


@cache
def experiments() -> Mapping[str, Experiment]:
    """Every experiment by name, in the order of the paper.

    >>> list(experiments())
    ['synth', 'real', 'rank', 'timing']
    """
    found: list[Experiment] = [
        importlib.import_module(f"{__name__}.{info.name}").EXPERIMENT
        for info in pkgutil.iter_modules(__path__)
        if _defines_one(info)
    ]
    return MappingProxyType({one.name: one for one in sorted(found, key=lambda one: (one.order, one.name))})


def _defines_one(info: pkgutil.ModuleInfo) -> bool:
    spec = info.module_finder.find_spec(info.name, None)
    source = spec.loader.get_source(info.name) if spec and isinstance(spec.loader, InspectLoader) else None
    return source is not None and "\nEXPERIMENT = " in source


def experiment_named(name: str) -> Experiment:
    """An experiment by name.

    >>> experiment_named("rank").axis
    'rank'
    """
    known = experiments()
    if name not in known:
        raise DataError(Problem(f"the experiment {name!r}", f"one of {', '.join(known)}"))
    return known[name]
