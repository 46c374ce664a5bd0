"""MrWTD: losses, kernels, objective, starts, solver, λ search, and the estimator that puts them together."""

from .losses import LOSSES, Loss, register
from .mrwtd import MrWTD

__all__ = ["LOSSES", "Loss", "MrWTD", "register"]
