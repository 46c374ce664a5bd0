"""The progress of a fit: its stages and iterations, as callbacks and the trace get them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from ..typing import Array

StageKind = Literal["fit", "warm-up", "search", "path", "refit", "start", "sampling", "sweep", "held-out", "component"]


@dataclass(frozen=True)
class Stage:
    """A stage of a fit.

    >>> print(Stage("search", lam=0.3162), Stage("refit", number=3, total=20), Stage("fit"), sep="; ")
    λ = 0.3162; refit 3 of 20; fit
    >>> print(Stage("search", lam=0.3162, option="centred"))
    λ = 0.3162, centred

    Attributes:
        kind: "fit" to all training entries; a "warm-up" on some of them; the "search" for λ; the "path" of fits to
            all entries that leads to the λ of the search; a "refit" of an ensemble; the "start" of a sampler; its
            "sampling"; the middle of a long "sweep"; or the fit of a "component" of a stacked ensemble, to all entries
            or, as "held-out", to those that are not held out.
        number, total: which refit it is, and how many there are.
        lam: the λ of a search or path.
        option: the option of another parameter that is searched with λ, or the name of a component.
    """

    kind: StageKind = "fit"
    number: int | None = None
    total: int | None = None
    lam: float | None = None
    option: str = ""

    @property
    def is_final(self) -> bool:
        """Whether the iterations are those of the trace, the last stage of a fit without an ensemble."""
        return self.kind in ("fit", "sampling")

    def __str__(self) -> str:
        texts: dict[StageKind, str] = {
            "search": (f"λ = {self.lam:g}" if self.lam is not None else "")
            + (f", {self.option}" if self.option else ""),
            "path": f"path λ = {self.lam:g}" if self.lam is not None else "",
            "refit": f"refit {self.number} of {self.total}",
            "sweep": "sampling",
            "held-out": f"{self.option} without held-out entries",
            "component": self.option,
        }
        return texts.get(self.kind, self.kind)


@dataclass(frozen=True)
class Iteration:
    """One iteration of a fit.

    >>> Iteration(number=1, objective=10.0, gradient_norm=0.5, seconds=0.1).score is None
    True
    """

    number: int
    objective: float
    gradient_norm: float
    seconds: float
    score: float | None = None
    stage: Stage = Stage()
    theta: Array | None = field(default=None, repr=False, compare=False)


Callback = Callable[[Iteration], object]


def with_stage(
    callback: Callback | None, stage: Stage, also: Callable[[Iteration], None] | None = None
) -> Callback | None:
    """The callback, whose iterations are in this stage; `also` gets each of them first."""
    if callback is None and also is None:
        return None

    def call(iteration: Iteration) -> object:
        if also is not None:
            also(iteration)
        return callback(replace(iteration, stage=stage)) if callback is not None else False

    return call


def trace_frame(trace: Sequence[Iteration]) -> pd.DataFrame:
    """A frame with one row per iteration.

    >>> trace_frame([Iteration(1, 10.0, 0.5, 0.01)])[["iteration", "objective"]]
       iteration  objective
    0          1       10.0
    """
    rows = [
        (step.number, step.objective, step.gradient_norm, step.seconds, np.nan if step.score is None else step.score)
        for step in trace
    ]
    return pd.DataFrame(rows, columns=["iteration", "objective", "gradient_norm", "seconds", "score"])
