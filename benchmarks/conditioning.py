"""What would make mixed problems at small λ converge sooner: scaled blocks, alternating steps, memory, Newton steps.

    python -m benchmarks.conditioning

Every way starts where a fit starts, and is counted until it is within 10⁻⁴ of the least objective that any of them
finds from there: in evaluations of value and gradient, and in processor seconds. A Hessian product is the difference of
two gradients: one more evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.optimize import minimize

import mrwtd
from benchmarks.measuring import report
from mrwtd.model.objective import Objective
from mrwtd.model.solver import MEMORY

CASES = {
    "Synth-M 10%, λ = 1": ("synth-mixed", {}, 0.10, 10, 1.0),
    "Kinship 10%, λ = 3": ("kinship", {"symmetric": True}, 0.10, 20, 3.0),
    "airports 25%, λ = 3": ("airports", {}, 0.25, 5, 3.0),
}
SPLITS = 3
MOST = 500
"""Evaluations after which a way is given up."""

COUNTED = f"Evaluations and processor seconds: median of {SPLITS} splits, at most {MOST} evaluations."
CONCLUSION = """\
L-BFGS in A, R and b as they are stays, with a memory of 10. A memory of 20 saves 4 to 24% of the evaluations
but hardly seconds: its own work takes back what it saves, on Kinship more than that. The start already balances A and
R, so other units of R do harm; a smaller unit of b helps the mixed data and slows Kinship down. Alternating is far
behind: A and R_k have to move together. Newton steps at the end take more evaluations than they save everywhere."""
NEAR = 1e-4
TINY = {"ftol": 1e-13, "gtol": 1e-9}


class Enough(Exception):  # noqa: N818 - a signal to leave SciPy's loop, not an error
    """All evaluations are spent."""


@dataclass
class Counted:
    """An objective that notes the least value so far and the processor time of every evaluation."""

    objective: Objective
    start: np.ndarray
    least: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    at: np.ndarray | None = None
    began: float = field(default_factory=time.process_time)

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = self.objective(theta)
        if not self.least or value < self.least[-1]:
            self.at = theta.copy()
        self.least.append(min([value, *self.least[-1:]]))
        self.seconds.append(time.process_time() - self.began)
        if len(self.least) >= MOST:
            raise Enough
        return value, gradient

    @property
    def a_size(self) -> int:
        return self.objective.layout.n_objects * self.objective.layout.rank

    @property
    def r_size(self) -> int:
        return self.objective.layout.n_relations * self.objective.layout.rank**2


def lbfgs(f: Counted, memory: int = MEMORY, R: float = 1.0, b: float = 1.0, ftol: float = TINY["ftol"]) -> None:
    """L-BFGS in the unknowns A, R / factor and b / factor."""
    scale = np.repeat([1.0, R, b], [f.a_size, f.r_size, f.start.size - f.a_size - f.r_size])

    def scaled(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = f(theta * scale)
        return value, gradient * scale

    options = TINY | {"maxcor": memory, "maxiter": MOST, "ftol": ftol}
    minimize(scaled, f.start / scale, jac=True, method="L-BFGS-B", options=options)


def alternating(f: Counted, steps: int) -> None:
    """So many steps of L-BFGS in A, then as many in R and b, and again."""
    theta = f.start.copy()
    while True:
        for part in (slice(0, f.a_size), slice(f.a_size, None)):

            def some(own: np.ndarray, part: slice = part) -> tuple[float, np.ndarray]:
                theta[part] = own
                value, gradient = f(theta)
                return value, gradient[part]

            options = TINY | {"maxcor": MEMORY, "maxiter": steps}
            theta[part] = minimize(some, theta[part].copy(), jac=True, method="L-BFGS-B", options=options).x


def finished_by(f: Counted, method: str) -> None:
    """L-BFGS until its gains are small, then truncated Newton steps."""
    lbfgs(f, ftol=1e-4)
    latest: dict[bytes, np.ndarray] = {}

    def kept(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = f(theta)
        latest[theta.tobytes()] = gradient
        return value, gradient

    def product(theta: np.ndarray, v: np.ndarray) -> np.ndarray:
        if theta.tobytes() not in latest:
            kept(theta)
        step = 1e-5 * (1 + np.linalg.norm(theta)) / max(float(np.linalg.norm(v)), 1e-300)
        return (f(theta + step * v)[1] - latest[theta.tobytes()]) / step

    minimize(kept, f.at, jac=True, hessp=product, method=method, tol=1e-12)


WAYS: dict[str, Callable[[Counted], None]] = {
    **{f"L-BFGS, memory {memory}": partial(lbfgs, memory=memory) for memory in (5, 10, 20, 40)},
    **{f"R in units of {R:g}": partial(lbfgs, R=R) for R in (0.3, 3.0)},
    **{f"b in units of {b:g}": partial(lbfgs, b=b) for b in (0.3, 3.0)},
    **{f"A and R in turns of {steps} steps": partial(alternating, steps=steps) for steps in (3, 10)},
    **{f"finished by {method}": partial(finished_by, method=method) for method in ("Newton-CG", "trust-ncg")},
}


def race(name: str, options: dict[str, object], fraction: float, rank: int, lam: float, split: int) -> dict[str, tuple]:
    """Evaluations and seconds that each way takes, and how far above the least it ends."""
    train, _ = mrwtd.load_dataset(name, **options).split(train=fraction, seed=split)
    model = mrwtd.MrWTD(rank=rank, lam=lam)
    objective = model._objective(train, model._prepare(train), lam)
    start, runs = model._start(objective), {}
    objective(start)  # compiled
    for way, go in WAYS.items():
        runs[way] = Counted(objective, start)
        with suppress(Enough):
            go(runs[way])
    least = min(run.least[-1] for run in runs.values())
    found = {}
    for way, run in runs.items():
        near = np.flatnonzero(np.array(run.least) <= least * (1 + NEAR))
        spent = (int(near[0]) + 1, run.seconds[near[0]]) if near.size else (np.inf, np.inf)
        found[way] = (*spent, run.least[-1] / least - 1)
    return found


def cell(found: np.ndarray) -> str:
    evaluations, seconds, above = np.median(found, axis=0)
    return f"{evaluations:.0f} in {seconds:.2f} s" if np.isfinite(evaluations) else f"not reached: {above:.1e} above"


if __name__ == "__main__":
    columns = {case: [race(*args, split) for split in range(SPLITS)] for case, args in CASES.items()}
    rows = [
        {"way": way} | {c: cell(np.array([one[way] for one in runs])) for c, runs in columns.items()} for way in WAYS
    ]
    report("conditioning", rows, f"{COUNTED}\n\n{CONCLUSION}")
