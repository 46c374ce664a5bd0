"""How a fit ends when the gradient points uphill."""

import numpy as np
import pytest

from mrwtd.model.solver import SolverOptions, solve
from mrwtd.typing import Array


class Uphill:
    """A constant plus a square, with the opposite of its gradient."""

    def __init__(self, constant: float, factor: float):
        self.constant, self.factor = constant, factor
        self.evaluations = 0

    def __call__(self, theta: Array, /) -> tuple[float, Array]:
        self.evaluations += 1
        return self.constant + self.factor * float(theta @ theta), -2 * self.factor * theta


@pytest.mark.parametrize("constant", [0.0, 1e3, 1e7, 1e8, 1e9])  # the larger, the more the square is rounded
def test_a_first_line_search_that_finds_nothing_lower_has_failed(constant):
    for ratio in (1e-5, 1e-4, 1e-3, 1e-2):
        for size in (1, 5, 50):
            start = np.linspace(1.7, 3.4, size)
            solution = solve(Uphill(constant, max(constant, 1.0) * ratio), start, SolverOptions(100, 1e-4))
            assert solution.reason == "failed"


def test_a_start_at_the_minimum_has_converged():
    assert solve(Uphill(5.0, 1.0), np.zeros(3), SolverOptions(100, 1e-4)).reason == "converged"
