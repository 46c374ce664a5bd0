"""MrWTD itself, and the paper's variants of it by loss: quadratic, smooth hinge and logistic."""

from __future__ import annotations

from functools import partial

from ..model.mrwtd import MrWTD

METHODS = {
    "MrWTD-Q": partial(MrWTD, loss="quadratic"),
    "MrWTD-H": partial(MrWTD, loss={"binary": "smooth-hinge"}),
    "MrWTD-L": partial(MrWTD, loss={"binary": "logistic"}),
    "MrWTD": MrWTD,
}
"""-H and -L: quadratic for real relations, and ordinal and Poisson for the kinds that the paper has no loss for."""
